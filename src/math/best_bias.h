// The optimal unregularised bias:   argmin over b of  sum_i s_i loss(z_i + b; y_i).
//
// The sum is convex in b and its slope is minus the sum of the ascents. Hinge and
// epsilon-insensitive are piecewise linear: the slope changes only at breakpoints, and the minimum
// is the breakpoint where it passes zero (for the unweighted hinge: the n-th smallest y_i - z_i, n
// the number of positives). If the slope is zero between two breakpoints, every b there is optimal
// and the middle is taken, which treats both classes alike. The smooth losses are bisected on the
// sign of the slope.
#pragma once

#include <span>

#include "base/thread_pool.h"
#include "pegasos/loss.h"

namespace pegasos {

// `weights` may be empty: all 1. Where any b beyond some point is as good (one class only), that
// point is taken. Always finite: 0 where a score is not.
double best_bias(const LossOptions& loss, std::span<const double> z, std::span<const double> y,
                 std::span<const double> weights);

// The same over the rows of all ranks, found by their summed slopes: no rank sees the scores of
// another. Where the pool is alone it is best_bias.
double best_bias_over_ranks(const LossOptions& loss, std::span<const double> z,
                            std::span<const double> y, std::span<const double> weights,
                            ThreadPool& pool);

// Makes the ascents u of rows at a kink such that they sum to zero, which a sub-gradient of the
// minimum over b must: rows whose loss bends exactly at z_i may take any value between 0 and s_i
// y_i (or the sign of the residual). Smooth losses are left as they are. z includes the bias.
void balance_at_kinks(const LossOptions& loss, std::span<const double> z, std::span<const double> y,
                      std::span<const double> weights, std::span<double> u);

}  // namespace pegasos
