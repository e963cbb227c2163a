// Schema: how the columns of a user's file became features 0 … d-1 and labels.
//
// It is learned while a training file is read, kept in the model, and applied when another file is
// read with it, so that training and prediction cannot disagree about index base, column order,
// one-hot words or the meaning of a label.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pegasos {

enum class DataFormat { svmlight, csv, binary, json_lines };

std::string name_of(DataFormat format);  // "svmlight", "csv", "binary"

// Feature indices as written in a svmlight file ↔ feature ids. When the written range is no larger
// than the data (or small), id = index - base. Otherwise only the indices that occur get an id, in
// ascending order, so that memory follows the data and not the largest index.
class IndexMap {
 public:
  IndexMap() = default;
  static IndexMap contiguous(std::uint32_t base, std::uint64_t features);
  // `seen` ascends strictly.
  static IndexMap of_seen(std::uint32_t base, std::vector<std::uint32_t> seen);
  // Whether a range of so many indices is small, or no larger than data of so many non-zeros.
  static bool is_worth_its_range(std::uint64_t span, std::uint64_t non_zeros) {
    constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;
    return span <= (non_zeros > kSmall ? non_zeros : kSmall);
  }

  std::uint32_t base() const { return base_; }
  std::uint64_t features() const { return seen_.empty() ? features_ : seen_.size(); }
  bool is_contiguous() const { return seen_.empty(); }
  const std::vector<std::uint32_t>& seen() const { return seen_; }

  std::optional<std::uint32_t> id_of(std::uint32_t index) const;
  std::uint32_t index_of(std::uint32_t id) const { return seen_.empty() ? id + base_ : seen_[id]; }

  friend bool operator==(const IndexMap&, const IndexMap&) = default;

 private:
  std::uint32_t base_ = 1;
  std::uint64_t features_ = 0;
  std::vector<std::uint32_t> seen_;
};

// What stands in for a missing number: the mean or the median of the training file, or zero.
enum class MissingValues { refuse, zero, mean, median };

// How the numbers of a column are written. Decorated ones may have a currency sign, a percent sign
// and separators between groups of three digits: $1,200.50, 1.200,50 €, 10 %.
enum class NumberStyle { plain, decorated_point, decorated_comma };

// The order in which dates are written: 2024-01-31, 31.01.2024, 1/31/2024.
enum class DateOrder { year_first, day_first, month_first };

// A number x of a table becomes the feature (x - origin - shift) · factor. x - origin is rounded to
// a 32-bit float, so large numbers that lie close together stay apart.
struct ColumnScale {
  double origin = 0.0;
  double shift = 0.0;
  double factor = 1.0;

  friend bool operator==(const ColumnScale&, const ColumnScale&) = default;
};

// How text becomes features. A term is a run of 1 … word_grams words, or of char_from … char_to
// characters of a word with a blank at both ends; its value in a row is
//   (1 + ln count) · (1 + ln((1 + rows) / (1 + rows with the term))),
// and a row's values are divided by their Euclidean norm.
struct TextRules {
  std::uint32_t word_grams = 2;  // 0: no words
  std::uint32_t char_from = 3;   // 0: no characters
  std::uint32_t char_to = 5;
  std::uint32_t least_rows = 2;  // terms in fewer rows of the training file are left out
  std::uint32_t hash_bits = 0;   // 0: a vocabulary; else terms are hashed to 2^hash_bits features

  static constexpr std::uint32_t kMostWords = 8;
  static constexpr std::uint32_t kMostChars = 16;
  static constexpr std::uint32_t kMostHashBits = 26;
  void validate() const;  // throws InvalidOption

  friend bool operator==(const TextRules&, const TextRules&) = default;
};

// What a text column learned.
struct TextColumn {
  TextRules rules = {};
  std::uint64_t rows = 0;                     // of the training file
  std::vector<std::uint32_t> term_rows = {};  // rows with each term, or with each hash

  friend bool operator==(const TextColumn&, const TextColumn&) = default;
};

// One column of a CSV file.
struct CsvColumn {
  enum class Role { number, words, label, weight, ignored, text, date };

  std::string name = {};  // from the header, else "column 3"
  Role role = Role::number;
  // Of a words column its words, of a text column its terms (~ before those of characters); sorted.
  // Each is one feature.
  std::vector<std::string> words = {};
  std::uint32_t first_feature = 0;  // of a column with features
  double mean = 0.0;                // of a number column
  double median = 0.0;
  bool missing_feature = false;  // the last feature of the column says that a cell is missing
  NumberStyle style = NumberStyle::plain;  // of a number column, and of labels
  DateOrder date_order = DateOrder::year_first;
  bool has_time = false;                 // of a date column: hours are features
  std::vector<ColumnScale> scales = {};  // of the numbers of the column; none: as they are
  TextColumn text = {};

  // A date is its age in days (before the latest of the training file), its year, and one feature
  // for each month, weekday and hour.
  static constexpr std::uint32_t kMonths = 12;
  static constexpr std::uint32_t kWeekdays = 7;
  static constexpr std::uint32_t kHours = 24;

  // How many of its features, the first ones, are numbers that may be scaled.
  std::size_t numbers() const { return role == Role::number ? 1 : role == Role::date ? 2 : 0; }
  std::uint64_t features() const;
  // The name of feature k of the column: "age", "city=Rome", "day.month=3", "age (missing)".
  std::string feature_name(std::uint64_t k) const;

  friend bool operator==(const CsvColumn&, const CsvColumn&) = default;
};

struct CsvLayout {
  char delimiter = ',';
  bool has_header = false;
  MissingValues missing = MissingValues::refuse;
  std::vector<CsvColumn> columns = {};
  bool quotes = true;                // false: a quote is a character like any other
  std::vector<std::string> na = {};  // cells that mean a missing value, beside the empty one

  friend bool operator==(const CsvLayout&, const CsvLayout&) = default;
};

struct Schema {
  DataFormat source = DataFormat::svmlight;
  IndexMap indices;              // of a svmlight file
  std::optional<CsvLayout> csv;  // of a CSV file

  // When the labels are words, label value k means label_words[k]; sorted. Empty: plain numbers.
  std::vector<std::string> label_words;

  // Rows have sets of labels: a word is the members of one, in order, with commas between ("1,3").
  // Every member is a word by itself too. A row without a label has none of them.
  bool multilabel = false;

  // A label as text: its word, or the number in its shortest form.
  std::string label_text(double label) const;

  // d: how many features there are.
  std::uint64_t feature_count() const;

  // What to call a feature: its CSV column ("age", "city=Paris"), its name if names were given, or
  // its index as written in the file.
  std::string feature_name(std::uint32_t id) const;
  std::vector<std::string> feature_names;  // empty, or one per feature

  // The number in the file that has this value: numbers of a table may have been scaled.
  double number_in_file(std::uint32_t id, double value) const;

  friend bool operator==(const Schema&, const Schema&) = default;
};

}  // namespace pegasos
