// Kernels, as options. K(x, x') is the inner product of two rows in a space of features that is
// never written down:
//
//   linear        <x, x'>
//   polynomial    (gamma <x, x'> + coef0)^degree
//   rbf           exp(-gamma |x - x'|^2), the Gaussian kernel
//   laplacian     exp(-gamma |x - x'|_1)
//   sigmoid       tanh(gamma <x, x'> + coef0)
//   chi_squared   exp(-gamma sum_k (x_k - x'_k)^2/(x_k + x'_k)), for values that are not negative
//   precomputed   the data is the matrix: feature j of row i is K(x_i, x_j)
//   callable      a function of two rows
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pegasos/dataset.h"

namespace pegasos {

enum class KernelKind {
  linear,
  polynomial,
  rbf,
  laplacian,
  sigmoid,
  chi_squared,
  precomputed,
  callable
};

// "linear", "polynomial", "chi-squared", … as the command line spells them.
std::string name_of(KernelKind kind);
std::optional<KernelKind> kernel_of_name(const std::string& name);
const std::vector<std::string>& kernel_names();

struct KernelOptions {
  using Function = std::function<double(const RowView&, const RowView&)>;

  KernelKind kind = KernelKind::rbf;
  double gamma = 1.0;   // > 0; every kernel but linear, precomputed and callable
  double coef0 = 0.0;   // polynomial (0 or more) and sigmoid
  unsigned degree = 3;  // 1 or more; polynomial

  // Symmetric, and safe to call from several threads at once.
  Function function = {};
  // Of a precomputed or callable kernel: the caller knows that every matrix of it is positive
  // semidefinite, and so that a bound on the optimum can be proven.
  bool vouched_positive_semidefinite = false;

  void validate() const;  // throws InvalidOption

  bool uses_gamma() const;
  // False if unknown: the sigmoid kernel, and matrices or functions not declared so. The dual is
  // then not a bound, and nothing can be certified.
  bool is_positive_semidefinite() const;
};

// Throws InvalidOption if the kernel has no meaning for these rows: negative values under
// chi_squared, a precomputed matrix that is not square and symmetric.
void check_kernel_data(const KernelOptions& kernel, const Dataset& data);

// The two rules for gamma that scikit-learn made common: 1/(d · variance of all values, zeros
// included) and 1/d. Rows count by their weights. Where the variance is 0, "scale" is 1.
double gamma_scale(const Dataset& data);
double gamma_auto(const Dataset& data);

// K(x, x') in double precision. For precomputed kernels use the matrix.
double kernel_value(const KernelOptions& kernel, const RowView& x, const RowView& other);

}  // namespace pegasos
