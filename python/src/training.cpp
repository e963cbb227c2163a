// Training, verification and reports.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "arrays.h"
#include "collective.h"
#include "interrupts.h"
#include "model_handle.h"
#include "options.h"
#include "pegasos/error.h"
#include "pegasos/online.h"
#include "pegasos/report.h"
#include "pegasos/report_contents.h"
#include "pegasos/train.h"
#include "pegasos/verify.h"

namespace pegasos::python {
namespace {

const char* phase_name(TrainingPhase phase) {
  switch (phase) {
    case TrainingPhase::search:
      return "search";
    case TrainingPhase::calibration:
      return "calibration";
    default:
      return "training";
  }
}

py::dict report_to_python(const TrainingReport& report) {
  py::dict result;
  result["phase"] = phase_name(report.phase);
  result["solver"] = name_of(report.solver);
  result["epoch"] = report.epoch;
  result["steps"] = report.steps;
  result["objective"] = report.primal.objective();
  result["dual"] = report.dual;
  const auto certificate = report.certificate();
  const double gap = certificate ? certificate->relative_gap() : INFINITY;
  result["gap"] = std::isfinite(gap) ? py::cast(gap) : py::none();
  result["wrong"] = report.primal.wrong;
  result["norm"] = report.norm;
  result["classifier"] = report.classifier.index;
  result["classifiers"] = report.classifier.count;
  result["finished"] = report.classifier.finished;
  result["name"] = report.classifier.name;
  return result;
}

const char* ending_name(Ending ending) {
  switch (ending) {
    case Ending::stopped_by_caller:
      return "stopped";
    case Ending::out_of_time:
      return "out of time";
    default:
      return "finished";
  }
}

py::dict trained_to_python(Trained trained, const py::object& raised) {
  py::dict result;
  py::list trace;
  for (const TracedReport& moment : trained.trace) {
    py::dict one = report_to_python(moment.report);
    one["seconds"] = moment.seconds;
    trace.append(one);
  }
  py::list duals;
  for (auto& a : trained.duals) duals.append(to_numpy(std::move(a)));
  result["model"] = ModelHandle{std::make_shared<const Model>(std::move(trained.model))};
  result["trace"] = trace;
  result["duals"] = duals;
  result["reason"] = trained.reason;
  result["started_from"] = trained.started_from;
  result["ending"] = ending_name(trained.ending);
  result["seconds"] = trained.seconds;
  result["lambda"] = trained.options.lambda;
  result["gamma"] = trained.options.kernel && trained.options.kernel->uses_gamma()
                        ? py::cast(trained.options.kernel->gamma)
                        : py::none();
  result["raised"] = raised;
  return result;
}

// Raises what a callback or a signal handler has raised.
[[noreturn]] void raise(const py::object& raised) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
  throw py::error_already_set();
}

// `callback` is called with every event, if it is not None; a true answer ends the run. `ranks` is
// None, or has rank, size and the three functions of a Collective.
py::dict train_python(const Dataset& data, const py::dict& values, const py::object& callback,
                      const py::object& ranks) {
  TrainOptions options = train_options_from(values);
  Interrupts interrupts;
  if (!ranks.is_none()) options.ranks = collective_of(ranks, interrupts);
  Watch watch;
  watch.stop = [&interrupts] { return interrupts.asked_to_stop(); };
  // Ranks end together, which a hurry of one of them would not wait for.
  if (ranks.is_none()) watch.hurry = [&interrupts] { return interrupts.in_a_hurry(); };
  if (!callback.is_none()) {
    watch.event = [&](const TrainingEvent& event) {
      if (interrupts.asked_to_stop()) return;
      const py::gil_scoped_acquire gil;
      try {
        if (py::bool_(callback(report_to_python(event.report)))) interrupts.stop();
      } catch (py::error_already_set& error) {
        interrupts.keep(error);
      }
    };
  }
  try {
    Trained trained = interrupts.run([&] {
      const auto begin = std::chrono::steady_clock::now();
      Trained result = train(data, options, watch);
      // Only the support vectors of a kernel machine are made of them. Letting go of them gives the
      // memory of the solver back to the system, which is a part of what training takes.
      if (!options.is_kernel_machine()) result.duals.clear();
      result.seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      return result;
    });
    return trained_to_python(std::move(trained), interrupts.raised());
  } catch (const Cancelled&) {
    py::dict nothing;
    nothing["model"] = py::none();
    nothing["raised"] = interrupts.raised();
    return nothing;
  } catch (const Error&) {
    if (!ranks.is_none() && interrupts.has_raised()) raise(interrupts.raised());
    throw;
  }
}

// A model of given weights, to begin from: a row of them for each class, or one for the second of
// two classes.
ModelHandle start_from_weights(const Dataset& data, const Array<double>& coef,
                               const std::vector<double>& intercept,
                               const std::vector<double>& classes) {
  const auto count = static_cast<std::size_t>(coef.shape(0));
  const auto features = static_cast<std::size_t>(coef.shape(1));
  if (coef.ndim() != 2 || features != data.features() || intercept.size() != count ||
      count != (classes.size() == 2 ? 1 : classes.size())) {
    throw InvalidOption("start", "has weights of another shape than the data");
  }
  const double* weights = coef.data();
  if (count == 1) {
    LinearModel model;
    model.schema = data.shared_schema();
    model.labels = BinaryLabels{classes.back(), classes.front()};
    model.w.assign(weights, weights + features);
    model.b = intercept.front();
    return {std::make_shared<const Model>(std::move(model))};
  }
  MulticlassModel model;
  model.schema = data.shared_schema();
  model.classes = classes;
  LinearClassifiers linear;
  linear.w.resize(count * features);
  for (std::size_t k = 0; k < count; ++k) {
    model.classifiers.push_back({.b = intercept[k]});
    for (std::size_t j = 0; j < features; ++j) linear.w[j * count + k] = weights[k * features + j];
  }
  model.body = std::move(linear);
  return {std::make_shared<const Model>(std::move(model))};
}

// Steps on rows as they come: the model so far (or None) and what it counts in, both as they are
// now out.
py::tuple learn_online_python(const Dataset& rows, const py::dict& values,
                              const std::vector<double>& classes, const py::object& from,
                              double counted) {
  const TrainOptions wanted = train_options_from(values);
  OnlineOptions options;
  options.classes = classes;
  options.loss.loss = wanted.loss.value_or(options.loss.loss);
  options.loss.epsilon = wanted.epsilon.value_or(options.loss.epsilon);
  options.loss.delta = wanted.delta.value_or(options.loss.delta);
  options.lambda = wanted.lambda.value_or(options.lambda);
  options.bias = wanted.bias.value_or(options.bias);
  options.bias_feature = wanted.bias_feature;
  std::shared_ptr<const Model> start;
  if (!from.is_none()) start = from.cast<const ModelHandle&>().model;
  OnlineResult result;
  {
    const py::gil_scoped_release release;
    result = learn_online(rows, options, start, counted);
  }
  return py::make_tuple(ModelHandle{std::make_shared<const Model>(std::move(result.model))},
                        result.counted);
}

const char* finding_name(Finding finding) {
  switch (finding) {
    case Finding::holds:
      return "holds";
    case Finding::no_claim:
      return "no claim";
    case Finding::objective_differs:
      return "objective differs";
    case Finding::duals_too_low:
      return "duals too low";
    case Finding::disproven:
      return "disproven";
    default:
      return "not found";
  }
}

py::dict verification_to_python(const Verification& found) {
  py::dict result;
  result["finding"] = finding_name(found.finding);
  result["claimed_gap"] = found.claimed ? py::cast(found.claimed->share()) : py::none();
  result["objective"] = found.primal.objective();
  result["dual"] = found.dual;
  const double gap = found.proven().relative_gap();
  result["gap"] = found.dual && std::isfinite(gap) ? py::cast(gap) : py::none();
  result["same_data"] = found.same_data;
  return result;
}

py::dict verify_python(const ModelHandle& handle, const Dataset& data, double tolerance,
                       int threads) {
  VerifyOptions options;
  options.tolerance = tolerance;
  options.threads = threads;
  Interrupts interrupts;
  std::vector<Verification> classifiers;
  std::string finding;
  bool refuted = false;
  interrupts.run([&] {
    if (const auto* many = std::get_if<MulticlassModel>(handle.model.get())) {
      auto found =
          verify(*many, data, options, [&](std::size_t) { return !interrupts.asked_to_stop(); });
      finding = finding_name(found.finding());
      refuted = found.refuted();
      classifiers = std::move(found.classifiers);
      return true;
    }
    Watch watch;
    watch.stop = [&] { return interrupts.asked_to_stop(); };
    const auto* linear = std::get_if<LinearModel>(handle.model.get());
    classifiers.push_back(linear != nullptr
                              ? verify(*linear, data, options, watch)
                              : verify(std::get<KernelModel>(*handle.model), data, options, watch));
    finding = finding_name(classifiers.front().finding);
    refuted = classifiers.front().refuted();
    return true;
  });
  py::dict result;
  result["finding"] = finding;
  result["refuted"] = refuted;
  py::list list;
  for (const Verification& one : classifiers) list.append(verification_to_python(one));
  result["classifiers"] = list;
  result["raised"] = interrupts.raised();
  return result;
}

std::string report_python(
    const ModelHandle& handle, const std::optional<Dataset>& data, const std::string& name,
    const std::string& data_name,
    const std::vector<std::tuple<double, double, std::optional<double>>>& trace, double tolerance,
    int threads) {
  const py::gil_scoped_release release;
  ReportNames names;
  names.model = name;
  ReportRun run = report_of(*handle.model, names, tolerance);
  for (const auto& [seconds, objective, dual] : trace) {
    run.trace.push_back({.seconds = seconds, .objective = objective, .dual = dual});
  }
  if (data) run.measured = measured_on(*handle.model, *data, data_name, threads);
  Report report;
  report.title = name;
  report.runs.push_back(std::move(run));
  return report_page(report);
}

}  // namespace

void bind_training(py::module_& module) {
  module.def("train", &train_python, py::arg("data"), py::arg("options"),
             py::arg("callback") = py::none(), py::arg("ranks") = py::none());
  module.def("start_from_weights", &start_from_weights, py::arg("data"), py::arg("coef"),
             py::arg("intercept"), py::arg("classes"));
  module.def("learn_online", &learn_online_python, py::arg("rows"), py::arg("options"),
             py::arg("classes"), py::arg("model"), py::arg("counted"));
  module.def("verify", &verify_python, py::arg("model"), py::arg("data"), py::arg("tolerance"),
             py::arg("threads"));
  module.def("report_page", &report_python, py::arg("model"), py::arg("data"), py::arg("name"),
             py::arg("data_name"), py::arg("trace"), py::arg("tolerance"), py::arg("threads"));
}

}  // namespace pegasos::python
