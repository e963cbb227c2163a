// What is done with each column of a CSV file: decided from a sample and the options, or by the
// schema of a model.
//
// Columns are named by their header or by number from 1; a header wins. Without a schema the label
// is the column that is asked for, else the first called label, target, class or y (in this order,
// in any case), else the last one without another use.
//
// With a schema, columns are matched by name if both files have headers: their order is free,
// further columns are ignored, label and weight may be absent. Otherwise they are matched by
// position, and only the label may be absent. Of the options that name columns only label_column
// and weight_column count: all else is the model's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/csv_sample.h"
#include "data/word_table.h"
#include "pegasos/read.h"
#include "pegasos/schema.h"

namespace pegasos {

// Where the cells of one column go.
struct CsvTarget {
  CsvColumn::Role role = CsvColumn::Role::ignored;
  // Of numbers: the feature. Of words: the feature of word k of the table is feature + k, modulo
  // 2^32.
  FeatureId feature = 0;
  std::uint32_t column = 0;  // its place in the schema, also what word tables call it
  float fill = 0.0F;         // of numbers: stands in for an empty cell; NaN: filled later
};

// How a column is called.
struct CsvColumnName {
  std::string name;   // as in CsvColumn
  std::string shown;  // in messages: column 'age', column 3
  std::string typed;  // on a command line: age, 3
};

struct CsvPlan {
  char delimiter = ',';
  MissingValues missing = MissingValues::refuse;
  std::vector<CsvTarget> targets;    // one per column of the file
  std::vector<CsvColumnName> names;  // the same
  bool has_weight = false;
  std::size_t header_bytes = 0;  // 0: there is none
  std::uint64_t header_lines = 0;

  // Without a schema: the columns as they will be in the new one, but for words, means and feature
  // ids. Provisional ids are: of a number its column from 0, of a word the number of columns + k.
  CsvLayout layout;

  // With a schema: all words it has. Ids are final.
  bool by_schema = false;
  WordTable known_words;
  bool ascending = true;  // feature ids ascend from column to column
};

// Throws InvalidOption if an option names a column that is not there, ParseError if the header
// cannot be used.
CsvPlan plan_columns(const CsvSample& sample, const ReadOptions& options, const std::string& path);

}  // namespace pegasos
