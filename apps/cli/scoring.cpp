#include "scoring.h"

#include <cmath>
#include <limits>

namespace pegasos::cli {

double error_of_point(const Dataset& data, const LinearPoint& point, const Meaning& meaning) {
  double total = 0;
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < data.rows() && data.has_labels(); ++i) {
    const double label = data.label(i);
    if (std::isnan(label)) continue;
    const double z = data.row(i).dot(point.w) + point.b;
    ++rows;
    if (meaning.classifies) {
      total += (z > 0) != (label == meaning.positive_label) ? 1.0 : 0.0;
    } else {
      total += std::abs(label - z);
    }
  }
  return rows == 0 ? std::numeric_limits<double>::quiet_NaN() : total / static_cast<double>(rows);
}

}  // namespace pegasos::cli
