#include "pegasos/problem.h"

#include <cmath>

#include "pegasos/error.h"

namespace pegasos {

std::string name_of(Bias bias) {
  switch (bias) {
    case Bias::none:
      return "none";
    case Bias::regularised:
      return "regularised";
    case Bias::unregularised:
      return "unregularised";
    case Bias::exact:
      break;
  }
  return "exact";
}

void LinearProblem::validate() const {
  if (!(lambda > 0) || std::isinf(lambda)) throw InvalidOption("lambda", "must be greater than 0");
  if (y.empty()) throw InvalidOption("y", "there are no rows");
  if (y.size() != data.rows()) throw InvalidOption("y", "one label per row is needed");
  if (total_rows > 0 && total_rows < y.size()) {
    throw InvalidOption("total_rows", "must not be less than the number of rows");
  }
  if (!weights.empty() && weights.size() != y.size()) {
    throw InvalidOption("weights", "one weight per row is needed");
  }
  if (!copies.empty() && copies.size() != y.size()) {
    throw InvalidOption("copies", "there must be one for each row");
  }
  if (bias == Bias::regularised && (!std::isfinite(bias_feature) || bias_feature == 0)) {
    throw InvalidOption("bias_feature", "must be finite and not 0");
  }
  loss.validate();
  double total = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!std::isfinite(y[i])) throw InvalidOption("y", "a label is missing or not finite");
    if (is_classification(loss.loss) && y[i] != 1.0 && y[i] != -1.0) {
      throw InvalidOption("y", "labels for classification must be -1 or +1");
    }
    const double s = weight(i);
    if (!(s >= 0) || std::isinf(s)) throw InvalidOption("weights", "must be finite, 0 or more");
    total += s;
  }
  if (!(total > 0)) throw InvalidOption("weights", "are all 0");
}

}  // namespace pegasos
