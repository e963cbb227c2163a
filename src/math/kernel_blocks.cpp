#include "math/kernel_blocks.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

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

// kPanelWidth rows side by side, absent ones zero, with the constant part of their distances.
template <typename T>
class Panel {
 public:
  Panel(const Dataset& data, std::span<const RowId> rows, std::size_t features,
        simd::Product product, std::span<const double> norms)
      : values_(features * kPanelWidth) {
    for (std::size_t c = 0; c < rows.size(); ++c) {
      if (!norms.empty()) norms_[c] = static_cast<T>(norms[rows[c]]);
      const RowView row = data.row(rows[c]);
      for (std::size_t k = 0; k < row.values.size(); ++k) {
        const std::size_t feature = row.dense ? k : row.ids[k];
        const auto value = static_cast<T>(row.values[k]);
        values_[feature * kPanelWidth + c] = value;
        if (product != simd::Product::dot) base_[c] += value < 0 ? -value : value;
      }
    }
  }

  const T* values() const { return values_.data(); }
  const T* base() const { return base_.data(); }
  const T* norms() const { return norms_.data(); }

 private:
  std::vector<T> values_;
  std::array<T, kPanelWidth> base_ = {};
  std::array<T, kPanelWidth> norms_ = {};
};

}  // namespace

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

KernelBlocks::KernelBlocks(KernelOptions kernel, const Dataset& left, const Dataset& right,
                           ThreadPool& pool)
    : kernel_(std::move(kernel)),
      product_(product_of(kernel_.kind)),
      curve_(curve_of(kernel_)),
      left_(left),
      right_(right),
      features_(std::max(left.features(), right.features())),
      left_norms_(squared_norms_for(kernel_, left, pool)),
      right_norms_(squared_norms_for(kernel_, right, pool)),
      right_norms_float_(right_norms_.begin(), right_norms_.end()) {
  if (right_.rows() == 0) return;
  const auto stored = static_cast<double>(right_.non_zeros());
  mean_row_size_ = std::max(1.0, stored / static_cast<double>(right_.rows()));
}

double KernelBlocks::diagonal(std::size_t i) const {
  if (kernel_.kind == KernelKind::precomputed) return value(i, i);
  return kernel_value(kernel_, left_.row(i), left_.row(i));
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
template <typename T>
std::size_t KernelBlocks::slice_for() const {
  constexpr std::size_t kCacheBytes = 32 * 1024;
  constexpr double kFewestOfRow = 8.0;
  constexpr std::size_t kFeatureBytes = kPanelWidth * sizeof(T);
  const std::size_t all = features_ + 1;
  if (features_ * kFeatureBytes <= kCacheBytes) return all;
  const double enough = kFewestOfRow * static_cast<double>(features_) / mean_row_size_;
  return std::max(kCacheBytes / 2 / kFeatureBytes,
                  static_cast<std::size_t>(std::min(enough, static_cast<double>(all))));
}

template <typename T>
void KernelBlocks::sweep_tile(std::size_t begin, std::size_t count, const T* panel, const T* base,
                              T* out) const {
  if (right_.is_dense()) {
    const simd::DenseArrays rows = {right_.dense().values.data(), right_.dense().columns};
    simd::panel_products(product_, rows, begin, count, panel, base, out);
  } else {
    const SparseMatrix& matrix = right_.sparse();
    const simd::SparseArrays rows = {matrix.offsets.data(), matrix.features.data(),
                                     matrix.values.data(), slice_for<T>()};
    simd::panel_products(product_, rows, begin, count, panel, base, out);
  }
}

// Calls take(panel, begin, count, tile) with the finished values of the rows of a panel against
// right_begin and those after it: tile[j * kPanelWidth + c]. For the same columns panels ascend.
template <typename T, typename Take>
void KernelBlocks::sweep(std::span<const RowId> rows, ThreadPool& pool, Take&& take) const {
  std::vector<Panel<T>> panels;
  for (std::size_t r = 0; r < rows.size(); r += kPanelWidth) {
    const auto some = rows.subspan(r, std::min(kPanelWidth, rows.size() - r));
    panels.emplace_back(left_, some, features_, product_, left_norms_);
  }
  const T* norms = nullptr;
  if constexpr (std::is_same_v<T, float>) {
    norms = right_norms_float_.data();
  } else {
    norms = right_norms_.data();
  }
  const auto do_strip = [&](std::size_t p, std::size_t begin, std::size_t count) {
    alignas(64) std::array<T, kStripRows * kPanelWidth> tile;
    const Panel<T>& panel = panels[p];
    sweep_tile(begin, count, panel.values(), panel.base(), tile.data());
    simd::bend(curve_, tile.data(), count, norms + begin, panel.norms());
    const std::size_t size = std::min(kPanelWidth, rows.size() - p * kPanelWidth);
    for (std::size_t c = 0; same_ && c < size; ++c) {
      const RowId row = rows[p * kPanelWidth + c];
      if (row - begin < count) {  // wraps below begin
        tile[(row - begin) * kPanelWidth + c] = static_cast<T>(diagonal(row));
      }
    }
    take(p, begin, count, tile.data());
  };
  const std::size_t columns = right_.rows();
  pool.for_each((columns + kTileRows - 1) / kTileRows, [&](std::size_t tile) {
    const std::size_t end = std::min(columns, (tile + 1) * kTileRows);
    for (std::size_t panel = 0; panel < panels.size(); ++panel) {
      for (std::size_t begin = tile * kTileRows; begin < end; begin += kStripRows) {
        do_strip(panel, begin, std::min(kStripRows, end - begin));
      }
    }
  });
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
               [&](std::size_t p, std::size_t begin, std::size_t count, const float* tile) {
                 const std::size_t size = std::min(kPanelWidth, rows.size() - p * kPanelWidth);
                 std::array<float*, kPanelWidth> places;
                 for (std::size_t c = 0; c < size; ++c)
                   places[c] = out[p * kPanelWidth + c] + begin;
                 simd::transpose(tile, count, size, places.data());
               });
}

void KernelBlocks::add_scores(std::span<const RowId> rows, std::span<const double> factors,
                              std::span<double> scores, ThreadPool& pool) const {
  if (is_evaluated_singly(kernel_.kind)) {
    pool.for_each(columns(), [&](std::size_t j) {
      for (std::size_t r = 0; r < rows.size(); ++r) scores[j] += factors[r] * value(rows[r], j);
    });
    return;
  }
  // As many rows at once as panels of a few megabytes hold.
  constexpr std::size_t kMost = 8 * kPanelWidth;
  for (std::size_t first = 0; first < rows.size(); first += kMost) {
    const auto some = rows.subspan(first, std::min(kMost, rows.size() - first));
    std::array<double, kMost> some_factors = {};
    std::copy_n(factors.begin() + static_cast<std::ptrdiff_t>(first), some.size(),
                some_factors.begin());
    sweep<double>(
        some, pool, [&](std::size_t p, std::size_t begin, std::size_t count, const double* tile) {
          simd::add_tile(tile, count, some_factors.data() + p * kPanelWidth, scores.data() + begin);
        });
  }
}

}  // namespace pegasos
