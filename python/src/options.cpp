#include "options.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model_handle.h"
#include "pegasos/error.h"
#include "pegasos/options.h"

namespace pegasos::python {

namespace py = pybind11;

namespace {

// What the library's option table does not say: values that are no text, and the two tasks that the
// labels decide elsewhere, but that classes_ has already decided in Python.
using Setter = std::function<void(TrainOptions&, const py::handle&)>;

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> all = {
      {"task",
       [](TrainOptions& options, const py::handle& value) {
         static const std::map<std::string, Task> tasks = {{"binary", Task::binary},
                                                           {"multiclass", Task::multiclass},
                                                           {"regression", Task::regression}};
         options.task = tasks.at(value.cast<std::string>());
       }},
      {"tune_lambda", [](TrainOptions& options,
                         const py::handle& value) { options.tune_lambda = value.cast<bool>(); }},
      {"start",
       [](TrainOptions& options, const py::handle& value) {
         options.start = value.cast<const ModelHandle&>().model;
       }},
      {"start_duals",
       [](TrainOptions& options, const py::handle& value) {
         options.start_duals = value.cast<std::vector<std::vector<double>>>();
       }},
  };
  return all;
}

// A value as the text that the option table understands. Numbers keep every bit.
std::string text_of(const py::handle& value) {
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "yes" : "no";
  if (py::isinstance<py::int_>(value)) return py::str(value).cast<std::string>();
  return fmt::format("{}", value.cast<double>());
}

// Of a list or dictionary one text for each of its entries, for these "spam=10".
std::vector<std::string> texts_of(const py::handle& value) {
  if (py::isinstance<py::list>(value)) {
    std::vector<std::string> texts;
    for (const py::handle item : value) texts.push_back(text_of(item));
    return texts;
  }
  if (!py::isinstance<py::dict>(value)) return {text_of(value)};
  std::vector<std::string> texts;
  for (const auto& [key, item] : value.cast<py::dict>()) {
    texts.push_back(fmt::format("{}={}", text_of(key), text_of(item)));
  }
  return texts;
}

void set_option(TrainOptions& options, const std::string& name, const py::handle& value) {
  if (const auto setter = setters().find(name); setter != setters().end()) {
    setter->second(options, value);
    return;
  }
  const auto* entry = find_option(train_option_table(), name == "C" ? "c" : name);
  if (entry == nullptr) throw InvalidOption(name, "there is no such option");
  for (const std::string& text : texts_of(value)) entry->set(options, text);
}

}  // namespace

TrainOptions train_options_from(const py::dict& values) {
  TrainOptions options;
  for (const auto& [key, value] : values) {
    if (!value.is_none()) set_option(options, key.cast<std::string>(), value);
  }
  // Online learning has epochs of Pegasos alone.
  if (options.solver.max_epochs) options.solver.pegasos.epochs = *options.solver.max_epochs;
  return options;
}

TuneOptions tune_options_from(const py::dict& train, const py::dict& search) {
  TuneOptions options;
  options.train = train_options_from(train);
  for (const auto& [key, value] : search) {
    const auto name = key.cast<std::string>();
    const auto* entry = find_option(tune_option_table(), name);
    if (entry == nullptr) throw InvalidOption(name, "there is no such option");
    if (value.is_none()) continue;
    for (const std::string& text : texts_of(value)) entry->set(options, text);
  }
  return options;
}

KernelOptions kernel_from(const py::dict& values) {
  return train_options_from(values).kernel.value_or(KernelOptions{});
}

}  // namespace pegasos::python
