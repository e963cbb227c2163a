#include "evaluation_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "terminal.h"

namespace pegasos::cli {
namespace {

// Rows and columns of tables beyond these are left to --json.
constexpr std::size_t kMostInConfusion = 12;
constexpr std::size_t kMostClasses = 100;
constexpr std::size_t kLongestName = 24;

// ---- JSON ----

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

// Whole where it is: row counts of data without weights.
Json count(double rows) {
  if (rows == std::floor(rows) && rows < 0x1p53) return static_cast<std::uint64_t>(rows);
  return number(rows);
}

void put(Json& json, const char* name, const Estimate& estimate) {
  json[name] = number(estimate.value);
  if (estimate.interval) {
    json["intervals"][name] = {number(estimate.interval->low), number(estimate.interval->high)};
  }
}

Json metrics_json(const ClassMetrics& metrics) {
  return {{"precision", number(metrics.precision)},
          {"recall", number(metrics.recall)},
          {"f1", number(metrics.f1)},
          {"rows", count(metrics.rows)}};
}

Json curve_json(const Curve& curve) {
  Json points = Json::array();
  for (const auto& point : curve.points) {
    points.push_back({number(point.x), number(point.y), number(point.threshold)});
  }
  return points;
}

Json class_json(const ClassEvaluation& one) {
  Json json = metrics_json(one.metrics);
  json["class"] = one.name;
  if (one.roc.points.empty()) return json;
  json["roc_auc"] = number(one.roc.area);
  json["pr_auc"] = number(one.precision_recall.area);
  json["roc_curve"] = curve_json(one.roc);
  json["pr_curve"] = curve_json(one.precision_recall);
  return json;
}

Json confusion_json(const Classification& result) {
  Json matrix = Json::array();
  for (std::size_t truth = 0; truth < result.confusion.classes(); ++truth) {
    Json row = Json::array();
    for (std::size_t called = 0; called < result.confusion.classes(); ++called) {
      row.push_back(count(result.confusion.at(truth, called)));
    }
    matrix.push_back(std::move(row));
  }
  return matrix;
}

void add_probability(const ProbabilityEvaluation& probability, Json& json) {
  put(json, "log_loss", probability.log_loss);
  put(json, "brier", probability.brier);
  json["calibration_error"] = number(probability.reliability.error);
  Json bins = Json::array();
  for (const auto& bin : probability.reliability.bins) {
    bins.push_back({{"rows", count(bin.rows)},
                    {"mean_probability", number(bin.mean_probability)},
                    {"share", number(bin.share)}});
  }
  json["reliability"] = std::move(bins);
}

void add_json_of(const Classification& result, Json& json) {
  put(json, "accuracy", result.accuracy);
  put(json, "balanced_accuracy", result.balanced_accuracy);
  if (result.binary) {
    put(json, "precision", result.precision);
    put(json, "recall", result.recall);
    put(json, "f1", result.f1);
  }
  put(json, "macro_f1", result.macro_f1);
  put(json, "mcc", result.matthews);
  put(json, "auc", result.roc_auc);
  put(json, "pr_auc", result.pr_auc);
  if (result.probability) add_probability(*result.probability, json);
  json["averages"] = {{"macro", metrics_json(result.macro)},
                      {"micro", metrics_json(result.micro)},
                      {"weighted", metrics_json(result.weighted)}};
  json["classes"] = Json::array();
  for (const auto& one : result.classes) json["classes"].push_back(class_json(one));
  if (result.binary) {
    json["confusion"] = {{"true_positive", count(result.confusion.at(0, 0))},
                         {"false_positive", count(result.confusion.at(1, 0))},
                         {"true_negative", count(result.confusion.at(1, 1))},
                         {"false_negative", count(result.confusion.at(0, 1))}};
  } else {
    json["confusion"] = confusion_json(result);
  }
}

void add_json_of(const LabelSets& result, Json& json) {
  put(json, "exact_match", result.exact);
  put(json, "hamming_loss", result.hamming_loss);
  put(json, "micro_f1", result.micro_f1);
  put(json, "macro_f1", result.macro_f1);
  json["averages"] = {{"macro", metrics_json(result.macro)},
                      {"micro", metrics_json(result.micro)},
                      {"weighted", metrics_json(result.weighted)}};
  json["labels"] = Json::array();
  for (const auto& one : result.labels) json["labels"].push_back(class_json(one));
}

void add_json_of(const Regression& result, Json& json) {
  put(json, "mae", result.mae);
  put(json, "rmse", result.rmse);
  put(json, "r2", result.r2);
  put(json, "median_error", result.median_error);
}

// ---- words ----

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width > cells(text) ? width - cells(text) : 0, ' ');
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width > cells(text) ? width - cells(text) : 0, ' ') + text;
}

