// The certificate of a kernel machine, from what a solver left behind or from duals alone.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "certify/kernel_certificate.h"
#include "math/kernel_blocks.h"
#include "pegasos/kernel_problem.h"
#include "solver/result.h"

namespace pegasos {

// Whose coefficients a model puts together: those of all equal rows, or of equal rows of one class.
enum class Together { equal_rows, equal_rows_of_a_class };

// Puts the coefficients of equal rows together on the first of them, as the model will have them,
// so that the certificate is about the very numbers of the model; makes the duals exactly feasible;
// and replaces objective and bound of the report by the certified ones. Without a bound where the
// kernel is not known to be positive semidefinite.
Proof prove_kernel(const KernelProblem& problem, Together together, KernelResult& result,
                   ThreadPool& pool);

// The certificate, unless the solver was told to hurry (Watch::hurry) or the proof is.
std::optional<Certificate> prove_unless_hurried(const KernelProblem& problem, Together together,
                                                KernelResult& result, ThreadPool& pool,
                                                const std::function<bool()>& hurry);

// The function that feasible duals stand for, f(a) = 1/(lambda m) sum a_i K(x_i, .), up to one of
// norm `distance`: its coefficients are rounded.
struct FunctionOfDuals {
  KernelFunction f = {};
  double distance = 0.0;
};
FunctionOfDuals function_of_duals(const KernelProblem& problem, const KernelBlocks& blocks,
                                  std::span<const double> diagonal, std::span<const double> a,
                                  ThreadPool& pool);

}  // namespace pegasos
