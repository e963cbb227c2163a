// Options from a dictionary of names and plain values.
#pragma once

#include <pybind11/pybind11.h>

#include "pegasos/kernel.h"
#include "pegasos/train.h"
#include "pegasos/tune.h"

namespace pegasos::python {

// Names are those of TrainOptions and of the structs inside it; an unknown one is an InvalidOption.
// None leaves an option as it is.
TrainOptions train_options_from(const pybind11::dict& values);

// Options of the search, by their names in its table, and of the training in it.
TuneOptions tune_options_from(const pybind11::dict& train, const pybind11::dict& search);

KernelOptions kernel_from(const pybind11::dict& values);

}  // namespace pegasos::python
