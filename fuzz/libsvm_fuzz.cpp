// LIBSVM's text models. One that loads must be usable.
#include <string_view>

#include "pegasos/decision.h"
#include "pegasos/error.h"
#include "pegasos/model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const pegasos::Model any =
        pegasos::load_libsvm_from_memory({reinterpret_cast<const char*>(data), size}, "fuzz");
    std::visit([](const auto& kind) { kind.validate(); }, any);
    const auto* two = std::get_if<pegasos::KernelModel>(&any);
    if (two == nullptr) return 0;
    const auto& model = *two;
    static_cast<void>(model.decision({}));
    const double score = -1.0;
    pegasos::Decision(any).text({&score, 1});
  } catch (const pegasos::ParseError&) {
  }
  return 0;
}
