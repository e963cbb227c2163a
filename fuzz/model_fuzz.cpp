// The model file. Checksums and offsets would stop almost every mutation, so the target also puts
// the sections into a sound container: what is tested is the checking behind it. A model that loads
// must be usable.
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "pegasos/decision.h"
#include "pegasos/error.h"
#include "pegasos/model.h"
#include "support/section_bytes.h"

namespace {

void load_and_use(std::string_view bytes) {
  try {
    const pegasos::Model model = pegasos::load_model_from_memory(bytes, "fuzz");
    std::visit(
        [](const auto& kind) {
          kind.validate();
          if constexpr (requires { kind.decision({}); }) static_cast<void>(kind.decision({}));
        },
        model);
    const pegasos::ModelBase& facts = pegasos::base_of(model);
    const pegasos::Decision decision(model);
    decision.text(std::vector<double>(decision.outputs(), 1.0));
    decision.text(std::vector<double>(decision.outputs(), -1.0));
    const std::uint64_t features = facts.schema->feature_count();
    if (features > 0) facts.schema->feature_name(static_cast<std::uint32_t>(features - 1));
    const auto* linear = std::get_if<pegasos::LinearModel>(&model);
    if (linear != nullptr && !linear->map && !std::isfinite(linear->decision({}))) std::abort();
  } catch (const pegasos::CorruptModel&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  load_and_use(bytes);
  load_and_use(
      pegasos::testing::put_together("\x89PGM\r\n\x1a\n", 1, pegasos::testing::taken_apart(bytes)));
  return 0;
}
