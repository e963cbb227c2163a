#include "math/passes.h"

#include <cmath>
#include <numeric>
#include <type_traits>

#include "math/rows.h"
#include "simd/tiles.h"

namespace pegasos {
namespace {

using simd::kTileSide;

// Rows that are multiplied at once: two strips of them stay in the first-level cache.
constexpr std::size_t kSlabRows = 96;
constexpr std::size_t kStripSize = kSlabRows * kTileSide;
// Memory for rows laid out as slabs.
constexpr std::size_t kSlabNumbers = std::size_t{1} << 20;
// Strips from which threads share one matrix instead of adding up their own.
constexpr std::size_t kManyStrips = 8;
constexpr std::size_t kManyBands = 12;
// A fused multiply-add into a scattered place costs about this many in a matrix product.
constexpr double kScatterCost = 12.0;
// A matrix of its own pays for a part that makes so many scattered additions for each entry.
constexpr double kAdditionsPerEntry = 16.0;
constexpr double kMostParts = 8.0;
// Columns that one task of combine_columns adds up.
constexpr std::size_t kColumnsPerTask = 8;

std::size_t stored_values(const Dataset& data) {
  return data.is_dense() ? data.dense().values.size() : static_cast<std::size_t>(data.non_zeros());
}

// H += c x x', two rows of H at a time: each value of x is then read and widened once for both. Not
// inlined, because its callers leave it too few registers.
[[gnu::noinline]] void scatter(SparseRow x, double c, std::size_t side, double* H) {
  std::size_t i = 0;
  for (; i + 2 <= x.size; i += 2) {
    double* row0 = H + x.ids[i] * side;
    double* row1 = H + x.ids[i + 1] * side;
    const double scaled0 = c * double{x.values[i]};
    const double scaled1 = c * double{x.values[i + 1]};
    for (std::size_t j = 0; j <= i; ++j) {
      const std::size_t id = x.ids[j];
      const double value = x.values[j];
      const double sum0 = row0[id] + scaled0 * value;
      const double sum1 = row1[id] + scaled1 * value;
      row0[id] = sum0;
      row1[id] = sum1;
    }
    row1[x.ids[i + 1]] += scaled1 * double{x.values[i + 1]};
  }
  if (i == x.size) return;
  double* row = H + x.ids[i] * side;
  const double scaled = c * double{x.values[i]};
  for (std::size_t j = 0; j <= i; ++j) row[x.ids[j]] += scaled * double{x.values[j]};
}

std::size_t strips_of(std::size_t features) {
  return (features + kTileSide - 1) / kTileSide;
}

// Row k of a slab, which is up to kSlabRows rows of data as the strips of simd/tiles.h.
void lay(SparseRow x, double c, std::size_t k, double* slab) {
  for (std::size_t j = 0; j < x.size; ++j) {
    const std::size_t id = x.ids[j];
    slab[id / kTileSide * kStripSize + k * kTileSide + id % kTileSide] = c * double{x.values[j]};
  }
}

void lay(DenseRow x, double c, std::size_t k, double* slab) {
  for (std::size_t begin = 0; begin < x.size; begin += kTileSide) {
    double* out = slab + begin / kTileSide * kStripSize + k * kTileSide;
    const std::size_t count = std::min(kTileSide, x.size - begin);
    for (std::size_t j = 0; j < count; ++j) out[j] = c * double{x.values[begin + j]};
  }
}

// Rows times the root of their c, so that H is the product of a slab with itself.
template <typename Rows>
void lay_slab(const Rows& rows, std::span<const std::uint32_t> ids, std::span<const double> c,
              std::size_t features, double* slab) {
  if constexpr (std::is_same_v<Rows, SparseRows>) {  // dense rows leave nothing of earlier ones
    for (std::size_t strip = 0; strip < strips_of(features); ++strip) {
      std::fill_n(slab + strip * kStripSize, ids.size() * kTileSide, 0.0);
    }
  }
  for (std::size_t k = 0; k < ids.size(); ++k) lay(rows.row(ids[k]), std::sqrt(c[ids[k]]), k, slab);
}

// Adds the product of a slab to the rows of H that belong to strips [first, last).
void add_band(const double* slab, std::size_t depth, std::size_t first, std::size_t last,
              std::size_t features, std::size_t side, double* H) {
  for (std::size_t J = 0; J < last; ++J) {
    for (std::size_t I = std::max(first, J); I < last; ++I) {
      simd::add_product(slab + I * kStripSize, slab + J * kStripSize, depth, 1.0,
                        {.values = H + I * kTileSide * side + J * kTileSide,
                         .stride = side,
                         .rows = std::min(kTileSide, features - I * kTileSide),
                         .columns = std::min(kTileSide, features - J * kTileSide),
                         .on_diagonal = J == I});
    }
  }
}

// H += sum of c x x' over the rows named by ids.
template <typename Rows>
void add_products(const Rows& rows, std::span<const std::uint32_t> ids, std::span<const double> c,
                  std::size_t features, std::size_t side, double* H) {
  const std::size_t strips = strips_of(features);
  std::vector<double> slab(strips * kStripSize);
  for (std::size_t begin = 0; begin < ids.size(); begin += kSlabRows) {
    const auto mine = ids.subspan(begin, std::min(kSlabRows, ids.size() - begin));
    lay_slab(rows, mine, c, features, slab.data());
    add_band(slab.data(), mine.size(), 0, strips, features, side, H);
  }
}

// The same by all threads: they lay out slabs, as many as memory is given, and then share H.
template <typename Rows>
void add_products_by_bands(const Rows& rows, std::span<const std::uint32_t> ids,
                           std::span<const double> c, std::size_t features, std::size_t side,
                           double* H, ThreadPool& pool) {
  const std::size_t strips = strips_of(features);
  const std::size_t slab_size = strips * kStripSize;
  const std::size_t most = std::max<std::size_t>(1, kSlabNumbers / slab_size);
  const std::size_t all = (ids.size() + kSlabRows - 1) / kSlabRows;
  // Taller bands read less memory; lower ones leave more of them to share.
  const std::size_t height = std::clamp<std::size_t>(strips / kManyBands, 1, 4);
  std::vector<double> slabs(std::min(most, all) * slab_size);
  const auto rows_of = [&](std::size_t slab) {
    return ids.subspan(slab * kSlabRows, std::min(kSlabRows, ids.size() - slab * kSlabRows));
  };
  for (std::size_t begin = 0; begin < all; begin += most) {
    const std::size_t count = std::min(most, all - begin);
    pool.for_each(count, [&](std::size_t slab) {
      lay_slab(rows, rows_of(begin + slab), c, features, slabs.data() + slab * slab_size);
    });
    pool.for_each((strips + height - 1) / height, [&](std::size_t band) {
      const std::size_t last = strips - band * height;  // the longest first
      const std::size_t first = last - std::min(last, height);
      for (std::size_t slab = 0; slab < count; ++slab) {
        const std::size_t depth = rows_of(begin + slab).size();
        add_band(slabs.data() + slab * slab_size, depth, first, last, features, side, H);
      }
    });
  }
}

// Calls task(rows named by ids, matrix to add to) for parts of ids, each with a matrix of its own,
// and adds the matrices up.
template <typename Task>
void sum_over_parts(std::span<const std::uint32_t> ids, std::size_t parts, std::span<double> H,
                    ThreadPool& pool, Task&& task) {
  std::vector<std::vector<double>> partial(parts - 1);
  pool.for_each(parts, [&](std::size_t part) {
    if (part > 0) partial[part - 1].assign(H.size(), 0.0);
    const auto begin = ids.size() * part / parts;
    task(ids.subspan(begin, ids.size() * (part + 1) / parts - begin),
         part > 0 ? partial[part - 1].data() : H.data());
  });
  constexpr std::size_t kPiece = 1 << 14;
  pool.for_each((H.size() + kPiece - 1) / kPiece, [&](std::size_t piece) {
    const std::size_t end = std::min(H.size(), (piece + 1) * kPiece);
    for (const auto& other : partial) {
      for (std::size_t j = piece * kPiece; j < end; ++j) H[j] += other[j];
    }
  });
}

// The sum of what task(i, sums) adds for every row, of any rank, whose c is not zero. Every part
// adds into a vector of its own; no more parts than pay for clearing them.
template <typename Task>
std::vector<double> add_up(std::size_t values, std::span<const double> c, std::size_t width,
                           ThreadPool& pool, Task&& task) {
  const std::size_t parts = std::clamp<std::size_t>(values / (4 * width + 1), 1, 4);
  std::vector<std::vector<double>> partial(parts);
  pool.for_each(parts, [&](std::size_t part) {
    partial[part].assign(width, 0.0);
    const std::size_t begin = c.size() * part / parts;
    const std::size_t end = c.size() * (part + 1) / parts;
    for (std::size_t i = begin; i < end; ++i) {
      if (c[i] != 0.0) task(i, partial[part].data());
    }
  });
  for (std::size_t part = 1; part < parts; ++part) {
    for (std::size_t j = 0; j < width; ++j) partial[0][j] += partial[part][j];
  }
  sum_over_ranks(partial[0], pool.ranks());
  return std::move(partial[0]);
}

}  // namespace

double sum_over_rows(std::span<const double> values, Collective& ranks) {
  double total = std::accumulate(values.begin(), values.end(), 0.0);
  ranks.sum({&total, 1});
  return total;
}

std::vector<double> gather_numbers(std::span<const double> mine, Collective& ranks) {
  std::vector<double> all;
  for (const std::string& part :
       ranks.gather({reinterpret_cast<const char*>(mine.data()), mine.size_bytes()})) {
    const std::size_t before = all.size();
    all.resize(before + part.size() / sizeof(double));
    if (!part.empty()) std::memcpy(all.data() + before, part.data(), part.size());
  }
  return all;
}

double largest_over_ranks(double value, Collective& ranks) {
  for (const double other : gather_over_ranks(value, ranks)) value = std::max(value, other);
  return value;
}

// A dense sum costs every rank about two vectors on the wire; gathered parts cost the entries of
// all ranks.
void sum_over_ranks(std::span<double> values, Collective& ranks) {
  if (ranks.size() == 1) return;
  struct Entry {
    std::uint64_t place;
    double value;
  };
  double entries = 0;
  for (const double value : values) entries += value != 0.0 ? 1.0 : 0.0;
  ranks.sum({&entries, 1});
  const double dense_bytes = 2.0 * sizeof(double) * static_cast<double>(values.size());
  if (entries * sizeof(Entry) >= dense_bytes) {
    ranks.sum(values);
    return;
  }
  std::vector<Entry> mine;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (values[j] != 0.0) mine.push_back({j, values[j]});
    values[j] = 0.0;
  }
  const auto all =
      ranks.gather({reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(Entry)});
  for (const std::string& part : all) {
    for (std::size_t at = 0; at + sizeof(Entry) <= part.size(); at += sizeof(Entry)) {
      Entry entry;
      std::memcpy(&entry, part.data() + at, sizeof entry);
      if (entry.place < values.size()) values[entry.place] += entry.value;
    }
  }
}

