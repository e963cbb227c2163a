// A data set in numbers. Rows are looked at in chunks of fixed size on all threads, and the chunks'
// results put together in order, so that the sums round the same way whatever the number of
// threads.
#include "pegasos/summary.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "data/number_text.h"
#include "pegasos/error.h"
#include "simd/arrays.h"

namespace pegasos {
namespace {

constexpr std::size_t kChunkRows = std::size_t{1} << 12;
constexpr std::size_t kMostKinds = 100;
constexpr std::size_t kFewKinds = 20;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The different labels with how often they occur, until there are too many to be classes.
class LabelKinds {
 public:
  bool too_many() const { return counts_.size() > kMostKinds; }
  std::size_t size() const { return counts_.size(); }
  const std::vector<LabelCount>& counts() const { return counts_; }

  void add(double label, std::uint64_t rows) {
    // Two labels in any order are found without a branch between them.
    if (last_ < counts_.size() && other_ < counts_.size()) {
      const std::size_t guess = counts_[last_].value == label ? last_ : other_;
      if (counts_[guess].value == label) {
        counts_[guess].rows += rows;
        return;
      }
    }
    const auto place =
        std::lower_bound(counts_.begin(), counts_.end(), label,
                         [](const LabelCount& count, double value) { return count.value < value; });
    other_ = last_;
    last_ = static_cast<std::size_t>(place - counts_.begin());
    if (place != counts_.end() && place->value == label) {
      place->rows += rows;
    } else if (!too_many()) {
      other_ += other_ >= last_ ? 1 : 0;               // it moves up with the rest
      counts_.insert(place, {label + 0.0, "", rows});  // -0 and 0 are one kind
    }
  }

  void add(const LabelKinds& other) {
    for (const auto& count : other.counts_) add(count.value, count.rows);
  }

  // All labels, or as many as it takes to be too many. Those of rows without one are NaN. The first
  // two kinds, most often the only ones, are counted without being looked up.
  void add_all(std::span<const double> labels) {
    double first = std::numeric_limits<double>::quiet_NaN();
    double second = first;
    std::uint64_t of_first = 0;
    std::uint64_t of_second = 0;
    for (const double label : labels) {
      const bool is_first = label == first;
      const bool is_second = label == second;
      of_first += is_first ? 1 : 0;
      of_second += is_second ? 1 : 0;
      if (is_first || is_second || std::isnan(label)) continue;
      add(label, 1);
      if (too_many()) return;
      if (std::isnan(first)) {
        first = label;
      } else if (std::isnan(second)) {
        second = label;
      }
    }
    if (of_first > 0) add(first, of_first);
    if (of_second > 0) add(second, of_second);
  }

 private:
  std::vector<LabelCount> counts_;  // by value, at most kMostKinds + 1
  std::size_t last_ = 0;            // where the last label was found that was not in one of these
  std::size_t other_ = 0;           // and the one before
};

// Classes have comparable numbers of rows; counts and prices have few rows at the ends.
bool are_of_like_size(const std::vector<LabelCount>& kinds) {
  std::uint64_t rows = 0;
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  for (const auto& kind : kinds) {
    rows += kind.rows;
    fewest = std::min(fewest, kind.rows);
  }
  return 10 * fewest * kinds.size() >= rows && rows >= 3 * kinds.size();
}

Task task_of(const LabelKinds& kinds, bool words) {
  if (kinds.size() < 2) return Task::none;
  if (kinds.size() == 2) return Task::binary;
  if (words) return Task::multiclass;
  const bool whole =
      std::all_of(kinds.counts().begin(), kinds.counts().end(),
                  [](const LabelCount& count) { return std::floor(count.value) == count.value; });
  if (!whole || kinds.too_many()) return Task::regression;
  return kinds.size() <= kFewKinds || are_of_like_size(kinds.counts()) ? Task::multiclass
                                                                       : Task::regression;
}

std::string name_of(double label, const std::vector<std::string>& words) {
  if (label >= 0 && label < static_cast<double>(words.size())) {
    return words[static_cast<std::size_t>(label)];
  }
  char text[kLongestNumber];
  return {text, write_number(text, label)};
}

// The largest size of each feature's values. A maximum, so threads may come in any order.
class FeatureSizes {
 public:
  explicit FeatureSizes(std::size_t features) : sizes_(features) {}

  void add(std::size_t id, float value) {
    auto& size = sizes_[id];
    const float candidate = std::abs(value);
    // Most are there already; looking first spares the threads fighting over cache lines.
    float seen = size.load(std::memory_order_relaxed);
    while (seen < candidate &&
           !size.compare_exchange_weak(seen, candidate, std::memory_order_relaxed)) {
    }
  }

  // Those of features that are not zero everywhere.
  void describe(DatasetSummary& summary) const {
    for (const auto& size : sizes_) {
      const double largest = size.load(std::memory_order_relaxed);
      if (largest == 0.0) continue;
      const bool first = summary.features_used++ == 0;
      summary.largest_feature = first ? largest : std::max(summary.largest_feature, largest);
      summary.smallest_feature = first ? largest : std::min(summary.smallest_feature, largest);
    }
  }

