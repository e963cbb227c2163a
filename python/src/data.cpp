// Datasets and svmlight files.
#include <pybind11/stl.h>

#include <utility>

#include "arrays.h"
#include "interrupts.h"
#include "model_handle.h"
#include "pegasos/error.h"
#include "pegasos/read.h"
#include "pegasos/write.h"

namespace pegasos::python {
namespace {

Dataset make_dataset(std::size_t features, const py::array& values, const py::object& offsets,
                     const py::object& ids, const py::object& labels, const py::object& weights,
                     std::vector<std::string> label_words, std::vector<std::string> feature_names,
                     bool check) {
  const auto exactly = [](const py::handle& value, auto example, const char* name) {
    using T = decltype(example);
    if (!Array<T>::check_(value)) {
      throw InvalidOption(name, "an array of another type or layout than the binding takes");
    }
    return py::reinterpret_borrow<Array<T>>(value);
  };
  RowArrays arrays;
  arrays.features = features;
  arrays.values = exactly(values, float{}, "values");
  if (!offsets.is_none()) arrays.offsets.emplace(exactly(offsets, std::uint64_t{}, "offsets"));
  if (!ids.is_none()) arrays.ids.emplace(exactly(ids, std::uint32_t{}, "ids"));
  if (!labels.is_none()) arrays.labels.emplace(exactly(labels, double{}, "labels"));
  if (!weights.is_none()) arrays.weights.emplace(exactly(weights, double{}, "weights"));
  arrays.label_words = std::move(label_words);
  arrays.feature_names = std::move(feature_names);
  return dataset_from(std::move(arrays),
                      check ? Dataset::Contents::check : Dataset::Contents::trusted);
}

// A file by its path, or text in memory.
py::dict read_svmlight(const std::optional<std::string>& path, const py::object& bytes,
                       const std::string& name, std::optional<std::uint32_t> index_base,
                       int threads) {
  Interrupts interrupts;
  ReadOptions options;
  options.format = DataFormat::svmlight;
  options.index_base = index_base;
  options.keep_sparse = true;
  options.threads = threads;
  options.watch = [&](const ReadProgress&) { return !interrupts.asked_to_stop(); };
  std::string_view text;
  if (!bytes.is_none()) text = bytes.cast<std::string_view>();
  std::optional<ReadResult> read;
  try {
    read = interrupts.run([&] {
      return path ? read_dataset(*path, options)
                  : read_dataset_from_memory({text.data(), text.size()}, name, options);
    });
  } catch (const Cancelled&) {
    py::dict nothing;
    nothing["raised"] = interrupts.raised();
    return nothing;
  }
  const Schema& schema = read->data.schema();
  py::dict result;
  result["rows"] = rows_to_numpy(read->data);
  result["features"] = read->data.features();
  result["labels"] =
      to_numpy(std::vector<double>(read->data.labels().begin(), read->data.labels().end()));
  result["label_words"] = schema.label_words;
  result["multilabel"] = schema.multilabel;
  result["index_base"] = schema.indices.base();
  result["seen"] = schema.indices.is_contiguous() ? py::object(py::none())
                                                  : py::object(to_numpy(schema.indices.seen()));
  result["rows_with_qid"] = read->notes.rows_with_qid;
  result["raised"] = interrupts.raised();
  return result;
}

void write_python(const Dataset& data, const std::string& path, std::uint32_t index_base,
                  bool multilabel, int threads) {
  auto schema = std::make_shared<Schema>(data.schema());
  schema->indices = IndexMap::contiguous(index_base, data.features());
  schema->multilabel = multilabel;
  DatasetParts parts = data.parts();
  parts.schema = std::move(schema);
  const Dataset named = Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
  const py::gil_scoped_release release;
  write_svmlight(named, path, {.threads = threads});
}

}  // namespace

void bind_data(py::module_& module) {
  py::class_<Dataset>(module, "Dataset")
      .def(py::init(&make_dataset), py::arg("features"), py::arg("values"),
           py::arg("offsets") = py::none(), py::arg("ids") = py::none(),
           py::arg("labels") = py::none(), py::arg("weights") = py::none(),
           py::arg("label_words") = std::vector<std::string>(),
           py::arg("feature_names") = std::vector<std::string>(), py::arg("check") = true)
      .def_property_readonly("rows", &Dataset::rows)
      .def_property_readonly("features", &Dataset::features)
      .def_property_readonly("memory_bytes", &Dataset::memory_bytes);
  module.def("read_svmlight", &read_svmlight, py::arg("path"), py::arg("bytes"), py::arg("name"),
             py::arg("index_base"), py::arg("threads"));
  module.def("write_svmlight", &write_python, py::arg("data"), py::arg("path"),
             py::arg("index_base"), py::arg("multilabel"), py::arg("threads"));
}

}  // namespace pegasos::python
