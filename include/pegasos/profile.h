// What the columns of a table hold, judged by its first rows, and what is made of them.
//
// The sample is the first records of the file: up to 5,000 of them, up to 1 MiB. A column is
//
//   number      all cells are numbers, or numbers with currency, percent and group signs; a column
//               of numbers with a few stray words is one too, and the words are complained about
//   date        all cells are dates, with a time or without, in one order of day, month and year
//   text        words: several to a cell, and most cells differ
//   category    other words, and codes such as 020
//   identifier  every cell differs and says nothing: row numbers, keys, near-unique words
//   constant    all cells are the same
//
// Identifiers and constants are left out of the features, unless nothing else would be left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pegasos/schema.h"

namespace pegasos {

enum class ColumnKind { number, category, text, date, identifier, constant, ignored };

std::string name_of(ColumnKind kind);  // "number", "category", …
std::optional<ColumnKind> column_kind_of_name(const std::string& name);

// What a column is taken for, whatever its profile says.
struct ColumnChoice {
  std::string column = {};  // by name or by number from 1
  ColumnKind kind = ColumnKind::number;

  friend bool operator==(const ColumnChoice&, const ColumnChoice&) = default;
};

struct ColumnProfile {
  enum class Use { feature, label, weight, id, left_out };

  std::string name = {};
  ColumnKind kind = ColumnKind::number;
  Use use = Use::feature;
  std::uint64_t rows = 0;      // looked at
  std::uint64_t missing = 0;   // of them; after reading a whole file, of all its rows
  std::uint64_t distinct = 0;  // different cells among those looked at
  std::string values = {};     // a range, or the first few: "0.42 to 80", "male, female"
  std::string remark = {};     // "row numbers: left out", "numbers such as '$1,200'"
  std::uint64_t features = 0;  // after reading: how many it became
  // Of dates: the order of day and month that fits them as well, where nothing but a rule of thumb
  // decided.
  std::optional<DateOrder> also_fits = {};
};

struct ReadOptions;

// The profiles of the columns of a table; reads its beginning only, and needs no row to be correct.
// Empty for a file that is not a table. Throws ParseError only if there is nothing to look at.
std::vector<ColumnProfile> profile_columns(const std::string& path, const ReadOptions& options);

}  // namespace pegasos
