// Random numbers that are the same on every machine and for every number of threads.
//
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011; from Random123) is counter-based: block b of
// stream s under seed k is a pure function philox(counter = (b, s), key = k). Work that is split
// over threads takes one stream per row (or per epoch), so the split cannot change the numbers.
// Bounded integers, uniforms and the shuffle are our own: the std:: ones differ between libraries.
#pragma once

#include <Random123/philox.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace pegasos {

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  std::uint32_t next32() {
    if (used_ == 4) refill();
    return block_[used_++];
  }

  std::uint64_t next64() {
    const std::uint64_t high = next32();
    return (high << 32) | next32();
  }

  // Uniform on [0, n), n ≥ 1, without bias (Lemire 2019: multiply, reject the short tail).
  std::uint64_t below(std::uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    Wide product = Wide{next64()} * n;
    if (static_cast<std::uint64_t>(product) < n) {
      const std::uint64_t threshold = (0 - n) % n;
      while (static_cast<std::uint64_t>(product) < threshold) product = Wide{next64()} * n;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  // The same for n < 2^32, from half the random bits.
  std::uint32_t below32(std::uint32_t n) {
    std::uint64_t product = std::uint64_t{next32()} * n;
    if (static_cast<std::uint32_t>(product) < n) {
      const std::uint32_t threshold = (0 - n) % n;
      while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{next32()} * n;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  // Uniform on [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next64() >> 11) * 0x1.0p-53; }

  // Standard normal (Marsaglia's polar method).
  double normal();

  // Fisher–Yates from the back.
  template <typename T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      const bool is_small = i <= std::numeric_limits<std::uint32_t>::max();
      const std::size_t j = is_small ? below32(static_cast<std::uint32_t>(i)) : below(i);
      std::swap(values[i - 1], values[j]);
    }
  }

 private:
  void refill();

  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t counter_ = 0;
  std::uint32_t block_[4] = {};
  unsigned used_ = 4;
};

}  // namespace pegasos
