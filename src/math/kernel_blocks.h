// Kernel values by the block: rows of one dataset against all rows of another.
//
// Rows are put side by side into panels (simd/panels.h) and swept over the other data in tiles that
// stay in cache, all panels of a batch for each tile. A value's bits depend on its two rows alone:
// not on the batch, the tile, the number of threads or the layout of the data; and K_ij = K_ji.
//
// One call at a time: the panels are kept from one to the next, which saves clearing them whole.
//
// Values are float32, for solvers to work with. What is to be claimed in the end is computed by
// add_scores, in double throughout.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "pegasos/dataset.h"
#include "pegasos/kernel.h"
#include "simd/panels.h"

namespace pegasos {

// Squared norms of rows; empty for kernels that do not ask for them.
std::vector<double> squared_norms_for(const KernelOptions& kernel, const Dataset& data,
                                      ThreadPool& pool);

class KernelBlocks {
 public:
  // Rows of `left` against all rows of `right`. The datasets share their arrays with this, but for
  // dense rows of mostly zeros, which are copied without them.
  KernelBlocks(KernelOptions kernel, const Dataset& left, const Dataset& right, ThreadPool& pool);
  // A dataset against itself.
  KernelBlocks(const KernelOptions& kernel, const Dataset& data, ThreadPool& pool);

  KernelBlocks(const KernelBlocks&) = delete;
  KernelBlocks& operator=(const KernelBlocks&) = delete;
  ~KernelBlocks();

  std::size_t columns() const { return right_.rows(); }
  const KernelOptions& kernel() const { return kernel_; }
  const Dataset& left() const { return left_; }
  const Dataset& right() const { return right_; }
  // Does it cost less to compute a value than to fetch it from a large cache? So it is for rows of
  // few entries, and features whose panels are small.
  bool is_cheap() const;

  // K(left_i, left_i).
  double diagonal(std::size_t i) const;

  // K(left_i, right_j) of a kernel that is evaluated singly: precomputed or callable.
  double value(std::size_t i, std::size_t j) const;

  // out[r][j] = K(left_{rows[r]}, right_j), columns() values each.
  void compute(std::span<const RowId> rows, std::span<float* const> out, ThreadPool& pool) const;

  // Single rows of a small matrix, of a dataset against itself, whose kernel has a formula: after
  // arrange(), which puts all rows into panels, out[j] = K(x_row, x_j).
  void arrange();
  void arranged_row(std::size_t row, std::span<float> out) const;

  // scores[j] += sum_r factors[r] K(left_{rows[r]}, right_j), in double.
  void add_scores(std::span<const RowId> rows, std::span<const double> factors,
                  std::span<double> scores, ThreadPool& pool) const;

  // The same for several sums at once: factors of a row, and scores of a column, stand side by
  // side.
  void add_scores(std::span<const RowId> rows, std::span<const double> factors, std::size_t width,
                  std::span<double> scores, ThreadPool& pool) const;

 private:
  class Panel;

  // Tiles of columns, each of which sees all panels before the next begins.
  template <typename T, typename Take>
  void sweep(std::span<const RowId> rows, ThreadPool& pool, Take&& take) const;
  template <typename T, typename Take>
  void sweep_together(std::span<const RowId> rows, ThreadPool& pool, Take&& take) const;
  template <typename T>
  void sweep_tile(std::size_t begin, std::size_t count, const float* panel, const T* base,
                  T* out) const;
  std::size_t slice_for() const;
  const float* norms_of_columns(float) const { return right_norms_float_.data(); }
  const double* norms_of_columns(double) const { return right_norms_.data(); }

  KernelOptions kernel_;
  simd::Product product_ = simd::Product::dot;
  simd::CurveOptions curve_ = {};
  Dataset left_;
  Dataset right_;
  bool same_ = false;
  std::size_t features_ = 0;
  double mean_row_size_ = 1.0;
  std::vector<double> left_norms_;
  std::vector<double> right_norms_;
  std::vector<float> right_norms_float_;
  mutable std::vector<Panel> panels_;  // scratch of a call
};

}  // namespace pegasos
