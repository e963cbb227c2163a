// The iterate of Pegasos and its step on a batch of rows.
//
//   minimise over w:   lambda/2 |w|^2  +  mean over rows of s_i loss(<w, x_i> + b; y_i)
//
// Shalev-Shwartz, Singer, Srebro, Cotter, Math. Programming 127 (2011), Figures 1 and 2. Names
// follow the paper: w weights, x a row, y its label, A a batch of rows, t the step, eta the step
// size. u_i is minus a sub-gradient of the loss of row i (for the hinge y_i where y_i z_i < 1, else
// 0), n the rows seen so far. With eta = |A|/(lambda n), which is 1/(lambda t) for equal batches:
//
//   w  <-  (1 - |A|/n) w  +  1/(lambda n) sum over i in A of u_i x_i
//   w  <-  min(1, radius/|w|) w                                            (optional)
//
// Unwound, w = R/(lambda n) v, where v is the plain sum of u x / R and R the product of the
// projection factors. So a step is one dot product and, for a violating row, one addition;
// shrinking is free.
//
// Where rows are divided among ranks, every rank has the same iterate and a batch of its own rows;
// A is all of them, and the sum of the u x is over ranks too. That is the mini-batch Pegasos that
// the paper proposes for many machines.
//
// The iterate does not know where its rows come from, how many there are, or when to stop: that is
// up to the trainer that drives it (pegasos.cpp for rows in memory).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "math/best_bias.h"
#include "math/losses.h"
#include "math/passes.h"
#include "math/rows.h"
#include "pegasos/collective.h"
#include "pegasos/pegasos_options.h"
#include "pegasos/problem.h"
#include "solver/average.h"
#include "solver/lemma_meter.h"
#include "solver/row_batch.h"

namespace pegasos {

struct IterateOptions {
  LossOptions loss = {};
  double lambda = 0.0;
  Bias bias = Bias::none;
  double bias_feature = 1.0;  // B, for Bias::regularised
  bool project = false;
  double radius = 0.0;  // of the ball to project onto
  Average average = Average::last;
  double offset = 0.0;       // rows that count as seen before the first
  bool tracks_norm = false;  // for a meter; projecting needs it anyway
};

template <typename LossType>
class PegasosIterate {
 public:
  PegasosIterate(const IterateOptions& options, LossType loss, std::size_t features,
                 Collective& ranks = alone())
      : options_(options),
        loss_(loss),
        ranks_(ranks),
        B_(options.bias == Bias::regularised ? options.bias_feature : 0.0),
        tracks_norm_(options.tracks_norm || options.project),
        n_(options.offset),
        v_(features, 0.0),
        average_(options.average, features) {}

  // One step on the batch A: slopes at w_t, then the update to w_{t+1}. `duals` gets the slopes
  // (dual_sums.h); `meter`, if there is one, sees them before w moves.
  template <typename Rows, typename Duals>
  void step(const RowBatch<Rows>& A, Duals& duals, LemmaMeter* meter) {
    const double scale = this->scale();  // w = scale v
    for (std::size_t j = 0; j < A.size(); ++j) {
      dots_[j] = dot(A.x(j), v_.data()) + B_ * v_bias_;
    }
    if (options_.bias == Bias::exact) choose_bias(A, scale);
    scale_before_ = scale;
    b_before_ = b_;
    for (std::size_t j = 0; j < A.size(); ++j) {
      slopes_[j] = A.s(j) * loss_.ascent(scale * dots_[j] + b_, A.y(j));
    }
    if (options_.bias == Bias::exact) balance(A, scale);
    if (meter != nullptr) measure(A, scale, *meter);

    const StepSums sums = sums_of_step(A.size());
    rows_seen_ += sums.rows;
    n_ = options_.offset + static_cast<double>(rows_seen_);
    ++steps_;
    if (ranks_.size() == 1) {
      add_rows(A, duals);
    } else {
      add_rows_of_all_ranks(A, duals);
    }
    violations_ += sums.violations;
    if (options_.bias == Bias::unregularised) b_ += sums.slopes / (options_.lambda * n_);
    if (options_.project) project(duals);
    average_.step_done(this->scale());
  }

  // Room for batches of up to so many rows.
  void reserve(std::size_t batch) {
    dots_.resize(batch);
    slopes_.resize(batch);
  }

  // Of the last step: a rank asked for the run to end.
  bool asked_to_stop() const { return asked_to_stop_; }
  // This rank asks for it; the next step tells all.
  void ask_to_stop() { asks_to_stop_ = true; }

  void begin_suffix() { average_.begin_suffix(); }

  // The point to hand out. Its free bias, if it has one, is found when it is evaluated.
  LinearPoint point() const {
    if (auto mean = average_.point(v_, v_bias_)) {
      return {std::move(mean->w), mean->weight_of_constant * B_};
    }
    LinearPoint point{v_, scale() * v_bias_ * B_};
    for (auto& weight : point.w) weight *= scale();
    return point;
  }

