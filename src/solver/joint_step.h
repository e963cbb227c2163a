// The step that ranks take together after each has ascended on its own rows.
//
// Each rank proposes duals for its rows. The way from the duals a of before to all proposals is cut
// in two, what rises and what falls, and the step of the round before is a third direction:
//
//   a(t) = a + t0 rising + t1 falling + t2 (the last step)
//
// The dual is a quadratic in w = 1/(lambda m) sum a_i x_i, which is known to all, plus a sum over
// rows, so a few sums give its best t. Rising and falling duals apart, because with a bias their
// sums must balance, which no rank can see to alone. The last step, because local ascents are a
// preconditioner: with it, the steps are those of conjugate gradients, and the number of rounds
// follows the square root of how badly ranks disagree instead of the disagreement itself.
//
// The best t may lead beyond the bounds of some duals; these are clamped, and w is computed anew.
// Both ways, the clamped one and the one with t0 and t1 in [0, 1] and t2 = 0, are gone as far as is
// best for the true dual, and the better one is taken.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "math/passes.h"
#include "pegasos/problem.h"

namespace pegasos {

template <typename LossType>
class JointStep {
 public:
  // `per_dual` is 1/(lambda m), B the constant feature of a bias, or 0.
  JointStep(const LinearProblem& problem, LossType loss, double per_dual, double B,
            ThreadPool& pool)
      : problem_(problem), loss_(loss), per_dual_(per_dual), B_(B), pool_(pool) {}

  // Moves a and its w, whose last entry is the weight of the constant feature. `centre`: a free
  // bias is regularised around it. Returns |sum of the proposed changes of w|^2, without the bias.
  double take(std::vector<double>& a, std::vector<double>& w, std::span<const double> proposed,
              double centre) {
    std::vector<Way> ways(2);
    for (std::size_t k = 0; k < 2; ++k) {
      ways[k].a.resize(a.size());
      for (std::size_t i = 0; i < a.size(); ++i) {
        const double change = proposed[i] - a[i];
        if ((change > 0.0) == (k == 0)) ways[k].a[i] = change;
      }
      ways[k].w = weights_of(ways[k].a);
    }
    const double together = squares_of_sum(ways[0].w, ways[1].w);
    if (!last_.w.empty()) ways.push_back(std::move(last_));
    const Model model = model_of(a, w, ways, proposed, centre);
    Way way = towards(a, ways, within_bounds(model));
    Gone gone = best_step(a, w, way, centre);
    const auto free = solution_of(model, ways.size());
    if (std::all_of(free.begin(), free.end(), [](double t) { return std::isfinite(t); })) {
      Way beyond = towards(a, ways, free);
      const Gone further = best_step(a, w, beyond, centre);
      if (further.rise > gone.rise) {
        way = std::move(beyond);
        gone = further;
      }
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double before = a[i];
      a[i] += gone.t * way.a[i];
      way.a[i] = a[i] - before;
    }
    for (std::size_t j = 0; j < w.size(); ++j) w[j] += way.w[j] *= gone.t;
    last_ = std::move(way);
    return together;
  }

  // The next step has none before it.
  void forget() { last_ = {}; }

 private:
  static constexpr std::size_t kMost = 3;
  using Steps = std::array<double, kMost>;

  struct Way {  // of the duals at hand, and of the whole w
    std::vector<double> a;
    std::vector<double> w;
  };
  struct Model {  // rise of the dual: slope't - t' curvature t / 2
    Steps slope = {};
    std::array<Steps, kMost> curvature = {};
  };
  struct Gone {
    double t = 0.0;
    double rise = 0.0;
  };

  static double inner(std::span<const double> x, std::span<const double> y) {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * y[j];
    return sum;
  }
  static double squares_of_sum(std::span<const double> x, std::span<const double> y) {
    double sum = 0;
    for (std::size_t j = 0; j + 1 < x.size(); ++j) sum += (x[j] + y[j]) * (x[j] + y[j]);
    return sum;
  }

  std::vector<double> weights_of(const std::vector<double>& a) const {
    std::vector<double> w = combine(problem_.data, a, pool_);
    for (double& weight : w) weight *= per_dual_;
    w.push_back(B_ * per_dual_ * sum_over_rows(a, pool_.ranks()));
    return w;
  }

  double gain(std::size_t i, double a) const {
    const double s = problem_.weight(i);
    return s > 0.0 ? s * loss_.gain(a / s, problem_.y[i]) : 0.0;
  }
  double clamped(std::size_t i, double a) const {
    const double s = problem_.weight(i);
    return s > 0.0 ? s * loss_.clamp(a / s, problem_.y[i]) : 0.0;
  }

  // Slope and curvature of a row's gain, through three points: exact for all losses but the
  // logistic one, and for those with a kink at a = 0 on its side.
  std::pair<double, double> shape_of_gain(std::size_t i, double a, double end) const {
    const double away = end - a;
    if (away == 0.0) return {0.0, 0.0};
    const double here = gain(i, a);
    const double there = gain(i, end);
    const double bend = 8.0 * (gain(i, a + 0.5 * away) - 0.5 * (here + there));
    return {(there - here + 0.5 * bend) / away, std::max(0.0, bend) / (away * away)};
  }

