#include "eval/bootstrap.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/cores.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// 2^16 times the distribution function of Poisson(1) at 0 … 7: e^-1 sum_{j ≤ k} 1/j!.
// Rounded so, the mean is exactly 1.
constexpr std::array<std::uint16_t, 8> kBelow = {24109, 48219, 60273, 64292,
                                                 65296, 65497, 65531, 65535};

// From so many rows on the sum is taken to be normal.
constexpr std::uint32_t kManyRows = 16;

// The sum of comparisons has no branch to mispredict.
double count_of(std::uint32_t bits) {
  std::uint32_t count = 0;
  for (const std::uint16_t bound : kBelow) count += bits >= bound ? 1U : 0U;
  return count;
}

// Two counts from each random word.
class Counts {
 public:
  Counts(std::uint64_t seed, std::uint64_t stream) : random_(seed, stream) {}

  double of_row() {
    if (has_half_) {
      has_half_ = false;
      return count_of(word_ >> 16);
    }
    word_ = random_.next32();
    has_half_ = true;
    return count_of(word_ & 0xffffU);
  }

  double of_rows(std::uint32_t rows) {
    if (rows >= kManyRows) {
      const double mean = rows;
      return std::max(0.0, std::round(mean + std::sqrt(mean) * random_.normal()));
    }
    double sum = 0;
    for (std::uint32_t i = 0; i < rows; ++i) sum += of_row();
    return sum;
  }

 private:
  Random random_;
  std::uint32_t word_ = 0;
  bool has_half_ = false;
};

}  // namespace

void BootstrapOptions::validate() const {
  if (resamples < 2) throw InvalidOption("resamples", "must be 2 or more");
  if (resamples > 1'000'000) throw InvalidOption("resamples", "must be at most 1,000,000");
  if (!(confidence > 0 && confidence < 1)) {
    throw InvalidOption("confidence", "must be between 0 and 1");
  }
}

void draw_counts(std::uint64_t seed, std::uint64_t resample,
                 std::span<const std::uint32_t> rows_of_units, std::span<double> counts) {
  Counts draw(seed, resample);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = rows_of_units[i] == 1 ? draw.of_row() : draw.of_rows(rows_of_units[i]);
  }
}

double percentile(std::span<const double> ascending, double share) {
  const double place = share * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  const double part = place - static_cast<double>(below);
  return ascending[below] + part * (ascending[above] - ascending[below]);
}

std::vector<std::optional<Interval>> bootstrap_intervals(const BootstrapOptions& options,
                                                         int threads,
                                                         std::span<const std::uint32_t> units,
                                                         std::size_t statistics,
                                                         const ResampleStatistics& compute) {
  options.validate();
  std::vector<double> values(options.resamples * statistics);
  ThreadPool pool(threads > 0 ? threads : available_cores());
  pool.for_each(options.resamples, [&](std::size_t resample) {
    std::vector<double> counts(units.size());
    draw_counts(options.seed, resample, units, counts);
    compute(counts, std::span(values).subspan(resample * statistics, statistics));
  });
  std::vector<std::optional<Interval>> intervals(statistics);
  for (std::size_t k = 0; k < statistics; ++k) {
    std::vector<double> found;
    for (std::size_t resample = 0; resample < options.resamples; ++resample) {
      const double value = values[resample * statistics + k];
      if (!std::isnan(value)) found.push_back(value);
    }
    if (2 * found.size() <= options.resamples) continue;
    std::sort(found.begin(), found.end());
    const double tail = 0.5 * (1.0 - options.confidence);
    intervals[k] = Interval{percentile(found, tail), percentile(found, 1.0 - tail)};
  }
  return intervals;
}

}  // namespace pegasos
