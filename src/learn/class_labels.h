// The classes of data that has many, and the two-class problem that each machine sees.
//
// A machine's rows are a Dataset like any other, with labels +1 and -1 and the weights its rows
// have: so a machine is trained, verified and warm-started as a model of two classes. One against
// the rest shares all feature arrays with the data; one against one takes the rows of its classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/multiclass_model.h"

namespace pegasos {

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
  // The class of a row of one label, or as many as there are classes if it has none of them.
  std::size_t class_of(std::size_t row) const;

 private:
  std::vector<double> classes_;
  bool multilabel_ = false;
  std::vector<std::uint32_t> label_of_row_;          // a place in members_
  std::vector<std::vector<std::uint32_t>> members_;  // classes of each label
};

// The rows of machine k: `rows` has the features (mapped or not) and `weights` is empty or one for
// each of them.
Dataset machine_rows(const Dataset& rows, std::span<const double> weights,
                     const ClassLabels& labels, Strategy strategy, std::size_t k);

}  // namespace pegasos
