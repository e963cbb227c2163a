#include "math/best_bias.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "math/losses.h"
#include "math/passes.h"

namespace pegasos {
namespace {

double weight(std::span<const double> weights, std::size_t i) {
  return weights.empty() ? 1.0 : weights[i];
}

// The slope of the sum rises by `jump` at `at`.
struct Breakpoint {
  double at;
  double jump;
};

bool is_before(const Breakpoint& a, const Breakpoint& b) {
  return a.at < b.at;
}

// The middle between points[k] and the next one at which the slope changes, or points[k] if there
// is none. The points are in order up to `sorted`, and none after that is smaller.
double middle_of_flat(std::span<const Breakpoint> points, std::size_t k, std::size_t sorted) {
  const double from = points[k].at;
  double to = std::numeric_limits<double>::infinity();
  for (std::size_t next = k + 1; next < points.size(); ++next) {
    if (next >= sorted && std::isfinite(to)) break;
    if (points[next].jump > 0.0) to = std::min(to, points[next].at);
  }
  return std::isfinite(to) ? 0.5 * from + 0.5 * to : from;
}

// Some points around the minimum, in no order, and the slope left of them.
struct Around {
  std::vector<Breakpoint> points;
  double slope;
};

// A sample says about where the minimum is, and one pass takes the points there. None if they do
// not hold all of it, which no more than one sample in hundreds leads to.
std::optional<Around> around_minimum(std::span<const Breakpoint> all, double slope, double total,
                                     double nothing) {
  constexpr std::size_t kSample = 256;
  constexpr std::size_t kSpread = 24;  // three standard deviations
  if (all.size() < 8 * kSample) return std::nullopt;
  std::array<Breakpoint, kSample> sample;
  double of_sample = 0;
  for (std::size_t k = 0; k < kSample; ++k) {
    sample[k] = all[k * all.size() / kSample];
    of_sample += sample[k].jump;
  }
  if (!(of_sample > 0)) return std::nullopt;
  std::sort(sample.begin(), sample.end(), is_before);
  std::size_t middle = 0;
  for (double here = slope; middle + 1 < kSample; ++middle) {
    here += total / of_sample * sample[middle].jump;
    if (here >= 0) break;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double from = middle < kSpread ? -kInfinity : sample[middle - kSpread].at;
  const double to = middle + kSpread < kSample ? sample[middle + kSpread].at : kInfinity;
  Around around = {std::vector<Breakpoint>(all.size()), slope};
  std::size_t count = 0;
  double inside = 0;
  for (const Breakpoint& point : all) {
    around.points[count] = point;
    const bool is_left = point.at < from;
    const bool is_inside = !is_left && point.at <= to;
    around.slope += is_left ? point.jump : 0.0;
    inside += is_inside ? point.jump : 0.0;
    count += is_inside ? 1 : 0;
  }
  around.points.resize(count);
  if (!(around.slope < -nothing && around.slope + inside > nothing)) return std::nullopt;
  return around;
}

// The first point at which the slope is no longer negative, or the middle of where it is zero.
// Halves are set apart until few points are left, which costs a few passes instead of sorting them
// all.
double minimum_by_halves(std::vector<Breakpoint>& points, double slope, double nothing) {
  constexpr std::size_t kFew = 32;
  const auto place = [&](std::size_t k) { return points.begin() + static_cast<std::ptrdiff_t>(k); };
  std::size_t low = 0;  // slope is left of the points between low and high
  std::size_t high = points.size();
  while (high - low > kFew) {
    const std::size_t middle = low + (high - low) / 2;
    std::nth_element(place(low), place(middle), place(high), is_before);
    double beyond = slope;
    for (std::size_t k = low; k <= middle; ++k) beyond += points[k].jump;
    if (beyond >= -nothing) {
      high = middle + 1;
    } else {
      low = middle + 1;
      slope = beyond;
    }
  }
  std::sort(place(low), place(high), is_before);
  for (std::size_t k = low; k < high; ++k) {
    slope += points[k].jump;
    if (slope > nothing) return points[k].at;
    if (slope >= -nothing) return middle_of_flat(points, k, high);
  }
  return points[high - 1].at;
}

double minimum_of_pieces(std::vector<Breakpoint>& points, double slope_at_minus_infinity) {
  if (points.empty()) return 0.0;
  // Slopes are sums of weights; what rounding leaves of zero must not move the minimum.
  double total = 0;
  for (const auto& point : points) total += point.jump;
  const double nothing = 1e-12 * total;
  auto around = around_minimum(points, slope_at_minus_infinity, total, nothing);
  return around ? minimum_by_halves(around->points, around->slope, nothing)
                : minimum_by_halves(points, slope_at_minus_infinity, nothing);
}

double bisected(const LossOptions& options, std::span<const double> z, std::span<const double> y,
                std::span<const double> weights) {
  return with_loss(options, [&](const auto& loss) {
    const auto total_ascent = [&](double b) {
      double sum = 0;
      for (std::size_t i = 0; i < z.size(); ++i) {
        sum += weight(weights, i) * loss.ascent(z[i] + b, y[i]);
      }
      return sum;
    };
    double reach = 1;
    for (std::size_t i = 0; i < z.size(); ++i) {
      reach = std::max(reach, std::abs(z[i]) + std::abs(y[i]) + 1);
    }
    const double at_zero = total_ascent(0.0);
    if (at_zero == 0.0) return 0.0;
    // `near` stays on the side of 0, where the sum still pulls away from it; the search closes in
    // on the first b at which it no longer does.
    const double side = at_zero > 0 ? 1.0 : -1.0;
    double near = 0;
    double far = side * reach;
    // A few times further: a logistic loss with one class has no minimum to find.
    for (int i = 0; i < 6 && side * total_ascent(far) > 0; ++i) far *= 2;
    for (int i = 0; i < 80; ++i) {
      const double middle = 0.5 * (near + far);
      if (middle == near || middle == far) break;
      (side * total_ascent(middle) > 0 ? near : far) = middle;
    }
    return far;
  });
}

}  // namespace

double best_bias(const LossOptions& loss, std::span<const double> z, std::span<const double> y,
                 std::span<const double> weights) {
  const bool usable = !z.empty() && std::all_of(z.begin(), z.end(),
                                                [](double score) { return std::isfinite(score); });
  if (!usable) return 0.0;
  std::vector<Breakpoint> points;
  points.reserve((loss.loss == Loss::epsilon_insensitive ? 2 : 1) * z.size());
  double slope = 0;
  if (loss.loss == Loss::hinge) {
    // s max(0, 1 - y (z + b)) bends at b = y - z; left of it a positive falls, a negative is flat.
    for (std::size_t i = 0; i < z.size(); ++i) {
      points.push_back({y[i] - z[i], weight(weights, i)});
      if (y[i] > 0) slope -= weight(weights, i);
    }
    return minimum_of_pieces(points, slope);
  }
  if (loss.loss == Loss::epsilon_insensitive) {
    for (std::size_t i = 0; i < z.size(); ++i) {
      points.push_back({y[i] - z[i] - loss.epsilon, weight(weights, i)});
      points.push_back({y[i] - z[i] + loss.epsilon, weight(weights, i)});
      slope -= weight(weights, i);
    }
    return minimum_of_pieces(points, slope);
  }
  return bisected(loss, z, y, weights);
}

// Every round asks for the slope at so many places at once: between ranks it is latency that costs.
constexpr std::size_t kSections = 32;

// Where `count_left`, the number of places that are left of what is sought, says so; from low to
// high.
template <typename CountLeft>
double last_place(double low, double high, CountLeft&& count_left) {
  constexpr int kRounds = 13;  // 32^13 = 2^65: down to neighbouring doubles
  for (int round = 0; round < kRounds && std::nextafter(low, high) < high; ++round) {
    std::array<double, kSections> places = {};
    for (std::size_t k = 0; k < kSections; ++k) {
      const double share = static_cast<double>(k + 1) / (kSections + 1);
      places[k] = low + share * (high - low);
    }
    const std::size_t left = count_left(std::span<const double, kSections>(places));
    if (left < kSections) high = places[left];
    if (left > 0) low = places[left - 1];
  }
  return high;
}

double best_bias_over_ranks(const LossOptions& options, std::span<const double> z,
                            std::span<const double> y, std::span<const double> weights,
                            ThreadPool& pool) {
  if (pool.is_alone()) return best_bias(options, z, y, weights);
  double reach = 1;
  for (std::size_t i = 0; i < z.size(); ++i) {
    reach = std::max(reach, std::abs(z[i]) + std::abs(y[i]) + options.epsilon + 1);
    if (!std::isfinite(z[i])) reach = std::numeric_limits<double>::infinity();
  }
  reach = largest_over_ranks(reach, pool.ranks());
  if (!std::isfinite(reach)) return 0.0;
  const double own = weights.empty() ? static_cast<double>(z.size())
                                     : std::accumulate(weights.begin(), weights.end(), 0.0);
  const double nothing = 1e-12 * sum_over_rows({&own, 1}, pool.ranks());
  return with_loss(options, [&](const auto& loss) {
    // The ascents fall as b grows. The last place where their sum is more than `least`.
    const auto last_above = [&](double least) {
      return last_place(-2 * reach, 2 * reach, [&](std::span<const double, kSections> places) {
        const RowSums<kSections> pull =
            sums_over_blocks<kSections>(z.size(), pool, [&](std::size_t begin, std::size_t end) {
              RowSums<kSections> sums = {};
              for (std::size_t i = begin; i < end; ++i) {
                const double s = weight(weights, i);
                for (std::size_t k = 0; k < kSections; ++k) {
                  sums[k] += s * loss.ascent(z[i] + places[k], y[i]);
                }
              }
              return sums;
            });
        return static_cast<std::size_t>(
            std::find_if(pull.begin(), pull.end(), [&](double sum) { return !(sum > least); }) -
            pull.begin());
      });
    };
    if (!has_kink(options.loss)) return last_above(0.0);
    const double first = last_above(nothing);
    const double last = last_above(-nothing);
    return last < reach ? 0.5 * first + 0.5 * last : first;
  });
}

void balance_at_kinks(const LossOptions& loss, std::span<const double> z, std::span<const double> y,
                      std::span<const double> weights, std::span<double> u) {
  const bool hinge = loss.loss == Loss::hinge;
  if (!hinge && loss.loss != Loss::epsilon_insensitive) return;
  double excess = 0;
  for (const double slope : u) excess += slope;
  for (std::size_t i = 0; i < u.size() && excess != 0.0; ++i) {
    const double s = weight(weights, i);
    const double r = y[i] - z[i];
    const double nearly = 1e-9 * (1.0 + std::abs(z[i]));
    // What the row may take: 0 to s y at the kink of the hinge; 0 to s and -s to 0 at the kinks of
    // the tube, which are one and the same where epsilon is 0.
    double low = 0;
    double high = 0;
    if (hinge) {
      if (std::abs(1.0 - y[i] * z[i]) > nearly) continue;
      (y[i] > 0 ? high : low) = s * y[i];
    } else {
      if (std::abs(std::abs(r) - loss.epsilon) > nearly) continue;
      if (r >= loss.epsilon - nearly) high = s;
      if (r <= nearly - loss.epsilon) low = -s;
    }
    const double balanced = std::clamp(u[i] - excess, low, high);
    excess += balanced - u[i];
    u[i] = balanced;
  }
}

}  // namespace pegasos
