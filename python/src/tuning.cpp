// The search for hyperparameters.
#include <pybind11/stl.h>

#include <cmath>
#include <string>
#include <utility>

#include "interrupts.h"
#include "model_handle.h"
#include "options.h"
#include "pegasos/dataset.h"
#include "pegasos/error.h"
#include "pegasos/tune.h"

namespace pegasos::python {
namespace {

// A number that may be missing or infinite, as None.
py::object finite(double value) {
  return std::isfinite(value) ? py::object(py::float_(value)) : py::object(py::none());
}

py::dict point_to_python(const TunePoint& point) {
  py::dict result;
  result["lambda"] = point.lambda;
  result["C"] = point.c;
  result["gamma"] = point.gamma;
  result["degree"] = point.degree;
  result["epsilon"] = point.epsilon;
  result["loss"] = point.loss ? py::object(py::str(name_of(*point.loss))) : py::none();
  result["scaling"] = point.scaling.empty() ? py::object(py::none()) : py::str(point.scaling);
  result["scores"] = point.scores;
  result["mean"] = point.mean;
  result["standard_error"] = finite(point.standard_error);
  result["gap"] = finite(point.gap);
  return result;
}

py::dict result_to_python(const TuneResult& found, const py::object& raised) {
  py::dict result;
  py::list points;
  for (const TunePoint& point : found.points) points.append(point_to_python(point));
  result["points"] = points;
  result["score"] = name_of(found.score);
  result["larger_is_better"] = larger_is_better(found.score);
  result["best"] = found.best;
  result["chosen"] = found.chosen;
  result["planned"] = found.planned;
  result["interrupted"] = found.interrupted;
  result["raised"] = raised;
  return result;
}

py::dict progress_to_python(const TuneProgress& progress) {
  py::dict result;
  result["fits"] = progress.fits;
  result["fits_planned"] = progress.fits_planned;
  result["points"] = progress.points;
  result["score"] = name_of(progress.score);
  result["best"] =
      progress.best == nullptr ? py::object(py::none()) : point_to_python(*progress.best);
  return result;
}

// `callback` is called after every model, if it is not None; a true answer ends the search. Without
// a complete point the result has none.
py::dict tune_python(const Dataset& data, const py::dict& train, const py::dict& search,
                     const py::object& callback) {
  const TuneOptions options = tune_options_from(train, search);
  Interrupts interrupts;
  TuneWatch watch;
  watch.interrupted = [&interrupts] { return interrupts.asked_to_stop(); };
  if (!callback.is_none()) {
    watch.progress = [&](const TuneProgress& progress) {
      if (interrupts.asked_to_stop()) return;
      const py::gil_scoped_acquire gil;
      try {
        if (py::bool_(callback(progress_to_python(progress)))) interrupts.stop();
      } catch (py::error_already_set& error) {
        interrupts.keep(error);
      }
    };
  }
  try {
    const TuneResult found = interrupts.run([&] { return tune(data, options, watch); });
    return result_to_python(found, interrupts.raised());
  } catch (const Cancelled&) {
    return result_to_python({}, interrupts.raised());
  }
}

}  // namespace

void bind_tuning(py::module_& module) {
  module.def("tune", &tune_python, py::arg("data"), py::arg("train"), py::arg("search"),
             py::arg("callback") = py::none());
}

}  // namespace pegasos::python
