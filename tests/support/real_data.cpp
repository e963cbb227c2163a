#include "support/real_data.h"

#include <algorithm>

#include "pegasos/read.h"

namespace pegasos::testing {

RealData read_real_data(const std::string& folder, const std::string& name) {
  RealData real;
  real.data = read_dataset(folder + "/" + name + ".xz").data;
  const auto labels = real.data.labels();
  const double positive = *std::max_element(labels.begin(), labels.end());
  for (const double label : labels) real.y.push_back(label == positive ? 1.0 : -1.0);
  return real;
}

}  // namespace pegasos::testing
