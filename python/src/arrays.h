// NumPy arrays and Datasets: rows are borrowed in place, results are handed over without a copy.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pegasos/dataset.h"

namespace pegasos::python {

namespace py = pybind11;

// No conversion here: the package brings arrays into this form once, and says when it copies.
template <typename T>
using Array = py::array_t<T, py::array::c_style>;

struct RowArrays {
  std::size_t features = 0;
  Array<float> values = {};  // rows × features, or the stored values of a CSR matrix
  std::optional<Array<std::uint64_t>> offsets = {};
  std::optional<Array<std::uint32_t>> ids = {};
  std::optional<Array<double>> labels = {};
  std::optional<Array<double>> weights = {};
  std::vector<std::string> label_words = {};
  std::vector<std::string> feature_names = {};
};

// A Dataset that keeps the arrays alive. Throws InvalidOption for arrays that do not fit together,
// and for values that are not finite; those of a dense matrix may go unchecked.
Dataset dataset_from(RowArrays arrays, Dataset::Contents dense_contents);

// The rows of a Dataset as NumPy arrays that keep it alive: a 2-D array, or the tuple (values,
// indices, offsets) of a CSR matrix.
py::object rows_to_numpy(const Dataset& data);

// An array that owns the vector.
template <typename T>
py::array_t<T> to_numpy(std::vector<T> values, std::vector<py::ssize_t> shape = {}) {
  if (shape.empty()) shape = {static_cast<py::ssize_t>(values.size())};
  auto* kept = new std::vector<T>(std::move(values));
  const py::capsule owner(kept, [](void* one) { delete static_cast<std::vector<T>*>(one); });
  return py::array_t<T>(std::move(shape), kept->data(), owner);
}

}  // namespace pegasos::python