  Model model_of(std::span<const double> a, std::span<const double> w, const std::vector<Way>& ways,
                 std::span<const double> proposed, double centre) const {
    constexpr std::size_t kSums = kMost + kMost * kMost;
    const auto sums =
        sums_over_blocks<kSums>(a.size(), pool_, [&](std::size_t begin, std::size_t end) {
          RowSums<kSums> sum = {};
          for (std::size_t i = begin; i < end; ++i) {
            const double back = ways.size() > 2 ? clamped(i, a[i] - ways[2].a[i]) : a[i];
            const auto [slope, bend] =
                shape_of_gain(i, a[i], proposed[i] != a[i] ? proposed[i] : back);
            for (std::size_t k = 0; k < ways.size(); ++k) {
              const double along = ways[k].a[i];
              if (along == 0.0) continue;
              sum[k] += (slope - centre) * along;
              for (std::size_t l = 0; l < ways.size(); ++l) {
                sum[kMost + k * kMost + l] += bend * along * ways[l].a[i];
              }
            }
          }
          return sum;
        });
    Model model;
    for (std::size_t k = 0; k < ways.size(); ++k) {
      model.slope[k] = sums[k] / problem_.m() - problem_.lambda * inner(w, ways[k].w);
      for (std::size_t l = 0; l < ways.size(); ++l) {
        model.curvature[k][l] = sums[kMost + k * kMost + l] / problem_.m() +
                                problem_.lambda * inner(ways[k].w, ways[l].w);
      }
    }
    return model;
  }

  // The best t0 and t1 in [0, 1], by turns.
  static Steps within_bounds(const Model& model) {
    constexpr int kTurns = 200;
    Steps t = {};
    for (int turn = 0; turn < kTurns; ++turn) {
      for (std::size_t k = 0; k < 2; ++k) {
        const double own = model.curvature[k][k];
        const double rest = model.slope[k] - model.curvature[k][1 - k] * t[1 - k];
        t[k] = own > 0.0 ? std::clamp(rest / own, 0.0, 1.0) : (rest > 0.0 ? 1.0 : 0.0);
      }
    }
    return t;
  }

  // The best t at all, by elimination; not finite where the ways do not determine it.
  static Steps solution_of(Model model, std::size_t count) {
    constexpr double kRidge = 1e-10;
    for (std::size_t k = 0; k < count; ++k) model.curvature[k][k] *= 1.0 + kRidge;
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t row = k + 1; row < count; ++row) {
        const double factor = model.curvature[row][k] / model.curvature[k][k];
        for (std::size_t l = k; l < count; ++l) {
          model.curvature[row][l] -= factor * model.curvature[k][l];
        }
        model.slope[row] -= factor * model.slope[k];
      }
    }
    Steps t = {};
    for (std::size_t k = count; k-- > 0;) {
      double rest = model.slope[k];
      for (std::size_t l = k + 1; l < count; ++l) rest -= model.curvature[k][l] * t[l];
      t[k] = rest / model.curvature[k][k];
    }
    return t;
  }

  // To the duals at t, clamped.
  Way towards(std::span<const double> a, const std::vector<Way>& ways, const Steps& t) const {
    Way way;
    way.a.resize(a.size());
    double clamps = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      double change = 0;
      for (std::size_t k = 0; k < ways.size(); ++k) change += t[k] * ways[k].a[i];
      if (change == 0.0) continue;
      const double inside = clamped(i, a[i] + change);
      clamps += inside != a[i] + change ? 1.0 : 0.0;
      way.a[i] = inside - a[i];
    }
    pool_.ranks().sum({&clamps, 1});
    if (clamps > 0.0) {
      way.w = weights_of(way.a);
      return way;
    }
    way.w.assign(ways[0].w.size(), 0.0);
    for (std::size_t k = 0; k < ways.size(); ++k) {
      for (std::size_t j = 0; j < way.w.size(); ++j) way.w[j] += t[k] * ways[k].w[j];
    }
    return way;
  }

  // The step in [0, 1] along the way that is best for the dual, a concave function, asked for at
  // several places at once.
  Gone best_step(std::span<const double> a, std::span<const double> w, const Way& way,
                 double centre) const {
    const double product = inner(w, way.w);
    const double squares = inner(way.w, way.w);
    constexpr std::size_t kPlaces = 8;
    double low = 0.0;
    double high = 1.0;
    for (int round = 0;; ++round) {
      const auto place = [&](std::size_t k) {
        return low + (high - low) * static_cast<double>(k + 1) / kPlaces;
      };
      const auto gains =
          sums_over_blocks<kPlaces>(a.size(), pool_, [&](std::size_t begin, std::size_t end) {
            RowSums<kPlaces> sums = {};
            for (std::size_t i = begin; i < end; ++i) {
              if (way.a[i] == 0.0) continue;
              const double before = gain(i, a[i]);
              for (std::size_t k = 0; k < kPlaces; ++k) {
                const double change = place(k) * way.a[i];
                sums[k] += gain(i, a[i] + change) - before - change * centre;
              }
            }
            return sums;
          });
      std::size_t best = 0;
      Gone gone{place(0), -std::numeric_limits<double>::infinity()};
      for (std::size_t k = 0; k < kPlaces; ++k) {
        const double t = place(k);
        const double rise =
            gains[k] / problem_.m() - problem_.lambda * t * (product + 0.5 * t * squares);
        if (rise > gone.rise) {
          best = k;
          gone = {t, rise};
        }
      }
      if (round == 1 || (best + 1 == kPlaces && high == 1.0)) return gone;
      high = place(std::min(best + 1, kPlaces - 1));
      low = best > 0 ? place(best - 1) : 0.0;
    }
  }

  const LinearProblem& problem_;
  LossType loss_;
  double per_dual_;
  double B_;
  ThreadPool& pool_;
  Way last_;  // the step before
};

}  // namespace pegasos
