// The model file. src/base/section_file.h has the container; its magic here is 0x89 'P' 'G' 'M' CR
// LF 0x1a LF, its version 1, and the kinds of its sections are
//
//   1 metadata      JSON: everything of a model but the following
//   2 weights       f64[d] of a linear model, or the coefficients of a kernel model's n vectors
//   3 schema        JSON, as in binary data files
//   4 seen          u32[d], the written indices of an IndexMap that is not contiguous
//   5 duals         f64[rows], if they were kept
//   6 offsets       u64[n+1], of vectors that are sparse
//   7 feature ids   u32[values], likewise
//   8 values        f32[values], or f32[n·d] of vectors that are dense
//   9 columns       u32[n], of a precomputed kernel, which has no vectors
//  10 vector class  u32[n], of kernel classifiers of pairs
//  20 factors       f64[d], of a scaling of features
//  21 shifts        f64[d], likewise, if it subtracts
//  22 calibrations  JSON, if scores are turned into probabilities
//  23 means         f32[d], of the features of the training rows; or of those that are not 0
//  24 mean ids      u32[n], ascending: the features of the means, if these are not all
//
// The metadata of many classes has "classes" and "machines"; weights are then those of all
// classifiers for the first feature, the second …, or the rows of coefficients of the vectors, and
// duals those of one classifier after the other.
//
// Vectors are the support vectors of a kernel model, or the landmarks of a linear model's Nyström
// map. Metadata with a "kernel" is that of a kernel model, with a "map" that of a linear model
// which maps its rows.
//
// Numbers in JSON have the digits that read back to the same bits.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/file.h"
#include "data/schema_json.h"
#include "model/model_json.h"
#include "model/model_sections.h"
#include "pegasos/error.h"
#include "pegasos/model.h"

