// The Poisson bootstrap: how metrics vary over resamples of the rows. See pegasos/evaluation.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pegasos/evaluation.h"

namespace pegasos {

// How often each row counts in a resample: Poisson with mean 1, rounded to multiples of 2^-16.
void draw_counts(std::uint64_t seed, std::uint64_t resample, std::span<std::uint8_t> counts);

// The percentile by linear interpolation between order statistics, as NumPy does it.
double percentile(std::span<const double> ascending, double share);

// Writes the statistics of a resample, given how often each row counts. Called from many threads.
using ResampleStatistics =
    std::function<void(std::span<const std::uint8_t> counts, std::span<double> statistics)>;

// An interval for each of so many statistics. NaN, a resample without a value, is left out; where
// more than half are, there is no interval.
std::vector<std::optional<Interval>> bootstrap_intervals(const BootstrapOptions& options,
                                                         int threads, std::size_t rows,
                                                         std::size_t statistics,
                                                         const ResampleStatistics& compute);

}  // namespace pegasos
