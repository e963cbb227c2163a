// The fingerprint of rows that come in parts; see fingerprint() in pegasos/model.h.
#pragma once

#include <cstdint>

#include "pegasos/dataset.h"

namespace pegasos {

class RunningFingerprint {
 public:
  // The rows that follow.
  void add(const Dataset& rows);

  // The same as fingerprint() of all rows together, whose label words are those of the schema.
  std::uint64_t value(const Schema& schema) const;

 private:
  std::uint64_t rows_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace pegasos
