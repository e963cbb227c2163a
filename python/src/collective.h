// A Collective whose sums are made in Python: by Dask, or by any engine that can add arrays.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "interrupts.h"
#include "pegasos/collective.h"

namespace pegasos::python {

// `ranks` has `rank`, `size`, `sum(array) -> array`, `gather(bytes) -> list of bytes` and
// `broadcast(bytes) -> bytes`. What they raise is kept in `interrupts`, and ends the run with an
// Error. Call it with the GIL; the functions take it themselves. The last reference must be let go
// of with the GIL held.
std::shared_ptr<Collective> collective_of(const py::object& ranks, Interrupts& interrupts);

}  // namespace pegasos::python
