#include "model/model_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "pegasos/error.h"

namespace pegasos {

using json_fields::json;

std::optional<Scaling> scaling_from(const json& value, const SectionFile& file) {
  if (!value.contains("scaling")) {
    if (file.has(kScalingFactors) || file.has(kScalingShifts)) {
      throw Error("there are scaling factors, but no scaling");
    }
    return std::nullopt;
  }
  const auto name = value.at("scaling").get<std::string>();
  const auto kind = scaling_of_name(name);
  if (!kind) throw Error(fmt::format("unknown scaling '{}'", name));
  Scaling scaling;
  scaling.kind = *kind;
  if (file.has(kScalingFactors)) scaling.factor = file.values<double>(kScalingFactors);
  if (file.has(kScalingShifts)) scaling.shift = file.values<double>(kScalingShifts);
  return scaling;
}

void add_scaling(const std::optional<Scaling>& scaling, std::vector<SectionContents>& sections) {
  if (!scaling) return;
  const auto add = [&sections](ModelSection kind, const std::vector<double>& values) {
    if (!values.empty()) sections.push_back(section_of(kind, std::span<const double>(values)));
  };
  add(kScalingFactors, scaling->factor);
  add(kScalingShifts, scaling->shift);
}

KeptMeans kept_means(const std::vector<float>& means) {
  const auto zeros = std::count(means.begin(), means.end(), 0.0F);
  if (2 * static_cast<std::size_t>(zeros) < means.size()) return {{}, means};
  KeptMeans kept;
  for (std::size_t j = 0; j < means.size(); ++j) {
    if (means[j] == 0.0F) continue;
    kept.ids.push_back(static_cast<FeatureId>(j));
    kept.values.push_back(means[j]);
  }
  return kept;
}

void add_means(const KeptMeans& means, std::vector<SectionContents>& sections) {
  if (means.values.empty()) return;
  sections.push_back(section_of(kMeans, std::span<const float>(means.values)));
  if (means.ids.empty()) return;
  sections.push_back(section_of(kMeanIds, std::span<const FeatureId>(means.ids)));
}

std::vector<float> means_from(const SectionFile& file, std::uint64_t features) {
  if (!file.has(kMeans)) return {};
  std::vector<float> values = file.values<float>(kMeans);
  if (!file.has(kMeanIds)) return values;
  const auto ids = file.values<FeatureId>(kMeanIds);
  if (ids.size() != values.size()) throw Error("the number of means is wrong");
  std::vector<float> means(features);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (ids[k] >= features || (k > 0 && ids[k] <= ids[k - 1])) {
      throw Error("the features of the means are wrong");
    }
    means[ids[k]] = values[k];
  }
  return means;
}

VectorArrays arrays_of(const Dataset& vectors) {
  VectorArrays arrays;
  arrays.offsets.push_back(0);
  for (std::size_t i = 0; i < vectors.rows(); ++i) {
    const RowView row = vectors.row(i);
    arrays.ids.insert(arrays.ids.end(), row.ids.begin(), row.ids.end());
    arrays.values.insert(arrays.values.end(), row.values.begin(), row.values.end());
    arrays.offsets.push_back(arrays.values.size());
  }
  return arrays;
}

void add_vectors(const Dataset& vectors, const VectorArrays& arrays,
                 std::vector<SectionContents>& sections) {
  if (vectors.rows() == 0) return;
  if (!vectors.is_dense()) {
    sections.push_back(section_of(kOffsets, std::span<const std::uint64_t>(arrays.offsets)));
    sections.push_back(section_of(kFeatureIds, std::span<const FeatureId>(arrays.ids)));
  }
  sections.push_back(section_of(kValues, std::span<const float>(arrays.values)));
}

Dataset vectors_of(const SectionFile& file, std::uint64_t count,
                   const std::shared_ptr<const Schema>& schema) {
  if (count == 0) return {};
  const auto arrays = std::make_shared<VectorArrays>();
  arrays->values = file.values<float>(kValues);
  DatasetParts parts;
  parts.rows = count;
  parts.features = schema->feature_count();
  parts.schema = schema;
  if (file.has(kOffsets)) {
    arrays->offsets = file.values<std::uint64_t>(kOffsets);
    arrays->ids = file.values<FeatureId>(kFeatureIds);
    const bool whole = arrays->offsets.size() == count + 1 && arrays->offsets.front() == 0 &&
                       arrays->offsets.back() == arrays->values.size() &&
                       arrays->ids.size() == arrays->values.size();
    if (!whole) throw Error("the number of support vectors is wrong");
    parts.sparse = SparseMatrix{arrays->offsets, arrays->ids, arrays->values};
  } else {
    const std::size_t columns = std::max<std::size_t>(1, parts.features);
    const std::size_t due = parts.features == 0 ? 0 : count;
    if (arrays->values.size() / columns != due || arrays->values.size() % columns != 0) {
      throw Error("the number of support vectors is wrong");
    }
    parts.dense = DenseMatrix{arrays->values, parts.features};
  }
  parts.owner = arrays;
  return Dataset::from_parts(std::move(parts));
}

}  // namespace pegasos
