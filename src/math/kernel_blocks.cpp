#include "math/kernel_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "data/take_rows.h"

namespace pegasos {
namespace {

using simd::kPanelWidth;

// A tile's rows should stay in the second-level cache while the panels go by.
constexpr std::size_t kTileRows = 256;
// Products are bent and handed on in strips that stay in the first-level cache.
constexpr std::size_t kStripRows = simd::kMostTileRows;

simd::Product product_of(KernelKind kind) {
  if (kind == KernelKind::laplacian) return simd::Product::l1;
  return kind == KernelKind::chi_squared ? simd::Product::chi_squared : simd::Product::dot;
}

simd::CurveOptions curve_of(const KernelOptions& kernel) {
  const auto curve = [&] {
    switch (kernel.kind) {
      case KernelKind::polynomial:
        return simd::Curve::polynomial;
      case KernelKind::rbf:
        return simd::Curve::gaussian;
      case KernelKind::laplacian:
      case KernelKind::chi_squared:
        return simd::Curve::decay;
      case KernelKind::sigmoid:
        return simd::Curve::tanh;
      default:
        return simd::Curve::identity;
    }
  }();
  return {curve, kernel.gamma, kernel.coef0, kernel.degree};
}

bool is_evaluated_singly(KernelKind kind) {
  return kind == KernelKind::precomputed || kind == KernelKind::callable;
}

// A product walks the entries of one row. Below this share of them, those of a sparse row take less
// time, though each has to be looked up: images, one-hot words.
constexpr double kDensityOfSparseRows = 1.0 / 3.0;

Dataset rows_to_sweep(const KernelOptions& kernel, const Dataset& data) {
  if (!data.is_dense() || is_evaluated_singly(kernel.kind)) return data;
  return density_of(data) < kDensityOfSparseRows ? without_zeros(data) : data;
}

constexpr double kFewEntries = 32.0;  // of a row, where values are cheap
constexpr std::size_t kFewFeatures = 1024;

// The panels of one sweep should stay in the second-level cache, if one does.
constexpr std::size_t kPanelBytesTogether = 512 * 1024;

}  // namespace

// kPanelWidth rows side by side, absent ones zero, with the constant part of their distances. Its
// memory is used again and again; between uses it is all zeros.
class KernelBlocks::Panel {
 public:
  explicit Panel(std::size_t features) : values_(features * kPanelWidth) {}

  void fill(const Dataset& data, std::span<const RowId> rows, simd::Product product,
            std::span<const double> norms) {
    base_.fill(0.0);
    norms_.fill(0.0);
    for (std::size_t c = 0; c < rows.size(); ++c) {
      if (!norms.empty()) norms_[c] = norms[rows[c]];
      for_values(data.row(rows[c]), [&](std::size_t feature, float value) {
        values_[feature * kPanelWidth + c] = value;
        if (product != simd::Product::dot) base_[c] += std::abs(double{value});
      });
    }
    for (std::size_t c = 0; c < kPanelWidth; ++c) {
      base_float_[c] = static_cast<float>(base_[c]);
      norms_float_[c] = static_cast<float>(norms_[c]);
    }
  }

  void clear(const Dataset& data, std::span<const RowId> rows) {
    for (std::size_t c = 0; c < rows.size(); ++c) {
      for_values(data.row(rows[c]),
                 [&](std::size_t feature, float) { values_[feature * kPanelWidth + c] = 0.0F; });
    }
  }

  const float* values() const { return values_.data(); }
  const float* base(float) const { return base_float_.data(); }
  const double* base(double) const { return base_.data(); }
  const float* norms(float) const { return norms_float_.data(); }
  const double* norms(double) const { return norms_.data(); }

 private:
  template <typename F>
  static void for_values(const RowView& row, F&& f) {
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      f(row.dense ? k : row.ids[k], row.values[k]);
    }
  }

  std::vector<float> values_;
  std::array<double, kPanelWidth> base_ = {};
  std::array<double, kPanelWidth> norms_ = {};
  std::array<float, kPanelWidth> base_float_ = {};
  std::array<float, kPanelWidth> norms_float_ = {};
};

KernelBlocks::~KernelBlocks() = default;

std::vector<double> squared_norms_for(const KernelOptions& kernel, const Dataset& data,
                                      ThreadPool& pool) {
  std::vector<double> norms;
  if (kernel.kind != KernelKind::rbf) return norms;
  norms.resize(data.rows());
  const std::size_t tiles = (norms.size() + kTileRows - 1) / kTileRows;
  pool.for_each(tiles, [&](std::size_t tile) {
    const std::size_t end = std::min(norms.size(), (tile + 1) * kTileRows);
    for (std::size_t i = tile * kTileRows; i < end; ++i) norms[i] = data.row(i).squared_norm();
  });
  return norms;
}

KernelBlocks::KernelBlocks(const KernelOptions& kernel, const Dataset& data, ThreadPool& pool)
    : KernelBlocks(kernel, data, data, pool) {
  left_ = right_;
  same_ = true;
}

