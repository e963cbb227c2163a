// LIBLINEAR's text models. One that loads must be usable.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "pegasos/error.h"
#include "pegasos/model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const pegasos::LinearModel model =
        pegasos::load_liblinear_from_memory({reinterpret_cast<const char*>(data), size}, "fuzz");
    model.validate();
    if (!std::isfinite(model.decision({}))) std::abort();
    model.label_text(model.label_for(-1.0));
  } catch (const pegasos::ParseError&) {
  }
  return 0;
}