 private:
  std::vector<std::atomic<float>> sizes_;
};

struct Chunk {
  std::uint64_t non_zeros = 0;
  std::uint64_t empty_rows = 0;
  std::uint64_t longest_row = 0;
  double smallest_value = kInfinity;
  double largest_value = -kInfinity;
  double smallest_square = kInfinity;
  double largest_square = -kInfinity;

  std::uint64_t labelled = 0;
  double label_sum = 0.0;
  double smallest_label = kInfinity;
  double largest_label = -kInfinity;
  LabelKinds kinds;

  void add_row(const RowView& row, FeatureSizes& sizes) {
    const std::uint64_t length = simd::count_non_zeros(row.values);
    non_zeros += length;
    empty_rows += length == 0 ? 1 : 0;
    longest_row = std::max(longest_row, length);
    const simd::Range range = simd::range_of(row.values);
    smallest_value = std::min(smallest_value, double{range.smallest});
    largest_value = std::max(largest_value, double{range.largest});
    const double square = row.squared_norm();
    smallest_square = std::min(smallest_square, square);
    largest_square = std::max(largest_square, square);
    for (std::size_t j = 0; j < row.values.size(); ++j) {
      sizes.add(row.dense ? j : row.ids[j], row.values[j]);
    }
  }

  void add_label(double label) {
    if (std::isnan(label)) return;
    ++labelled;
    label_sum += label;
    smallest_label = std::min(smallest_label, label);
    largest_label = std::max(largest_label, label);
    kinds.add(label, 1);
  }

  void add(const Chunk& next) {
    non_zeros += next.non_zeros;
    empty_rows += next.empty_rows;
    longest_row = std::max(longest_row, next.longest_row);
    smallest_value = std::min(smallest_value, next.smallest_value);
    largest_value = std::max(largest_value, next.largest_value);
    smallest_square = std::min(smallest_square, next.smallest_square);
    largest_square = std::max(largest_square, next.largest_square);
    labelled += next.labelled;
    label_sum += next.label_sum;
    smallest_label = std::min(smallest_label, next.smallest_label);
    largest_label = std::max(largest_label, next.largest_label);
    kinds.add(next.kinds);
  }
};

struct ChunkItem {
  std::size_t first = 0;
  Chunk chunk;
};

Chunk add_up(const Dataset& data, ThreadPool& pool, FeatureSizes& sizes) {
  Chunk total;
  std::size_t next = 0;
  ordered_pipeline<ChunkItem>(
      pool,
      [&](ChunkItem& item) {
        if (next >= data.rows()) return false;
        item.first = next;
        next += kChunkRows;
        return true;
      },
      [&](ChunkItem& item) {
        item.chunk = Chunk();
        const std::size_t end = std::min(item.first + kChunkRows, data.rows());
        for (std::size_t i = item.first; i < end; ++i) {
          item.chunk.add_row(data.row(i), sizes);
          if (data.has_labels()) item.chunk.add_label(data.label(i));
        }
      },
      [&](ChunkItem& item) { total.add(item.chunk); });
  return total;
}

}  // namespace

DatasetSummary summarise(const Dataset& data, int threads) {
  if (threads < 0 || threads > 1024) throw InvalidOption("threads", "must be from 0 to 1024");
  ThreadPool pool(threads > 0 ? threads : available_cores());
  FeatureSizes sizes(data.features());
  const Chunk total = add_up(data, pool, sizes);

  DatasetSummary summary;
  summary.rows = data.rows();
  summary.features = data.features();
  sizes.describe(summary);
  summary.non_zeros = total.non_zeros;
  summary.dense = data.is_dense();
  summary.memory_bytes = data.memory_bytes();
  summary.empty_rows = total.empty_rows;
  summary.longest_row = total.longest_row;
  if (data.rows() > 0 && data.features() > 0) {
    summary.density = static_cast<double>(total.non_zeros) / static_cast<double>(data.rows()) /
                      static_cast<double>(data.features());
  }
  if (total.smallest_value <= total.largest_value) {
    summary.smallest_value = total.smallest_value;
    summary.largest_value = total.largest_value;
  }
  if (data.rows() > 0) {
    summary.smallest_norm = std::sqrt(total.smallest_square);
    summary.largest_norm = std::sqrt(total.largest_square);
  }

  const auto& words = data.schema().label_words;
  summary.task = task_of(total.kinds, !words.empty());
  summary.unlabelled_rows = data.rows() - total.labelled;
  summary.distinct_labels = total.kinds.size();
  if (!total.kinds.too_many()) {
    summary.labels = total.kinds.counts();
    for (auto& label : summary.labels) label.name = name_of(label.value, words);
  }
  if (total.labelled > 0) {
    summary.smallest_label = total.smallest_label;
    summary.largest_label = total.largest_label;
    summary.mean_label = total.label_sum / static_cast<double>(total.labelled);
  }
  return summary;
}

Task suggest_task(const Dataset& data) {
  if (!data.has_labels()) return Task::none;
  LabelKinds kinds;
  kinds.add_all(data.labels());
  return task_of(kinds, !data.schema().label_words.empty());
}

}  // namespace pegasos