void multiply(const Dataset& data, std::span<const double> w, std::span<double> z,
              ThreadPool& pool) {
  with_rows(data, [&](const auto& rows) {
    for_row_blocks(z.size(), pool, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) z[i] = dot(rows.row(i), w.data());
    });
  });
}

std::vector<double> combine(const Dataset& data, std::span<const double> a, ThreadPool& pool) {
  return with_rows(data, [&](const auto& rows) {
    return add_up(stored_values(data), a, data.features(), pool,
                  [&](std::size_t i, double* sums) { add(rows.row(i), a[i], sums); });
  });
}

std::vector<double> combine_some(const Dataset& data, std::span<const RowId> ids,
                                 std::span<const double> a, ThreadPool& pool) {
  const double share =
      static_cast<double>(ids.size()) / static_cast<double>(std::max<std::size_t>(1, data.rows()));
  const auto values = static_cast<std::size_t>(share * static_cast<double>(stored_values(data)));
  return with_rows(data, [&](const auto& rows) {
    return add_up(values, a, data.features(), pool,
                  [&](std::size_t k, double* sums) { add(rows.row(ids[k]), a[k], sums); });
  });
}

std::vector<double> weighted_squares(const Dataset& data, std::span<const double> c,
                                     ThreadPool& pool) {
  return with_rows(data, [&](const auto& rows) {
    return add_up(stored_values(data), c, data.features(), pool,
                  [&](std::size_t i, double* sums) { add_squares(rows.row(i), c[i], sums); });
  });
}

