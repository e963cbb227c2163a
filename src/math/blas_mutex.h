// The serial OpenBLAS is not made for several threads at once: whoever calls it holds this.
#pragma once

#include <mutex>

namespace pegasos {

inline std::mutex& blas_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace pegasos
