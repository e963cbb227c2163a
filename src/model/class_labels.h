// The classes of data that has many, and which of them each row belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pegasos/dataset.h"

namespace pegasos {

// Throws InvalidOption where a label is missing.
void check_labels_present(const Dataset& data);

class ClassLabels {
 public:
  // All classes of the data. Throws InvalidOption where a row has no label, unless rows have sets.
  static ClassLabels of(const Dataset& data);
  // Those of a model; rows of other labels belong to none.
  ClassLabels(const Dataset& data, std::vector<double> classes);

  const std::vector<double>& classes() const { return classes_; }
  std::size_t rows() const { return label_of_row_.size(); }
  bool multilabel() const { return multilabel_; }

  bool has(std::size_t row, std::size_t of_class) const;
  // Has the row labels besides these classes?
  bool has_others(std::size_t row) const { return members_[label_of_row_[row]].others; }
  // The class of a row of one label, or as many as there are classes if it has none of them.
  std::size_t class_of(std::size_t row) const;

 private:
  std::vector<double> classes_;
  bool multilabel_ = false;
  struct Members {
    std::vector<std::uint32_t> classes = {};
    bool others = false;
  };
  std::vector<std::uint32_t> label_of_row_;  // a place in members_
  std::vector<Members> members_;             // of each label
};

}  // namespace pegasos
