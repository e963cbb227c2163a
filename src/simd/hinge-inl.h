// The loops of hinge.h for one instruction set; included by kernels.cpp once for each.
#if defined(PEGASOS_SIMD_HINGE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PEGASOS_SIMD_HINGE_INL_H_
#undef PEGASOS_SIMD_HINGE_INL_H_
#else
#define PEGASOS_SIMD_HINGE_INL_H_
#endif

#include <hwy/highway.h>

#include "simd/hinge.h"

HWY_BEFORE_NAMESPACE();
namespace pegasos::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// One vector of rows, or with a tag of one lane a single row.
template <class D>
struct HingeVector {
  using V = hn::Vec<D>;

  HWY_INLINE HingeVector(D d, const HingeRows& rows, std::size_t i)
      : y(hn::LoadU(d, rows.y + i)),
        s(rows.weights != nullptr ? hn::LoadU(d, rows.weights + i) : hn::Set(d, 1.0)),
        slope(hn::Mul(s, hn::Set(d, rows.per_mu))),
        centre(hn::Mul(y, hn::LoadU(d, rows.centre + i))) {}

  HWY_INLINE V rest(D d, V z) const { return hn::Sub(hn::Set(d, 1.0), hn::Mul(y, z)); }
  HWY_INLINE V start(V rest) const { return hn::Add(centre, hn::Mul(slope, rest)); }
  HWY_INLINE V clamped(D d, V beta) const { return hn::Min(hn::Max(beta, hn::Zero(d)), s); }

  V y, s, slope, centre;
};

// Calls take(lane) for every lane that is set.
template <class D, class M, class Take>
HWY_INLINE void for_set_lanes(D d, M mask, Take&& take) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, mask, bits);
  for (unsigned set = bits[0]; set != 0; set &= set - 1) {
    take(static_cast<std::size_t>(__builtin_ctz(set)));
  }
}

template <class D>
struct HingeSweep {
  using V = hn::Vec<D>;

  HWY_INLINE explicit HingeSweep(D d)
      : losses(hn::Zero(d)), gains(hn::Zero(d)), duals(hn::Zero(d)), wrong(hn::Zero(d)) {}

  HWY_INLINE void step(D d, const HingeRows& rows, std::size_t i, double t, const double* dz,
                       const std::uint32_t* copies, double* z, double* a, double* response,
                       ChangedDuals& changed) {
    const HingeVector<D> row(d, rows, i);
    V score = hn::LoadU(d, z + i);
    if (t > 0.0) {
      score = hn::Add(score, hn::Mul(hn::Set(d, t), hn::LoadU(d, dz + i)));
      hn::StoreU(score, d, z + i);
    }
    const V rest = row.rest(d, score);
    losses = hn::Add(losses, hn::Mul(row.s, hn::Max(rest, hn::Zero(d))));
    const V beta = row.clamped(d, row.start(rest));
    const V dual = hn::Mul(row.y, beta);
    gains = hn::Add(gains, beta);
    duals = hn::Add(duals, dual);
    const auto between = hn::And(hn::Gt(beta, hn::Zero(d)), hn::Lt(beta, row.s));
    hn::StoreU(hn::IfThenElseZero(between, row.slope), d, response + i);
    const auto positive = hn::Gt(score, hn::Zero(d));
    const auto wrong_side = hn::Xor(positive, hn::Gt(row.y, hn::Zero(d)));
    const hn::Rebind<std::int32_t, D> d32;  // nobody has 2^31 equal rows
    const V counts =
        copies != nullptr
            ? hn::PromoteTo(d, hn::LoadU(d32, reinterpret_cast<const std::int32_t*>(copies) + i))
            : hn::Set(d, 1.0);
    wrong = hn::Add(wrong, hn::IfThenElseZero(wrong_side, counts));
    const V before = hn::LoadU(d, a + i);
    const auto differs = hn::Ne(dual, before);
    hn::StoreU(dual, d, a + i);
    if (HWY_LIKELY(hn::AllFalse(d, differs))) return;
    HWY_ALIGN double by[8];
    hn::StoreU(hn::Sub(dual, before), d, by);
    for_set_lanes(d, differs, [&](std::size_t lane) {
      changed.rows[changed.count] = static_cast<std::uint32_t>(i + lane);
      changed.by[changed.count++] = by[lane];
    });
  }

  HWY_INLINE HingeSums sums(D d) const {
    return {hn::GetLane(hn::SumOfLanes(d, losses)), hn::GetLane(hn::SumOfLanes(d, gains)),
            hn::GetLane(hn::SumOfLanes(d, duals)), hn::GetLane(hn::SumOfLanes(d, wrong))};
  }

  V losses, gains, duals, wrong;
};

