// What is done with each column of a CSV file: decided from a sample and the options, or by the
// schema of a model.
//
// Columns are named by their header or by number from 1; a header wins. Without a schema the label
// is the column that is asked for, else the first called label, target, class or y (in this order,
// in any case), else the last one without another use; but the first one where the last is text,
// as in files of a label, a tab and a text. The other columns are what their profile says.
//
// With a schema, columns are matched by name if both files have headers: their order is free,
// further columns are ignored, label and weight may be absent. Otherwise they are matched by
// position, and only the label may be absent. Of the options that name columns only label_column,
// weight_column and id_column count: all else is the model's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "data/csv_sample.h"
#include "data/word_table.h"
#include "pegasos/read.h"
#include "pegasos/schema.h"

namespace pegasos {

inline constexpr FeatureId kNoFeature = std::numeric_limits<FeatureId>::max();

// Where the cells of one column go.
struct CsvTarget {
  CsvColumn::Role role = CsvColumn::Role::ignored;
  // Of numbers: the feature. Of dates: the age. Of words: the feature of word k of the table is
  // feature + k, modulo 2^32; of hashed text that of hash 0.
  FeatureId feature = 0;
  FeatureId parts = 0;               // of dates: the year; the months and the rest come behind it
  FeatureId missing = kNoFeature;    // says that a cell is missing; kNoFeature: there is none
  std::uint32_t column = 0;          // its place in the schema, also what word tables call it
  const CsvColumn* about = nullptr;  // the column in the schema, or in the layout to be

  NumberStyle style = NumberStyle::plain;  // of numbers and labels, in this file
  // Numbers that the fast path may read: plainly written, not exact.
  bool is_fast = true;
  // Numbers are read as doubles and stored less scale.origin.
  bool is_exact = false;
  bool keeps_zeros = false;  // zeros are stored, for they will be shifted
  // With a schema: what is done to the numbers, and what stands in for a missing one.
  bool is_scaled = false;
  std::array<ColumnScale, 2> scale = {};
  // Without a schema NaN: filled later.
  float fill = 0.0F;
};

// How a column is called.
struct CsvColumnName {
  std::string name;   // as in CsvColumn
  std::string shown;  // in messages: column 'age', column 3
  std::string typed;  // on a command line: age, 3
};

struct CsvPlan {
  char delimiter = ',';
  bool quotes = true;
  MissingValues missing = MissingValues::median;
  MissingWords missing_words;
  MissingWords missing_labels;
  std::vector<CsvTarget> targets;      // one per column of the file
  std::vector<CsvColumnName> names;    // the same
  std::vector<ColumnProfile> profile;  // the same
  bool has_weight = false;
  bool has_label = false;
  std::optional<std::size_t> id;  // the column that names the rows
  std::size_t header_bytes = 0;   // 0: there is none
  // Before the first row: a line with the delimiter, and the header.
  std::size_t bytes_before = 0;
  std::uint64_t lines_before = 0;

  // Without a schema: the columns as they will be in the new one, but for words, means and feature
  // ids. Provisional ids are: of a number its column from 0; then the further features of columns,
  // 2^hash_bits for hashed text; a word has fixed_features + k.
  CsvLayout layout;
  FeatureId fixed_features = 0;
  // Of each provisional feature that is a number: what to subtract before adding up.
  std::vector<double> centres;
  bool needs_spread = false;  // of numbers: they are scaled, or dates
  bool has_text = false;

  // With a schema: all words it has. Ids are final.
  bool by_schema = false;
  bool by_position = false;
  std::vector<std::string> extra_columns;  // that the schema does not have
  WordTable known_words;
  std::vector<std::vector<double>> rarities;  // of the terms of each column of the schema
  bool ascending = true;                      // feature ids ascend from column to column
};

// Throws InvalidOption if an option names a column that is not there, ParseError if the header
// cannot be used. The targets point into the layout or the schema.
CsvPlan plan_columns(const CsvSample& sample, const ReadOptions& options, const std::string& path,
                     bool is_stream);

// The parts of it, for each other.
std::size_t find_column(const CsvPlan& plan, const std::string& wanted, const char* field);
CsvColumnName column_named(std::string name);
// "a, b, c and 4 more"
std::string first_names(const std::vector<std::string>& names, std::size_t most);
std::vector<std::string> plain_names(const std::vector<CsvColumnName>& names);
// Fills targets by the schema of the options.
void match_columns(CsvPlan& plan, const CsvSample& sample, const ReadOptions& options,
                   const std::string& path);

}  // namespace pegasos
