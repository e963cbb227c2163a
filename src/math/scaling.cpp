#include "pegasos/scaling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "base/grow_buffer.h"
#include "base/residency.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::pair<ScalingKind, const char*> kNames[] = {{ScalingKind::max_abs, "maxabs"},
                                                          {ScalingKind::standard, "standard"},
                                                          {ScalingKind::min_max, "minmax"},
                                                          {ScalingKind::unit_row, "unit-row"}};

// What all values of a feature have been, zeros that are not stored included.
struct Extent {
  std::vector<double> low;
  std::vector<double> high;
};

template <typename Visit>
void for_values(const Dataset& data, Visit visit) {
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const RowView row = data.row(i);
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      visit(row.dense ? k : std::size_t{row.ids[k]}, double{row.values[k]});
    }
  }
}

// How many of each feature are stored, over all ranks.
std::vector<double> stored_values(const Dataset& data, Collective& ranks) {
  std::vector<double> stored(data.features(), 0);
  for_values(data, [&](std::size_t j, double) { stored[j] += 1.0; });
  ranks.sum(stored);
  return stored;
}

// The largest of each number over all ranks.
void take_largest(std::vector<double>& values, Collective& ranks) {
  if (ranks.size() == 1) return;
  const auto all =
      ranks.gather({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)});
  for (const std::string& part : all) {
    std::vector<double> theirs(values.size());
    std::memcpy(theirs.data(), part.data(), std::min(part.size(), theirs.size() * sizeof(double)));
    for (std::size_t j = 0; j < values.size(); ++j) values[j] = std::max(values[j], theirs[j]);
  }
}

Extent extent_of(const Dataset& data, double rows, Collective& ranks) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Extent extent{std::vector<double>(data.features(), kInfinity),
                std::vector<double>(data.features(), -kInfinity)};
  for_values(data, [&](std::size_t j, double value) {
    extent.low[j] = std::min(extent.low[j], value);
    extent.high[j] = std::max(extent.high[j], value);
  });
  for (double& low : extent.low) low = -low;
  take_largest(extent.low, ranks);
  for (double& low : extent.low) low = -low;
  take_largest(extent.high, ranks);
  const auto stored = stored_values(data, ranks);
  for (std::size_t j = 0; j < stored.size(); ++j) {
    if (stored[j] == rows) continue;
    extent.low[j] = std::min(extent.low[j], 0.0);
    extent.high[j] = std::max(extent.high[j], 0.0);
  }
  return extent;
}

// Two passes: the squares of differences from the mean lose no digits to it.
struct Moments {
  std::vector<double> mean;
  std::vector<double> deviation;
};

Moments moments_of(const Dataset& data, double rows, Collective& ranks) {
  Moments moments{std::vector<double>(data.features(), 0.0),
                  std::vector<double>(data.features(), 0.0)};
  for_values(data, [&](std::size_t j, double value) { moments.mean[j] += value; });
  ranks.sum(moments.mean);
  for (double& mean : moments.mean) mean /= rows;
  for_values(data, [&](std::size_t j, double value) {
    const double difference = value - moments.mean[j];
    moments.deviation[j] += difference * difference;
  });
  ranks.sum(moments.deviation);
  const auto stored = stored_values(data, ranks);
  for (std::size_t j = 0; j < stored.size(); ++j) {
    const double zeros = rows - stored[j];
    const double squares = moments.deviation[j] + zeros * moments.mean[j] * moments.mean[j];
    moments.deviation[j] = std::sqrt(squares / rows);
  }
  return moments;
}

// 1/size; a constant feature keeps its size, also where rounding makes a constant's deviation a
// little more than 0.
double factor_for(double size, double largest) {
  constexpr double kRounding = 1e-12;
  return size > kRounding * largest ? 1.0 / size : 1.0;
}

float to_float(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -kMost, kMost));
}

struct Values {
  explicit Values(const std::shared_ptr<Residency>& residency) : values(residency) {}

  GrowBuffer<float> values;            // in a file, if the rows are
  std::vector<std::uint64_t> offsets;  // only where those of the rows do not begin at 0
  std::shared_ptr<const void> origin;  // keeps what is shared with the rows as they were
};

// All values of all rows, where something is subtracted: also from zeros.
void scale_moved(const Scaling& scaling, const Dataset& data, GrowBuffer<float>& out) {
  const std::size_t d = data.features();
  const auto scaled = [&](std::size_t j, double value) {
    return to_float((value - scaling.shift[j]) * scaling.factor[j]);
  };
  std::vector<float> zeros(d);
  for (std::size_t j = 0; j < d; ++j) zeros[j] = scaled(j, 0.0);
  out.resize_uninitialised(data.rows() * d);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    float* const row = out.data() + i * d;
    std::copy(zeros.begin(), zeros.end(), row);
    if (data.is_paged()) Residency::visit(row, d * sizeof(float), Residency::Visits::in_windows);
    const RowView from = data.row(i);
    for (std::size_t k = 0; k < from.values.size(); ++k) {
      const std::size_t j = from.dense ? k : from.ids[k];
      row[j] = scaled(j, double{from.values[k]});
    }
  }
}

