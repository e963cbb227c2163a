// What rows contribute to the inner problem of newton.cpp: scores, and the duals and responses of
// the losses smoothed around a centre c of the duals.
//
//   loss_mu(z) = max over a of  gain(a) - a z - mu/2 (a - c)^2
//
// A row of weight s has mu/s: it then moves as s equal rows would.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "base/thread_pool.h"
#include "math/losses.h"
#include "math/passes.h"
#include "pegasos/problem.h"
#include "simd/hinge.h"

namespace pegasos {

template <typename LossType>
class SmoothedRows {
 public:
  // The problem and the pool must outlive this.
  SmoothedRows(const LinearProblem& problem, LossType loss, ThreadPool& pool)
      : z(problem.rows()),
        dz(problem.rows()),
        centre(problem.rows()),
        a(problem.rows()),
        response(problem.rows()),
        problem_(problem),
        pool_(pool),
        loss_(loss) {}

  std::vector<double> z, dz;  // scores, and those of the direction
  std::vector<double> centre;
  std::vector<double> a;
  std::vector<double> response;
  double mu = 0.0;

  struct Sums {
    double losses;
    double gains;
    double duals;
    double smoothed;  // losses; left out for the hinge without a free bias, where nobody asks
    double wrong;     // rows
  };

  // Moves the scores by t dz and makes duals and responses anew: all that a row takes part in, in
  // one visit. Remembers the duals that changed.
  Sums sweep(double t) {
    changed_.resize(blocks_of(problem_.rows()));
    const auto [losses, gains, duals, smoothed, wrong] =
        sums_over_blocks<5>(problem_.rows(), pool_, [&](std::size_t begin, std::size_t end) {
          return in_vectors() ? sweep_vectors(t, begin, end) : sweep_block(t, begin, end);
        });
    return {losses, gains, duals, smoothed, wrong};
  }

  // What the last sweep has changed X' a by.
  std::vector<double> change_of_sums() const {
    std::vector<RowId> ids;
    std::vector<double> by;
    for (const Changed& block : changed_) {
      ids.insert(ids.end(), block.rows.begin(), block.rows.end());
      by.insert(by.end(), block.by.begin(), block.by.end());
    }
    return combine_some(problem_.data, ids, by, pool_);
  }

  // a at the score z.
  double ascend(std::size_t i, double score) const {
    const double s = problem_.weight(i);
    return s > 0.0 ? loss_.ascend(centre[i], score, problem_.y[i], mu_of(s), s) : 0.0;
  }

  // Of a row with weight s: a row that stands for several equal ones is smoothed as they would be.
  double mu_of(double s) const { return problem_.weights.empty() ? mu : mu / s; }

  // The sum of a_i dz_i after the whole step. Remembers the rows whose dual it changes: a falls as
  // z grows, so all others keep theirs on the way.
  double slope_at_one() {
    movers_.resize(blocks_of(problem_.rows()));
    const auto [fixed, all] =
        sums_over_blocks<2>(problem_.rows(), pool_, [&](std::size_t begin, std::size_t end) {
          return in_vectors() ? slopes_of_vectors(begin, end) : slopes_of_block(begin, end);
        });
    fixed_slope_ = fixed;
    return all;
  }

  // The same after the part t of the step.
  double slope_at(double t) {
    return fixed_slope_ +
           sum_over_blocks(problem_.rows(), pool_, [&](std::size_t begin, std::size_t) {
             Movers& movers = movers_[begin / kRowsPerBlock];
             if (in_vectors()) return simd::hinge_slope_of_movers(movers.view(), t);
             double total = 0;
             for (const RowId i : movers.rows) total += ascend(i, z[i] + t * dz[i]) * dz[i];
             return total;
           });
  }

 private:
  struct Changed {
    std::vector<RowId> rows;
    std::vector<double> by;
  };
  struct Movers {
    std::vector<RowId> rows;
    std::vector<double> start, rate, most, lever;  // of the hinge: simd/hinge.h
    std::size_t count = 0;

    void reserve(std::size_t size) {
      for (auto* of_movers : {&start, &rate, &most, &lever}) of_movers->resize(size);
    }
    simd::HingeMovers view() {
      return {start.data(), rate.data(), most.data(), lever.data(), count};
    }
  };

