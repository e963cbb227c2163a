#include "certify/feasible_duals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "math/losses.h"
#include "math/passes.h"

namespace pegasos {
namespace {

__extension__ using Wide = __int128;

// What of the excess over all ranks this rank takes off: the first ranks take what they have.
template <typename InPlaces>
Wide share_of_excess(Wide excess, std::span<const double> a, InPlaces&& in_places,
                     Collective& ranks) {
  if (ranks.size() == 1) return excess;
  Wide whole = 0;
  for (const Wide one : gather_over_ranks(excess, ranks)) whole += one;
  Wide room = 0;  // on the heavier side
  for (const double value : a) {
    const std::int64_t n = in_places(value);
    if ((n > 0) == (whole > 0)) room += n;
  }
  const bool above = whole > 0;
  const auto rooms = gather_over_ranks(room, ranks);
  for (int rank = 0; rank < ranks.rank(); ++rank) {
    const Wide theirs = rooms[static_cast<std::size_t>(rank)];
    whole -= above ? std::min(whole, theirs) : std::max(whole, theirs);
  }
  return above ? std::min(whole, room) : std::max(whole, room);
}

}  // namespace

double feasible_dual(const LossOptions& loss, double a, double y, double s) {
  if (!(s > 0.0) || !std::isfinite(a)) return 0.0;
  switch (loss.loss) {
    case Loss::hinge:
    case Loss::logistic:
      return y * std::clamp(y * a, 0.0, s);
    case Loss::squared_hinge:
      return y * std::max(0.0, y * a);
    case Loss::epsilon_insensitive:
      return std::clamp(a, -s, s);
    case Loss::squared_epsilon_insensitive:
      return a;
    case Loss::huber: {
      const double most = std::nextafter(loss.delta * s, 0.0);  // the product is rounded
      return std::clamp(a, -most, most);
    }
  }
  return 0.0;
}

double dual_out_of_reach(const LossOptions& loss, double y, double s) {
  const double slope = with_loss(loss, [&](const auto& of) { return of.ascent(0.0, y); });
  return feasible_dual(loss, s * slope, y, s);
}

void balance_duals(std::span<double> a, Collective& ranks) {
  std::array<double, 2> sides = {};
  for (const double value : a) sides[value > 0 ? 0 : 1] += std::abs(value);
  ranks.sum(sides);
  const auto [up, down] = sides;
  if (up == down) return;
  const double factor = std::min(up, down) / std::max(up, down);
  for (auto& value : a) {
    if ((value > 0) == (up > down)) value *= factor;
  }
}

void balance_exactly(std::span<double> a, Collective& ranks) {
  double largest = 0;
  for (const double value : a) largest = std::max(largest, std::abs(value));
  largest = largest_over_ranks(largest, ranks);
  if (largest == 0.0 || !std::isfinite(largest)) {
    std::fill(a.begin(), a.end(), 0.0);
    return;
  }
  // Multiples n of 2^place with |n| < 2^53; of subnormal numbers, of the smallest.
  const int place = std::max(std::ilogb(largest) - 52, -1074);
  const auto in_places = [place](double value) {
    return static_cast<std::int64_t>(std::trunc(std::ldexp(value, -place)));
  };
  Wide excess = 0;
  for (const double value : a) excess += in_places(value);
  excess = share_of_excess(excess, a, in_places, ranks);
  for (double& value : a) {
    std::int64_t n = in_places(value);
    if (excess != 0 && n != 0 && (n > 0) == (excess > 0)) {
      const Wide room = n > 0 ? Wide{n} : -Wide{n};
      const Wide wanted = excess > 0 ? excess : -excess;
      const auto off = static_cast<std::int64_t>(std::min(room, wanted));
      n -= n > 0 ? off : -off;
      excess -= excess > 0 ? Wide{off} : -Wide{off};
    }
    value = std::ldexp(static_cast<double>(n), place);
  }
}

}  // namespace pegasos
