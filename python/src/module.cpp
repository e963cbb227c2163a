// pegasos._core: the library for Python. Arguments, arrays and errors are translated here and
// nothing is learned or decided; the package around it has the scikit-learn interface.
#include <pybind11/pybind11.h>

#include <cerrno>

#include "model_handle.h"
#include "pegasos/error.h"
#include "pegasos/version.h"

namespace py = pybind11;

namespace {

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature is pybind11's.
void translate_io_error(std::exception_ptr error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const pegasos::IoError& problem) {
    // OSError makes the right subclass from errno, such as FileNotFoundError.
    const py::object value = py::reinterpret_borrow<py::object>(PyExc_OSError)(
        problem.error_number(), problem.what(), problem.path());
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())), value.ptr());
  }
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.attr("__version__") = pegasos::kVersion;
  module.attr("pybind11_version") = py::make_tuple(PYBIND11_VERSION_MAJOR, PYBIND11_VERSION_MINOR,
                                                   PYBIND11_VERSION_HEX >> 8 & 0xff);
  // The last that is registered is asked first.
  const auto base =
      py::register_exception<pegasos::Error>(module, "PegasosError", PyExc_RuntimeError);
  const py::tuple value_error = py::make_tuple(base, py::handle(PyExc_ValueError));
  py::register_exception<pegasos::InvalidOption>(module, "InvalidOption", value_error);
  py::register_exception<pegasos::ParseError>(module, "ParseError", value_error);
  py::register_exception<pegasos::CorruptFile>(module, "CorruptFile", value_error);
  py::register_exception_translator(&translate_io_error);
  pegasos::python::bind_data(module);
  pegasos::python::bind_model(module);
  pegasos::python::bind_training(module);
  pegasos::python::bind_tuning(module);
  pegasos::python::bind_arrow(module);
  pegasos::python::bind_labels(module);
  pegasos::python::bind_feature_map(module);
}
