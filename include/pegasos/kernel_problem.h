// KernelProblem: what a kernel solver minimises, over functions f(x) = sum_j c_j K(x_j, x) + b.
//
//   P(f) = lambda/2 |f|^2 + 1/m sum_i s_i loss(f(x_i); y_i)
//   |f|^2 = sum_ij c_i c_j K(x_i, x_j)
//
// With the linear kernel f(x) = <w, x> + b, and this is the LinearProblem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pegasos/kernel.h"
#include "pegasos/loss.h"
#include "pegasos/problem.h"
#include "pegasos/progress.h"

namespace pegasos {

struct KernelProblem {
  Dataset data = {};
  std::span<const double> y = {};        // m labels as the loss wants them
  std::span<const double> weights = {};  // m row weights, or none
  // How many rows of a file each of the m stands for, or none: 1. Reports count by it, and nothing
  // else does.
  std::span<const std::uint32_t> copies = {};
  LossOptions loss = {};
  double lambda = 0.0;     // > 0
  Bias bias = Bias::none;  // none or unregularised
  KernelOptions kernel = {};

  std::size_t rows() const { return y.size(); }
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

// How kernel solvers run.
struct KernelSolverOptions {
  // Bytes for rows of the kernel matrix; 0: half of the memory that is free. At least one row is
  // always kept. Changes how long training takes and nothing else.
  std::uint64_t cache_bytes = 0;

  // Dual ascent ends when the gap is this share of the bound, ≥ 0.
  double tolerance = 1e-3;
  // And in any case after so many blocks.
  std::uint64_t most_blocks = 100'000;

  void validate() const;  // throws InvalidOption
};

struct KernelReport {
  std::uint64_t epoch = 0;       // completed Pegasos epochs
  std::uint64_t blocks = 0;      // completed blocks of dual ascent
  std::uint64_t steps = 0;       // of Pegasos
  std::uint64_t rows_seen = 0;   // by Pegasos
  std::uint64_t violations = 0;  // in the last epoch
  std::uint64_t all_violations = 0;
  std::uint64_t support_vectors = 0;  // rows with a coefficient
  std::uint64_t bounded = 0;          // of them those whose dual is at the end of its range
  PrimalValue primal = {};            // of the point that would be handed out
  // The best bound so far; none where the kernel is not known to be positive semidefinite.
  std::optional<double> dual = {};
  // Objective and bound come from a fresh pass in double precision, not from sums kept up with
  // float32 kernel values. True for the last report.
  bool recomputed = false;
  double norm = 0.0;  // |f|

  std::uint64_t kernel_rows_used = 0;
  std::uint64_t kernel_rows_computed = 0;  // the others were in the cache
  // Pegasos computes rows ahead, some of which are not used in the end.
  double hit_rate() const {
    if (kernel_rows_used <= kernel_rows_computed) return 0.0;
    const auto missed = static_cast<double>(kernel_rows_computed);
    return 1.0 - missed / static_cast<double>(kernel_rows_used);
  }
  std::optional<Certificate> certificate() const {
    if (!dual) return std::nullopt;
    return Certificate{primal.objective(), *dual};
  }
};

struct KernelWatch {
  // After every epoch or block, with the report of that moment.
  std::function<Verdict(const KernelReport&)> progress = {};
  // Asked often; true ends the run there, with what it has.
  std::function<bool()> interrupted = {};
};

struct KernelResult {
  KernelPoint point = {};
  std::vector<double> a = {};  // feasible duals of the best bound
  KernelReport report = {};
  bool interrupted = false;
};

}  // namespace pegasos
