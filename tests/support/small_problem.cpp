#include "support/small_problem.h"

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/random.h"

namespace pegasos::testing {
namespace {

struct Arrays {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<FeatureId> features;
  std::vector<float> values;
};

double label_of(double score, Loss loss) {
  if (!is_classification(loss)) return score;
  return score > 0 ? 1.0 : -1.0;
}

// Even on a logarithmic scale.
double between(double low, double high, double share) {
  return std::exp(std::log(low) + share * (std::log(high) - std::log(low)));
}

void make_odd(SmallProblem& problem, Random& random) {
  const auto some_row = [&] { return static_cast<std::size_t>(random.below(problem.rows())); };
  const auto scale_rows = [&](float factor) {
    for (auto& value : problem.x[some_row()]) value *= factor;
  };
  if (random.below(3) == 0) problem.x[some_row()] = problem.x[some_row()];
  if (random.below(3) == 0) problem.x[some_row()].assign(problem.features, 0.0F);
  if (random.below(4) == 0) scale_rows(1e-40F);  // denormal floats
  if (random.below(6) == 0) scale_rows(1e4F);
  if (random.below(5) == 0) {
    const double one_class = random.below(2) == 0 ? 1.0 : -1.0;
    for (auto& label : problem.y) label = one_class;
  }
  if (random.below(4) == 0) {
    const std::size_t from = some_row();
    const std::size_t to = some_row();
    problem.x[to] = problem.x[from];
    problem.y[to] = is_classification(problem.loss.loss) ? -problem.y[from] : problem.y[from] + 1;
  }
}

}  // namespace

double SmallProblem::dot(std::size_t i, const std::vector<double>& w) const {
  double sum = 0;
  for (std::size_t j = 0; j < features; ++j) sum += w[j] * double{x[i][j]};
  return sum;
}

LinearProblem SmallProblem::linear() const {
  auto arrays = std::make_shared<Arrays>();
  DatasetParts parts;
  parts.rows = rows();
  parts.features = features;
  for (const auto& row : x) {
    for (std::size_t j = 0; j < features; ++j) {
      if (!dense && row[j] == 0.0F) continue;
      arrays->features.push_back(static_cast<FeatureId>(j));
      arrays->values.push_back(row[j]);
    }
    arrays->offsets.push_back(arrays->values.size());
  }
  if (dense) {
    parts.dense = DenseMatrix{arrays->values, features};
  } else {
    parts.sparse = SparseMatrix{arrays->offsets, arrays->features, arrays->values};
  }
  parts.owner = arrays;
  return {.data = Dataset::from_parts(parts),
          .y = y,
          .weights = weights,
          .loss = loss,
          .lambda = lambda,
          .bias = bias,
          .bias_feature = bias_feature};
}

SmallProblem make_problem(const ProblemShape& shape) {
  Random random(shape.seed, 77);
  SmallProblem problem;
  problem.features = shape.features;
  problem.loss.loss = shape.loss;
  problem.lambda = shape.lambda;
  problem.bias = shape.bias;
  problem.dense = shape.dense;
  std::vector<double> truth(shape.features);
  for (auto& value : truth) value = random.normal() / shape.value_scale;
  for (std::size_t i = 0; i < shape.rows; ++i) {
    std::vector<float> row(shape.features, 0.0F);
    double score = shape.offset + shape.noise * random.normal();
    for (std::size_t j = 0; j < shape.features; ++j) {
      if (random.uniform() >= shape.density) continue;
      row[j] = static_cast<float>(shape.value_scale * random.normal());
      score += truth[j] * double{row[j]};
    }
    problem.x.push_back(std::move(row));
    problem.y.push_back(label_of(score, shape.loss));
    if (!shape.weighted) continue;
    problem.weights.push_back(random.below(8) == 0 ? 0.0 : 3.0 * random.uniform());
  }
  // All zero is refused.
  if (shape.weighted) problem.weights[0] = 1.0;
  return problem;
}

SmallProblem crawling_problem() {
  SmallProblem problem = make_problem({.rows = 200, .features = 6, .noise = 2.0, .lambda = 1e-4});
  problem.features = 400;
  for (auto& row : problem.x) {
    for (auto& value : row) value = 1.0F + 0.1F * value;
    row.resize(problem.features, 0.0F);
  }
  return problem;
}

SmallProblem arbitrary_problem(const ProblemRange& range) {
  ProblemShape shape;
  shape.rows = *rc::gen::inRange<std::size_t>(1, range.most_rows + 1);
  shape.features = *rc::gen::inRange<std::size_t>(1, range.most_features + 1);
  shape.density = *rc::gen::element(0.3, 0.7, 1.0);
  shape.value_scale = *rc::gen::element(0.2, 1.0, 3.0);
  shape.weighted = *rc::gen::arbitrary<bool>();
  shape.dense = *rc::gen::arbitrary<bool>();
  shape.loss = *rc::gen::elementOf(std::vector<Loss>(std::begin(kAllLosses), std::end(kAllLosses)));
  shape.bias = *rc::gen::elementOf(std::vector<Bias>(std::begin(kAllBiases), std::end(kAllBiases)));
  const int thousandths = *rc::gen::resize(1000, rc::gen::inRange(0, 1001));
  shape.lambda = between(range.smallest_lambda, range.largest_lambda, thousandths / 1000.0);
  shape.seed = *rc::gen::resize(1000, rc::gen::inRange<std::uint64_t>(0, 1000000));
  SmallProblem problem = make_problem(shape);
  problem.bias_feature = *rc::gen::element(1.0, 0.5, -2.0);
  problem.loss.epsilon = *rc::gen::element(0.1, 0.0, 0.7);
  problem.loss.delta = *rc::gen::element(1.0, 0.2);
  if (range.odd_rows) {
    Random random(shape.seed, 78);
    make_odd(problem, random);
  }
  return problem;
}

std::string describe(const SmallProblem& problem) {
  return std::to_string(problem.rows()) + " x " + std::to_string(problem.features) +
         (problem.dense ? " dense " : " sparse ") + name_of(problem.loss.loss) +
         (problem.weights.empty() ? "" : " weighted") + ", bias " + name_of(problem.bias) +
         ", lambda " + std::to_string(problem.lambda) + ", epsilon " +
         std::to_string(problem.loss.epsilon);
}

}  // namespace pegasos::testing
