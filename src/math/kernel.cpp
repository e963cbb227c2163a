#include "pegasos/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/option_tables.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::pair<KernelKind, const char*> kNames[] = {{KernelKind::linear, "linear"},
                                                         {KernelKind::polynomial, "polynomial"},
                                                         {KernelKind::rbf, "rbf"},
                                                         {KernelKind::laplacian, "laplacian"},
                                                         {KernelKind::sigmoid, "sigmoid"},
                                                         {KernelKind::chi_squared, "chi-squared"},
                                                         {KernelKind::precomputed, "precomputed"},
                                                         {KernelKind::callable, "callable"}};

// Calls f(x_k, x'_k) for every feature that one of the two rows stores.
template <typename F>
void for_features(const RowView& x, const RowView& other, F&& f) {
  std::size_t i = 0;
  std::size_t j = 0;
  const auto id = [](const RowView& row, std::size_t at) {
    return row.dense ? static_cast<FeatureId>(at) : row.ids[at];
  };
  while (i < x.values.size() || j < other.values.size()) {
    const bool left = j == other.values.size() || (i < x.values.size() && id(x, i) <= id(other, j));
    const bool right =
        i == x.values.size() || (j < other.values.size() && id(other, j) <= id(x, i));
    f(left ? double{x.values[i]} : 0.0, right ? double{other.values[j]} : 0.0);
    i += left ? 1 : 0;
    j += right ? 1 : 0;
  }
}

template <typename F>
double sum_over_features(const RowView& x, const RowView& other, F&& term) {
  double sum = 0;
  for_features(x, other, [&](double a, double b) { sum += term(a, b); });
  return sum;
}

double power(double base, unsigned exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base) {
    if ((exponent & 1) != 0) result *= base;
  }
  return result;
}

}  // namespace

std::string name_of(KernelKind kind) {
  for (const auto& [known, name] : kNames) {
    if (known == kind) return name;
  }
  return "?";
}

std::optional<KernelKind> kernel_of_name(const std::string& name) {
  for (const auto& [kind, known] : kNames) {
    if (name == known) return kind;
  }
  return std::nullopt;
}

const std::vector<std::string>& kernel_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& entry : kNames) all.emplace_back(entry.second);
    return all;
  }();
  return names;
}

bool KernelOptions::uses_gamma() const {
  return kind != KernelKind::linear && kind != KernelKind::precomputed &&
         kind != KernelKind::callable;
}

bool KernelOptions::is_positive_semidefinite() const {
  switch (kind) {
    case KernelKind::sigmoid:
      return false;
    case KernelKind::precomputed:
    case KernelKind::callable:
      return vouched_positive_semidefinite;
    default:
      return true;
  }
}

void KernelOptions::validate() const {
  check_ranges(kernel_option_table(), *this);
  if (kind == KernelKind::polynomial && coef0 < 0) {
    throw InvalidOption("coef0", "must be 0 or more for a polynomial kernel");
  }
  if (kind == KernelKind::callable && !function) {
    throw InvalidOption("function", "is required for a callable kernel");
  }
}

void check_kernel_data(const KernelOptions& kernel, const Dataset& data) {
  if (kernel.kind == KernelKind::chi_squared) {
    for (std::size_t i = 0; i < data.rows(); ++i) {
      const auto values = data.row(i).values;
      if (std::all_of(values.begin(), values.end(), [](float v) { return v >= 0; })) continue;
      throw InvalidOption(
          "kernel",
          fmt::format(
              "the chi-squared kernel needs non-negative values, but row {} has a negative one",
              i + 1));
    }
  }
  if (kernel.kind != KernelKind::precomputed) return;
  if (data.features() > data.rows()) {
    throw InvalidOption("kernel", fmt::format("a precomputed matrix of {} rows cannot have {} "
                                              "columns",
                                              data.rows(), data.features()));
  }
  const auto at = [&](std::size_t i, std::size_t j) {
    const RowView row = data.row(i);
    if (row.dense) return j < row.values.size() ? row.values[j] : 0.0F;
    const auto found = std::lower_bound(row.ids.begin(), row.ids.end(), j);
    if (found == row.ids.end() || *found != j) return 0.0F;
    return row.values[static_cast<std::size_t>(found - row.ids.begin())];
  };
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const RowView row = data.row(i);
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      const std::size_t j = row.dense ? k : row.ids[k];
      const double left{row.values[k]};
      const double right{at(j, i)};
      // Written with few digits, the two halves may differ in the last.
      if (std::abs(left - right) <= 1e-5 * (std::abs(left) + std::abs(right))) continue;
      throw InvalidOption("kernel", fmt::format("the precomputed matrix is not symmetric: {} in "
                                                "row {}, column {}, but {} in the transposed place",
                                                left, i + 1, j + 1, right));
    }
  }
}

double gamma_auto(const Dataset& data) {
  return data.features() == 0 ? 1.0 : 1.0 / static_cast<double>(data.features());
}

double gamma_scale(const Dataset& data) {
  double sum = 0;
  double squares = 0;
  double rows = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const double weight = data.has_weights() ? data.weights()[i] : 1.0;
    rows += weight;
    for (const float value : data.row(i).values) {
      sum += weight * double{value};
      squares += weight * double{value} * double{value};
    }
  }
  const double count = rows * static_cast<double>(data.features());
  if (count == 0) return 1.0;
  const double mean = sum / count;
  const double variance = squares / count - mean * mean;
  // What rounding leaves of a constant is no variance.
  if (!(variance > 1e-14 * squares / count)) return 1.0;
  return 1.0 / (static_cast<double>(data.features()) * variance);
}

double kernel_value(const KernelOptions& kernel, const RowView& x, const RowView& other) {
  const auto dot = [&] {
    return sum_over_features(x, other, [](double a, double b) { return a * b; });
  };
  switch (kernel.kind) {
    case KernelKind::linear:
      return dot();
    case KernelKind::polynomial:
      return power(kernel.gamma * dot() + kernel.coef0, kernel.degree);
    case KernelKind::rbf:
      return std::exp(-kernel.gamma * sum_over_features(x, other, [](double a, double b) {
        return (a - b) * (a - b);
      }));
    case KernelKind::laplacian:
      return std::exp(-kernel.gamma * sum_over_features(x, other, [](double a, double b) {
        return std::abs(a - b);
      }));
    case KernelKind::chi_squared:
      return std::exp(-kernel.gamma * sum_over_features(x, other, [](double a, double b) {
        return a + b > 0 ? (a - b) * (a - b) / (a + b) : 0.0;
      }));
    case KernelKind::sigmoid:
      return std::tanh(kernel.gamma * dot() + kernel.coef0);
    case KernelKind::callable:
      return kernel.function(x, other);
    case KernelKind::precomputed:
      break;
  }
  throw InvalidOption("kernel", "a precomputed kernel has no formula");
}

}  // namespace pegasos