// A name that fits into a table.
std::string short_name(const std::string& name) {
  std::string text = printable(name);
  if (cells(text) <= kLongestName) return text;
  std::size_t end = kLongestName - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

std::string rows_in_words(double rows) {
  if (rows == std::floor(rows) && rows < 0x1p53) {
    return with_separators(static_cast<std::uint64_t>(rows));
  }
  return fmt::format("{:.2f}", rows);
}

std::string share_in_words(double share) {
  return std::isnan(share) ? "-" : fmt::format("{:.2f} %", 100.0 * share);
}

std::string plain_in_words(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.4f}", value);
}

std::string error_in_words(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.6g}", value);
}

// A line of the first table: name, number, interval, remark.
class Facts {
 public:
  explicit Facts(const Evaluation& evaluation)
      : with_intervals_(evaluation.bootstrap.has_value()) {}

  template <typename Format>
  void add(const char* name, const Estimate& estimate, const Format& format,
           const std::string& remark = "") {
    std::string between;
    if (estimate.interval) {
      between =
          fmt::format("{} to {}", format(estimate.interval->low), format(estimate.interval->high));
    }
    add(name, format(estimate.value), between, remark);
  }

  void add(const char* name, const std::string& value, const std::string& between,
           const std::string& remark) {
    std::string line = fmt::format("  {:<19}{}", name, right(value, 10));
    if (with_intervals_) line += "   " + padded(between, 22);
    if (!remark.empty()) line += "   " + remark;
    while (line.ends_with(' ')) line.pop_back();
    text_ += line + "\n";
  }

  const std::string& text() const { return text_; }

 private:
  bool with_intervals_;
  std::string text_;
};

std::string class_line(const std::string& name, const ClassMetrics& m, const std::string& areas,
                       std::size_t width) {
  return fmt::format("  {}{:>10.4f}{:>10.4f}{:>10.4f}{}{}\n", padded(name, width), m.precision,
                     m.recall, m.f1, areas, right(rows_in_words(m.rows), 12));
}

// Averages are macro and weighted, and micro where it is no other name of the accuracy.
std::string class_table(const std::vector<ClassEvaluation>& classes, const ClassMetrics& macro,
                        const ClassMetrics& weighted, const ClassMetrics* micro,
                        std::size_t width) {
  const Style style(STDOUT_FILENO);
  // Of two classes only one has curves, and its areas are said above.
  const bool areas = std::count_if(classes.begin(), classes.end(),
                                   [](const auto& one) { return !one.roc.points.empty(); }) > 1;
  std::string text =
      "\n" +
      style.bold(fmt::format("  {}{:>10}{:>10}{:>10}{}{:>12}", padded("class", width), "precision",
                             "recall", "F1", areas ? "       AUC" : "", "rows")) +
      "\n";
  for (std::size_t k = 0; k < std::min(kMostClasses, classes.size()); ++k) {
    const ClassEvaluation& one = classes[k];
    const std::string area =
        areas ? right(one.roc.points.empty() ? "-" : plain_in_words(one.roc.area), 10) : "";
    text += class_line(short_name(one.name), one.metrics, area, width);
  }
  if (classes.size() > kMostClasses) {
    text += fmt::format("  ... and {} more (--json lists all)\n",
                        with_separators(classes.size() - kMostClasses));
  }
  const std::string gap(areas ? 10 : 0, ' ');
  text += class_line("macro average", macro, gap, width);
  if (micro != nullptr) text += class_line("micro average", *micro, gap, width);
  text += class_line("weighted average", weighted, gap, width);
  return text;
}

