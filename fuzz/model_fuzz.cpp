// The model file. Checksums and offsets would stop almost every mutation, so the target also puts
// the sections into a sound container: what is tested is the checking behind it. A model that loads
// must be usable.
#include <cmath>
#include <cstdlib>
#include <string>

#include "pegasos/error.h"
#include "pegasos/model.h"
#include "support/section_bytes.h"

namespace {

void load_and_use(std::string_view bytes) {
  try {
    const pegasos::LinearModel model = pegasos::load_model_from_memory(bytes, "fuzz");
    model.validate();
    if (!std::isfinite(model.decision({}))) std::abort();
    model.label_text(model.label_for(1.0));
    model.label_text(model.label_for(-1.0));
    if (!model.w.empty()) {
      model.schema->feature_name(static_cast<std::uint32_t>(model.w.size() - 1));
    }
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
