// Models: bytes and files, and what is in them.
#include "pegasos/model.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <utility>

#include "arrays.h"
#include "model_handle.h"
#include "pegasos/decision.h"
#include "pegasos/error.h"
#include "scores.h"

namespace pegasos::python {
namespace {

const FeatureMap* map_of(const Model& model) {
  const auto pointer = [](const std::optional<FeatureMap>& map) { return map ? &*map : nullptr; };
  if (const auto* linear = std::get_if<LinearModel>(&model)) return pointer(linear->map);
  const auto* many = std::get_if<MulticlassModel>(&model);
  return many != nullptr && many->linear() != nullptr ? pointer(many->linear()->map) : nullptr;
}

const KernelOptions* kernel_of(const Model& model) {
  if (const auto* kernel = std::get_if<KernelModel>(&model)) return &kernel->kernel;
  const auto* many = std::get_if<MulticlassModel>(&model);
  if (many != nullptr && many->kernels() != nullptr) return &many->kernels()->kernel;
  const FeatureMap* map = map_of(model);
  return map != nullptr ? &map->options().kernel : nullptr;
}

// Weights in the order of the classes; of scaled features as those of the features themselves.
struct Weights {
  std::size_t classifiers = 0;
  std::size_t features = 0;
  std::vector<double> w = {};
  std::vector<double> b = {};
};

std::optional<Weights> weights_of(const Model& model) {
  Weights all;
  const auto& scaling = base_of(model).scaling;
  const auto add = [&](std::vector<double> w, double b) {
    if (scaling && scaling->kind != ScalingKind::unit_row && map_of(model) == nullptr) {
      unscale_weights(*scaling, w, b);
    }
    all.features = w.size();
    all.w.insert(all.w.end(), w.begin(), w.end());
    all.b.push_back(b);
    ++all.classifiers;
  };
  if (const auto* linear = std::get_if<LinearModel>(&model)) {
    add(linear->w, linear->b);
    return all;
  }
  const auto* many = std::get_if<MulticlassModel>(&model);
  if (many == nullptr || many->linear() == nullptr) return std::nullopt;
  for (std::size_t k = 0; k < many->classifiers.size(); ++k) {
    add(many->weights_of(k), many->classifiers[k].b);
  }
  return all;
}

py::object coef(const ModelHandle& self) {
  auto all = weights_of(*self.model);
  if (!all) return py::none();
  return to_numpy(std::move(all->w), {static_cast<py::ssize_t>(all->classifiers),
                                      static_cast<py::ssize_t>(all->features)});
}

py::array_t<double> intercept(const ModelHandle& self) {
  if (auto all = weights_of(*self.model)) return to_numpy(std::move(all->b));
  std::vector<double> b;
  if (const auto* many = std::get_if<MulticlassModel>(self.model.get())) {
    for (const Classifier& classifier : many->classifiers) b.push_back(classifier.b);
  } else {
    b.push_back(single_output(*self.model)->b);
  }
  return to_numpy(std::move(b));
}

// Label values in the order of columns: of two classes the negative one first.
py::object classes(const ModelHandle& self) {
  std::vector<std::pair<double, std::string>> all;
  const ModelBase& base = base_of(*self.model);
  if (const auto* many = std::get_if<MulticlassModel>(self.model.get())) {
    for (const double label : many->classes) all.emplace_back(label, base.label_text(label));
  } else {
    const auto& labels = single_output(*self.model)->labels;
    if (!labels) return py::none();
    const SingleOutputModel& single = *single_output(*self.model);
    all.emplace_back(labels->negative.value_or(0.0), single.negative_text());
    all.emplace_back(labels->positive, single.positive_text());
  }
  return py::cast(all);
}

py::object certificate_to_python(const std::optional<Certificate>& certificate) {
  if (!certificate) return py::none();
  py::dict result;
  result["primal"] = certificate->primal;
  result["regulariser"] = certificate->regulariser;
  result["mean_loss"] = certificate->mean_loss;
  result["dual"] = certificate->dual;
  result["relative_gap"] = certificate->share();
  result["wrong"] = certificate->wrong;
  return result;
}

py::list certificates(const ModelHandle& self) {
  py::list all;
  const auto* many = std::get_if<MulticlassModel>(self.model.get());
  if (many == nullptr || many->joint) {
    all.append(py::make_tuple("", certificate_to_python(certificate_of(*self.model))));
    return all;
  }
  for (std::size_t k = 0; k < many->classifiers.size(); ++k) {
    all.append(py::make_tuple(many->classifier_name(k),
                              certificate_to_python(many->classifiers[k].certificate)));
  }
  return all;
}

py::list duals(const ModelHandle& self) {
  py::list all;
  const auto add = [&all](const std::vector<double>& a) {
    if (!a.empty()) all.append(to_numpy(a));
  };
  if (const auto* single = single_output(*self.model)) {
    add(single->duals);
    return all;
  }
  const MulticlassModel& many = *std::get_if<MulticlassModel>(self.model.get());
  if (many.joint) {
    add(many.joint->duals);
    return all;
  }
  for (const Classifier& classifier : many.classifiers) add(classifier.duals);
  return all;
}

py::dict record(const ModelHandle& self) {
  const ModelBase& base = base_of(*self.model);
  py::dict result;
  result["solver"] = base.record.solver;
  py::dict settings;
  for (const Setting& one : base.record.settings) settings[py::str(one.name)] = one.value;
  result["settings"] = settings;
  result["rows"] = base.record.rows;
  result["epochs"] = base.record.epochs;
  result["steps"] = base.record.steps;
  result["seed"] = base.record.seed;
  result["interrupted"] = base.record.interrupted;
  std::vector<std::uint64_t> epochs;
  if (const auto* many = std::get_if<MulticlassModel>(self.model.get());
      many != nullptr && !many->joint) {
    for (const Classifier& classifier : many->classifiers) epochs.push_back(classifier.epochs);
  } else {
    epochs.push_back(base.record.epochs);
  }
  result["epochs_of_machines"] = epochs;
  result["lambda"] = base.lambda;
  result["loss"] = name_of(base.loss.loss);
  result["bias"] = name_of(base.bias);
  result["scaling"] = base.scaling ? py::cast(name_of(base.scaling->kind)) : py::none();
  return result;
}

py::object kernel(const ModelHandle& self) {
  const KernelOptions* options = kernel_of(*self.model);
  if (options == nullptr) return py::none();
  py::dict result;
  result["kernel"] = name_of(options->kind);
  result["gamma"] = options->gamma;
  result["coef0"] = options->coef0;
  result["degree"] = options->degree;
  return result;
}

// Of a kernel machine: its vectors (or None for a precomputed kernel), the columns of the matrix
// instead, and a row of coefficients for each classifier, or for each other class.
py::object support(const ModelHandle& self) {
  const auto matrix = [](const std::vector<double>& values, std::size_t width) {
    return to_numpy(
        values, {static_cast<py::ssize_t>(values.size() / width), static_cast<py::ssize_t>(width)});
  };
  const auto rows = [](const Dataset& vectors) -> py::object {
    if (vectors.rows() == 0) return py::none();
    return rows_to_numpy(vectors);
  };
  if (const auto* one = std::get_if<KernelModel>(self.model.get())) {
    return py::make_tuple(rows(one->support_vectors), to_numpy(one->columns),
                          matrix(one->coefficients, 1));
  }
  const auto* many = std::get_if<MulticlassModel>(self.model.get());
  if (many == nullptr || many->kernels() == nullptr) return py::none();
  const KernelClassifiers& kernels = *many->kernels();
  return py::make_tuple(rows(kernels.support_vectors), to_numpy(kernels.columns),
                        matrix(kernels.coefficients, many->coefficients_per_vector()));
}

Model load_any(const std::string& path) {
  if (is_liblinear_file(path)) return load_liblinear(path);
  if (is_libsvm_file(path)) return load_libsvm(path);
  return load_model(path);
}

std::vector<std::string> export_to(const ModelHandle& self, const std::string& path,
                                   const std::string& format) {
  const Model& model = *self.model;
  const auto* many = std::get_if<MulticlassModel>(&model);
  if (format == "liblinear") {
    if (const auto* linear = std::get_if<LinearModel>(&model)) return save_liblinear(*linear, path);
    if (many != nullptr && many->linear() != nullptr) return save_liblinear(*many, path);
    throw InvalidOption("format", "LIBLINEAR has linear models only");
  }
  if (format == "libsvm") {
    if (const auto* one = std::get_if<KernelModel>(&model)) return save_libsvm(*one, path);
    if (many != nullptr && many->kernels() != nullptr) return save_libsvm(*many, path);
    throw InvalidOption("format", "LIBSVM models are kernel machines; this model is linear");
  }
  throw InvalidOption("format", "'" + format + "' is not one of liblinear, libsvm");
}

std::optional<std::string> strategy(const ModelHandle& self) {
  const auto* many = std::get_if<MulticlassModel>(self.model.get());
  return many == nullptr ? std::nullopt : std::optional(name_of(many->strategy));
}

std::vector<std::string> feature_names(const ModelHandle& self) {
  const Schema& schema = *base_of(*self.model).schema;
  std::vector<std::string> names;
  for (std::uint64_t id = 0; id < schema.feature_count(); ++id) {
    names.push_back(schema.feature_name(static_cast<std::uint32_t>(id)));
  }
  return names;
}

}  // namespace

void bind_model(py::module_& module) {
  py::class_<ModelHandle>(module, "Model")
      .def_static("from_bytes",
                  [](const py::bytes& bytes) {
                    const std::string_view view = bytes;
                    return ModelHandle{std::make_shared<const Model>(
                        load_model_from_memory({view.data(), view.size()}, "the model"))};
                  })
      .def_static("load",
                  [](const std::string& path) {
                    return ModelHandle{std::make_shared<const Model>(load_any(path))};
                  })
      .def("to_bytes",
           [](const ModelHandle& self) { return py::bytes(save_model_to_memory(*self.model)); })
      .def("save",
           [](const ModelHandle& self, const std::string& path) { save_model(*self.model, path); })
      .def("export", &export_to, py::arg("path"), py::arg("format"))
      .def_property_readonly("is_kernel_machine",
                             [](const ModelHandle& self) {
                               return kernel_of(*self.model) != nullptr &&
                                      map_of(*self.model) == nullptr;
                             })
      .def_property_readonly("shows_bad_values",
                             [](const ModelHandle& self) { return shows_bad_values(*self.model); })
      .def_property_readonly("has_map",
                             [](const ModelHandle& self) { return map_of(*self.model) != nullptr; })
      .def_property_readonly("strategy", &strategy)
      .def_property_readonly(
          "n_features",
          [](const ModelHandle& self) { return base_of(*self.model).schema->feature_count(); })
      .def_property_readonly("has_feature_names",
                             [](const ModelHandle& self) {
                               const Schema& schema = *base_of(*self.model).schema;
                               return schema.csv || !schema.feature_names.empty();
                             })
      .def_property_readonly(
          "has_label_words",
          [](const ModelHandle& self) { return !base_of(*self.model).schema->label_words.empty(); })
      .def_property_readonly(
          "has_probabilities",
          [](const ModelHandle& self) { return Decision(*self.model).has_probabilities(); })
      .def_property_readonly("certificate",
                             [](const ModelHandle& self) {
                               return certificate_to_python(certificate_of(*self.model));
                             })
      .def_property_readonly("certificates", &certificates)
      .def_property_readonly("duals", &duals)
      .def_property_readonly("record", &record)
      .def_property_readonly("kernel", &kernel)
      .def("support", &support)
      .def("coef", &coef)
      .def("intercept", &intercept)
      .def("classes", &classes)
      .def("feature_names", &feature_names)
      .def("decisions", &decision_values, py::arg("rows"), py::arg("threads"))
      .def("pair_decisions", &pair_decision_values, py::arg("rows"), py::arg("threads"))
      .def("predict", &predict, py::arg("rows"), py::arg("threads"))
      .def("probabilities", &probabilities, py::arg("rows"), py::arg("threads"));
}

}  // namespace pegasos::python
