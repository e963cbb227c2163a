// The direction of a Newton step: solves
//
//   (lambda I + X' diag(c)/m X) v = g,        c ≥ 0 the responses of the rows
//
// with the matrix where features are few, and by conjugate gradients, which need only products
// with it, where they are many. Rows with c = 0 cost nothing either way.
//
// With a bias the last of the unknowns belongs to the constant feature of value B; a free one has
// a small ridge instead of lambda.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "math/cholesky.h"
#include "pegasos/problem.h"

namespace pegasos {

// True if factorising the matrix of all features costs no more than some hundred passes over the
// data, and it fits into memory a few times.
bool has_small_matrix(const LinearProblem& problem);
bool has_small_matrix(std::uint64_t features, std::uint64_t non_zeros);

class NewtonDirection {
 public:
  enum class Way { matrix, conjugate_gradients };

  // The problem must outlive this. B is the value of the constant feature.
  NewtonDirection(const LinearProblem& problem, double B, Way way);

  Way way() const { return way_; }

  struct Demand {
    double ridge = 0.0;      // of a free bias that no row responds to
    double precision = 0.1;  // of conjugate gradients: what remains of g, in the norm of the
                             // preconditioner
  };
  // g and v have one entry for each feature and one for a bias.
  void solve(std::span<const double> c, std::span<const double> g, Demand demand,
             std::vector<double>& v, ThreadPool& pool);

 private:
  void solve_by_matrix(std::span<const double> c, const Demand& demand, std::vector<double>& v,
                       ThreadPool& pool);
  void solve_by_gradients(std::span<const double> c, const Demand& demand, std::vector<double>& v,
                          ThreadPool& pool);
  double diagonal_of_bias(double ridge, double responses) const;

  const LinearProblem& problem_;
  double B_;
  std::size_t d_;
  std::size_t side_;
  Way way_;
  std::vector<FeatureId> order_;  // of conjugate gradients: heavy features first
  std::vector<double> H_;
  Cholesky cholesky_;
};

}  // namespace pegasos
