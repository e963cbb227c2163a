// Averages the iterates in O(non-zeros) per step, never O(d).
//
// With w_{t+1} = r_t v_t, where v_t is the sum of the additions Delta_1 … Delta_t and r_t a number,
//
//   sum_t c_t w_{t+1}  =  sum_s Delta_s (C_T - C_{s-1})  =  C_T v_T - q,
//   C_t = sum_{s ≤ t} c_s r_s,      q = sum_s C_{s-1} Delta_s.
//
// So a second vector q, to which each addition goes times the C of before, is all there is to keep.
// c_t is 1 for the mean, t for the weighted mean, 0 before the suffix begins.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "math/rows.h"
#include "pegasos/pegasos_options.h"

namespace pegasos {

class MovingAverage {
 public:
  struct Point {
    std::vector<double> w;
    double weight_of_constant = 0.0;
  };

  MovingAverage(Average kind, std::size_t features)
      : kind_(kind), counting_(kind != Average::suffix) {
    if (kind_ != Average::last) q_.assign(features, 0.0);
  }

  void begin_suffix() { counting_ = true; }

  // v has grown by c x, and by `c_bias` in the constant feature.
  template <typename Row>
  void row_added(Row x, double c, double c_bias) {
    if (C_ == 0.0) return;
    add(x, C_ * c, q_.data());
    q_bias_ += C_ * c_bias;
  }

  // v has grown by the first numbers of `added`, and by the last in the constant feature.
  void vector_added(const std::vector<double>& added) {
    if (C_ == 0.0) return;
    for (std::size_t j = 0; j < q_.size(); ++j) q_[j] += C_ * added[j];
    q_bias_ += C_ * added.back();
  }

  // The step is complete: w = r v.
  void step_done(double r) {
    ++steps_;
    if (kind_ == Average::last || !counting_) return;
    const double c = kind_ == Average::weighted ? static_cast<double>(steps_) : 1.0;
    C_ += c * r;
    total_ += c;
  }

  // v is about to be multiplied by a number: what has been gathered so far is settled.
  void fold(const std::vector<double>& v, double v_bias) {
    if (C_ == 0.0) return;
    if (settled_.empty()) settled_.assign(v.size(), 0.0);
    for (std::size_t j = 0; j < v.size(); ++j) settled_[j] += C_ * v[j] - q_[j];
    settled_bias_ += C_ * v_bias - q_bias_;
    q_.assign(q_.size(), 0.0);
    q_bias_ = C_ = 0.0;
  }

  // The average so far, or nothing: the last iterate is wanted, or the suffix has not begun.
  std::optional<Point> point(const std::vector<double>& v, double v_bias) const {
    if (total_ == 0.0) return std::nullopt;
    Point mean{v, (C_ * v_bias - q_bias_ + settled_bias_) / total_};
    for (std::size_t j = 0; j < v.size(); ++j) {
      const double settled = settled_.empty() ? 0.0 : settled_[j];
      mean.w[j] = (C_ * v[j] - q_[j] + settled) / total_;
    }
    return mean;
  }

  template <typename Archive>
  void archive(Archive& a) {
    a(counting_, steps_, C_, total_, q_bias_, settled_bias_);
    a.fixed(q_);
    a(settled_);
    if (!settled_.empty()) settled_.resize(q_.size());
  }

 private:
  Average kind_;
  bool counting_;
  std::uint64_t steps_ = 0;
  double C_ = 0.0;
  double total_ = 0.0;  // sum of c
  double q_bias_ = 0.0;
  double settled_bias_ = 0.0;
  std::vector<double> q_;
  std::vector<double> settled_;
};

}  // namespace pegasos