// The stored values in their order; the arrays around them are shared.
void scale_stored(const Scaling& scaling, const Dataset& data, GrowBuffer<float>& out) {
  out.reserve(data.non_zeros());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const RowView row = data.row(i);
    const double norm = scaling.kind == ScalingKind::unit_row ? std::sqrt(row.squared_norm()) : 0.0;
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      const double value = row.values[k];
      if (scaling.kind == ScalingKind::unit_row) {
        out.push_back(norm > 0 ? static_cast<float>(value / norm) : row.values[k]);
      } else {
        out.push_back(to_float(value * scaling.factor[row.dense ? k : row.ids[k]]));
      }
    }
  }
}

}  // namespace

std::string name_of(ScalingKind kind) {
  for (const auto& [known, name] : kNames) {
    if (known == kind) return name;
  }
  return "unknown";
}

std::optional<ScalingKind> scaling_of_name(const std::string& name) {
  for (const auto& [kind, known] : kNames) {
    if (name == known) return kind;
  }
  return std::nullopt;
}

void Scaling::validate(std::size_t features) const {
  const bool of_rows = kind == ScalingKind::unit_row;
  if (factor.size() != (of_rows ? 0 : features)) {
    throw InvalidOption("scaling", "must have one factor per feature");
  }
  const bool may_shift = kind == ScalingKind::standard || kind == ScalingKind::min_max;
  if (!shift.empty() && (!may_shift || shift.size() != features)) {
    throw InvalidOption("scaling", "must have one shift per feature, or none");
  }
  for (const double value : factor) {
    if (!(value > 0) || std::isinf(value)) {
      throw InvalidOption("scaling", "factors must be finite and greater than 0");
    }
  }
  for (const double value : shift) {
    if (!std::isfinite(value)) throw InvalidOption("scaling", "shifts must be finite");
  }
}

Scaling fit_scaling(const Dataset& data, ScalingKind kind, Collective& ranks) {
  Scaling scaling;
  scaling.kind = kind;
  if (kind == ScalingKind::unit_row) return scaling;
  const std::size_t d = data.features();
  scaling.factor.assign(d, 1.0);
  std::array<double, 2> sums = {static_cast<double>(data.rows()), data.is_dense() ? 1.0 : 0.0};
  ranks.sum(sums);
  const double rows = sums[0];
  if (rows == 0) return scaling;
  const Extent extent = extent_of(data, rows, ranks);
  const auto largest = [&](std::size_t j) {
    return std::max(std::abs(extent.low[j]), std::abs(extent.high[j]));
  };
  const bool shifts = sums[1] == ranks.size();  // dense on every rank
  if (kind == ScalingKind::standard) {
    Moments moments = moments_of(data, rows, ranks);
    for (std::size_t j = 0; j < d; ++j) {
      scaling.factor[j] = factor_for(moments.deviation[j], largest(j));
    }
    if (shifts) scaling.shift = std::move(moments.mean);
    return scaling;
  }
  for (std::size_t j = 0; j < d; ++j) {
    const double size = kind == ScalingKind::max_abs ? largest(j) : extent.high[j] - extent.low[j];
    scaling.factor[j] = factor_for(size, largest(j));
  }
  if (kind == ScalingKind::min_max && shifts) scaling.shift = extent.low;
  return scaling;
}

Dataset apply(const Scaling& scaling, const Dataset& data) {
  const auto scaled = std::make_shared<Values>(data.parts().residency);
  scaled->origin = data.parts().owner;
  DatasetParts parts = data.parts();
  if (!scaling.shift.empty()) {
    scale_moved(scaling, data, scaled->values);
    parts.sparse.reset();
    parts.dense = DenseMatrix{scaled->values.view(), data.features()};
  } else {
    scale_stored(scaling, data, scaled->values);
    if (data.is_dense()) {
      parts.dense->values = scaled->values.view();
    } else {
      const SparseMatrix& rows = data.sparse();
      const std::uint64_t first = rows.offsets.front();
      if (first > 0) {  // a slice
        for (const std::uint64_t offset : rows.offsets) scaled->offsets.push_back(offset - first);
        parts.sparse->offsets = scaled->offsets;
        parts.sparse->features = rows.features.subspan(static_cast<std::size_t>(first));
      }
      parts.sparse->values = scaled->values.view();
    }
  }
  parts.owner = scaled;
  return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
}

void unscale_weights(const Scaling& scaling, std::vector<double>& w, double& b) {
  for (std::size_t j = 0; j < w.size(); ++j) {
    w[j] *= scaling.factor[j];
    if (!scaling.shift.empty()) b -= w[j] * scaling.shift[j];
  }
}

void scale_weights(const Scaling& scaling, std::vector<double>& w, double& b) {
  for (std::size_t j = 0; j < w.size(); ++j) {
    if (!scaling.shift.empty()) b += w[j] * scaling.shift[j];
    w[j] /= scaling.factor[j];
  }
}

}  // namespace pegasos
