#include <algorithm>
#include <cmath>

#include "model/checks.h"
#include "pegasos/model.h"

namespace pegasos {
namespace {

double value_at(const RowView& row, FeatureId feature) {
  if (row.dense) return feature < row.values.size() ? double{row.values[feature]} : 0.0;
  const auto found = std::lower_bound(row.ids.begin(), row.ids.end(), feature);
  if (found == row.ids.end() || *found != feature) return 0.0;
  return double{row.values[static_cast<std::size_t>(found - row.ids.begin())]};
}

}  // namespace

double KernelModel::decision(const RowView& row) const {
  if (scaling) return decisions(*this, dataset_of(row, schema->feature_count()), 1).front();
  double sum = 0;
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    sum += coefficients[j] * (kernel.kind == KernelKind::precomputed
                                  ? value_at(row, columns[j])
                                  : kernel_value(kernel, support_vectors.row(j), row));
  }
  return sum + b;
}

void KernelModel::validate() const {
  validate_single();
  kernel.validate();
  require(bias == Bias::none || bias == Bias::unregularised, "bias",
          "kernel models support only none and unregularised");
  const bool precomputed = kernel.kind == KernelKind::precomputed;
  require(!precomputed || !scaling, "scaling", "a precomputed kernel cannot be scaled");
  require(support_vectors.rows() == (precomputed ? 0 : coefficients.size()), "support_vectors",
          "there must be one per coefficient");
  require(columns.size() == (precomputed ? coefficients.size() : 0), "columns",
          "there must be one per coefficient for a precomputed kernel, and none for others");
  require(support_vectors.rows() == 0 || support_vectors.features() == schema->feature_count(),
          "support_vectors", "must have the same features as the schema");
  for (const FeatureId column : columns) {
    require(column < schema->feature_count(), "columns", "must be features of the schema");
  }
  if (!precomputed) check_kernel_data(kernel, support_vectors);
  for (const double coefficient : coefficients) {
    require(std::isfinite(coefficient) && coefficient != 0, "coefficients",
            "must be finite and not 0");
  }
  check_support(support, record.rows);
  require(!certificate || kernel.is_positive_semidefinite(), "certificate",
          "needs a kernel that is positive semidefinite");
}

bool operator==(const KernelModel& a, const KernelModel& b) {
  return KernelModel::same_single(a, b) && same_kernel(a.kernel, b.kernel) &&
         same_rows(a.support_vectors, b.support_vectors) && a.columns == b.columns &&
         a.coefficients == b.coefficients && a.support == b.support;
}

}  // namespace pegasos
