#include "pegasos/picture.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/random.h"
#include "data/take_rows.h"
#include "pegasos/decision.h"

namespace pegasos {
namespace {

// Principal directions are learned from so many rows; more would not turn them visibly.
constexpr std::size_t kRowsForDirections = 2000;
constexpr int kPowerIterations = 30;

// Rows with a label, evenly from all of them.
std::vector<RowId> sampled(const Dataset& data, std::size_t most) {
  std::vector<RowId> labelled;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    if (!std::isnan(data.label(i))) labelled.push_back(static_cast<RowId>(i));
  }
  if (labelled.size() <= most) return labelled;
  std::vector<RowId> some;
  for (std::size_t k = 0; k < most; ++k) some.push_back(labelled[k * labelled.size() / most]);
  return some;
}

// The classes of a picture, in the order of the model's; from some number on they share a group.
class Groups {
 public:
  Groups(const Decision& decision, std::size_t most) : names_(decision.names()) {
    if (names_.size() <= most) return;
    names_.resize(most - 1);
    names_.emplace_back("other");
  }

  const std::vector<std::string>& names() const { return names_; }
  // Of a class of the model; one that it does not know is among the last.
  std::size_t of_class(std::size_t k) const { return std::min(k, names_.size() - 1); }

 private:
  std::vector<std::string> names_;
};

// The direction in which centred rows differ most, at right angles to `before`: the leading
// eigenvector of X'X, by power iteration.
std::vector<double> leading_direction(const Dataset& rows, std::span<const double> mean,
                                      const std::vector<double>* before) {
  std::vector<double> v(rows.features());
  Random random(1, before == nullptr ? 0 : 1);
  for (double& value : v) value = random.uniform() - 0.5;
  const auto dot = [](std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
    return sum;
  };
  for (int iteration = 0; iteration < kPowerIterations; ++iteration) {
    if (before != nullptr) {
      const double along = dot(v, *before);
      for (std::size_t j = 0; j < v.size(); ++j) v[j] -= along * (*before)[j];
    }
    const double norm = std::sqrt(dot(v, v));
    if (!(norm > 0)) break;
    for (double& value : v) value /= norm;
    if (iteration + 1 == kPowerIterations) break;
    const double shift = dot(mean, v);
    std::vector<double> next(v.size(), 0.0);
    double total = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const RowView row = rows.row(i);
      const double along = row.dot(v) - shift;
      total += along;
      for (std::size_t k = 0; k < row.values.size(); ++k) {
        next[row.dense ? k : row.ids[k]] += along * double{row.values[k]};
      }
    }
    for (std::size_t j = 0; j < next.size(); ++j) next[j] -= total * mean[j];
    v = std::move(next);
  }
  return v;
}

std::vector<double> mean_of(const Dataset& rows) {
  std::vector<double> mean(rows.features(), 0.0);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const RowView row = rows.row(i);
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      mean[row.dense ? k : row.ids[k]] += double{row.values[k]};
    }
  }
  for (double& value : mean) value /= static_cast<double>(rows.rows());
  return mean;
}

// The axes hold all points but the outermost one in a hundred, with a little air.
std::pair<double, double> range_of(std::vector<double> values, bool all) {
  std::sort(values.begin(), values.end());
  const std::size_t skipped = all ? 0 : values.size() / 100;
  double low = values[skipped];
  double high = values[values.size() - 1 - skipped];
  const double air = high > low ? 0.06 * (high - low) : std::max(1.0, std::abs(low));
  return {low - air, high + air};
}

void set_range(Picture& picture) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const auto& point : picture.points) {
    xs.push_back(point.x);
    ys.push_back(point.y);
  }
  std::tie(picture.left, picture.right) = range_of(std::move(xs), picture.plane);
  std::tie(picture.bottom, picture.top) = range_of(std::move(ys), picture.plane);
}

