// KernelProblem: what a kernel solver minimises, over functions f(x) = sum_j c_j K(x_j, x) + b.
//
//   P(f) = lambda/2 |f|^2 + 1/m sum_i s_i loss(f(x_i); y_i)
//   |f|^2 = sum_ij c_i c_j K(x_i, x_j)
//
// With the linear kernel f(x) = <w, x> + b, and this is the LinearProblem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pegasos/kernel.h"
#include "pegasos/loss.h"
#include "pegasos/problem.h"

namespace pegasos {

struct KernelProblem {
  Dataset data = {};
  std::span<const double> y = {};        // m labels as the loss wants them
  std::span<const double> weights = {};  // m row weights, or none
  // How many original rows each of the m rows represents, or none: 1. Used only for counts in
  // reports.
  std::span<const std::uint32_t> copies = {};
  LossOptions loss = {};
  double lambda = 0.0;     // > 0
  Bias bias = Bias::none;  // none or unregularised
  KernelOptions kernel = {};
  // m, the rows of the whole problem, where those here are only some of them; 0: they are all.
  std::uint64_t total_rows = 0;

  std::size_t rows() const { return y.size(); }
  double m() const { return static_cast<double>(total_rows > 0 ? total_rows : rows()); }
  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
  std::uint32_t copies_of(std::size_t i) const { return copies.empty() ? 1 : copies[i]; }
  bool has_free_bias() const { return bias == Bias::unregularised; }

  void validate() const;  // throws InvalidOption
};

// A function of the kernel's space: one coefficient for each row, most of them 0.
struct KernelPoint {
  std::vector<double> coefficients = {};
  double b = 0.0;
};

// What a function of these coefficients is at the rows of a problem, without the bias, from a fresh
// pass in double precision; and how far from it the values may be.
struct KernelScores {
  std::vector<double> coefficients = {};
  std::vector<double> values = {};
  std::vector<double> errors = {};
};

// How kernel solvers run.
struct KernelSolverOptions {
  // Bytes for rows of the kernel matrix; 0: half of the memory that is free, or 256 MB where rows
  // are cheap. At least one row is always kept. Changes how long training takes and nothing else.
  std::uint64_t cache_bytes = 0;

  // Dual ascent ends when the gap is this share of the bound, ≥ 0.
  double tolerance = 1e-3;
  // And in any case when blocks have had so many rows, which count each time.
  std::uint64_t most_visits = 10'000'000;

  void validate() const;  // throws InvalidOption
};

}  // namespace pegasos
