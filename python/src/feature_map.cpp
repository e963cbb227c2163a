// Feature maps by themselves, for the transformers.
#include "pegasos/feature_map.h"

#include <pybind11/stl.h>

#include "arrays.h"
#include "interrupts.h"
#include "model_handle.h"
#include "options.h"
#include "pegasos/error.h"

namespace pegasos::python {
namespace {

FeatureMapOptions options_from(const std::string& approximation, const KernelOptions& kernel,
                               std::size_t components, std::uint64_t seed) {
  FeatureMapOptions options;
  const auto kind = approximation_of_name(approximation);
  if (!kind) throw InvalidOption("approximation", "'" + approximation + "' is not known");
  options.approximation = *kind;
  options.kernel = kernel;
  options.components = components;
  options.seed = seed;
  return options;
}

// The kernel's gamma may be a rule, which needs the rows.
KernelOptions resolved_kernel(const py::dict& values, const Dataset& rows) {
  TrainOptions options = train_options_from(values);
  if (options.gamma_rule && options.kernel->uses_gamma()) {
    options.kernel->gamma =
        *options.gamma_rule == GammaRule::scale ? gamma_scale(rows) : gamma_auto(rows);
  }
  return options.kernel.value_or(KernelOptions{});
}

}  // namespace

void bind_feature_map(py::module_& module) {
  py::class_<FeatureMap>(module, "FeatureMap")
      .def_static(
          "fit",
          [](const Dataset& rows, const std::string& approximation, const py::dict& kernel,
             std::size_t components, std::uint64_t seed) {
            const FeatureMapOptions options =
                options_from(approximation, resolved_kernel(kernel, rows), components, seed);
            const py::gil_scoped_release release;
            return FeatureMap::fit(rows, options);
          },
          py::arg("rows"), py::arg("approximation"), py::arg("kernel"), py::arg("components"),
          py::arg("seed"))
      .def_static(
          "from_parts",
          [](const std::string& approximation, const py::dict& kernel, std::size_t components,
             std::uint64_t seed, std::size_t features, const std::optional<Dataset>& landmarks) {
            return FeatureMap::from_parts(
                options_from(approximation, kernel_from(kernel), components, seed), features,
                landmarks.value_or(Dataset()));
          },
          py::arg("approximation"), py::arg("kernel"), py::arg("components"), py::arg("seed"),
          py::arg("features"), py::arg("landmarks"))
      .def_property_readonly("components", &FeatureMap::components)
      .def_property_readonly("gamma",
                             [](const FeatureMap& self) { return self.options().kernel.gamma; })
      .def("landmarks",
           [](const FeatureMap& self) -> py::object {
             const Dataset rows = self.landmarks();
             return rows.rows() == 0 ? py::object(py::none()) : rows_to_numpy(rows);
           })
      .def(
          "apply",
          [](const FeatureMap& self, const Dataset& rows, int threads) {
            Interrupts interrupts;
            const Dataset mapped = interrupts.run([&] { return self.apply(rows, threads); });
            return rows_to_numpy(mapped);
          },
          py::arg("rows"), py::arg("threads"));
}

}  // namespace pegasos::python
