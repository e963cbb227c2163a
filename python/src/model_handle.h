// The Model of a Python object. Models do not change once they are made.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "pegasos/model.h"

namespace pegasos::python {

struct ModelHandle {
  std::shared_ptr<const Model> model = {};
};

void bind_model(pybind11::module_& module);
void bind_training(pybind11::module_& module);
void bind_tuning(pybind11::module_& module);
void bind_data(pybind11::module_& module);
void bind_arrow(pybind11::module_& module);
void bind_labels(pybind11::module_& module);
void bind_feature_map(pybind11::module_& module);

}  // namespace pegasos::python
