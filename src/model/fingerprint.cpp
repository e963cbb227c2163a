// The fingerprint of data: one number for what the rows say, however they are stored.
//
// A row is hashed as label, weight, count, and the (id, value) pairs that are not zero, with its
// number as the seed; the hashes of all rows are added up modulo 2^64, so that the work can be
// divided among threads and among processes. The result is the hash of the number of rows, the
// label words and that sum. Zero has one sign, a missing label one NaN.
#include "model/fingerprint.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "math/passes.h"
#include "pegasos/error.h"
#include "pegasos/model.h"
#include "simd/arrays.h"

namespace pegasos {
namespace {

constexpr std::size_t kRowsInABlock = 4096;

std::uint64_t canonical_bits(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
}

// The pairs of a row behind each other, value first, in 64 bits each; returns how many are not
// zero. Rows of files have no zeros, and then whole vectors are shuffled.
std::size_t write_pairs(const RowView& row, std::uint32_t* out) {
  const std::size_t size = row.values.size();
  if (!row.dense && simd::count_non_zeros(row.values) == size) {
    for (std::size_t j = 0; j < size; ++j) {
      out[2 * j] = std::bit_cast<std::uint32_t>(row.values[j]);
      out[2 * j + 1] = row.ids[j];
    }
    return size;
  }
  std::size_t written = 0;
  for (std::size_t j = 0; j < size; ++j) {
    out[2 * written] = std::bit_cast<std::uint32_t>(row.values[j]);
    out[2 * written + 1] = row.dense ? static_cast<std::uint32_t>(j) : row.ids[j];
    written += row.values[j] != 0 ? 1 : 0;
  }
  return written;
}

std::uint64_t sum_of_hashes(const Dataset& data, std::size_t begin, std::size_t end,
                            std::uint64_t first_row) {
  std::uint64_t sum = 0;
  std::vector<std::uint32_t> words;
  constexpr std::size_t kFacts = 3;
  for (std::size_t i = begin; i < end; ++i) {
    const RowView row = data.row(i);
    const double label =
        data.has_labels() ? data.label(i) : std::numeric_limits<double>::quiet_NaN();
    words.resize(std::max(words.size(), 2 * (kFacts + row.values.size())));
    const std::size_t pairs = write_pairs(row, words.data() + 2 * kFacts);
    const std::array<std::uint64_t, kFacts> facts = {canonical_bits(label),
                                                     canonical_bits(data.weight(i)), pairs};
    std::memcpy(words.data(), facts.data(), sizeof facts);
    sum +=
        XXH3_64bits_withSeed(words.data(), (kFacts + pairs) * sizeof(std::uint64_t), first_row + i);
  }
  return sum;
}

std::uint64_t finish(std::uint64_t rows, std::uint64_t sum, const Schema& schema) {
  const std::array<std::uint64_t, 2> whole = {rows, sum};
  std::string facts(reinterpret_cast<const char*>(whole.data()), sizeof whole);
  if (rows > 0) {
    for (const auto& word : schema.label_words) facts += word + '\0';
  }
  return XXH3_64bits(facts.data(), facts.size());
}

}  // namespace

void RunningFingerprint::add(const Dataset& rows) {
  sum_ += sum_of_hashes(rows, 0, rows.rows(), rows_);
  rows_ += rows.rows();
}

std::uint64_t RunningFingerprint::value(const Schema& schema) const {
  return finish(rows_, sum_, schema);
}

std::uint64_t fingerprint(const Dataset& data, int threads, std::uint64_t rows_before,
                          Collective& ranks) {
  if (threads < 0) throw InvalidOption("threads", "must be 0 or more");
  const std::size_t blocks = (data.rows() + kRowsInABlock - 1) / kRowsInABlock;
  std::vector<std::uint64_t> sums(blocks);
  const int wanted = threads > 0 ? threads : available_cores();
  ThreadPool pool(
      static_cast<int>(std::clamp<std::size_t>(blocks, 1, static_cast<std::size_t>(wanted))));
  pool.for_each(blocks, [&](std::size_t block) {
    const std::size_t begin = block * kRowsInABlock;
    sums[block] =
        sum_of_hashes(data, begin, std::min(begin + kRowsInABlock, data.rows()), rows_before);
  });
  struct Part {
    std::uint64_t rows;
    std::uint64_t sum;
  };
  const Part mine{data.rows(), std::accumulate(sums.begin(), sums.end(), std::uint64_t{0})};
  Part whole{0, 0};
  for (const Part& part : gather_over_ranks(mine, ranks)) {
    whole.rows += part.rows;
    whole.sum += part.sum;
  }
  return finish(whole.rows, whole.sum, data.schema());
}

}  // namespace pegasos
