// Training where the kind of the model is known.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pegasos/decision.h"
#include "pegasos/train.h"

namespace pegasos::testing {

template <typename Kind>
struct TrainedAs {
  Kind model = {};
  std::vector<double> duals = {};  // of the first classifier
  TrainingReport report = {};      // the last
  std::string reason = {};
  Trained all = {};  // without the model
};

template <typename Kind>
TrainedAs<Kind> trained_as(const Dataset& data, const TrainOptions& options, const Watch& watch) {
  Trained trained = train(data, options, watch);
  TrainedAs<Kind> result;
  result.model = std::get<Kind>(std::move(trained.model));
  if (!trained.duals.empty()) result.duals = trained.duals.front();
  result.report = trained.trace.back().report;
  result.reason = trained.reason;
  result.all = std::move(trained);
  return result;
}

inline TrainedAs<LinearModel> trained_linear(const Dataset& data, const TrainOptions& options = {},
                                             const Watch& watch = {}) {
  return trained_as<LinearModel>(data, options, watch);
}
inline TrainedAs<KernelModel> trained_kernel(const Dataset& data, const TrainOptions& options,
                                             const Watch& watch = {}) {
  return trained_as<KernelModel>(data, options, watch);
}
inline TrainedAs<MulticlassModel> trained_classes(const Dataset& data,
                                                  const TrainOptions& options = {},
                                                  const Watch& watch = {}) {
  return trained_as<MulticlassModel>(data, options, watch);
}

// The text of what a model predicts from one score.
inline std::string predicted(const Model& model, double score) {
  return Decision(model).text(std::vector<double>{score});
}

}  // namespace pegasos::testing
