// The real data sets in $PEGASOS_DATA as problems.
#pragma once

#include <string>
#include <vector>

#include "pegasos/problem.h"

namespace pegasos::testing {

struct RealData {
  Dataset data;
  std::vector<double> y;  // -1 and +1

  // This must outlive it.
  LinearProblem problem(double lambda) const { return {.data = data, .y = y, .lambda = lambda}; }
};

// Reads <folder>/<name>.xz; the larger of its two labels is +1.
RealData read_real_data(const std::string& folder, const std::string& name);

}  // namespace pegasos::testing
