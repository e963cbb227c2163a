#include "pegasos/importance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "base/random.h"
#include "pegasos/error.h"
#include "pegasos/evaluate.h"

namespace pegasos {
namespace {

constexpr std::size_t kMostColumns = 10'000;

// Features from `first` on that move together.
struct Group {
  std::string name;
  FeatureId first = 0;
  FeatureId end = 0;

  bool has(FeatureId id) const { return id >= first && id < end; }
};

std::vector<Group> groups_of(const Dataset& rows) {
  std::vector<Group> groups;
  const Schema& schema = rows.schema();
  if (schema.csv) {
    for (const CsvColumn& column : schema.csv->columns) {
      const auto first = static_cast<FeatureId>(column.first_feature);
      const auto count = static_cast<FeatureId>(column.features());
      if (count > 0) groups.push_back({column.name, first, first + count});
    }
    return groups;
  }
  for (std::size_t j = 0; j < std::min(rows.features(), kMostColumns + 1); ++j) {
    const auto id = static_cast<FeatureId>(j);
    groups.push_back({schema.feature_name(id), id, id + 1});
  }
  return groups;
}

struct Arrays {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<FeatureId> ids = {};
  std::vector<float> values = {};

  // The features of a row, inside the group or outside of it, and between two ids.
  void add(const RowView& row, const Group& group, bool inside, FeatureId from, FeatureId to) {
    for (std::size_t e = 0; e < row.values.size(); ++e) {
      const FeatureId id = row.dense ? static_cast<FeatureId>(e) : row.ids[e];
      if (id < from || id >= to || group.has(id) != inside || row.values[e] == 0.0F) continue;
      ids.push_back(id);
      values.push_back(row.values[e]);
    }
  }
};

// The rows with the group's features of others: those of row `from[i]` in row i.
Dataset with_group_of(const Dataset& rows, const Group& group, std::span<const std::size_t> from) {
  const auto arrays = std::make_shared<Arrays>();
  const auto all = static_cast<FeatureId>(rows.features());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    arrays->add(rows.row(i), group, false, 0, group.first);
    arrays->add(rows.row(from[i]), group, true, group.first, group.end);
    arrays->add(rows.row(i), group, false, group.end, all);
    arrays->offsets.push_back(arrays->ids.size());
  }
  DatasetParts parts;
  parts.rows = rows.rows();
  parts.features = rows.features();
  parts.sparse = SparseMatrix{arrays->offsets, arrays->ids, arrays->values};
  parts.labels = rows.labels();
  parts.weights = rows.weights();
  parts.schema = rows.shared_schema();
  parts.owner = arrays;
  return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
}

ColumnImportance summary_of(std::string name, std::span<const double> rises) {
  const auto n = static_cast<double>(rises.size());
  ColumnImportance column{.name = std::move(name)};
  for (const double rise : rises) column.rise += rise / n;
  double squares = 0;
  for (const double rise : rises) squares += (rise - column.rise) * (rise - column.rise);
  if (rises.size() > 1) column.standard_error = std::sqrt(squares / (n - 1.0) / n);
  return column;
}

}  // namespace

void ImportanceOptions::validate() const {
  if (repeats == 0) throw InvalidOption("repeats", "must be at least 1");
  if (threads < 0 || threads > 1024) throw InvalidOption("threads", "must be from 0 to 1024");
}

Importances permutation_importance(const Model& model, const Dataset& rows,
                                   const ImportanceOptions& options) {
  options.validate();
  const std::vector<Group> groups = groups_of(rows);
  if (groups.size() > kMostColumns) {
    throw InvalidOption("importance", fmt::format("supports at most {} columns", kMostColumns));
  }
  Importances result;
  result.error = error_of(model, rows, options.threads);
  if (std::isnan(result.error)) {
    throw InvalidOption("importance", "needs labelled rows, to count errors");
  }
  std::vector<std::vector<double>> rises(groups.size());
  std::vector<std::size_t> from(rows.rows());
  for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) {
    std::iota(from.begin(), from.end(), std::size_t{0});
    Random(options.seed, repeat).shuffle(std::span(from));  // the same for every column
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const Dataset moved = with_group_of(rows, groups[g], from);
      rises[g].push_back(error_of(model, moved, options.threads) - result.error);
    }
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    result.columns.push_back(summary_of(groups[g].name, rises[g]));
  }
  std::stable_sort(
      result.columns.begin(), result.columns.end(),
      [](const ColumnImportance& a, const ColumnImportance& b) { return a.rise > b.rise; });
  return result;
}

}  // namespace pegasos
