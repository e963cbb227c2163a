// Models to test with.
#pragma once

#include <bit>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "base/random.h"
#include "pegasos/model.h"

namespace pegasos::testing {

// A classifier of 1 and -1 over indices from 1, with a bias of 0 and nothing proven.
inline LinearModel plain_model(std::vector<double> w) {
  Schema schema;
  schema.indices = IndexMap::contiguous(1, w.size());
  LinearModel model;
  model.w = std::move(w);
  model.schema = std::make_shared<const Schema>(std::move(schema));
  model.lambda = 0.01;
  model.bias = Bias::regularised;
  model.record.rows = 100;
  return model;
}

// No member has its default value, and numbers have all their digits.
inline LinearModel full_model() {
  LinearModel model = plain_model({1.0 / 3, -0.0, 4.9406564584124654e-324});
  model.b = -0.1;
  model.labels = {2, 1};
  model.loss = {.loss = Loss::squared_hinge, .epsilon = 0.2, .delta = 3};
  model.lambda = 1.0 / 20242;
  model.bias_feature = 0.7;
  model.record = {.solver = "pegasos",
                  .settings = {{"lambda", "4.9e-05"}, {"seed", "7"}},
                  .rows = 20242,
                  .non_zeros = 1498952,
                  .epochs = 12,
                  .steps = 242904,
                  .violations = 31337,
                  .seed = 0xffffffffffffffff,
                  .data_fingerprint = 0x8000000000000001,
                  .interrupted = true};
  model.certificate = {.primal = 0.1234567890123456789,
                       .dual = 0.123,
                       .regulariser = 0.1,
                       .mean_loss = 0.0234567890123456789,
                       .wrong = 41};
  model.calibrations = {{.kind = CalibrationKind::isotonic,
                         .scores = {-1.0 / 3, 0.1},
                         .probabilities = {0.1, 1.0 / 7}}};
  return model;
}

// Finite numbers with random bits: every sign, exponent and length of digits.
inline std::vector<double> any_weights(std::size_t count) {
  Random random(1, 0);
  std::vector<double> weights;
  while (weights.size() < count) {
    const auto weight = std::bit_cast<double>(random.next64());
    if (std::isfinite(weight)) weights.push_back(weight);
  }
  return weights;
}

}  // namespace pegasos::testing
