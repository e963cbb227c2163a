#include "pegasos/kernel_problem.h"

#include <cmath>

#include "pegasos/error.h"

namespace pegasos {

void KernelProblem::validate() const {
  kernel.validate();
  if (bias != Bias::none && bias != Bias::unregularised) {
    throw InvalidOption("bias", "kernel models support only none and unregularised");
  }
  LinearProblem{.data = data,
                .y = y,
                .weights = weights,
                .loss = loss,
                .lambda = lambda,
                .total_rows = total_rows}
      .validate();
  if (!copies.empty() && copies.size() != y.size()) {
    throw InvalidOption("copies", "there must be one per row");
  }
  check_kernel_data(kernel, data);
}

void KernelSolverOptions::validate() const {
  if (!(tolerance >= 0) || std::isinf(tolerance)) {
    throw InvalidOption("tolerance", "must be 0 or more");
  }
  if (most_visits < 1) throw InvalidOption("most_visits", "must be at least 1");
}

}  // namespace pegasos