using ManyRows = hn::CappedTag<double, 8>;
using OneRow = hn::CappedTag<double, 1>;

HingeSums HingeSweepRows(const HingeRows& rows, double t, const double* dz,
                         const std::uint32_t* copies, double* z, double* a, double* response,
                         ChangedDuals& changed) {
  const ManyRows many;
  const OneRow one;
  const std::size_t lanes = hn::Lanes(many);
  HingeSweep<ManyRows> vectors(many);
  HingeSweep<OneRow> tail(one);
  std::size_t i = 0;
  for (; i + lanes <= rows.size; i += lanes) {
    vectors.step(many, rows, i, t, dz, copies, z, a, response, changed);
  }
  for (; i < rows.size; ++i) tail.step(one, rows, i, t, dz, copies, z, a, response, changed);
  const HingeSums first = vectors.sums(many);
  const HingeSums last = tail.sums(one);
  return {first.losses + last.losses, first.gains + last.gains, first.duals + last.duals,
          first.wrong + last.wrong};
}

template <class D>
struct HingeSlopesOf {
  using V = hn::Vec<D>;

  HWY_INLINE explicit HingeSlopesOf(D d) : still(hn::Zero(d)), moving(hn::Zero(d)) {}

  HWY_INLINE void step(D d, const HingeRows& rows, std::size_t i, const double* z, const double* dz,
                       const double* a, HingeMovers& movers) {
    const HingeVector<D> row(d, rows, i);
    const V direction = hn::LoadU(d, dz + i);
    const V start = row.start(row.rest(d, hn::LoadU(d, z + i)));
    const V lever = hn::Mul(row.y, direction);
    const V rate = hn::Neg(hn::Mul(row.slope, lever));
    const V beta = row.clamped(d, hn::Add(start, rate));
    const auto moves = hn::Ne(hn::Mul(row.y, beta), hn::LoadU(d, a + i));
    const V product = hn::Mul(beta, lever);
    still = hn::Add(still, hn::IfThenZeroElse(moves, product));
    moving = hn::Add(moving, hn::IfThenElseZero(moves, product));
    if (HWY_LIKELY(hn::AllFalse(d, moves))) return;
    HWY_ALIGN double starts[8], rates[8], mosts[8], levers[8];
    hn::StoreU(start, d, starts);
    hn::StoreU(rate, d, rates);
    hn::StoreU(row.s, d, mosts);
    hn::StoreU(lever, d, levers);
    for_set_lanes(d, moves, [&](std::size_t lane) {
      movers.start[movers.count] = starts[lane];
      movers.rate[movers.count] = rates[lane];
      movers.most[movers.count] = mosts[lane];
      movers.lever[movers.count++] = levers[lane];
    });
  }

  V still, moving;
};

HingeSlopes HingeSlopesOfRows(const HingeRows& rows, const double* z, const double* dz,
                              const double* a, HingeMovers& movers) {
  const ManyRows many;
  const OneRow one;
  const std::size_t lanes = hn::Lanes(many);
  HingeSlopesOf<ManyRows> vectors(many);
  HingeSlopesOf<OneRow> tail(one);
  std::size_t i = 0;
  for (; i + lanes <= rows.size; i += lanes) vectors.step(many, rows, i, z, dz, a, movers);
  for (; i < rows.size; ++i) tail.step(one, rows, i, z, dz, a, movers);
  return {hn::GetLane(hn::SumOfLanes(many, vectors.still)) + hn::GetLane(tail.still),
          hn::GetLane(hn::SumOfLanes(many, vectors.moving)) + hn::GetLane(tail.moving)};
}

double HingeSlopeOfMovers(const HingeMovers& movers, double t) {
  const ManyRows d;
  const std::size_t lanes = hn::Lanes(d);
  auto sum = hn::Zero(d);
  std::size_t k = 0;
  for (; k + lanes <= movers.count; k += lanes) {
    const auto beta = hn::Add(hn::LoadU(d, movers.start + k),
                              hn::Mul(hn::Set(d, t), hn::LoadU(d, movers.rate + k)));
    const auto clamped = hn::Min(hn::Max(beta, hn::Zero(d)), hn::LoadU(d, movers.most + k));
    sum = hn::Add(sum, hn::Mul(clamped, hn::LoadU(d, movers.lever + k)));
  }
  double total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; k < movers.count; ++k) {
    const double beta = movers.start[k] + t * movers.rate[k];
    const double clamped = beta < 0.0 ? 0.0 : beta < movers.most[k] ? beta : movers.most[k];
    total += clamped * movers.lever[k];
  }
  return total;
}

}  // namespace HWY_NAMESPACE
}  // namespace pegasos::simd
HWY_AFTER_NAMESPACE();
#endif
