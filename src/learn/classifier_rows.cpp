#include "learn/classifier_rows.h"

#include <memory>
#include <utility>
#include <vector>

#include "data/take_rows.h"

namespace pegasos {
namespace {

// What the rows of a classifier are made of.
struct Relabelled {
  Dataset source;
  std::vector<double> labels;
  std::vector<double> weights;
};

Dataset relabelled(const Dataset& source, std::vector<double> labels, std::vector<double> weights) {
  const auto owner =
      std::make_shared<const Relabelled>(Relabelled{source, std::move(labels), std::move(weights)});
  DatasetParts parts = source.parts();
  parts.labels = owner->labels;
  parts.weights = owner->weights;
  Schema schema = source.schema();
  schema.label_words.clear();
  schema.multilabel = false;
  parts.schema = std::make_shared<const Schema>(std::move(schema));
  parts.owner = owner;
  return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
}

}  // namespace

Dataset classifier_rows(const Dataset& rows, std::span<const double> weights,
                        const ClassLabels& labels, Strategy strategy, std::size_t k) {
  std::vector<double> y;
  if (strategy != Strategy::one_against_one) {
    y.reserve(rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i) y.push_back(labels.has(i, k) ? 1.0 : -1.0);
    return relabelled(rows, std::move(y), {weights.begin(), weights.end()});
  }
  const ClassPair pair = class_pair(labels.classes().size(), k);
  std::vector<RowId> ids;
  std::vector<double> weights_taken;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::size_t of = labels.class_of(i);
    if (of != pair.first && of != pair.second) continue;
    ids.push_back(static_cast<RowId>(i));
    y.push_back(of == pair.first ? 1.0 : -1.0);
    if (!weights.empty()) weights_taken.push_back(weights[i]);
  }
  return relabelled(take_rows(rows, ids, rows.parts().residency), std::move(y),
                    std::move(weights_taken));
}

}  // namespace pegasos
