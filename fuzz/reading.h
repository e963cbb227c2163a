// What the fuzz targets share: read bytes, tolerate exactly the errors that bad data may cause, and
// walk over everything that was accepted.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "pegasos/error.h"
#include "pegasos/read.h"

namespace pegasos::fuzz {

inline void read_and_walk(const std::uint8_t* data, std::size_t size, ReadOptions options) {
  options.threads = 1;
  options.max_decompressed = std::uint64_t{1} << 24;
  try {
    const Dataset read =
        read_dataset_from_memory({reinterpret_cast<const char*>(data), size}, "fuzz", options).data;
    for (std::size_t i = 0; i < read.rows(); ++i) {
      const RowView row = read.row(i);
      for (const float value : row.values) {
        if (!std::isfinite(value)) std::abort();
      }
      for (std::size_t j = 0; j < row.ids.size(); ++j) {
        if (row.ids[j] >= read.features()) std::abort();
        if (j > 0 && row.ids[j - 1] >= row.ids[j]) std::abort();
      }
    }
    if (read.features() > 0) {
      read.schema().feature_name(static_cast<std::uint32_t>(read.features() - 1));
    }
  } catch (const ParseError&) {
  } catch (const CorruptFile&) {
  } catch (const InvalidOption&) {
  }
}

}  // namespace pegasos::fuzz
