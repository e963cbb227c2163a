#include "learn/shared_support.h"

#include <algorithm>

#include "data/row_table.h"
#include "data/take_rows.h"
#include "learn/classifier_rows.h"

namespace pegasos {
namespace {

using Coefficients = std::span<const std::span<const double>>;

// Row after row, one coefficient for each classifier.
std::vector<double> coefficients_of_rest(std::size_t rows, Coefficients coefficients) {
  const std::size_t classifiers = coefficients.size();
  std::vector<double> all(rows * classifiers);
  for (std::size_t k = 0; k < classifiers; ++k) {
    for (std::size_t i = 0; i < rows; ++i) all[i * classifiers + k] = coefficients[k][i];
  }
  return all;
}

// Row after row, one coefficient for each of the other classes, in their order.
std::vector<double> coefficients_of_pairs(std::size_t rows, const ClassLabels& labels,
                                          Coefficients coefficients) {
  const std::size_t width = labels.classes().size() - 1;
  std::vector<double> all(rows * width);
  const auto pairs = class_pairs(labels.classes().size());
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t of = labels.class_of(i);
      if (of != pairs[k].first && of != pairs[k].second) continue;
      const std::size_t slot = of == pairs[k].first ? pairs[k].second - 1 : pairs[k].first;
      all[i * width + slot] = coefficients[k][next++];
    }
  }
  return all;
}

}  // namespace

void share_support(const ClassifiedRows& trained_on, Coefficients coefficients,
                   KernelClassifiers& kernels) {
  const auto& [rows, columns, labels, strategy] = trained_on;
  const bool pairs = strategy == Strategy::one_against_one;
  const std::vector<double> all = pairs ? coefficients_of_pairs(rows.rows(), labels, coefficients)
                                        : coefficients_of_rest(rows.rows(), coefficients);
  const std::size_t width = pairs ? labels.classes().size() - 1 : coefficients.size();
  const bool precomputed = kernels.kernel.kind == KernelKind::precomputed;
  std::vector<RowId> kept;
  for (std::size_t c = 0; c < (pairs ? labels.classes().size() : 1); ++c) {
    RowTable table;
    const std::size_t first = kept.size();
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const auto row = std::span(all).subspan(i * width, width);
      const bool used = std::any_of(row.begin(), row.end(), [](double v) { return v != 0.0; });
      if (!used || (pairs && labels.class_of(i) != c)) continue;
      const std::size_t place =
          first + (precomputed ? kept.size() - first : table.add(rows.row(i)));
      if (place == kept.size()) {
        kept.push_back(static_cast<RowId>(i));
        kernels.coefficients.resize(kernels.coefficients.size() + width, 0.0);
      }
      for (std::size_t t = 0; t < width; ++t) kernels.coefficients[place * width + t] += row[t];
    }
    if (pairs) kernels.vector_class.resize(kept.size(), static_cast<std::uint32_t>(c));
  }
  if (precomputed) {
    for (const RowId i : kept) kernels.columns.push_back(columns[i]);
  } else {
    kernels.support_vectors = take_rows(rows, kept);
  }
}

}  // namespace pegasos
