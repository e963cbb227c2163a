// The loops of pairs.h for one instruction set; included by kernels.cpp once for each.
#if defined(PEGASOS_SIMD_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PEGASOS_SIMD_PAIRS_INL_H_
#undef PEGASOS_SIMD_PAIRS_INL_H_
#else
#define PEGASOS_SIMD_PAIRS_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

#include "simd/pairs.h"

HWY_BEFORE_NAMESPACE();
namespace pegasos::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using PairTag = hn::CappedTag<double, kPairLanes>;

// The first of the largest numbers so far, lane by lane.
struct FirstLargest {
  using V = hn::Vec<PairTag>;

  HWY_INLINE FirstLargest(double least, std::size_t nobody)
      : most(hn::Set(tag, least)), at(hn::Set(tag, static_cast<double>(nobody))) {}

  HWY_INLINE void include(V values, V places) {
    const auto larger = hn::Gt(values, most);
    most = hn::IfThenElse(larger, values, most);
    at = hn::IfThenElse(larger, places, at);
  }
  HWY_INLINE double value() const { return hn::GetLane(hn::MaxOfLanes(tag, most)); }
  HWY_INLINE std::size_t place() const {
    const auto largest = hn::Eq(most, hn::Set(tag, value()));
    const V nowhere = hn::Set(tag, std::numeric_limits<double>::infinity());
    return static_cast<std::size_t>(
        hn::GetLane(hn::MinOfLanes(tag, hn::IfThenElse(largest, at, nowhere))));
  }

  PairTag tag;
  V most;
  V at;
};

StrongestPulls StrongestPullsOf(const PullRows& rows) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const PairTag tag;
  const std::size_t lanes = hn::Lanes(tag);
  FirstLargest up(-kInfinity, rows.size);
  auto down = hn::Set(tag, kInfinity);
  auto places = hn::Iota(tag, 0.0);
  const auto step = hn::Set(tag, static_cast<double>(lanes));
  for (std::size_t r = 0; r < rows.size; r += lanes) {
    const auto z = hn::LoadU(tag, rows.z + r);
    up.include(hn::Sub(hn::LoadU(tag, rows.right + r), z), places);
    const auto pull = hn::Sub(hn::LoadU(tag, rows.left + r), z);
    down = hn::IfThenElse(hn::Lt(pull, down), pull, down);
    places = hn::Add(places, step);
  }
  return {up.value(), hn::GetLane(hn::MinOfLanes(tag, down)), up.place()};
}

std::size_t BestPartner(const PullRows& rows, const PairSearch& search) {
  const PairTag tag;
  const std::size_t lanes = hn::Lanes(tag);
  FirstLargest gain(0.0, rows.size);
  auto places = hn::Iota(tag, 0.0);
  const auto step = hn::Set(tag, static_cast<double>(lanes));
  const auto up = hn::Set(tag, static_cast<double>(search.up));
  const auto pull = hn::Set(tag, search.pull);
  const auto q_up = hn::Set(tag, search.q[search.up]);
  const auto least_share = hn::Set(tag, kLeastShare);
  const auto smallest = hn::Set(tag, std::numeric_limits<double>::min());
  for (std::size_t r = 0; r < rows.size; r += lanes) {
    const auto down = hn::Sub(hn::LoadU(tag, rows.left + r), hn::LoadU(tag, rows.z + r));
    const auto difference = hn::Sub(pull, down);
    const auto squares = hn::Add(q_up, hn::LoadU(tag, search.q + r));
    const auto gram = hn::LoadU(tag, search.gram + r);
    const auto least = hn::Max(hn::Mul(least_share, squares), smallest);
    const auto curvature = hn::Max(hn::Sub(squares, hn::Add(gram, gram)), least);
    const auto gains = hn::And(hn::Gt(difference, hn::Zero(tag)), hn::Ne(places, up));
    const auto squared = hn::Mul(difference, difference);
    gain.include(hn::IfThenElseZero(gains, hn::Div(squared, curvature)), places);
    places = hn::Add(places, step);
  }
  return gain.place();
}

void AddTwo(const PullRows& rows, double by, const double* a, double other_by, const double* b) {
  const PairTag tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto of_a = hn::Set(tag, by);
  const auto of_b = hn::Set(tag, other_by);
  for (std::size_t r = 0; r < rows.size; r += lanes) {
    const auto first = hn::Add(hn::LoadU(tag, rows.z + r), hn::Mul(of_a, hn::LoadU(tag, a + r)));
    hn::StoreU(hn::Add(first, hn::Mul(of_b, hn::LoadU(tag, b + r))), tag, rows.z + r);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace pegasos::simd
HWY_AFTER_NAMESPACE();

#endif