std::vector<double> weighted_product(const Dataset& data, std::span<const double> c, double B,
                                     std::span<const double> v, ThreadPool& pool) {
  const std::size_t d = data.features();
  const bool has_constant = v.size() > d;
  const double constant = has_constant ? B * v[d] : 0.0;
  return with_rows(data, [&](const auto& rows) {
    return add_up(stored_values(data), c, v.size(), pool, [&](std::size_t i, double* sums) {
      const auto x = rows.row(i);
      const double scaled = c[i] * (dot(x, v.data()) + constant);
      add(x, scaled, sums);
      if (has_constant) sums[d] += scaled * B;
    });
  });
}

// Columns are shared out among the threads: every sum is over all rows in their order.
std::vector<double> combine_columns(const Dataset& data, std::span<const double> A,
                                    std::size_t columns, double scale, ThreadPool& pool) {
  std::vector<double> G(data.features() * columns);
  const std::size_t rows = columns > 0 ? A.size() / columns : 0;
  pool.for_each((columns + kColumnsPerTask - 1) / kColumnsPerTask, [&](std::size_t task) {
    const std::size_t first = task * kColumnsPerTask;
    const std::size_t last = std::min(columns, first + kColumnsPerTask);
    for (std::size_t i = 0; i < rows; ++i) {
      const double* of_row = A.data() + i * columns;
      const bool any =
          std::any_of(of_row + first, of_row + last, [](double value) { return value != 0.0; });
      if (!any) continue;
      const RowView row = data.row(i);
      for (std::size_t j = 0; j < row.values.size(); ++j) {
        double* out = G.data() + (row.dense ? j : row.ids[j]) * columns;
        const double x = scale * double{row.values[j]};
        for (std::size_t r = first; r < last; ++r) out[r] += of_row[r] * x;
      }
    }
  });
  pool.ranks().sum(G);
  return G;
}

