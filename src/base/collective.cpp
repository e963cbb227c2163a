#include "pegasos/collective.h"

namespace pegasos {
namespace {

class Alone final : public Collective {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void sum(std::span<double>) override {}
  std::vector<std::string> gather(std::string_view bytes) override { return {std::string(bytes)}; }
  void broadcast(std::string&) override {}
};

}  // namespace

Collective& alone() {
  static Alone one;
  return one;
}

}  // namespace pegasos
