#include "learn/tune_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "learn/resolve.h"

namespace pegasos {
namespace {

constexpr std::size_t kLinearPoints = 11;
constexpr std::size_t kKernelPoints = 7;
constexpr std::size_t kRowsLookedAt = 2000;
// Times the gamma of the rule.
constexpr double kGammaFactors[] = {0.1, 0.3, 1.0, 3.0, 10.0};

// By way of text: the nearest number to one of three digits prints as such.
double three_digits(double value) {
  const std::string text = fmt::format("{:.2e}", value);
  double rounded = value;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

// Mean K(x, x), or squared norm, of rows spread over the data.
double mean_square(const TrainOptions& options, const Dataset& data) {
  const std::size_t stride = std::max<std::size_t>(1, data.rows() / kRowsLookedAt);
  const bool precomputed = options.kernel && options.kernel->kind == KernelKind::precomputed;
  double total = 0;
  double rows = 0;
  for (std::size_t i = 0; i < data.rows() && !precomputed; i += stride) {
    const RowView row = data.row(i);
    total += options.kernel ? kernel_value(*options.kernel, row, row) : row.squared_norm();
    rows += 1;
  }
  std::array<double, 2> sums = {total, rows};
  ranks_of(options).sum(sums);
  return sums[0] > 0 && std::isfinite(sums[0]) ? sums[0] / sums[1] : 1.0;
}

double rows_of_all(const TrainOptions& options, const Dataset& data) {
  auto rows = static_cast<double>(data.rows());
  ranks_of(options).sum({&rows, 1});
  return rows;
}

// How large losses are before anything is learned, against a margin of 1.
double size_of_losses(const TrainOptions& options, const Dataset& data) {
  if (options.task != Task::regression) return 1.0;
  const Loss loss = options.loss.value_or(Loss::epsilon_insensitive);
  if (loss == Loss::squared_epsilon_insensitive) return 1.0;
  double mean = 0;
  const double rows = rows_of_all(options, data);
  const auto target = [&options](double y) { return transformed(options.target, y); };
  for (const double y : data.labels()) mean += target(y) / rows;
  ranks_of(options).sum({&mean, 1});
  double deviation = 0;
  for (const double y : data.labels()) deviation += std::abs(target(y) - mean) / rows;
  ranks_of(options).sum({&deviation, 1});
  const double size =
      loss == Loss::huber ? deviation / options.delta.value_or(LossOptions{}.delta) : deviation;
  return size > 0 && std::isfinite(size) ? size : 1.0;
}

std::vector<double> lambdas_for(const TrainOptions& options, const Dataset& data) {
  const double m = rows_of_all(options, data);
  const double unit = mean_square(options, data) / size_of_losses(options, data);
  const double strong = unit * std::min(1.0, 1e3 / m);
  const double weak = unit / (100.0 * m);
  const bool kernel_classifier = options.kernel && !options.approximation;
  const std::size_t count = kernel_classifier ? kKernelPoints : kLinearPoints;
  std::vector<double> lambdas;
  for (std::size_t k = 0; k < count; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(count - 1);
    lambdas.push_back(three_digits(strong * std::pow(weak / strong, share)));
  }
  return lambdas;
}

template <typename Value>
void sort_uniquely(std::vector<Value>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// What is walked in one direction: what was listed, or the one value there is, or nothing.
template <typename Value>
std::vector<std::optional<Value>> direction(std::vector<Value> listed, bool exists, Value single) {
  sort_uniquely(listed);
  std::vector<std::optional<Value>> values(listed.begin(), listed.end());
  if (values.empty()) values.push_back(exists ? std::optional(single) : std::nullopt);
  return values;
}

std::string scaling_name(const TuneOptions& options) {
  if (options.table) return name_of(options.table->scaling);
  return options.train.scaling ? name_of(*options.train.scaling) : "none";
}

std::vector<TunePoint> paths_of(const TuneOptions& options, const Dataset& data) {
  const TrainOptions& train = options.train;
  const KernelOptions kernel = train.kernel.value_or(KernelOptions{});
  const bool has_gamma = train.kernel && kernel.uses_gamma();
  const bool has_degree = train.kernel && kernel.kind == KernelKind::polynomial;
  const bool regression = train.task == Task::regression;
  const Loss loss = train.loss.value_or(regression ? Loss::epsilon_insensitive : Loss::hinge);
  const bool has_epsilon =
      loss == Loss::epsilon_insensitive || loss == Loss::squared_epsilon_insensitive;
  std::vector<double> gammas = options.gammas;
  if (gammas.empty() && has_gamma && train.gamma_rule) {
    const double middle = kernel_for(train, data).gamma;
    for (const double factor : kGammaFactors) gammas.push_back(three_digits(middle * factor));
  }
  std::vector<TunePoint> paths;
  for (const auto epsilon :
       direction(options.epsilons, has_epsilon, train.epsilon.value_or(LossOptions{}.epsilon))) {
    for (const auto degree : direction(options.degrees, has_degree, kernel.degree)) {
      for (const auto gamma : direction(gammas, has_gamma, kernel.gamma)) {
        TunePoint path;
        path.gamma = gamma;
        path.degree = degree;
        path.epsilon = epsilon;
        if (options.search == SearchKind::wide) {
          path.loss = loss;
          path.scaling = scaling_name(options);
        }
        path.path = paths.size();
        paths.push_back(std::move(path));
      }
    }
  }
  return paths;
}

}  // namespace

std::vector<TunePoint> points_of(const TuneOptions& options, const Dataset& data) {
  const TrainOptions& train = options.train;
  const double m = rows_of_all(train, data);
  std::vector<double> lambdas = options.lambdas;
  std::vector<double> cs = options.cs;
  if (lambdas.empty() && cs.empty()) {
    if (train.lambda) lambdas.push_back(*train.lambda);
    if (train.c) cs.push_back(*train.c);
  }
  sort_uniquely(lambdas);
  std::reverse(lambdas.begin(), lambdas.end());
  sort_uniquely(cs);
  std::vector<TunePoint> points;
  for (const TunePoint& path : paths_of(options, data)) {
    std::vector<double> walked = lambdas;
    if (lambdas.empty() && cs.empty()) {
      walked = lambdas_for(options_at(options, path), data);
    }
    const bool by_c = !cs.empty();
    for (const double strength : by_c ? cs : walked) {
      TunePoint point = path;
      point.by_c = by_c;
      point.lambda = by_c ? 1.0 / (strength * m) : strength;
      point.c = by_c ? strength : 1.0 / (strength * m);
      points.push_back(std::move(point));
    }
  }
  return points;
}

TrainOptions options_at(const TuneOptions& options, const TunePoint& point) {
  TrainOptions train = options.train;
  train.lambda.reset();
  train.c.reset();
  if (point.by_c) {
    train.c = point.c;
  } else if (point.lambda > 0) {
    train.lambda = point.lambda;
  }
  if (point.gamma && train.kernel) {
    train.kernel->gamma = *point.gamma;
    train.gamma_rule.reset();
  }
  if (point.degree && train.kernel) train.kernel->degree = *point.degree;
  if (point.epsilon) train.epsilon = *point.epsilon;
  if (point.loss) train.loss = *point.loss;
  if (!point.scaling.empty() && !options.table) train.scaling = scaling_of_name(point.scaling);
  return train;
}

}  // namespace pegasos