KernelBlocks::KernelBlocks(KernelOptions kernel, const Dataset& left, const Dataset& right,
                           ThreadPool& pool)
    : kernel_(std::move(kernel)),
      product_(product_of(kernel_.kind)),
      curve_(curve_of(kernel_)),
      left_(left),
      right_(rows_to_sweep(kernel_, right)),
      features_(std::max(left.features(), right.features())),
      left_norms_(squared_norms_for(kernel_, left, pool)),
      right_norms_(&left == &right ? left_norms_ : squared_norms_for(kernel_, right, pool)),
      right_norms_float_(right_norms_.begin(), right_norms_.end()) {
  if (right_.rows() == 0) return;
  const auto stored = static_cast<double>(right_.non_zeros());
  mean_row_size_ = std::max(1.0, stored / static_cast<double>(right_.rows()));
}

double KernelBlocks::diagonal(std::size_t i) const {
  switch (kernel_.kind) {
    case KernelKind::precomputed:
      return value(i, i);
    case KernelKind::rbf:
    case KernelKind::laplacian:
    case KernelKind::chi_squared:
      return 1.0;  // of a distance of 0
    default:
      return kernel_value(kernel_, left_.row(i), left_.row(i));
  }
}

double KernelBlocks::value(std::size_t i, std::size_t j) const {
  if (kernel_.kind == KernelKind::callable) return kernel_.function(left_.row(i), right_.row(j));
  const RowView row = left_.row(i);
  if (row.dense) return j < row.values.size() ? double{row.values[j]} : 0.0;
  const auto found = std::lower_bound(row.ids.begin(), row.ids.end(), j);
  if (found == row.ids.end() || *found != j) return 0.0;
  return double{row.values[static_cast<std::size_t>(found - row.ids.begin())]};
}

// How many features of a panel are gone through at a time: as many as the first-level cache holds,
// but enough for a row to have several of them on average.
std::size_t KernelBlocks::slice_for() const {
  constexpr std::size_t kCacheBytes = 32 * 1024;
  constexpr double kFewestOfRow = 8.0;
  constexpr std::size_t kFeatureBytes = kPanelWidth * sizeof(float);
  const std::size_t all = features_ + 1;
  if (features_ * kFeatureBytes <= kCacheBytes) return all;
  const double enough = kFewestOfRow * static_cast<double>(features_) / mean_row_size_;
  return std::max(kCacheBytes / 2 / kFeatureBytes,
                  static_cast<std::size_t>(std::min(enough, static_cast<double>(all))));
}

template <typename T>
void KernelBlocks::sweep_tile(std::size_t begin, std::size_t count, const float* panel,
                              const T* base, T* out) const {
  if (right_.is_dense()) {
    const simd::DenseArrays rows = {right_.dense().values.data(), right_.dense().columns};
    simd::panel_products(product_, rows, begin, count, panel, base, out);
  } else {
    const SparseMatrix& matrix = right_.sparse();
    const simd::SparseArrays rows = {matrix.offsets.data(), matrix.features.data(),
                                     matrix.values.data(), slice_for()};
    simd::panel_products(product_, rows, begin, count, panel, base, out);
  }
}

// Calls take(first, begin, count, tile) with the finished values of rows[first] and up to
// kPanelWidth - 1 after it against right_begin and those after it: tile[j * kPanelWidth + c]. For
// the same columns `first` ascends.
template <typename T, typename Take>
void KernelBlocks::sweep(std::span<const RowId> rows, ThreadPool& pool, Take&& take) const {
  const std::size_t panel_bytes = std::max<std::size_t>(1, features_ * kPanelWidth * sizeof(float));
  const std::size_t together = std::max<std::size_t>(1, kPanelBytesTogether / panel_bytes);
  for (std::size_t first = 0; first < rows.size(); first += together * kPanelWidth) {
    const std::size_t size = std::min(together * kPanelWidth, rows.size() - first);
    sweep_together<T>(rows.subspan(first, size), pool,
                      [&](std::size_t r, std::size_t begin, std::size_t count, const T* tile) {
                        take(first + r, begin, count, tile);
                      });
  }
}