std::vector<double> column_sums(std::span<const double> A, std::size_t columns, Collective& ranks) {
  std::vector<double> sums(columns);
  for (std::size_t k = 0; k < A.size(); ++k) sums[k % columns] += A[k];
  ranks.sum(sums);
  return sums;
}

namespace {

// The lower triangle of the matrices of all ranks: half of the numbers need not travel.
void sum_triangles(std::size_t features, std::size_t side, std::span<double> H, ThreadPool& pool) {
  if (pool.is_alone()) return;
  std::vector<double> triangle;
  triangle.reserve(features * (features + 1) / 2);
  for (std::size_t i = 0; i < features; ++i) {
    triangle.insert(triangle.end(), H.data() + i * side, H.data() + i * side + i + 1);
  }
  pool.ranks().sum(triangle);
  const double* from = triangle.data();
  for (std::size_t i = 0; i < features; ++i, from += i) {
    std::copy_n(from, i + 1, H.data() + i * side);
  }
}

void gram_of_rows_at_hand(const Dataset& data, std::span<const double> c, std::size_t side,
                          std::span<double> H, ThreadPool& pool) {
  std::vector<std::uint32_t> ids;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (c[i] != 0.0) ids.push_back(static_cast<std::uint32_t>(i));
  }
  std::fill(H.begin(), H.end(), 0.0);
  const std::size_t features = data.features();
  const auto d = static_cast<double>(features);
  const double per_row = static_cast<double>(stored_values(data)) /
                         static_cast<double>(std::max<std::size_t>(1, data.rows()));
  const double per_row_squared = per_row * per_row;
  const bool scatters = !data.is_dense() && kScatterCost * per_row_squared < d * d;
  const double additions =
      static_cast<double>(ids.size()) * (scatters ? per_row_squared : d * d / kScatterCost);
  const auto parts = static_cast<std::size_t>(
      std::clamp(additions / (kAdditionsPerEntry * d * d + 1.0), 1.0, kMostParts));
  if (scatters) {
    const SparseRows rows(data.sparse());
    return sum_over_parts(ids, parts, H, pool, [&](auto mine, double* out) {
      for (const auto i : mine) scatter(rows.row(i), c[i], side, out);
    });
  }
  with_rows(data, [&](const auto& rows) {
    if (strips_of(features) >= kManyStrips) {
      return add_products_by_bands(rows, ids, c, features, side, H.data(), pool);
    }
    sum_over_parts(ids, parts, H, pool, [&](auto mine, double* out) {
      add_products(rows, mine, c, features, side, out);
    });
  });
}

}  // namespace

void weighted_gram(const Dataset& data, std::span<const double> c, std::size_t side,
                   std::span<double> H, ThreadPool& pool) {
  gram_of_rows_at_hand(data, c, side, H, pool);
  sum_triangles(data.features(), side, H, pool);
}

}  // namespace pegasos
