#include "pegasos/explain.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "pegasos/decision.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

std::size_t place_of(const FeatureContribution& one) {
  return one.feature;
}
std::size_t place_of(const VectorContribution& one) {
  return one.vector;
}

// Sorts by size and keeps the first `top`; returns the sum of those that go.
template <typename Contribution>
double keep_largest(std::vector<Contribution>& all, std::size_t top, std::size_t& left_out) {
  const std::size_t kept = top == 0 ? all.size() : std::min(top, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(),
                    [](const Contribution& a, const Contribution& b) {
                      const double size_a = std::abs(a.contribution);
                      const double size_b = std::abs(b.contribution);
                      return size_a != size_b ? size_a > size_b : place_of(a) < place_of(b);
                    });
  double sum = 0;
  for (std::size_t i = kept; i < all.size(); ++i) sum += all[i].contribution;
  left_out = all.size() - kept;
  all.resize(kept);
  return sum;
}

// The features of a row that are not 0.
std::vector<FeatureContribution> features_of(const RowView& row) {
  std::vector<FeatureContribution> features;
  for (std::size_t j = 0; j < row.values.size(); ++j) {
    if (row.values[j] == 0.0F) continue;
    const auto id = row.dense ? static_cast<FeatureId>(j) : row.ids[j];
    features.push_back({id, double{row.values[j]}, 0.0});
  }
  return features;
}

void keep_features(std::vector<FeatureContribution> features, const ExplainOptions& options,
                   Explanation& result) {
  result.features = std::move(features);
  result.others = keep_largest(result.features, options.top, result.other_features);
}

// A row for each of some features of a row that are not 0, without that one. They are many times as
// large as the row: only so many are made at once.
constexpr std::size_t kLeftOutAtOnce = 256;
struct WithoutOne {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<FeatureId> ids = {};
  std::vector<float> values = {};
};

Dataset rows_without_one(const std::vector<FeatureContribution>& features, std::size_t begin,
                         std::size_t end, const Dataset& data) {
  const auto rows = std::make_shared<WithoutOne>();
  for (std::size_t left_out = begin; left_out < end; ++left_out) {
    for (std::size_t j = 0; j < features.size(); ++j) {
      if (j == left_out) continue;
      rows->ids.push_back(features[j].feature);
      rows->values.push_back(static_cast<float>(features[j].value));
    }
    rows->offsets.push_back(rows->ids.size());
  }
  DatasetParts parts;
  parts.rows = end - begin;
  parts.features = data.features();
  parts.sparse = SparseMatrix{rows->offsets, rows->ids, rows->values};
  parts.schema = data.shared_schema();
  parts.owner = rows;
  return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
}

void add_leave_out(const Model& model, const Dataset& data, std::size_t row,
                   const ExplainOptions& options, Explanation& result) {
  std::vector<FeatureContribution> features = features_of(data.row(row));
  const std::size_t width = outputs(model);
  for (std::size_t begin = 0; begin < features.size(); begin += kLeftOutAtOnce) {
    const std::size_t end = std::min(features.size(), begin + kLeftOutAtOnce);
    const auto without =
        decisions(model, rows_without_one(features, begin, end, data), options.threads);
    for (std::size_t j = begin; j < end; ++j) {
      features[j].contribution = result.score - without[(j - begin) * width + result.output];
    }
  }
  result.additive = false;
  keep_features(std::move(features), options, result);
  result.others = 0.0;
}

// What the values of a feature, or of a row, are multiplied by before the model sees them.
double factor_of(const std::optional<Scaling>& scaling, FeatureId feature) {
  return scaling && !scaling->factor.empty() ? scaling->factor[feature] : 1.0;
}
double unit_factor(const RowView& row) {
  const double norm = std::sqrt(row.squared_norm());
  return norm > 0 ? 1.0 / norm : 1.0;
}

// What a scaling subtracts from a value first.
double shift_of(const std::optional<Scaling>& scaling, FeatureId feature) {
  return scaling && !scaling->shift.empty() ? scaling->shift[feature] : 0.0;
}

// Features with a contribution: where a shift or a mean is subtracted, zeros have one too.
std::vector<FeatureContribution> features_that_count(const ModelBase& model, const RowView& row) {
  std::vector<FeatureContribution> features = features_of(row);
  const bool shifts = model.scaling && !model.scaling->shift.empty();
  if (!shifts && model.feature_means.empty()) return features;
  std::vector<FeatureContribution> all(model.schema->feature_count());
  for (std::size_t j = 0; j < all.size(); ++j) all[j].feature = static_cast<FeatureId>(j);
  for (const auto& one : features) all[one.feature] = one;
  return all;
}

