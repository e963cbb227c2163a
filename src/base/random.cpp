#include "base/random.h"

#include <cmath>

namespace pegasos {

void Random::refill() {
  const r123::Philox4x32::ctr_type counter = {
      {static_cast<std::uint32_t>(counter_), static_cast<std::uint32_t>(counter_ >> 32),
       static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)}};
  const r123::Philox4x32::key_type key = {
      {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)}};
  const auto block = r123::Philox4x32()(counter, key);
  for (unsigned i = 0; i < 4; ++i) block_[i] = block[i];
  ++counter_;
  used_ = 0;
}

double Random::normal() {
  for (;;) {
    const double a = 2.0 * uniform() - 1.0;
    const double b = 2.0 * uniform() - 1.0;
    const double s = a * a + b * b;
    if (s > 0.0 && s < 1.0) return a * std::sqrt(-2.0 * std::log(s) / s);
  }
}

}  // namespace pegasos
