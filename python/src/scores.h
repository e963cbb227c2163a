// What a model says about rows, as arrays.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "model_handle.h"
#include "pegasos/dataset.h"

namespace pegasos::python {

namespace py = pybind11;

// True if a row with a value that is NaN or inf has a score that is not finite: its values are
// multiplied by weights and added up, and nothing else. Scores of such models are looked at, so
// that their rows need not be: all functions here throw InvalidOption for one.
bool shows_bad_values(const Model& model);

py::array decision_values(const ModelHandle& self, const Dataset& rows, int threads);
py::array predict(const ModelHandle& self, const Dataset& rows,
                  int threads);  // places in classes()
py::object probabilities(const ModelHandle& self, const Dataset& rows, int threads);  // or None
py::object pair_decision_values(const ModelHandle& self, const Dataset& rows, int threads);

}  // namespace pegasos::python
