// The kernels of one instruction set, and which set is in use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/arrays.h"
#include "simd/hinge.h"
#include "simd/pairs.h"
#include "simd/tiles.h"

namespace pegasos::simd {

enum class Target { avx512, avx2, sse4, ssse3, scalar };

struct KernelTable {
  std::size_t (*count_byte)(const std::uint8_t*, std::size_t, std::uint8_t);
  bool (*all_finite)(const float*, std::size_t);
  Range (*range_of)(const float*, std::size_t);
  std::size_t (*count_descents)(const std::uint32_t*, std::size_t);
  std::size_t (*count_non_zeros)(const float*, std::size_t);
  void (*subtract)(std::uint32_t*, std::size_t, std::uint32_t);
  void (*add_product)(const double*, const double*, std::size_t, double, const TileTarget&);
  bool (*factor_tile)(double*, double*);
  void (*solve_tile)(const double*, const double*, double*);
  HingeSums (*hinge_sweep)(const HingeRows&, double, const double*, const std::uint32_t*, double*,
                           double*, double*, ChangedDuals&);
  HingeSlopes (*hinge_slopes)(const HingeRows&, const double*, const double*, const double*,
                              HingeMovers&);
  double (*hinge_slope_of_movers)(const HingeMovers&, double);
  StrongestPulls (*strongest_pulls)(const PullRows&);
  std::size_t (*best_partner)(const PullRows&, const PairSearch&);
  void (*add_two)(const PullRows&, double, const double*, double, const double*);
};

const KernelTable& kernels_of(Target target) noexcept;

// The one in use, and its kernels.
Target target_in_use() noexcept;
const KernelTable& kernels() noexcept;

}  // namespace pegasos::simd