template <typename T, typename Take>
void KernelBlocks::sweep_together(std::span<const RowId> rows, ThreadPool& pool,
                                  Take&& take) const {
  const std::size_t panels = (rows.size() + kPanelWidth - 1) / kPanelWidth;
  while (panels_.size() < panels) panels_.emplace_back(features_);
  const auto rows_of = [&](std::size_t p) {
    return rows.subspan(p * kPanelWidth, std::min(kPanelWidth, rows.size() - p * kPanelWidth));
  };
  for (std::size_t p = 0; p < panels; ++p) {
    panels_[p].fill(left_, rows_of(p), product_, left_norms_);
  }
  const T* norms = norms_of_columns(T{});
  const auto do_strip = [&](std::size_t p, std::size_t begin, std::size_t count) {
    alignas(64) std::array<T, kStripRows * kPanelWidth> tile;
    const Panel& panel = panels_[p];
    sweep_tile(begin, count, panel.values(), panel.base(T{}), tile.data());
    simd::bend(curve_, tile.data(), count, norms + begin, panel.norms(T{}));
    const auto some = rows_of(p);
    for (std::size_t c = 0; same_ && c < some.size(); ++c) {
      if (some[c] - begin < count) {  // wraps below begin
        tile[(some[c] - begin) * kPanelWidth + c] = static_cast<T>(diagonal(some[c]));
      }
    }
    take(p * kPanelWidth, begin, count, tile.data());
  };
  const std::size_t columns = right_.rows();
  pool.for_each((columns + kTileRows - 1) / kTileRows, [&](std::size_t tile) {
    const std::size_t end = std::min(columns, (tile + 1) * kTileRows);
    for (std::size_t p = 0; p < panels; ++p) {
      for (std::size_t begin = tile * kTileRows; begin < end; begin += kStripRows) {
        do_strip(p, begin, std::min(kStripRows, end - begin));
      }
    }
  });
  for (std::size_t p = 0; p < panels; ++p) panels_[p].clear(left_, rows_of(p));
}

bool KernelBlocks::is_cheap() const {
  return !is_evaluated_singly(kernel_.kind) && mean_row_size_ <= kFewEntries &&
         features_ <= kFewFeatures;
}

void KernelBlocks::compute(std::span<const RowId> rows, std::span<float* const> out,
                           ThreadPool& pool) const {
  if (is_evaluated_singly(kernel_.kind)) {
    pool.for_each(rows.size(), [&](std::size_t r) {
      for (std::size_t j = 0; j < columns(); ++j) {
        out[r][j] = static_cast<float>(value(rows[r], j));
      }
    });
    return;
  }
  sweep<float>(rows, pool,
               [&](std::size_t first, std::size_t begin, std::size_t count, const float* tile) {
                 const std::size_t size = std::min(kPanelWidth, rows.size() - first);
                 std::array<float*, kPanelWidth> places;
                 for (std::size_t c = 0; c < size; ++c) places[c] = out[first + c] + begin;
                 simd::transpose(tile, count, size, places.data());
               });
}

void KernelBlocks::arrange() {
  panels_.clear();
  std::vector<RowId> ids(columns());
  std::iota(ids.begin(), ids.end(), RowId{0});
  for (std::size_t begin = 0; begin < ids.size(); begin += kPanelWidth) {
    const std::size_t size = std::min(kPanelWidth, ids.size() - begin);
    panels_.emplace_back(features_);
    panels_.back().fill(right_, std::span(ids).subspan(begin, size), product_, right_norms_);
  }
}

void KernelBlocks::arranged_row(std::size_t row, std::span<float> out) const {
  alignas(64) std::array<float, kPanelWidth> tile;
  for (std::size_t p = 0; p < panels_.size(); ++p) {
    sweep_tile(row, 1, panels_[p].values(), panels_[p].base(0.0F), tile.data());
    simd::bend(curve_, tile.data(), 1, norms_of_columns(0.0F) + row, panels_[p].norms(0.0F));
    const std::size_t begin = p * kPanelWidth;
    std::copy_n(tile.begin(), std::min(kPanelWidth, out.size() - begin), out.data() + begin);
  }
}

void KernelBlocks::add_scores(std::span<const RowId> rows, std::span<const double> factors,
                              std::span<double> scores, ThreadPool& pool) const {
  if (is_evaluated_singly(kernel_.kind)) {
    pool.for_each(columns(), [&](std::size_t j) {
      for (std::size_t r = 0; r < rows.size(); ++r) scores[j] += factors[r] * value(rows[r], j);
    });
    return;
  }
  std::vector<double> padded(factors.begin(), factors.end());
  padded.resize(factors.size() + kPanelWidth, 0.0);
  sweep<double>(rows, pool,
                [&](std::size_t first, std::size_t begin, std::size_t count, const double* tile) {
                  simd::add_tile(tile, count, padded.data() + first, scores.data() + begin);
                });
}

void KernelBlocks::add_scores(std::span<const RowId> rows, std::span<const double> factors,
                              std::size_t width, std::span<double> scores, ThreadPool& pool) const {
  const auto add = [&](std::size_t r, std::size_t j, double kernel_value) {
    const double* from = factors.data() + r * width;
    double* to = scores.data() + j * width;
    for (std::size_t t = 0; t < width; ++t) to[t] += from[t] * kernel_value;
  };
  if (is_evaluated_singly(kernel_.kind)) {
    pool.for_each(columns(), [&](std::size_t j) {
      for (std::size_t r = 0; r < rows.size(); ++r) add(r, j, value(rows[r], j));
    });
    return;
  }
  sweep<double>(rows, pool,
                [&](std::size_t first, std::size_t begin, std::size_t count, const double* tile) {
                  const std::size_t size = std::min(kPanelWidth, rows.size() - first);
                  for (std::size_t j = 0; j < count; ++j) {
                    for (std::size_t c = 0; c < size; ++c) {
                      add(first + c, begin + j, tile[j * kPanelWidth + c]);
                    }
                  }
                });
}

}  // namespace pegasos
