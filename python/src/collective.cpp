#include "collective.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "arrays.h"
#include "pegasos/dist.h"
#include "pegasos/error.h"

namespace pegasos::python {
namespace {

py::bytes bytes_of(std::string_view text) {
  return {text.data(), text.size()};
}

// Calls Python, whose exception is kept for the caller of train.
template <typename Call>
auto in_python(Interrupts& interrupts, Call&& call) {
  const py::gil_scoped_acquire gil;
  try {
    return call();
  } catch (py::error_already_set& error) {
    const std::string text = error.what();
    interrupts.keep(error);
    throw Error("a sum over ranks failed: " + text);
  }
}

}  // namespace

std::shared_ptr<Collective> collective_of(const py::object& ranks, Interrupts& interrupts) {
  CollectiveFunctions functions;
  functions.sum = [ranks, &interrupts](std::span<double> values) {
    in_python(interrupts, [&] {
      const py::array_t<double> own(static_cast<py::ssize_t>(values.size()), values.data());
      const auto sums = ranks.attr("sum")(own).cast<Array<double>>();
      if (static_cast<std::size_t>(sums.size()) != values.size()) {
        throw Error("a sum over ranks must have as many values as what is summed");
      }
      std::copy_n(sums.data(), values.size(), values.begin());
    });
  };
  functions.gather = [ranks, &interrupts](std::string_view own) {
    return in_python(interrupts, [&] {
      return ranks.attr("gather")(bytes_of(own)).cast<std::vector<std::string>>();
    });
  };
  functions.broadcast = [ranks, &interrupts](std::string& own) {
    own = in_python(interrupts,
                    [&] { return ranks.attr("broadcast")(bytes_of(own)).cast<std::string>(); });
  };
  return make_collective(ranks.attr("rank").cast<int>(), ranks.attr("size").cast<int>(),
                         std::move(functions));
}

}  // namespace pegasos::python
