// The certificate of a linear model as a theorem: an upper bound of its objective and a lower bound
// of the optimum that hold in exact arithmetic.
//
// For the point (w, b) of the model, z_i = <w, x_i> + b, and feasible duals a
//
//   P    = lambda/2 |w|^2 + 1/m sum_i s_i loss(z_i; y_i)
//   D(a) = lambda/2 |w|^2 + 1/m sum_i (s_i gain(a_i/s_i; y_i) - a_i z_i) - lambda/2 |w(a) - w|^2
//
// The second line is the dual objective 1/m sum gain - lambda/2 |w(a)|^2 with |w(a)|^2 written out
// around w (sum a_i b = 0 where b is free; otherwise b is part of w). It asks only for the scores
// of the model, in which offsets of targets have cancelled, and for w(a) roughly: near the optimum
// the last term is small, and so is its error. One pass over the rows gives both.
//
// See docs/certificate.md for the analysis of all errors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/thread_pool.h"
#include "math/enclosure.h"
#include "pegasos/certificate.h"
#include "pegasos/problem.h"

namespace pegasos {

// How scores and norms are computed. Automatic begins with doubles and takes pairs of them where
// the bound on the errors is more than kWidest of the objective.
enum class Arithmetic { automatic, doubles, pairs };

struct Proof {
  Certificate certificate = {};  // rounded outward; without duals it has no bound
  double primal_below = 0.0;     // the objective is at least this
  double dual_above = 0.0;       // the value of the duals is at most this
  Arithmetic used = Arithmetic::doubles;

  static constexpr double kWidest = 1e-10;
};

// Makes `a` exactly feasible in place. Empty: no bound is proven. Duals that prove less than 0,
// which every loss has for a bound, are replaced by zeros.
Proof certify(const LinearProblem& problem, const LinearPoint& point, std::span<double> a,
              ThreadPool& pool, Arithmetic arithmetic = Arithmetic::automatic);

// ---- for the certificates of kernel and joint models ----

// P and D from their parts, all enclosures. `distance` is lambda/2 |w(a) - w|^2.
struct ProofParts {
  Nearer regulariser = {};
  std::optional<Nearer> dual_regulariser = {};  // where D is written around another point than P
  Nearer losses = {};                           // sum over rows
  Nearer bounds = {};                           // sum over rows
  Nearer distance = {};
  std::uint64_t wrong = 0;
};
Proof proof_of(const ProofParts& parts, std::size_t rows, bool has_duals, bool classifies);
bool is_wide(const Proof& proof);

// sum 2^(2 exponent) is |v|^2; the exponent keeps squares within the range of double.
struct SquaredNorm {
  Nearer sum = {};
  int exponent = 0;
};
SquaredNorm squared_norm_of(std::span<const double> v);
Nearer half_times(const SquaredNorm& norm, double lambda);                   // lambda/2 |v|^2
Nearer half_over(const SquaredNorm& norm, double lambda, std::size_t rows);  // |v|^2/(2 lambda m^2)
// |v|^2 of a v that is known up to a vector of this length.
SquaredNorm widened(SquaredNorm norm, double length);

}  // namespace pegasos