namespace pegasos {
namespace {

using json_fields::json;

constexpr SectionFormat kModel = {"\x89PGM\r\n\x1a\n", 1, "model"};

// The map of the metadata, if there is one, for so many weights per classifier.
std::optional<FeatureMap> map_from(const json& value, std::size_t weights, const SectionFile& file,
                                   const std::shared_ptr<const Schema>& schema) {
  if (!value.contains("map")) return std::nullopt;
  const FeatureMapOptions options = map_options_from_json(value.at("map"));
  if (options.components != weights) throw Error("the feature map does not match the weights");
  const bool landmarks = options.approximation == Approximation::nystroem;
  return FeatureMap::from_parts(options, schema->feature_count(),
                                vectors_of(file, landmarks ? options.components : 0, schema));
}

// What stands beside the metadata in sections of its own.
struct Arrays {
  std::vector<double> weights = {};
  std::vector<double> duals = {};
};

template <typename Kind>
Kind single_from(const json& value, ModelBase shared, Arrays& arrays) {
  Kind model;
  static_cast<ModelBase&>(model) = std::move(shared);
  read_single(value, model);
  model.duals = std::move(arrays.duals);
  return model;
}

LinearModel linear_from(const json& value, ModelBase shared, Arrays arrays,
                        const SectionFile& file) {
  auto model = single_from<LinearModel>(value, std::move(shared), arrays);
  model.w = std::move(arrays.weights);
  model.map = map_from(value, model.w.size(), file, model.schema);
  model.validate();
  return model;
}

KernelModel kernel_from(const json& value, ModelBase shared, Arrays arrays,
                        const SectionFile& file) {
  auto model = single_from<KernelModel>(value, std::move(shared), arrays);
  model.coefficients = std::move(arrays.weights);
  model.kernel = kernel_from_json(value.at("kernel"));
  model.support = support_from_json(value);
  if (model.kernel.kind == KernelKind::precomputed) {
    model.columns = file.values<FeatureId>(kColumns);
  } else {
    model.support_vectors = vectors_of(file, model.coefficients.size(), model.schema);
  }
  model.validate();
  return model;
}

// Gives each classifier its part of all duals.
void deal_duals(std::vector<double> duals, std::vector<Classifier>& classifiers) {
  auto next = duals.begin();
  for (Classifier& classifier : classifiers) {
    if (classifier.rows > static_cast<std::uint64_t>(duals.end() - next)) {
      throw Error("there are fewer dual variables than rows");
    }
    const auto end = next + static_cast<std::ptrdiff_t>(classifier.rows);
    classifier.duals.assign(next, end);
    next = end;
  }
  if (next != duals.end()) throw Error("there are more dual variables than rows");
}

LinearClassifiers linear_classifiers_from(const json& value, const MulticlassModel& model,
                                          std::vector<double> weights, const SectionFile& file) {
  LinearClassifiers linear;
  linear.w = std::move(weights);
  linear.map = map_from(value, linear.w.size() / model.classifiers.size(), file, model.schema);
  return linear;
}

KernelClassifiers kernel_classifiers_from(const json& value, const MulticlassModel& model,
                                          std::vector<double> weights, const SectionFile& file) {
  KernelClassifiers kernels;
  kernels.kernel = kernel_from_json(value.at("kernel"));
  kernels.coefficients = std::move(weights);
  for (const json& classifier : value.at("machines")) {
    kernels.support.push_back(support_from_json(classifier));
  }
  if (model.strategy == Strategy::one_against_one && file.has(kVectorClass)) {
    kernels.vector_class = file.values<std::uint32_t>(kVectorClass);
  }
  if (kernels.kernel.kind == KernelKind::precomputed) {
    if (file.has(kColumns)) kernels.columns = file.values<FeatureId>(kColumns);
  } else {
    const std::size_t width = std::max<std::size_t>(1, model.coefficients_per_vector());
    kernels.support_vectors = vectors_of(file, kernels.coefficients.size() / width, model.schema);
  }
  return kernels;
}

MulticlassModel multiclass_from(const json& value, ModelBase shared, Arrays arrays,
                                const SectionFile& file) {
  MulticlassModel model;
  static_cast<ModelBase&>(model) = std::move(shared);
  model.strategy = strategy_from_json(value);
  model.multilabel = value.at("multilabel").get<bool>();
  for (const json& label : value.at("classes")) {
    if (!label.is_number()) throw Error("a class is not a number");
    model.classes.push_back(label.get<double>());
  }
  for (const json& classifier : value.at("machines")) {
    model.classifiers.push_back(classifier_from_json(classifier));
  }
  if (model.classifiers.empty() || model.classes.empty()) throw Error("there are no classes");
  if (model.strategy != Strategy::joint) {
    if (!arrays.duals.empty()) deal_duals(std::move(arrays.duals), model.classifiers);
  } else if (const auto certificate = optional_certificate(value)) {
    model.joint = JointProof{*certificate, std::move(arrays.duals)};
  }
  if (value.contains("kernel")) {
    model.body = kernel_classifiers_from(value, model, std::move(arrays.weights), file);
  } else {
    model.body = linear_classifiers_from(value, model, std::move(arrays.weights), file);
  }
  model.validate();
  return model;
}

Model checked_model(const SectionFile& file) {
  std::uint64_t place = file.offset_of(kMetadata);
  try {
    const json value = json::parse(file.text(kMetadata));
    ModelBase shared;
    read_shared(value, shared);
    place = file.offset_of(kSchema);
    std::vector<std::uint32_t> seen;
    if (file.has(kSeen)) seen = file.values<std::uint32_t>(kSeen);
    shared.schema =
        std::make_shared<const Schema>(schema_from_json(file.text(kSchema), std::move(seen)));
    Arrays arrays;
    if (file.has(kDuals)) {
      place = file.offset_of(kDuals);
      arrays.duals = file.values<double>(kDuals);
    }
    shared.scaling = scaling_from(value, file);
    if (file.has(kCalibrations)) {
      place = file.offset_of(kCalibrations);
      shared.calibrations = calibrations_from_json(json::parse(file.text(kCalibrations)));
    }
    if (file.has(kMeans)) place = file.offset_of(kMeans);
    shared.feature_means = means_from(file, shared.schema->feature_count());
    place = file.offset_of(kWeights);
    arrays.weights = file.values<double>(kWeights);
    if (value.contains("classes")) {
      return multiclass_from(value, std::move(shared), std::move(arrays), file);
    }
    if (value.contains("kernel")) {
      return kernel_from(value, std::move(shared), std::move(arrays), file);
    }
    return linear_from(value, std::move(shared), std::move(arrays), file);
  } catch (const CorruptFile&) {
    throw;
  } catch (const Error& problem) {
    file.fail(place, problem.what());
  } catch (const json::exception& problem) {
    file.fail(place, fmt::format("the metadata is damaged: {}", problem.what()));
  }
}

// What a model has beside its metadata and schema.
struct ModelArrays {
  std::span<const double> weights = {};
  std::span<const double> duals = {};
  Dataset vectors = {};
  std::span<const FeatureId> columns = {};
  std::span<const std::uint32_t> vector_class = {};
};

// Where the sections of a model go: a file, or memory.
using Write = std::function<void(std::span<const SectionContents>)>;

void save(const ModelBase& model, const json& metadata, const ModelArrays& parts,
          const Write& write) {
  const std::string text = metadata.dump();
  const std::string schema = schema_to_json(*model.schema);
  const VectorArrays arrays = arrays_of(parts.vectors);
  std::vector<SectionContents> sections;
  sections.push_back({kMetadata, text});
  sections.push_back(section_of(kWeights, parts.weights));
  sections.push_back({kSchema, schema});
  const std::span<const std::uint32_t> seen = model.schema->indices.seen();
  if (!seen.empty()) sections.push_back(section_of(kSeen, seen));
  if (!parts.duals.empty()) sections.push_back(section_of(kDuals, parts.duals));
  add_vectors(parts.vectors, arrays, sections);
  if (!parts.columns.empty()) sections.push_back(section_of(kColumns, parts.columns));
  if (!parts.vector_class.empty()) {
    sections.push_back(section_of(kVectorClass, parts.vector_class));
  }
  add_scaling(model.scaling, sections);
  const KeptMeans means = kept_means(model.feature_means);
  add_means(means, sections);
  const std::string calibrations =
      model.has_probabilities() ? calibrations_to_json(model.calibrations).dump() : "";
  if (!calibrations.empty()) sections.push_back({kCalibrations, calibrations});
  write(sections);
}

void refuse_function(const KernelOptions& kernel) {
  if (kernel.kind == KernelKind::callable) {
    throw Error("a model whose kernel is a function of the program cannot be saved");
  }
}

void add_kernel(const KernelOptions& kernel, json& metadata) {
  refuse_function(kernel);
  metadata["kernel"] = kernel_to_json(kernel);
}

void add_map(const std::optional<FeatureMap>& map, json& metadata) {
  if (!map) return;
  refuse_function(map->options().kernel);
  metadata["map"] = map_to_json(*map);
}

Dataset landmarks_of(const std::optional<FeatureMap>& map) {
  return map ? map->landmarks() : Dataset();
}

void save(const LinearModel& model, const Write& write) {
  model.validate();
  json metadata = single_to_json(model);
  add_map(model.map, metadata);
  save(model, metadata,
       {.weights = model.w, .duals = model.duals, .vectors = landmarks_of(model.map)}, write);
}

void save(const KernelModel& model, const Write& write) {
  model.validate();
  json metadata = single_to_json(model);
  add_kernel(model.kernel, metadata);
  add_support(model.support, metadata);
  save(model, metadata,
       {.weights = model.coefficients,
        .duals = model.duals,
        .vectors = model.support_vectors,
        .columns = model.columns},
       write);
}

void save(const MulticlassModel& model, const Write& write) {
  model.validate();
  json metadata = shared_to_json(model);
  metadata["strategy"] = name_of(model.strategy);
  metadata["multilabel"] = model.multilabel;
  metadata["classes"] = model.classes;
  std::vector<double> duals;
  if (model.joint) {
    metadata["certificate"] = certificate_to_json(model.joint->certificate);
    duals = model.joint->duals;
  }
  for (const Classifier& classifier : model.classifiers) {
    metadata["machines"].push_back(classifier_to_json(classifier));
    duals.insert(duals.end(), classifier.duals.begin(), classifier.duals.end());
  }
  if (const LinearClassifiers* linear = model.linear()) {
    add_map(linear->map, metadata);
    save(model, metadata,
         {.weights = linear->w, .duals = duals, .vectors = landmarks_of(linear->map)}, write);
    return;
  }
  const KernelClassifiers& kernels = *model.kernels();
  add_kernel(kernels.kernel, metadata);
  for (std::size_t k = 0; k < kernels.support.size(); ++k) {
    add_support(kernels.support[k], metadata["machines"][k]);
  }
  save(model, metadata,
       {.weights = kernels.coefficients,
        .duals = duals,
        .vectors = kernels.support_vectors,
        .columns = kernels.columns,
        .vector_class = kernels.vector_class},
       write);
}

Write to_file(const std::string& path) {
  return [path](std::span<const SectionContents> sections) {
    write_section_file(kModel, sections, path);
  };
}

}  // namespace

void save_model(const LinearModel& model, const std::string& path) {
  save(model, to_file(path));
}

void save_model(const KernelModel& model, const std::string& path) {
  save(model, to_file(path));
}

void save_model(const MulticlassModel& model, const std::string& path) {
  save(model, to_file(path));
}

void save_model(const Model& model, const std::string& path) {
  std::visit([&](const auto& kind) { save_model(kind, path); }, model);
}

std::string save_model_to_memory(const Model& model) {
  std::string bytes;
  const Write write = [&bytes](std::span<const SectionContents> sections) {
    bytes = section_file_bytes(kModel, sections);
  };
  std::visit([&](const auto& kind) { save(kind, write); }, model);
  return bytes;
}

Model load_model(const std::string& path) {
  return load_model_from_memory(read_file_beginning_with(kModel.magic, path).view(), path);
}

Model load_model_from_memory(std::span<const char> bytes, const std::string& name) {
  try {
    ThreadPool alone(1);  // nearly all of a model is one section
    return checked_model(SectionFile(kModel, std::as_bytes(bytes), name, alone));
  } catch (const CorruptFile& problem) {
    throw CorruptModel(problem);
  }
}

bool is_model_file(const std::string& path) {
  return file_begins_with(kModel.magic, path);
}

}  // namespace pegasos
