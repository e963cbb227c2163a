// What evaluations of classes have in common: the numbers a resample recomputes, and how they
// become part of the result.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eval/checks.h"
#include "pegasos/evaluation.h"

namespace pegasos {

// Names for the numbers of a resample.
enum Statistic : std::size_t {
  kAccuracy,
  kBalancedAccuracy,
  kMatthews,
  kMacroF1,
  kPrecision,
  kRecall,
  kF1,
  kLogLoss,
  kBrier,
  kRocAuc,
  kPrAuc,
  kStatistics
};

// Those that follow from the confusion.
void fill_from(const ConfusionMatrix& confusion, std::span<double> out);

// The two losses of a row.
struct RowLosses {
  double log = 0.0;
  double brier = 0.0;
};

// What a pass over rows adds up beside the confusion.
struct LossSums {
  double log = 0.0;
  double brier = 0.0;
  double rows = 0.0;

  void add(const RowLosses& losses, double w) {
    log += w * losses.log;
    brier += w * losses.brier;
    rows += w;
  }
  void fill(std::span<double> out) const {
    out[kLogLoss] = ratio_or(log, rows, kUndefined);
    out[kBrier] = ratio_or(brier, rows, kUndefined);
  }
};

// Confusion, classes and averages, and the values of the first statistics.
void describe(const ConfusionMatrix& confusion, std::vector<std::string> names,
              Classification& result);

// One for each statistic.
void take_intervals(const std::vector<std::optional<Interval>>& intervals, Classification& result);

// An evaluation of so many rows without its result. Throws InvalidOption.
Evaluation started(std::size_t rows, std::span<const double> weights,
                   const EvaluationOptions& options);

}  // namespace pegasos
