// The Poisson bootstrap: how metrics vary over resamples of the rows. See pegasos/evaluation.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pegasos/evaluation.h"

namespace pegasos {

// How many rows of each unit a resample has: the sum of as many Poisson variables of mean 1 as the
// unit has rows. For units of a few rows these are drawn, from a table with steps of 2^-16; for
// more a normal variable of the same mean and variance stands for their sum.
void draw_counts(std::uint64_t seed, std::uint64_t resample,
                 std::span<const std::uint32_t> rows_of_units, std::span<double> counts);

// The percentile by linear interpolation between order statistics, as NumPy does it.
double percentile(std::span<const double> ascending, double share);

// Rows are resampled in units: each for itself, or many that are alike for all purposes together.
// Up to so many rows are units of their own.
inline constexpr std::size_t kMostSingleRows = 50'000;

// Writes the statistics of a resample, given how often each unit's rows count. Called from many
// threads.
using ResampleStatistics =
    std::function<void(std::span<const double> counts, std::span<double> statistics)>;

// An interval for each of so many statistics; `units` has the rows of each unit. NaN, a resample
// without a value, is left out; where more than half are, there is no interval.
std::vector<std::optional<Interval>> bootstrap_intervals(const BootstrapOptions& options,
                                                         int threads,
                                                         std::span<const std::uint32_t> units,
                                                         std::size_t statistics,
                                                         const ResampleStatistics& compute);

}  // namespace pegasos
