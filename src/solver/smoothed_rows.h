// What rows contribute to the inner problem of newton.cpp: scores, and the duals and responses of
// the losses smoothed around a centre c of the duals.
//
//   loss_mu(z) = max over a of  gain(a) - a z - mu/2 (a - c)^2
//
// A row of weight s has mu/s: it then moves as s equal rows would.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "math/passes.h"
#include "pegasos/problem.h"

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
    double smoothed;  // losses
    double wrong;     // rows
  };

  // Moves the scores by t dz and makes duals and responses anew: all that a row takes part in, in
  // one visit.
  Sums sweep(double t) {
    const auto [losses, gains, duals, smoothed, wrong] = sums_over_blocks<5>(
        problem_.rows(), pool_,
        [&](std::size_t begin, std::size_t end) { return sweep_block(t, begin, end); });
    return {losses, gains, duals, smoothed, wrong};
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
    const auto [fixed, all] = sums_over_blocks<2>(
        problem_.rows(), pool_,
        [&](std::size_t begin, std::size_t end) { return slopes_of_block(begin, end); });
    fixed_slope_ = fixed;
    return all;
  }

  // The same after the part t of the step.
  double slope_at(double t) {
    return fixed_slope_ +
           sum_over_blocks(problem_.rows(), pool_, [&](std::size_t begin, std::size_t) {
             double total = 0;
             for (const RowId i : movers_[begin / kRowsPerBlock]) {
               total += ascend(i, z[i] + t * dz[i]) * dz[i];
             }
             return total;
           });
  }

 private:
  RowSums<5> sweep_block(double t, std::size_t begin, std::size_t end) {
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

  RowSums<2> slopes_of_block(std::size_t begin, std::size_t end) {
    auto& movers = movers_[begin / kRowsPerBlock];
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
  std::vector<std::vector<RowId>> movers_;  // by block
  double fixed_slope_ = 0.0;                // what all other rows add to the slope
};

}  // namespace pegasos
