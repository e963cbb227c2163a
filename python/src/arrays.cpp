#include "arrays.h"

#include <memory>
#include <span>

#include "pegasos/error.h"

namespace pegasos::python {
namespace {

template <typename T>
std::span<const T> span_of(const Array<T>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

// References to Python objects that may be let go of by any thread.
std::shared_ptr<const void> keep(RowArrays arrays) {
  return {new RowArrays(std::move(arrays)), [](RowArrays* kept) {
            const py::gil_scoped_acquire gil;
            delete kept;
          }};
}

template <typename T>
py::array_t<T> view(std::span<const T> values, std::vector<py::ssize_t> shape,
                    const py::capsule& owner) {
  py::array_t<T> array(std::move(shape), values.data(), owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

}  // namespace

Dataset dataset_from(RowArrays arrays, Dataset::Contents dense_contents) {
  const auto contents = arrays.offsets ? Dataset::Contents::check : dense_contents;
  DatasetParts parts;
  parts.features = arrays.features;
  if (arrays.offsets) {
    if (!arrays.ids || arrays.offsets->size() == 0) {
      throw InvalidOption("offsets", "a sparse matrix has offsets and feature ids");
    }
    parts.rows = static_cast<std::size_t>(arrays.offsets->size()) - 1;
    parts.sparse =
        SparseMatrix{span_of(*arrays.offsets), span_of(*arrays.ids), span_of(arrays.values)};
  } else {
    if (arrays.values.ndim() != 2) throw InvalidOption("values", "a matrix has two dimensions");
    parts.rows = static_cast<std::size_t>(arrays.values.shape(0));
    parts.dense = DenseMatrix{span_of(arrays.values), arrays.features};
  }
  if (arrays.labels) parts.labels = span_of(*arrays.labels);
  if (arrays.weights) parts.weights = span_of(*arrays.weights);
  Schema schema;
  schema.indices = IndexMap::contiguous(0, parts.features);
  schema.label_words = arrays.label_words;
  schema.feature_names = arrays.feature_names;
  parts.schema = std::make_shared<const Schema>(std::move(schema));
  parts.owner = keep(std::move(arrays));
  const py::gil_scoped_release release;
  return Dataset::from_parts(std::move(parts), contents);
}

py::object rows_to_numpy(const Dataset& data) {
  const py::capsule owner(new Dataset(data), [](void* one) { delete static_cast<Dataset*>(one); });
  const auto rows = static_cast<py::ssize_t>(data.rows());
  const auto features = static_cast<py::ssize_t>(data.features());
  if (data.is_dense()) {
    return view(data.dense().values.first(data.rows() * data.features()), {rows, features}, owner);
  }
  if (data.rows() == 0) return py::none();
  const SparseMatrix& matrix = data.sparse();
  const auto all = static_cast<py::ssize_t>(matrix.values.size());
  return py::make_tuple(view(matrix.values, {all}, owner), view(matrix.features, {all}, owner),
                        view(matrix.offsets, {rows + 1}, owner));
}

}  // namespace pegasos::python
