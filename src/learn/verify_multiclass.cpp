// Verification of many classes: every classifier by itself, on its own rows.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "learn/claim.h"
#include "learn/classifier_rows.h"
#include "learn/classifiers.h"
#include "learn/weights.h"
#include "pegasos/verify.h"

namespace pegasos {
namespace {

std::shared_ptr<const Schema> numbered(std::size_t features) {
  Schema schema;
  schema.indices = IndexMap::contiguous(0, features);
  return std::make_shared<const Schema>(std::move(schema));
}

}  // namespace

Finding MulticlassVerification::finding() const {
  for (const Finding worst : {Finding::objective_differs, Finding::disproven,
                              Finding::duals_too_low, Finding::not_found, Finding::no_claim}) {
    const bool any = std::any_of(classifiers.begin(), classifiers.end(),
                                 [worst](const Verification& one) { return one.finding == worst; });
    if (any) return worst;
  }
  return Finding::holds;
}

MulticlassVerification verify(const MulticlassModel& model, const Dataset& data,
                              const VerifyOptions& options,
                              const std::function<bool(std::size_t)>& go_on) {
  options.validate();
  model.validate();
  check_has_problem(model, data);
  MulticlassVerification result;
  result.same_data = model.record.rows == data.rows() &&
                     model.record.data_fingerprint == fingerprint(data, options.threads);
  const Dataset scaled = model.scaling ? apply(*model.scaling, data) : data;
  if (model.strategy == Strategy::joint) {
    result.classifiers.push_back(verify_joint(model, scaled, options, go_on));
    return result;
  }
  const ClassLabels labels(data, model.classes);
  const std::vector<double> weights = row_weights(data, model.label_weights);
  const FeatureMap* map =
      model.linear() != nullptr && model.linear()->map ? &*model.linear()->map : nullptr;
  const Dataset rows = map != nullptr ? map->apply(scaled, options.threads) : scaled;
  const auto schema = map != nullptr ? numbered(rows.features()) : without_labels(*model.schema);
  for (std::size_t k = 0; k < model.classifiers.size(); ++k) {
    if (go_on && !go_on(k)) break;
    const Dataset own = classifier_rows(rows, weights, labels, model.strategy, k);
    const Watch watch{.stop = [&] { return go_on && !go_on(k); }};
    if (model.kernels() != nullptr) {
      result.classifiers.push_back(verify(kernel_classifier(model, k), own, options, watch));
    } else {
      result.classifiers.push_back(
          verify(linear_classifier(model, k, schema), own, options, watch));
    }
    result.classifiers.back().same_data = result.same_data;
  }
  return result;
}

}  // namespace pegasos