// weight(feature): what is learned of it, for the output that is explained.
template <typename Weight>
void add_linear(const Weight& weight, const ModelBase& model, const RowView& row,
                const ExplainOptions& options, Explanation& result) {
  std::vector<FeatureContribution> features = features_that_count(model, row);
  result.centred = !model.feature_means.empty();
  const double row_factor =
      model.scaling && model.scaling->kind == ScalingKind::unit_row ? unit_factor(row) : 1.0;
  for (auto& one : features) {
    const double seen = row_factor * factor_of(model.scaling, one.feature) *
                        (one.value - shift_of(model.scaling, one.feature));
    const double mean = result.centred ? double{model.feature_means[one.feature]} : 0.0;
    one.contribution = weight(one.feature) * (seen - mean);
  }
  std::erase_if(features, [](const auto& one) { return one.contribution == 0.0; });
  keep_features(std::move(features), options, result);
}

// The score of the mean row.
template <typename Weight>
double score_of_means(const Weight& weight, const ModelBase& model, double bias) {
  double score = bias;
  for (std::size_t j = 0; j < model.feature_means.size(); ++j) {
    score += weight(static_cast<FeatureId>(j)) * double{model.feature_means[j]};
  }
  return score;
}

bool is_additive(const MulticlassModel& model) {
  return model.linear() != nullptr && !model.linear()->map &&
         model.strategy != Strategy::one_against_one;
}

void add_vectors(const KernelModel& model, const RowView& row, const ExplainOptions& options,
                 Explanation& result) {
  for (std::size_t j = 0; j < model.support_vectors.rows(); ++j) {
    const double kernel = kernel_value(model.kernel, model.support_vectors.row(j), row);
    result.vectors.push_back({j, model.coefficients[j], kernel, model.coefficients[j] * kernel});
  }
  result.vector_others = keep_largest(result.vectors, options.top, result.other_vectors);
}

}  // namespace

bool has_additive_features(const Model& model) {
  if (const auto* linear = std::get_if<LinearModel>(&model)) return !linear->map;
  const auto* many = std::get_if<MulticlassModel>(&model);
  return many != nullptr && is_additive(*many);
}

void ExplainOptions::validate() const {
  if (threads < 0 || threads > 1024) throw InvalidOption("threads", "must be from 0 to 1024");
}

std::vector<Explanation> explain(const Model& model, const Dataset& rows,
                                 const ExplainOptions& options) {
  options.validate();
  const std::vector<double> scores = decisions(model, rows, options.threads);
  const std::size_t width = outputs(model);
  const auto* linear = std::get_if<LinearModel>(&model);
  const auto* kernel = std::get_if<KernelModel>(&model);
  const auto* many = std::get_if<MulticlassModel>(&model);
  const Decision decision(model);
  const std::optional<Scaling>& scaling = base_of(model).scaling;
  const Dataset seen = kernel != nullptr && scaling ? apply(*scaling, rows) : rows;
  const ModelBase& base = base_of(model);
  const auto weight_of = [&](FeatureId j, std::size_t output) {
    return linear != nullptr ? linear->w[j] : many->linear()->w[j * width + output];
  };
  std::vector<std::optional<double>> mean_scores(width);
  std::vector<Explanation> explanations(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    Explanation& one = explanations[i];
    const auto of_row = std::span(scores).subspan(i * width, width);
    if (many != nullptr) one.output = decision.class_of(of_row);
    one.score = of_row[one.output];
    one.bias = many == nullptr      ? single_output(model)->b
               : is_additive(*many) ? many->classifiers[one.output].b
                                    : 0.0;
    one.base = one.bias;
    if (has_additive_features(model)) {
      const auto weight = [&](FeatureId j) { return weight_of(j, one.output); };
      auto& mean_score = mean_scores[one.output];
      if (!mean_score) mean_score = score_of_means(weight, base, one.bias);
      one.base = *mean_score;
      add_linear(weight, base, rows.row(i), options, one);
    } else {
      add_leave_out(model, rows, i, options, one);
    }
    if (kernel != nullptr) add_vectors(*kernel, seen.row(i), options, one);
  }
  return explanations;
}

}  // namespace pegasos