  // Begins from a point that so many rows have led to: t would be 1 otherwise, and the first step,
  // with its factor 1 - 1/t, would erase w.
  void begin_at(const LinearPoint& point, double rows) {
    begin_after(rows, point.b);
    const double unwound = options_.lambda * n_;
    for (std::size_t j = 0; j < v_.size(); ++j) v_[j] = unwound * point.w[j];
    if (B_ != 0.0) v_bias_ = unwound * point.b / B_;
    refresh_norm();
  }

  // The same from the sum of slopes times rows, and the sum of the slopes, both as if unwound.
  void begin_with_sum(std::vector<double> sum, double sum_of_slopes, double rows, double b) {
    begin_after(rows, b);
    v_ = std::move(sum);
    v_bias_ = B_ * sum_of_slopes;
    refresh_norm();
  }

  // More features, whose weights are 0.
  void grow(std::size_t features) { v_.resize(features, 0.0); }

  // Counts as many rows as seen as it takes, without moving w: the steps from here on are shorter.
  // For Average::last.
  void count_at_least(double rows) {
    if (!(rows > n_)) return;
    const double larger = n_ > 0 ? rows / n_ : 1.0;
    options_.offset += rows - n_;
    n_ = rows;
    if (larger == 1.0) return;
    for (double& value : v_) value *= larger;
    v_bias_ *= larger;
    refresh_norm();
  }

  // <w, x> + b of row j of the last batch, before its step.
  double score(std::size_t j) const { return scale_before_ * dots_[j] + b_before_; }

  // The norm that steps keep up drifts.
  void refresh_norm() {
    squared_norm_ = v_bias_ * v_bias_;
    for (const double value : v_) squared_norm_ += value * value;
  }

  double norm() const { return scale() * std::sqrt(squared_norm_); }
  double factor() const { return R_; }
  double rows_counted() const { return n_; }  // with the offset
  double free_bias() const { return b_; }     // as the steps have left it
  std::uint64_t rows_seen() const { return rows_seen_; }
  std::uint64_t steps() const { return steps_; }
  std::uint64_t violations() const { return violations_; }

  template <typename Archive>
  void archive(Archive& a) {
    a(options_.offset, tracks_norm_, R_, n_, v_bias_, b_, squared_norm_);
    a.fixed(v_);
    a(average_, rows_seen_, steps_, violations_);
  }

 private:
  // v is rescaled before u/R could overflow; much sooner where averages are kept, which are
  // differences of two sums that grow with 1/R.
  static constexpr double kSmallestFactor = 1e-60;
  static constexpr double kSmallestFactorOfAverages = 1e-4;

  double scale() const { return n_ > 0 ? R_ / (options_.lambda * n_) : 0.0; }  // w_1 = 0

  void begin_after(double rows, double b) {
    options_.offset += rows;
    n_ = options_.offset;
    b_ = options_.bias == Bias::unregularised || options_.bias == Bias::exact ? b : 0.0;
  }

  template <typename Row>
  void follow_norm(Row x, double c, double product) {
    squared_norm_ += 2.0 * c * product + c * c * (squared_norm(x) + B_ * B_);
  }

  // v += u x / R of the violating rows.
  template <typename Rows, typename Duals>
  void add_rows(const RowBatch<Rows>& A, Duals& duals) {
    bool moved = false;
    for (std::size_t j = 0; j < A.size(); ++j) {
      duals.visit(A.ids[j]);
      const double u = slopes_[j];
      if (u == 0.0) continue;
      const auto x = A.x(j);
      const double c = u / R_;
      if (tracks_norm_) follow_norm(x, c, moved ? dot(x, v_.data()) + B_ * v_bias_ : dots_[j]);
      add(x, c, v_.data());
      v_bias_ += c * B_;
      average_.row_added(x, c, c * B_);
      duals.add(A.ids[j], c);
      moved = true;
    }
  }

  // The same of every rank's batch: their sum is made first, and then added.
  template <typename Rows, typename Duals>
  void add_rows_of_all_ranks(const RowBatch<Rows>& A, Duals& duals) {
    gradient_.assign(v_.size() + 1, 0.0);
    for (std::size_t j = 0; j < A.size(); ++j) {
      duals.visit(A.ids[j]);
      if (slopes_[j] == 0.0) continue;
      const double c = slopes_[j] / R_;
      add(A.x(j), c, gradient_.data());
      gradient_.back() += c * B_;
      duals.add(A.ids[j], c);
    }
    sum_over_ranks(gradient_, ranks_);
    for (std::size_t j = 0; j < v_.size(); ++j) v_[j] += gradient_[j];
    v_bias_ += gradient_.back();
    average_.vector_added(gradient_);
    if (tracks_norm_) refresh_norm();
  }

