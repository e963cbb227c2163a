#include "environment.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "base/did_you_mean.h"
#include "options.h"
#include "simd/target.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {

void obey_environment() {
  const char* const wanted = std::getenv("PEGASOS_SIMD");
  if (wanted == nullptr || *wanted == '\0' || simd::force_target(wanted)) return;
  const auto usable = simd::usable_targets();
  throw UsageError(fmt::format("PEGASOS_SIMD: this processor does not support '{}'.{}",
                               printable(wanted), did_you_mean(wanted, usable)),
                   "supported: " + joined(usable, ", "));
}

}  // namespace pegasos::cli
