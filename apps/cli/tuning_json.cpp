// What tune and train -v found, for programs, and the latter in LIBLINEAR's words.
#include <fmt/format.h>

#include <cmath>

#include "base/json_text.h"
#include "tuning.h"

namespace pegasos::cli {
namespace {

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json point_json(const TunePoint& point) {
  Json json = {{"lambda", point.lambda}, {"c", point.c}};
  if (point.gamma) json["gamma"] = *point.gamma;
  if (point.degree) json["degree"] = *point.degree;
  if (point.epsilon) json["epsilon"] = *point.epsilon;
  if (point.loss) json["loss"] = name_of(*point.loss);
  if (!point.scaling.empty()) json["scaling"] = point.scaling;
  json["mean"] = number(point.mean);
  json["standard_error"] = number(point.standard_error);
  json["scores"] = Json::array();
  for (const double score : point.scores) json["scores"].push_back(number(score));
  json["relative_gap"] = number(point.gap);
  return json;
}

}  // namespace

std::string tuning_json(const TuneResult& result, const std::string& command) {
  Json json = {{"score", name_of(result.score)},
               {"best", point_json(result.points[result.best])},
               {"chosen", point_json(result.points[result.chosen])},
               {"command", command},
               {"interrupted", result.interrupted},
               {"points_planned", result.planned}};
  json["points"] = Json::array();
  for (const TunePoint& point : result.points) json["points"].push_back(point_json(point));
  return json.text();
}

std::string cross_validation_in_words(const CrossValidation& found) {
  if (found.classifies) {
    return fmt::format("Cross Validation Accuracy = {:g}%\n", 100.0 * found.accuracy);
  }
  return fmt::format(
      "Cross Validation Mean squared error = {:g}\n"
      "Cross Validation Squared correlation coefficient = {:g}\n",
      found.mean_squared_error, found.squared_correlation);
}

std::string cross_validation_json(const CrossValidation& found, std::size_t folds) {
  Json json = {{"folds", folds}};
  if (found.classifies) {
    json["accuracy"] = found.accuracy;
  } else {
    json["mean_squared_error"] = found.mean_squared_error;
    json["squared_correlation"] = number(found.squared_correlation);
  }
  json["relative_gap"] = number(found.gap);
  return json.text();
}

}  // namespace pegasos::cli