  struct StepSums {
    std::uint64_t rows;
    std::uint64_t violations;
    double slopes;
  };
  // Over the batches of all ranks.
  StepSums sums_of_step(std::size_t rows) {
    std::array<double, 4> sums = {static_cast<double>(rows), 0.0, 0.0, asks_to_stop_ ? 1.0 : 0.0};
    for (std::size_t j = 0; j < rows; ++j) {
      sums[1] += slopes_[j] != 0.0 ? 1.0 : 0.0;
      sums[2] += slopes_[j];
    }
    if (ranks_.size() > 1) ranks_.sum(sums);
    asked_to_stop_ = sums[3] > 0.0;
    return {static_cast<std::uint64_t>(sums[0]), static_cast<std::uint64_t>(sums[1]), sums[2]};
  }

  // The free bias that is best for this batch under the current w.
  template <typename Rows>
  void choose_bias(const RowBatch<Rows>& A, double scale) {
    scores_.resize(A.size());
    labels_.resize(A.size());
    weights_.resize(A.size());
    for (std::size_t j = 0; j < A.size(); ++j) {
      scores_[j] = scale * dots_[j];
      labels_[j] = A.y(j);
      weights_[j] = A.s(j);
    }
    gather_batch();
    b_ = best_bias(options_.loss, scores_, labels_, weights_);
  }

  // The batches of all ranks, one after the other.
  void gather_batch() {
    first_ = 0;
    if (ranks_.size() == 1) return;
    for (std::vector<double>* values : {&scores_, &labels_, &weights_}) {
      const auto all = ranks_.gather(
          {reinterpret_cast<const char*>(values->data()), values->size() * sizeof(double)});
      std::vector<double> together;
      for (int rank = 0; rank < ranks_.size(); ++rank) {
        const std::string& part = all[static_cast<std::size_t>(rank)];
        if (rank == ranks_.rank()) first_ = together.size();
        const std::size_t before = together.size();
        together.resize(before + part.size() / sizeof(double));
        std::memcpy(together.data() + before, part.data(), part.size());
      }
      *values = std::move(together);
    }
  }

  // Slopes of rows at a kink, such that all sum to zero.
  template <typename Rows>
  void balance(const RowBatch<Rows>& A, double) {
    for (auto& z : scores_) z += b_;
    std::vector<double> slopes(scores_.size());  // of all ranks
    for (std::size_t j = 0; j < slopes.size(); ++j) {
      slopes[j] = weights_[j] * loss_.ascent(scores_[j], labels_[j]);
    }
    balance_at_kinks(options_.loss, scores_, labels_, weights_, slopes);
    std::copy_n(slopes.begin() + static_cast<std::ptrdiff_t>(first_), A.size(), slopes_.begin());
  }

  template <typename Rows>
  void measure(const RowBatch<Rows>& A, double scale, LemmaMeter& meter) const {
    double losses = 0;
    for (std::size_t j = 0; j < A.size(); ++j) {
      losses += A.s(j) * loss_.value(scale * dots_[j] + b_, A.y(j));
    }
    meter.measure(A, {.dots = dots_,
                      .slopes = slopes_,
                      .losses = losses,
                      .scale = scale,
                      .squared_norm = scale * scale * squared_norm_,
                      .rows_before = n_});
  }

  template <typename Duals>
  void project(Duals& duals) {
    const double norm = R_ * std::sqrt(std::max(0.0, squared_norm_)) / (options_.lambda * n_);
    if (norm <= options_.radius) return;
    R_ *= options_.radius / norm;
    const bool averages = options_.average != Average::last;
    if (R_ < (averages ? kSmallestFactorOfAverages : kSmallestFactor)) fold(duals);
  }

  // Multiplies R into everything that is kept relative to it.
  template <typename Duals>
  void fold(Duals& duals) {
    average_.fold(v_, v_bias_);
    duals.fold(R_);
    for (auto& value : v_) value *= R_;
    v_bias_ *= R_;
    R_ = 1.0;
    refresh_norm();
  }

  IterateOptions options_;
  LossType loss_;
  Collective& ranks_;
  double B_;  // the constant feature of a regularised bias, or 0
  bool tracks_norm_;

  double R_ = 1.0;
  double n_;  // the rows seen and the offset
  std::vector<double> v_;
  double v_bias_ = 0.0;        // the weight of the constant feature, likewise unwound
  double b_ = 0.0;             // a free bias
  double squared_norm_ = 0.0;  // |v|^2
  MovingAverage average_;
  std::uint64_t rows_seen_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t violations_ = 0;

  // Of one batch.
  std::vector<double> dots_;  // <v, x>
  double scale_before_ = 0.0;
  double b_before_ = 0.0;
  std::vector<double> slopes_;
  std::vector<double> scores_, labels_, weights_;  // for an exact bias, of all ranks
  std::size_t first_ = 0;                          // of them, those of this rank
  std::vector<double> gradient_;                   // sum of u x / R over ranks
  bool asks_to_stop_ = false;
  bool asked_to_stop_ = false;
};

}  // namespace pegasos
