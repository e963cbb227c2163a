// The sections of a model file that stand for a part of a model: its scaling, the means of its
// features, its vectors. model_file.cpp describes the file and puts the parts together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/section_file.h"
#include "data/json_fields.h"
#include "pegasos/dataset.h"
#include "pegasos/scaling.h"

namespace pegasos {

// Kinds of sections; model_file.cpp says what each holds.
enum ModelSection : std::uint32_t {
  kMetadata = 1,
  kWeights = 2,
  kSchema = 3,
  kSeen = 4,
  kDuals = 5,
  kOffsets = 6,
  kFeatureIds = 7,
  kValues = 8,
  kColumns = 9,
  kVectorClass = 10,
  kScalingFactors = 20,
  kScalingShifts = 21,
  kCalibrations = 22,
  kMeans = 23,
  kMeanIds = 24
};

// A kind in the metadata, and what was learned for it in sections of its own.
std::optional<Scaling> scaling_from(const json_fields::json& value, const SectionFile& file);
void add_scaling(const std::optional<Scaling>& scaling, std::vector<SectionContents>& sections);

// Of features most of which never occur only the others are kept.
struct KeptMeans {
  std::vector<FeatureId> ids = {};
  std::vector<float> values = {};
};

KeptMeans kept_means(const std::vector<float>& means);
void add_means(const KeptMeans& means, std::vector<SectionContents>& sections);

// Whether there are as many as features is for the model to check.
std::vector<float> means_from(const SectionFile& file, std::uint64_t features);

// The arrays of a dataset, without the gaps that a slice may have around its own.
struct VectorArrays {
  std::vector<std::uint64_t> offsets = {};
  std::vector<FeatureId> ids = {};
  std::vector<float> values = {};
};

VectorArrays arrays_of(const Dataset& vectors);
void add_vectors(const Dataset& vectors, const VectorArrays& arrays,
                 std::vector<SectionContents>& sections);

// `count` vectors of the schema's features; every id and value is checked.
Dataset vectors_of(const SectionFile& file, std::uint64_t count,
                   const std::shared_ptr<const Schema>& schema);

}  // namespace pegasos
