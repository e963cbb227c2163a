// What the MPI library (mpi_collective.cpp, libpegasos_mpi.so) and its loader agree on.
#pragma once

#include "pegasos/dist.h"

namespace pegasos {

extern "C" {
// A new object that belongs to the caller; the first call initialises MPI.
using MakeMpiCollective = MpiCollective*();
}
inline constexpr const char* kMakeMpiCollective = "pegasos_make_mpi_collective";

}  // namespace pegasos
