#include "options.h"

#include <pybind11/stl.h>

#include <functional>
#include <map>
#include <string>

#include "model_handle.h"
#include "pegasos/error.h"

namespace pegasos::python {

namespace py = pybind11;

namespace {

// One of an enum's values by the name that name_of gives it.
template <typename Enum>
Enum by_name(const char* field, const py::handle& value, std::initializer_list<Enum> all) {
  const auto wanted = value.cast<std::string>();
  std::string known;
  for (const Enum one : all) {
    if (name_of(one) == wanted) return one;
    known += (known.empty() ? "" : ", ") + name_of(one);
  }
  throw InvalidOption(field, "'" + wanted + "' is none of " + known);
}

template <typename Found>
auto found(const char* field, const py::handle& value, Found&& find,
           const std::vector<std::string>& names) {
  const auto wanted = value.cast<std::string>();
  if (const auto one = find(wanted)) return *one;
  std::string known;
  for (const auto& name : names) known += (known.empty() ? "" : ", ") + name;
  throw InvalidOption(field, "'" + wanted + "' is none of " + known);
}

KernelKind kernel_kind(const py::handle& value) {
  return found("kernel", value, kernel_of_name, kernel_names());
}

Task task_of(const py::handle& value) {
  const auto name = value.cast<std::string>();
  if (name == "binary") return Task::binary;
  if (name == "multiclass") return Task::multiclass;
  if (name == "regression") return Task::regression;
  throw InvalidOption("task", "'" + name + "' is none of binary, multiclass, regression");
}

void set_gamma(TrainOptions& options, const py::handle& value) {
  if (!py::isinstance<py::str>(value)) {
    options.kernel->gamma = value.cast<double>();
    return;
  }
  const auto rule = value.cast<std::string>();
  if (rule != "scale" && rule != "auto") {
    throw InvalidOption("gamma", "'" + rule + "' is none of scale, auto");
  }
  options.gamma_rule = rule == "scale" ? GammaRule::scale : GammaRule::automatic;
}

using Setter = std::function<void(TrainOptions&, const py::handle&)>;

// Everything about a kernel needs options.kernel, which train_options_from sets first.
const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> all = {
      {"task", [](TrainOptions& o, const py::handle& v) { o.task = task_of(v); }},
      {"strategy",
       [](TrainOptions& o, const py::handle& v) {
         o.strategy = by_name("strategy", v,
                              {Strategy::one_against_rest, Strategy::one_against_one,
                               Strategy::joint});
       }},
      {"class_weights",
       [](TrainOptions& o, const py::handle& v) {
         for (const auto& [label, weight] : v.cast<std::map<std::string, double>>()) {
           o.class_weights.push_back({label, weight});
         }
       }},
      {"balanced", [](TrainOptions& o, const py::handle& v) { o.balanced = v.cast<bool>(); }},
      {"loss",
       [](TrainOptions& o, const py::handle& v) {
         o.loss = found("loss", v, loss_of_name, loss_names());
       }},
      {"epsilon", [](TrainOptions& o, const py::handle& v) { o.epsilon = v.cast<double>(); }},
      {"delta", [](TrainOptions& o, const py::handle& v) { o.delta = v.cast<double>(); }},
      {"lambda", [](TrainOptions& o, const py::handle& v) { o.lambda = v.cast<double>(); }},
      {"C", [](TrainOptions& o, const py::handle& v) { o.c = v.cast<double>(); }},
      {"tune_lambda", [](TrainOptions& o, const py::handle& v) { o.tune_lambda = v.cast<bool>(); }},
      {"bias",
       [](TrainOptions& o, const py::handle& v) {
         o.bias = by_name("bias", v,
                          {Bias::none, Bias::regularised, Bias::unregularised, Bias::exact});
       }},
      {"bias_feature",
       [](TrainOptions& o, const py::handle& v) { o.bias_feature = v.cast<double>(); }},
      {"solver",
       [](TrainOptions& o, const py::handle& v) {
         o.solver.kind = by_name(
             "solver", v, {Solver::automatic, Solver::pegasos, Solver::sdca, Solver::newton});
       }},
      {"tolerance",
       [](TrainOptions& o, const py::handle& v) { o.solver.tolerance = v.cast<double>(); }},
      {"max_epochs",
       [](TrainOptions& o, const py::handle& v) {
         o.solver.max_epochs = v.cast<std::uint64_t>();
         o.solver.pegasos.epochs = *o.solver.max_epochs;
       }},
      {"batch",
       [](TrainOptions& o, const py::handle& v) {
         o.solver.pegasos.batch = v.cast<std::uint64_t>();
       }},
      {"sampling",
       [](TrainOptions& o, const py::handle& v) {
         o.solver.pegasos.sampling =
             by_name("sampling", v,
                     {Sampling::shuffle, Sampling::fixed, Sampling::iid,
                      Sampling::without_replacement});
       }},
      {"average",
       [](TrainOptions& o, const py::handle& v) {
         o.solver.pegasos.average =
             by_name("average", v,
                     {Average::last, Average::mean, Average::suffix, Average::weighted});
       }},
      {"project",
       [](TrainOptions& o, const py::handle& v) { o.solver.pegasos.project = v.cast<bool>(); }},
      {"seed",
       [](TrainOptions& o, const py::handle& v) {
         o.solver.pegasos.seed = v.cast<std::uint64_t>();
       }},
      {"scaling",
       [](TrainOptions& o, const py::handle& v) {
         o.scaling = found("scaling", v, scaling_of_name,
                           {name_of(ScalingKind::max_abs), name_of(ScalingKind::standard),
                            name_of(ScalingKind::min_max), name_of(ScalingKind::unit_row)});
       }},
      {"kernel", [](TrainOptions& o, const py::handle& v) { o.kernel->kind = kernel_kind(v); }},
      {"gamma", set_gamma},
      {"coef0", [](TrainOptions& o, const py::handle& v) { o.kernel->coef0 = v.cast<double>(); }},
      {"degree",
       [](TrainOptions& o, const py::handle& v) { o.kernel->degree = v.cast<unsigned>(); }},
      {"positive_semidefinite",
       [](TrainOptions& o, const py::handle& v) {
         o.kernel->vouched_positive_semidefinite = v.cast<bool>();
       }},
      {"cache_bytes",
       [](TrainOptions& o, const py::handle& v) { o.cache_bytes = v.cast<std::uint64_t>(); }},
      {"approximation",
       [](TrainOptions& o, const py::handle& v) {
         o.approximation = found("approximation", v, approximation_of_name,
                                 {name_of(Approximation::rff), name_of(Approximation::nystroem),
                                  name_of(Approximation::tensorsketch)});
       }},
      {"components",
       [](TrainOptions& o, const py::handle& v) { o.components = v.cast<std::size_t>(); }},
      {"start",
       [](TrainOptions& o, const py::handle& v) { o.start = v.cast<const ModelHandle&>().model; }},
      {"start_duals",
       [](TrainOptions& o, const py::handle& v) {
         o.start_duals = v.cast<std::vector<std::vector<double>>>();
       }},
      {"keep_duals", [](TrainOptions& o, const py::handle& v) { o.keep_duals = v.cast<bool>(); }},
      {"probabilities",
       [](TrainOptions& o, const py::handle& v) {
         o.probabilities =
             found("probabilities", v, calibration_of_name,
                   {name_of(CalibrationKind::platt), name_of(CalibrationKind::isotonic)});
       }},
      {"max_seconds",
       [](TrainOptions& o, const py::handle& v) { o.max_seconds = v.cast<double>(); }},
      {"threads", [](TrainOptions& o, const py::handle& v) { o.threads = v.cast<int>(); }},
  };
  return all;
}

}  // namespace

TrainOptions train_options_from(const py::dict& values) {
  TrainOptions options;
  if (values.contains("kernel") && !values["kernel"].is_none()) options.kernel.emplace();
  for (const auto& [key, value] : values) {
    if (value.is_none()) continue;
    const auto name = key.cast<std::string>();
    const auto setter = setters().find(name);
    if (setter == setters().end()) throw InvalidOption(name, "there is no such option");
    setter->second(options, value);
  }
  return options;
}

KernelOptions kernel_from(const py::dict& values) {
  return train_options_from(values).kernel.value_or(KernelOptions{});
}

}  // namespace pegasos::python
