#include "math/passes.h"

#include <cblas.h>

#include <cmath>

#include "math/blas_mutex.h"
#include "math/rows.h"

namespace pegasos {
namespace {

// Rows that go into the matrix product at once: enough to amortise it, and still in the cache.
constexpr std::size_t kRowsPerProduct = 128;
// A fused multiply-add into a scattered place costs about this many in a matrix product.
constexpr double kScatterCost = 12.0;

std::size_t stored_values(const Dataset& data) {
  return data.is_dense() ? data.dense().values.size() : static_cast<std::size_t>(data.non_zeros());
}

void scatter(SparseRow x, double c, std::size_t side, double* H) {
  for (std::size_t i = 0; i < x.size; ++i) {
    double* row = H + x.ids[i] * side;
    const double scaled = c * double{x.values[i]};
    for (std::size_t j = 0; j <= i; ++j) row[x.ids[j]] += scaled * double{x.values[j]};
  }
}

void scatter(DenseRow x, double c, std::size_t side, double* H) {
  for (std::size_t i = 0; i < x.size; ++i) {
    const double scaled = c * double{x.values[i]};
    for (std::size_t j = 0; j <= i; ++j) H[i * side + j] += scaled * double{x.values[j]};
  }
}

// H += sum of c x x', rows laid out as a matrix and left to the matrix product.
template <typename Rows>
void add_products(const Rows& rows, std::span<const std::uint32_t> ids, std::span<const double> c,
                  std::size_t features, std::size_t side, double* H) {
  std::vector<double> block(kRowsPerProduct * features);
  for (std::size_t begin = 0; begin < ids.size(); begin += kRowsPerProduct) {
    const std::size_t count = std::min(kRowsPerProduct, ids.size() - begin);
    std::fill_n(block.begin(), count * features, 0.0);
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t i = ids[begin + k];
      add(rows.row(i), std::sqrt(c[i]), block.data() + k * features);
    }
    const std::lock_guard lock(blas_mutex());
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, static_cast<int>(features),
                static_cast<int>(count), 1.0, block.data(), static_cast<int>(features), 1.0, H,
                static_cast<int>(side));
  }
}

}  // namespace

void multiply(const Dataset& data, std::span<const double> w, std::span<double> z,
              ThreadPool& pool) {
  with_rows(data, [&](const auto& rows) {
    for_row_blocks(z.size(), pool, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) z[i] = dot(rows.row(i), w.data());
    });
  });
}

std::vector<double> combine(const Dataset& data, std::span<const double> a, ThreadPool& pool) {
  // Every part adds into a vector of its own; no more parts than pay for clearing them.
  const std::size_t d = data.features();
  const std::size_t parts = std::clamp<std::size_t>(stored_values(data) / (4 * d + 1), 1, 4);
  std::vector<std::vector<double>> partial(parts);
  with_rows(data, [&](const auto& rows) {
    pool.for_each(parts, [&](std::size_t part) {
      partial[part].assign(d, 0.0);
      const std::size_t begin = a.size() * part / parts;
      const std::size_t end = a.size() * (part + 1) / parts;
      for (std::size_t i = begin; i < end; ++i) {
        if (a[i] != 0.0) add(rows.row(i), a[i], partial[part].data());
      }
    });
  });
  for (std::size_t part = 1; part < parts; ++part) {
    for (std::size_t j = 0; j < d; ++j) partial[0][j] += partial[part][j];
  }
  return std::move(partial[0]);
}

void weighted_gram(const Dataset& data, std::span<const double> c, std::size_t side,
                   std::span<double> H, ThreadPool& pool) {
  std::vector<std::uint32_t> ids;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (c[i] != 0.0) ids.push_back(static_cast<std::uint32_t>(i));
  }
  const auto d = static_cast<double>(data.features());
  const double per_row = static_cast<double>(stored_values(data)) /
                         static_cast<double>(std::max<std::size_t>(1, data.rows()));
  const bool scatters = kScatterCost * per_row * per_row < d * d;
  // A part pays if it does more than clear and add its matrix.
  const double work = static_cast<double>(ids.size()) * std::min(per_row * per_row, d * d);
  const auto parts = static_cast<std::size_t>(std::clamp(work / (4.0 * d * d + 1.0), 1.0, 4.0));
  std::vector<std::vector<double>> partial(parts - 1);
  with_rows(data, [&](const auto& rows) {
    pool.for_each(parts, [&](std::size_t part) {
      double* out = H.data();
      if (part == 0) {
        std::fill(H.begin(), H.end(), 0.0);
      } else {
        partial[part - 1].assign(H.size(), 0.0);
        out = partial[part - 1].data();
      }
      const auto begin = ids.size() * part / parts;
      const auto mine = std::span(ids).subspan(begin, ids.size() * (part + 1) / parts - begin);
      if (scatters) {
        for (const auto i : mine) scatter(rows.row(i), c[i], side, out);
      } else {
        add_products(rows, mine, c, data.features(), side, out);
      }
    });
  });
  for (const auto& other : partial) {
    for (std::size_t j = 0; j < H.size(); ++j) H[j] += other[j];
  }
}

}  // namespace pegasos
