#include <dlfcn.h>

#include "dist/mpi_library.h"
#include "pegasos/dist.h"
#include "pegasos/error.h"

namespace pegasos {

std::unique_ptr<MpiCollective> load_mpi(const std::string& library) {
  // Open MPI loads plug-ins that look for its symbols among those of all libraries.
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) {
    throw Error("cannot load MPI: " + std::string(dlerror()));
  }
  const auto make = reinterpret_cast<MakeMpiCollective*>(dlsym(handle, kMakeMpiCollective));
  if (make == nullptr) throw Error(library + " is not the MPI library of Pegasos");
  return std::unique_ptr<MpiCollective>(make());
}

}  // namespace pegasos