std::string confusion_table(const Classification& result, std::size_t width) {
  if (result.classes.size() > kMostInConfusion) return "";
  std::vector<std::size_t> columns;
  for (std::size_t called = 0; called < result.classes.size(); ++called) {
    std::size_t widest = cells(short_name(result.classes[called].name));
    for (std::size_t truth = 0; truth < result.classes.size(); ++truth) {
      widest = std::max(widest, rows_in_words(result.confusion.at(truth, called)).size());
    }
    columns.push_back(std::max<std::size_t>(widest + 2, result.binary ? 12 : 7));
  }
  const Style style(STDOUT_FILENO);
  std::string header = "  " + padded("true \\ predicted", width);
  for (std::size_t called = 0; called < result.classes.size(); ++called) {
    header += right(short_name(result.classes[called].name), columns[called]);
  }
  std::string text = "\n" + style.bold(header) + "\n";
  for (std::size_t truth = 0; truth < result.classes.size(); ++truth) {
    text += "  " + padded(short_name(result.classes[truth].name), width);
    for (std::size_t called = 0; called < result.classes.size(); ++called) {
      text += right(rows_in_words(result.confusion.at(truth, called)), columns[called]);
    }
    text += "\n";
  }
  return text;
}

// The pairs of classes that are taken for one another most, where the table would be too wide.
std::string worst_confusions(const Classification& result) {
  if (result.classes.size() <= kMostInConfusion) return "";
  struct Pair {
    double rows;
    std::size_t truth;
    std::size_t called;
  };
  std::vector<Pair> pairs;
  for (std::size_t truth = 0; truth < result.classes.size(); ++truth) {
    for (std::size_t called = 0; called < result.classes.size(); ++called) {
      const double rows = result.confusion.at(truth, called);
      if (truth != called && rows > 0) pairs.push_back({rows, truth, called});
    }
  }
  constexpr std::size_t kShown = 10;
  const auto shown = pairs.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, pairs.size()));
  std::partial_sort(pairs.begin(), shown, pairs.end(), [](const Pair& a, const Pair& b) {
    return a.rows != b.rows ? a.rows > b.rows
                            : std::pair(a.truth, a.called) < std::pair(b.truth, b.called);
  });
  if (pairs.empty()) return "";
  std::string text = "\n" + Style(STDOUT_FILENO).bold("  most confused") + "\n";
  for (auto pair = pairs.begin(); pair != shown; ++pair) {
    const double share = pair->rows / result.confusion.rows_of(pair->truth);
    text += fmt::format("  {} {} predicted as {}  ({} of its rows)\n",
                        right(rows_in_words(pair->rows), 8),
                        short_name(result.classes[pair->truth].name),
                        short_name(result.classes[pair->called].name), in_percent(share));
  }
  return text;
}

std::string reliability_table(const ProbabilityEvaluation& probability, bool binary) {
  std::string text =
      "\n" +
      Style(STDOUT_FILENO)
          .bold(fmt::format("  {:<12}{:>12}{:>12}", "predicted", "observed", "rows")) +
      (binary ? "   probability of the positive class\n"
              : "   probability of the predicted class\n");
  for (const auto& bin : probability.reliability.bins) {
    text += fmt::format("  {:<12}{:>12}{:>12}   {}\n", share_in_words(bin.mean_probability),
                        share_in_words(bin.share), rows_in_words(bin.rows), bar(bin.share, 20));
  }
  return text;
}

std::size_t name_width(const std::vector<ClassEvaluation>& classes) {
  std::size_t width = 18;
  for (const auto& one : classes) width = std::max(width, cells(short_name(one.name)) + 2);
  return width;
}

