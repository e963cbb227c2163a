#include "data/row_groups.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace pegasos {
namespace {

constexpr std::size_t kRowsPerTask = 2048;
constexpr std::size_t kSample = 4096;
// Of the sample, the share of rows that must be equal to another one. Equal pairs are rarely both
// in it, so this is far below the share that is worth merging.
constexpr double kPromisingShare = 0.005;
// A sample is taken at its word if it has less than this part of what would be expected.
constexpr double kOfExpected = 0.7;
constexpr std::size_t kPrefetchAhead = 16;
constexpr RowId kNobody = static_cast<RowId>(-1);

std::uint64_t hash_of(const RowView& row, double y) {
  const std::uint64_t values = XXH3_64bits_withSeed(row.values.data(), row.values.size_bytes(),
                                                    std::bit_cast<std::uint64_t>(y));
  return row.dense ? values : XXH3_64bits_withSeed(row.ids.data(), row.ids.size_bytes(), values);
}

template <typename T>
bool same_bytes(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

bool are_equal(const RowView& a, const RowView& b) {
  return same_bytes(a.values, b.values) && same_bytes(a.ids, b.ids);
}

// How many hashes equal an earlier one. Open addressing; 0 is an empty place, and a hash of 0
// passes for new.
std::size_t count_repeated(std::span<const std::uint64_t> hashes) {
  const std::size_t mask = std::bit_ceil(2 * hashes.size()) - 1;
  std::vector<std::uint64_t> places(mask + 1);
  std::size_t repeated = 0;
  for (const std::uint64_t hash : hashes) {
    std::size_t place = hash & mask;
    while (places[place] != 0 && places[place] != hash) place = (place + 1) & mask;
    repeated += places[place] == hash && hash != 0 ? 1 : 0;
    places[place] = hash;
  }
  return repeated;
}

// A sample spread over all rows has as many equal rows as it takes to be worth a look at all. If
// rows are equal in pairs, a sample of a part of them has that part of the share of equal rows; if
// many are equal, it has more.
bool looks_repetitive(const Dataset& data, std::span<const double> y, double most_left) {
  const std::size_t count = std::min(kSample, y.size());
  std::vector<std::uint64_t> hashes(count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = k * y.size() / count;
    hashes[k] = hash_of(data.row(i), y[i]);
  }
  const double part = static_cast<double>(count) / static_cast<double>(y.size());
  const double wanted = std::max(kPromisingShare, kOfExpected * part * (1.0 - most_left));
  return static_cast<double>(count_repeated(hashes)) > wanted * static_cast<double>(count);
}

}  // namespace

std::optional<RowGroups> group_equal_rows(const Dataset& data, std::span<const double> y,
                                          double most_left, ThreadPool& pool) {
  const std::size_t m = y.size();
  if (!looks_repetitive(data, y, most_left)) return std::nullopt;
  std::vector<std::uint64_t> hashes(m);
  pool.for_each((m + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task) {
    const std::size_t end = std::min(m, (task + 1) * kRowsPerTask);
    for (std::size_t i = task * kRowsPerTask; i < end; ++i) {
      hashes[i] = hash_of(data.row(i), y[i]);
    }
  });
  // Open addressing; a place holds the number of a group.
  const std::size_t mask = std::bit_ceil(2 * m) - 1;
  std::vector<RowId> places(mask + 1, kNobody);
  RowGroups groups;
  groups.group_of.resize(m);
  for (std::size_t i = 0; i < m; ++i) {
    if (i + kPrefetchAhead < m) __builtin_prefetch(&places[hashes[i + kPrefetchAhead] & mask], 1);
    std::size_t place = hashes[i] & mask;
    for (; places[place] != kNobody; place = (place + 1) & mask) {
      const RowId first = groups.firsts[places[place]];
      if (hashes[first] == hashes[i] && y[first] == y[i] &&
          are_equal(data.row(first), data.row(i))) {
        break;
      }
    }
    if (places[place] == kNobody) {
      places[place] = static_cast<RowId>(groups.firsts.size());
      groups.firsts.push_back(static_cast<RowId>(i));
    }
    groups.group_of[i] = places[place];
  }
  const double left = static_cast<double>(groups.firsts.size()) / static_cast<double>(m);
  if (left > most_left) return std::nullopt;
  return groups;
}

}  // namespace pegasos
