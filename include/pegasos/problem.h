// LinearProblem: what a linear solver minimises.
//
//   P(w, b) = lambda/2 |w|^2 + 1/m sum_i s_i loss(<w, x_i> + b; y_i)
//
// m rows x_i, labels y_i (-1 or +1 for classification), weights s_i ≥ 0 (1 unless given).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/loss.h"

namespace pegasos {

enum class Bias {
  none,           // b = 0
  regularised,    // a constant feature of value bias_feature, its weight part of |w|^2
  unregularised,  // free, moved by its own sub-gradient
  exact           // free, minimised exactly over each batch before the step in w
};

std::string name_of(Bias bias);

struct LinearProblem {
  Dataset data = {};
  std::span<const double> y = {};        // m labels as the loss wants them
  std::span<const double> weights = {};  // m row weights, or none
  // How many rows of the data each row stands for, where errors are counted; none: 1.
  std::span<const std::uint32_t> copies = {};
  LossOptions loss = {};
  double lambda = 0.0;  // > 0
  Bias bias = Bias::none;
  double bias_feature = 1.0;  // B, for Bias::regularised; not 0
  // m, the rows of the whole problem, and their non-zeros, where those here are only some of them;
  // 0: they are all.
  std::uint64_t total_rows = 0;
  std::uint64_t total_non_zeros = 0;

  std::size_t rows() const { return y.size(); }
  double m() const { return static_cast<double>(total_rows > 0 ? total_rows : rows()); }
  std::size_t features() const { return data.features(); }
  bool is_divided() const { return total_rows > 0; }
  std::uint64_t non_zeros() const {
    return total_non_zeros > 0 ? total_non_zeros : data.non_zeros();
  }
  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
  std::uint32_t copies_of(std::size_t i) const { return copies.empty() ? 1 : copies[i]; }
  bool has_free_bias() const { return bias == Bias::unregularised || bias == Bias::exact; }

  void validate() const;  // throws InvalidOption
};

// A point of the primal: the weights, and the bias. With Bias::regularised b is B times the weight
// of the constant feature.
struct LinearPoint {
  std::vector<double> w = {};
  double b = 0.0;
};

}  // namespace pegasos
