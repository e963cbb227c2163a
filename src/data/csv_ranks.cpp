#include "data/csv_ranks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <string>

#include "base/archive.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

using Sums = RowBlock::NumberSums;

void gather_sums(CsvGathered& gathered, Collective& ranks) {
  std::vector<double> totals;
  for (const Sums& one : gathered.sums) totals.insert(totals.end(), {one.sum, one.squares});
  for (const std::uint64_t holes : gathered.missing) totals.push_back(static_cast<double>(holes));
  totals.push_back(static_cast<double>(gathered.rows));
  ranks.sum(totals);
  std::size_t next = 0;
  for (Sums& one : gathered.sums) {
    one.sum = totals[next++];
    one.squares = totals[next++];
  }
  for (std::uint64_t& holes : gathered.missing) {
    holes = static_cast<std::uint64_t>(totals[next++]);
  }
  gathered.rows = static_cast<std::uint64_t>(totals[next]);
  const std::size_t bytes = gathered.sums.size() * sizeof(Sums);
  const auto all = ranks.gather({reinterpret_cast<const char*>(gathered.sums.data()), bytes});
  std::vector<Sums> theirs(gathered.sums.size());
  for (const std::string& part : all) {
    if (bytes > 0) std::memcpy(theirs.data(), part.data(), std::min(part.size(), bytes));
    for (std::size_t f = 0; f < theirs.size(); ++f) {
      gathered.sums[f].smallest = std::min(gathered.sums[f].smallest, theirs[f].smallest);
      gathered.sums[f].largest = std::max(gathered.sums[f].largest, theirs[f].largest);
    }
  }
}

void gather_words(CsvGathered& gathered, Collective& ranks) {
  ArchiveWriter writer;
  std::uint64_t count = gathered.words.words().size();
  writer(count);
  for (std::uint64_t k = 0; k < count; ++k) {
    std::uint32_t column = gathered.words.words().column(k);
    std::string text(gathered.words.words().text(k));
    writer(column, text);
  }
  for (const std::string& part : ranks.gather(std::move(writer).bytes())) {
    ArchiveReader reader(part);
    reader(count);
    for (std::uint64_t k = 0; k < count; ++k) {
      std::uint32_t column = 0;
      std::string text;
      reader(column, text);
      gathered.words.add(column, text);
    }
  }
}

void gather_hashed_terms(CsvGathered& gathered, Collective& ranks) {
  const std::vector<std::uint64_t> mine(gathered.hashed_terms.begin(), gathered.hashed_terms.end());
  for (const std::string& part : ranks.gather(
           {reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(std::uint64_t)})) {
    std::vector<std::uint64_t> theirs(part.size() / sizeof(std::uint64_t));
    if (!part.empty()) std::memcpy(theirs.data(), part.data(), part.size());
    gathered.hashed_terms.insert(theirs.begin(), theirs.end());
  }
}

// A number whose order is that of the floats, and back.
std::uint32_t key_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value == 0.0F ? 0.0F : value);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}
float value_of(std::uint32_t key) {
  return std::bit_cast<float>((key & 0x80000000U) != 0 ? key & 0x7fffffffU : ~key);
}

// The value that has k smaller ones or equal ones before it: byte after byte of its key, by how
// many values have each.
float value_at(std::span<const float> values, double k, Collective& ranks) {
  std::uint32_t key = 0;
  for (int shift = 24; shift >= 0; shift -= 8) {
    const std::uint32_t known = shift == 24 ? 0 : ~std::uint32_t{0} << (shift + 8);
    std::array<double, 256> counts = {};
    for (const float value : values) {
      const std::uint32_t its = key_of(value);
      if ((its & known) == key) counts[(its >> shift) & 0xffU] += 1;
    }
    ranks.sum(counts);
    std::uint32_t digit = 0;
    while (digit < 255 && k >= counts[digit]) k -= counts[digit++];
    key |= digit << shift;
  }
  return value_of(key);
}

double median_of(std::span<float> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return static_cast<double>(*middle);
  const float below = *std::max_element(values.begin(), middle);
  return (static_cast<double>(below) + static_cast<double>(*middle)) / 2.0;
}

}  // namespace

void gather_table_over_ranks(CsvGathered& gathered, Collective& ranks) {
  if (ranks.size() == 1) return;
  gather_sums(gathered, ranks);
  gather_words(gathered, ranks);
  gather_hashed_terms(gathered, ranks);
}

void sum_counts_over_ranks(std::span<std::uint32_t> counts, std::size_t fixed,
                           const WordList& words, Collective& ranks) {
  if (ranks.size() == 1) return;
  // All ranks have the same words by now; their order in the sum is that of columns and texts.
  std::vector<std::size_t> order(words.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&words](std::size_t a, std::size_t b) {
    return words.column(a) != words.column(b) ? words.column(a) < words.column(b)
                                              : words.text(a) < words.text(b);
  });
  std::vector<double> sums(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(fixed));
  for (const std::size_t k : order) sums.push_back(counts[fixed + k]);
  ranks.sum(sums);
  for (std::size_t f = 0; f < fixed; ++f) counts[f] = static_cast<std::uint32_t>(sums[f]);
  for (std::size_t k = 0; k < order.size(); ++k) {
    counts[fixed + order[k]] = static_cast<std::uint32_t>(sums[fixed + k]);
  }
}

double median_over_ranks(std::span<float> values, Collective& ranks) {
  if (ranks.size() == 1) return median_of(values);
  auto count = static_cast<double>(values.size());
  ranks.sum({&count, 1});
  if (count == 0) return 0.0;
  const auto whole = static_cast<std::uint64_t>(count);
  const std::uint64_t middle = whole / 2;
  const auto upper = static_cast<double>(value_at(values, static_cast<double>(middle), ranks));
  if (whole % 2 == 1) return upper;
  const float lower = value_at(values, static_cast<double>(middle - 1), ranks);
  return (static_cast<double>(lower) + upper) / 2.0;
}

}  // namespace pegasos
