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

enum class DataFormat { svmlight, csv, binary };

// Feature indices as written in a svmlight file ↔ feature ids. When the written range is no larger
// than the data (or small), id = index - base. Otherwise only the indices that occur get an id, in
// ascending order, so that memory follows the data and not the largest index.
class IndexMap {
 public:
  IndexMap() = default;
  static IndexMap contiguous(std::uint32_t base, std::uint64_t features);
  // `seen` ascends strictly.
  static IndexMap of_seen(std::uint32_t base, std::vector<std::uint32_t> seen);

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

enum class MissingValues { refuse, zero, mean };

// One column of a CSV file.
struct CsvColumn {
  enum class Role { number, words, label, weight, ignored };

  std::string name = {};  // from the header, else "column 3"
  Role role = Role::number;
  std::vector<std::string> words = {};  // of a words column, sorted; each is one feature
  std::uint32_t first_feature = 0;      // of a number or words column
  double mean = 0.0;                    // of a number column, fills holes under MissingValues::mean

  friend bool operator==(const CsvColumn&, const CsvColumn&) = default;
};

struct CsvLayout {
  char delimiter = ',';
  bool has_header = false;
  MissingValues missing = MissingValues::refuse;
  std::vector<CsvColumn> columns;

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

  friend bool operator==(const Schema&, const Schema&) = default;
};

}  // namespace pegasos
