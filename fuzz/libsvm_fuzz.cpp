// LIBSVM's text models. One that loads must be usable.
#include <string_view>

#include "pegasos/error.h"
#include "pegasos/model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const pegasos::KernelModel model =
        pegasos::load_libsvm_from_memory({reinterpret_cast<const char*>(data), size}, "fuzz");
    model.validate();
    static_cast<void>(model.decision({}));
    model.label_text(model.label_for(-1.0));
  } catch (const pegasos::ParseError&) {
  }
  return 0;
}
