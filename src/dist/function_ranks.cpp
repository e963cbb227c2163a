#include <utility>

#include "pegasos/dist.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

class FunctionRank final : public Collective {
 public:
  FunctionRank(int rank, int size, CollectiveFunctions functions)
      : rank_(rank), size_(size), functions_(std::move(functions)) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void sum(std::span<double> values) override { functions_.sum(values); }
  std::vector<std::string> gather(std::string_view bytes) override {
    auto all = functions_.gather(bytes);
    if (all.size() != static_cast<std::size_t>(size_)) {
      throw Error("the ranks' gather must return the bytes of every rank");
    }
    return all;
  }
  void broadcast(std::string& bytes) override { functions_.broadcast(bytes); }

 private:
  int rank_;
  int size_;
  CollectiveFunctions functions_;
};

}  // namespace

std::unique_ptr<Collective> make_collective(int rank, int size, CollectiveFunctions functions) {
  if (size < 1) throw InvalidOption("size", "must be at least 1");
  if (rank < 0 || rank >= size) throw InvalidOption("rank", "must be from 0 to size - 1");
  if (!functions.sum || !functions.gather || !functions.broadcast) {
    throw InvalidOption("functions", "must be given: sum, gather and broadcast");
  }
  return std::make_unique<FunctionRank>(rank, size, std::move(functions));
}

}  // namespace pegasos