  bool in_vectors() const {
    return std::is_same_v<LossType, HingeLoss> && mu > 0.0 && !problem_.has_free_bias();
  }

  simd::HingeRows vectors(std::size_t begin, std::size_t end) const {
    return {.y = problem_.y.data() + begin,
            .weights = problem_.weights.empty() ? nullptr : problem_.weights.data() + begin,
            .centre = centre.data() + begin,
            .per_mu = 1.0 / mu,
            .size = end - begin};
  }

  RowSums<5> sweep_vectors(double t, std::size_t begin, std::size_t end) {
    Changed& changed = changed_[begin / kRowsPerBlock];
    changed.rows.resize(end - begin);
    changed.by.resize(end - begin);
    simd::ChangedDuals duals{changed.rows.data(), changed.by.data(), 0};
    const auto* copies = problem_.copies.empty() ? nullptr : problem_.copies.data() + begin;
    const simd::HingeSums sums =
        simd::hinge_sweep(vectors(begin, end), t, dz.data() + begin, copies, z.data() + begin,
                          a.data() + begin, response.data() + begin, duals);
    changed.rows.resize(duals.count);
    changed.by.resize(duals.count);
    for (RowId& row : changed.rows) row += static_cast<RowId>(begin);
    return {sums.losses, sums.gains, sums.duals, 0.0, sums.wrong};
  }

  RowSums<5> sweep_block(double t, std::size_t begin, std::size_t end) {
    Changed& changed = changed_[begin / kRowsPerBlock];
    changed.rows.clear();
    changed.by.clear();
    Sums sums = {};
    for (std::size_t i = begin; i < end; ++i) {
      const double s = problem_.weight(i);
      const double y = problem_.y[i];
      const double score = t > 0.0 ? z[i] + t * dz[i] : z[i];
      z[i] = score;
      sums.losses += s * loss_.value(score, y);
      sums.wrong += (score > 0) != (y > 0) ? problem_.copies_of(i) : 0;
      if (!(s > 0.0)) continue;  // a and response stay zero
      const double mu_here = mu_of(s);
      const double dual = loss_.ascend(centre[i], score, y, mu_here, s);
      if (dual != a[i]) {
        changed.rows.push_back(static_cast<RowId>(i));
        changed.by.push_back(dual - a[i]);
      }
      a[i] = dual;
      response[i] = loss_.response(dual, y, mu_here, s);
      const double gain = s * loss_.gain(dual / s, y);
      const double distance = dual - centre[i];
      sums.gains += gain;
      sums.smoothed += gain - dual * score - 0.5 * mu_here * distance * distance;
      sums.duals += dual;
    }
    return {sums.losses, sums.gains, sums.duals, sums.smoothed, sums.wrong};
  }

  RowSums<2> slopes_of_vectors(std::size_t begin, std::size_t end) {
    Movers& movers = movers_[begin / kRowsPerBlock];
    movers.reserve(end - begin);
    movers.count = 0;
    simd::HingeMovers view = movers.view();
    const simd::HingeSlopes slopes = simd::hinge_slopes(vectors(begin, end), z.data() + begin,
                                                        dz.data() + begin, a.data() + begin, view);
    movers.count = view.count;
    return {slopes.still, slopes.still + slopes.moving};
  }

  RowSums<2> slopes_of_block(std::size_t begin, std::size_t end) {
    auto& movers = movers_[begin / kRowsPerBlock].rows;
    movers.clear();
    double still = 0;
    double moving = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double dual = ascend(i, z[i] + dz[i]);
      if (dual == a[i]) {
        still += dual * dz[i];
      } else {
        moving += dual * dz[i];
        movers.push_back(static_cast<RowId>(i));
      }
    }
    return {still, still + moving};
  }

  const LinearProblem& problem_;
  ThreadPool& pool_;
  LossType loss_;
  std::vector<Changed> changed_;  // by block
  std::vector<Movers> movers_;    // by block
  double fixed_slope_ = 0.0;      // what all other rows add to the slope
};

}  // namespace pegasos
