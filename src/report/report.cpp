#include "pegasos/report.h"

#include <cmath>
#include <string_view>

#include "base/json_text.h"
#include "pegasos/version.h"
#include "report/page_parts.h"

namespace pegasos {
namespace {

// JSON has no NaN and no infinity; the page shows a dash for null.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

// For places and shares in plots: invisible digits would make up half of the page.
Json rounded(double value) {
  if (!std::isfinite(value) || value == 0.0) return number(value);
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 4);
  return number(std::round(value / unit) * unit);
}

Json json_of(const Estimate& estimate) {
  Json json = {{"value", number(estimate.value)}};
  if (estimate.interval) {
    json["low"] = number(estimate.interval->low);
    json["high"] = number(estimate.interval->high);
  }
  return json;
}

Json json_of(const ClassMetrics& metrics) {
  return {{"precision", number(metrics.precision)},
          {"recall", number(metrics.recall)},
          {"f1", number(metrics.f1)},
          {"rows", number(metrics.rows)}};
}

Json json_of(const Curve& curve) {
  Json points = Json::array();
  for (const CurvePoint& point : curve.points) {
    points.push_back({rounded(point.x), rounded(point.y)});
  }
  return points;
}

Json json_of(const ProbabilityEvaluation& probability) {
  Json bins = Json::array();
  for (const CalibrationBin& bin : probability.reliability.bins) {
    bins.push_back({rounded(bin.mean_probability), rounded(bin.share)});
  }
  return {{"log_loss", json_of(probability.log_loss)},
          {"brier", json_of(probability.brier)},
          {"error", number(probability.reliability.error)},
          {"bins", std::move(bins)}};
}

Json json_of(const Classification& seen) {
  Json json = {{"kind", seen.binary ? "two" : "many"},
               {"accuracy", json_of(seen.accuracy)},
               {"balanced_accuracy", json_of(seen.balanced_accuracy)},
               {"matthews", json_of(seen.matthews)},
               {"macro_f1", json_of(seen.macro_f1)},
               {"f1", json_of(seen.f1)},
               {"roc_auc", json_of(seen.roc_auc)},
               {"pr_auc", json_of(seen.pr_auc)},
               {"macro", json_of(seen.macro)},
               {"micro", json_of(seen.micro)},
               {"weighted", json_of(seen.weighted)}};
  Json classes = Json::array();
  Json confusion = Json::array();
  for (std::size_t k = 0; k < seen.classes.size(); ++k) {
    Json one = json_of(seen.classes[k].metrics);
    one["name"] = seen.classes[k].name;
    one["roc"] = json_of(seen.classes[k].roc);
    one["pr"] = json_of(seen.classes[k].precision_recall);
    classes.push_back(std::move(one));
    Json row = Json::array();
    for (std::size_t c = 0; c < seen.confusion.classes(); ++c) {
      row.push_back(number(seen.confusion.at(k, c)));
    }
    confusion.push_back(std::move(row));
  }
  json["classes"] = std::move(classes);
  json["confusion"] = std::move(confusion);
  if (seen.probability) json["probability"] = json_of(*seen.probability);
  return json;
}

Json json_of(const LabelSets& seen) {
  Json labels = Json::array();
  for (const ClassEvaluation& label : seen.labels) {
    Json one = json_of(label.metrics);
    one["name"] = label.name;
    one["roc"] = json_of(label.roc);
    one["pr"] = json_of(label.precision_recall);
    labels.push_back(std::move(one));
  }
  return {{"kind", "sets"},
          {"exact", json_of(seen.exact)},
          {"hamming_loss", json_of(seen.hamming_loss)},
          {"micro_f1", json_of(seen.micro_f1)},
          {"macro_f1", json_of(seen.macro_f1)},
          {"macro", json_of(seen.macro)},
          {"micro", json_of(seen.micro)},
          {"weighted", json_of(seen.weighted)},
          {"classes", std::move(labels)}};
}

Json json_of(const Regression& seen) {
  return {{"kind", "numbers"},
          {"mae", json_of(seen.mae)},
          {"rmse", json_of(seen.rmse)},
          {"r2", json_of(seen.r2)},
          {"median_error", json_of(seen.median_error)}};
}

Json thresholds_of(const ReportMeasurement& measured) {
  const auto& seen = std::get<Classification>(measured.evaluation.result);
  Json table = Json::array();
  for (const auto& step : measured.thresholds->steps) {
    table.push_back({number(step.threshold), step.true_positive, step.false_positive});
  }
  return {{"positives", measured.thresholds->positives},
          {"negatives", measured.thresholds->negatives},
          {"at", number(measured.threshold)},
          {"unit", measured.threshold_of},
          {"names", {seen.classes.at(0).name, seen.classes.at(1).name}},
          {"table", std::move(table)}};
}

Json histogram_json(const ReportMeasurement& measured) {
  const Histogram& histogram = *measured.histogram;
  Json names = Json::array();
  const auto* classes = std::get_if<Classification>(&measured.evaluation.result);
  for (std::size_t k = 0; k < histogram.counts.size(); ++k) {
    names.push_back(classes != nullptr ? classes->classes.at(k).name : "errors");
  }
  Json edges = Json::array();
  for (const double edge : histogram.edges) edges.push_back(rounded(edge));
  return {
      {"title", classes != nullptr ? "Scores by class" : "Errors"},
      {"unit", classes != nullptr ? "score" : "true − predicted"},
      {"mark", classes != nullptr && measured.threshold_of == "score" ? number(measured.threshold)
                                                                      : Json(nullptr)},
      {"names", std::move(names)},
      {"edges", std::move(edges)},
      {"counts", histogram.counts}};
}

Json json_of(const Picture& picture) {
  Json json = {{"title", picture.plane ? "Decision regions" : "The rows in two dimensions"},
               {"x", picture.x},
               {"y", picture.y},
               {"range",
                {rounded(picture.left), rounded(picture.right), rounded(picture.bottom),
                 rounded(picture.top)}},
               {"names", picture.names}};
  Json points = Json::array();
  bool rings = false;
  for (const auto& point : picture.points) {
    points.push_back({number(point.x), number(point.y), point.group, point.support ? 1 : 0});
    rings = rings || point.support;
  }
  json["points"] = std::move(points);
  json["words"] =
      std::string(picture.plane ? "The shading shows the predicted class. "
                                : "Each dot is a row. ") +
      (rings ? "Rings mark support vectors: rows inside the margin or on its edge." : "");
  if (!picture.plane) return json;
  Json rows = Json::array();
  for (std::size_t r = 0; r < picture.rows; ++r) {
    std::string cells;
    for (std::size_t c = 0; c < picture.columns; ++c) {
      cells += static_cast<char>('a' + picture.cells[r * picture.columns + c]);
    }
    rows.push_back(std::move(cells));
  }
  json["grid"] = {{"columns", picture.columns}, {"rows", picture.rows}, {"cells", std::move(rows)}};
  return json;
}

Json pairs_of(const std::vector<std::pair<std::string, double>>& list) {
  Json json = Json::array();
  for (const auto& [name, value] : list) json.push_back({name, rounded(value)});
  return json;
}

void add_measurement(const ReportMeasurement& measured, Json& run) {
  Json evaluation =
      std::visit([](const auto& result) { return json_of(result); }, measured.evaluation.result);
  evaluation["on"] = measured.on;
  evaluation["trained_on"] = measured.trained_on;
  evaluation["rows"] = measured.evaluation.rows;
  run["evaluation"] = std::move(evaluation);
  if (measured.thresholds) run["thresholds"] = thresholds_of(measured);
  if (measured.histogram) run["histogram"] = histogram_json(measured);
  if (!measured.pairs.empty()) {
    Json pairs = Json::array();
    for (const auto& [truth, said] : measured.pairs) {
      pairs.push_back({number(truth), number(said)});  // their differences are drawn
    }
    run["pairs"] = std::move(pairs);
  }
  Json mistakes = Json::array();
  for (const auto& mistake : measured.mistakes) {
    mistakes.push_back({{"row", mistake.row},
                        {"truth", mistake.truth},
                        {"called", mistake.called},
                        {"score", rounded(mistake.score)},
                        {"because", pairs_of(mistake.because)}});
  }
  run["mistakes"] = std::move(mistakes);
  if (measured.picture) run["picture"] = json_of(*measured.picture);
}

Json json_of(const TuneResult& tuning) {
  Json points = Json::array();
  for (const TunePoint& point : tuning.points) {
    points.push_back({{"path", point.path},
                      {"lambda", number(point.lambda)},
                      {"c", number(point.c)},
                      {"gamma", number(point.gamma)},
                      {"degree", point.degree ? Json(*point.degree) : Json(nullptr)},
                      {"epsilon", number(point.epsilon)},
                      {"loss", point.loss ? Json(name_of(*point.loss)) : Json(nullptr)},
                      {"scaling", point.scaling.empty() ? Json(nullptr) : Json(point.scaling)},
                      {"mean", number(point.mean)},
                      {"standard_error", number(point.standard_error)}});
  }
  return {{"score", name_of(tuning.score)},
          {"chosen", tuning.chosen},
          {"best", tuning.best},
          {"points", std::move(points)}};
}

Json certificate_json(const Certificate& certificate) {
  return {{"objective", number(certificate.primal)},
          {"dual", number(certificate.dual)},
          {"relative_gap", number(certificate.share())}};
}

Json json_of(const ReportRun& run) {
  Json json = {{"name", run.name}, {"command", run.command}};
  Json facts = Json::array();
  for (const auto& [name, value] : run.facts) facts.push_back({name, value});
  json["facts"] = std::move(facts);
  if (!run.certificate_words.empty()) {
    Json certificate = run.certificate ? certificate_json(*run.certificate) : Json::object();
    certificate["words"] = run.certificate_words;
    certificate["proven"] = run.proven;
    json["certificate"] = std::move(certificate);
  }
  Json classifiers = Json::array();
  for (const auto& classifier : run.classifiers) {
    Json one = classifier.certificate ? certificate_json(*classifier.certificate)
                                      : certificate_json({.primal = NAN});
    one["name"] = classifier.name;
    classifiers.push_back(std::move(one));
  }
  json["classifiers"] = std::move(classifiers);
  Json trace = Json::array();
  for (const auto& moment : run.trace) {
    trace.push_back({{"seconds", number(moment.seconds)},
                     {"objective", number(moment.objective)},
                     {"dual", number(moment.dual)},
                     {"bound", number(moment.bound)},
                     {"test_error", number(moment.test_error)}});
  }
  json["trace"] = std::move(trace);
  if (run.tuning && !run.tuning->points.empty()) json["tuning"] = json_of(*run.tuning);
  if (run.measured) add_measurement(*run.measured, json);
  Json features = Json::array();
  for (const auto& group : run.features) {
    features.push_back({{"title", group.title}, {"list", pairs_of(group.weights)}});
  }
  json["features"] = std::move(features);
  if (run.symptoms) {
    Json findings = Json::array();
    for (const Symptom& symptom : *run.symptoms) {
      findings.push_back({{"text", symptom.finding + "."},
                          {"advice", symptom.remedy.in_words()},
                          {"serious", symptom.severity == Severity::serious}});
    }
    json["findings"] = std::move(findings);
  }
  return json;
}

// "</script>" in a name must not end the script that the data is in.
std::string for_script(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string for_html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

// Puts `text` where the page has the mark, once.
void put(std::string& page, std::string_view mark, std::string_view text) {
  const auto at = page.find(mark);
  page.replace(at, mark.size(), text);
}

}  // namespace

std::string report_page(const Report& report) {
  Json data = {{"title", report.title}, {"version", kVersion}};
  Json runs = Json::array();
  for (const ReportRun& run : report.runs) runs.push_back(json_of(run));
  data["runs"] = std::move(runs);
  // Names are bytes of files and need not be UTF-8.
  const std::string json = data.one_line();
  // Marks are replaced from the end of the page to its beginning, so that none is looked for in a
  // text that was put in.
  std::string page = page::kHtml;
  put(page, "@SCRIPT@", std::string(page::kCharts) + page::kScript);
  put(page, "@DATA@", for_script(json));
  put(page, "@STYLE@", page::kStyle);
  put(page, "@TITLE@", for_html(report.title));
  return page;
}

}  // namespace pegasos