void colour_plane(const Model& model, const Decision& decision, const Dataset& data,
                  const Groups& groups, const PictureOptions& options, Picture& picture) {
  picture.columns = options.columns;
  picture.rows = options.rows;
  const auto values = std::make_shared<std::vector<float>>();
  const auto middle = [](double low, double high, std::size_t k, std::size_t count) {
    return low + (high - low) * (static_cast<double>(k) + 0.5) / static_cast<double>(count);
  };
  for (std::size_t r = 0; r < picture.rows; ++r) {
    for (std::size_t c = 0; c < picture.columns; ++c) {
      values->push_back(
          static_cast<float>(middle(picture.left, picture.right, c, picture.columns)));
      values->push_back(static_cast<float>(middle(picture.bottom, picture.top, r, picture.rows)));
    }
  }
  DatasetParts parts;
  parts.rows = picture.columns * picture.rows;
  parts.features = 2;
  parts.dense = DenseMatrix{.values = *values, .columns = 2};
  parts.schema = data.shared_schema();
  parts.owner = values;
  const Dataset spots = Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
  const std::vector<double> scores = decisions(model, spots, options.threads);
  const std::size_t each = outputs(model);
  for (std::size_t i = 0; i < spots.rows(); ++i) {
    const auto row = std::span(scores).subspan(i * each, each);
    picture.cells.push_back(static_cast<std::uint8_t>(groups.of_class(decision.class_of(row))));
  }
}

// Is a row of the positive class, or not, on its margin or inside?
bool holds_boundary(const Model& model, bool positive, double score) {
  const Loss loss = base_of(model).loss.loss;
  if (loss != Loss::hinge && loss != Loss::squared_hinge) return false;
  constexpr double kOnTheEdge = 1e-3;
  return (positive ? score : -score) <= 1.0 + kOnTheEdge;
}

bool is_precomputed(const Model& model) {
  const auto* kernel = std::get_if<KernelModel>(&model);
  if (kernel != nullptr) return kernel->kernel.kind == KernelKind::precomputed;
  const auto* many = std::get_if<MulticlassModel>(&model);
  return many != nullptr && many->kernels() != nullptr &&
         many->kernels()->kernel.kind == KernelKind::precomputed;
}

}  // namespace

std::optional<Picture> picture_of(const Model& model, const Dataset& data,
                                  std::span<const double> scores, const PictureOptions& options) {
  const Decision decision(model);
  const bool one_class_per_row =
      decision.kind() == AnswerKind::two_classes || decision.kind() == AnswerKind::classes;
  if (!one_class_per_row || !data.has_labels() || is_precomputed(model) || data.features() == 0) {
    return std::nullopt;
  }
  const std::vector<RowId> shown = sampled(data, options.most_points);
  if (shown.empty()) return std::nullopt;
  const std::size_t each = outputs(model);
  const Truth truth(decision, data);
  const Groups groups(decision, options.most_groups);
  Picture picture;
  picture.names = groups.names();
  picture.plane = data.features() == 2;
  std::vector<double> first;
  std::vector<double> second;
  if (!picture.plane) {
    const Dataset some = take_rows(data, sampled(data, kRowsForDirections));
    const std::vector<double> mean = mean_of(some);
    first = leading_direction(some, mean, nullptr);
    if (each > 1) second = leading_direction(some, mean, &first);
  }
  std::vector<double> unit_x = {1.0, 0.0};
  std::vector<double> unit_y = {0.0, 1.0};
  for (const RowId i : shown) {
    const RowView row = data.row(i);
    Picture::Point point;
    if (picture.plane) {
      point.x = row.dot(unit_x);
      point.y = row.dot(unit_y);
    } else if (each == 1) {
      point.x = scores[i];
      point.y = row.dot(first);
    } else {
      point.x = row.dot(first);
      point.y = row.dot(second);
    }
    const std::size_t of_class = truth.class_of(i);
    point.group = groups.of_class(of_class);
    point.support = each == 1 && holds_boundary(model, of_class == 0, scores[i]);
    picture.points.push_back(point);
  }
  if (picture.plane) {
    const Schema& schema = data.schema();
    const char* const what = schema.csv || !schema.feature_names.empty() ? "" : "feature ";
    picture.x = what + schema.feature_name(0);
    picture.y = what + schema.feature_name(1);
  } else {
    picture.x = each == 1 ? "score" : "first principal component";
    picture.y = each == 1 ? "first principal component" : "second principal component";
  }
  set_range(picture);
  if (picture.plane) colour_plane(model, decision, data, groups, options, picture);
  return picture;
}

}  // namespace pegasos