std::string words_of(const Classification& result, const Evaluation& evaluation) {
  Facts facts(evaluation);
  const std::string of =
      result.binary ? "of " + short_name(result.classes.front().name) : std::string();
  facts.add("accuracy", result.accuracy, share_in_words);
  facts.add("balanced accuracy", result.balanced_accuracy, share_in_words, "mean recall");
  if (result.binary) {
    facts.add("precision", result.precision, plain_in_words, of);
    facts.add("recall", result.recall, plain_in_words, of);
    facts.add("F1", result.f1, plain_in_words, of);
  } else {
    facts.add("macro F1", result.macro_f1, plain_in_words, "unweighted mean over classes");
  }
  facts.add("MCC", result.matthews, plain_in_words, "correlation coefficient, 0 for chance");
  const bool ranked = !std::isnan(result.roc_auc.value);
  const std::string why = ranked ? (result.binary ? "" : "mean over classes, one against the rest")
                                 : "only one class in the data";
  facts.add("AUC (ROC)", result.roc_auc, plain_in_words, why);
  facts.add("AUC (PR)", result.pr_auc, plain_in_words, result.binary ? "average precision" : "");
  if (result.probability) {
    facts.add("log loss", result.probability->log_loss, plain_in_words);
    facts.add("Brier score", result.probability->brier, plain_in_words);
    facts.add("calibration error", share_in_words(result.probability->reliability.error), "",
              "mean |predicted - observed|");
  }
  const std::size_t width = name_width(result.classes);
  std::string text = facts.text() +
                     class_table(result.classes, result.macro, result.weighted, nullptr, width) +
                     confusion_table(result, width) + worst_confusions(result);
  if (result.probability) text += reliability_table(*result.probability, result.binary);
  return text;
}

std::string words_of(const LabelSets& result, const Evaluation& evaluation) {
  Facts facts(evaluation);
  facts.add("exact match", result.exact, share_in_words, "all labels of a row correct");
  facts.add("Hamming loss", result.hamming_loss, share_in_words,
            "fraction of wrong label decisions");
  facts.add("micro F1", result.micro_f1, plain_in_words, "over all label decisions");
  facts.add("macro F1", result.macro_f1, plain_in_words, "unweighted mean over labels");
  return facts.text() + class_table(result.labels, result.macro, result.weighted, &result.micro,
                                    name_width(result.labels));
}

std::string words_of(const Regression& result, const Evaluation& evaluation) {
  Facts facts(evaluation);
  facts.add("MAE", result.mae, error_in_words, "mean absolute error");
  facts.add("RMSE", result.rmse, error_in_words, "root mean squared error");
  facts.add("median error", result.median_error, error_in_words, "median absolute error");
  facts.add("R2", result.r2, error_in_words,
            "1 is perfect, 0 is no better than predicting the mean");
  return facts.text();
}

}  // namespace

Json evaluation_json(const Evaluation& evaluation) {
  Json json = {{"rows", evaluation.rows}};
  if (evaluation.weighted) json["weighted"] = true;
  if (evaluation.bootstrap) {
    json["bootstrap"] = {{"resamples", evaluation.bootstrap->resamples},
                         {"confidence", evaluation.bootstrap->confidence},
                         {"seed", evaluation.bootstrap->seed}};
  }
  std::visit([&json](const auto& result) { add_json_of(result, json); }, evaluation.result);
  return json;
}

std::string evaluation_for_people(const Evaluation& evaluation) {
  std::string between;
  if (evaluation.bootstrap) {
    between = fmt::format("{:.3g} % interval", 100.0 * evaluation.bootstrap->confidence);
  }
  Facts head(evaluation);
  head.add("rows", with_separators(evaluation.rows), between,
           evaluation.weighted ? "weighted" : "");
  return head.text() + std::visit([&](const auto& result) { return words_of(result, evaluation); },
                                  evaluation.result);
}

}  // namespace pegasos::cli
