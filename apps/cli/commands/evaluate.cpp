// pegasos evaluate: how good a model is on labelled rows.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "exit_codes.h"
#include "model_files.h"
#include "options.h"
#include "pegasos/error.h"
#include "pegasos/metrics.h"
#include "program.h"
#include "progress.h"
#include "quantities.h"
#include "reading.h"
#include "scoring.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Wish {
  std::string data;
  std::string model;
  ReadOptions reading;
};

// Scores and labels of the rows that have one; 16 bytes a row, however wide the rows are.
struct Scored {
  std::vector<double> scores;  // outputs of each row side by side
  std::vector<double> labels;
  ReadNotes notes;
  std::uint64_t unknown_labels = 0;
};

Scored score(const Session& session, const Model& model, Wish wish) {
  const ModelBase& facts = base_of(model);
  const std::size_t width = outputs(model);
  wish.reading.threads = session.threads;
  Progress progress(session, "evaluating " + wish.data, Progress::Unit::bytes);
  wish.reading.watch = progress.watch_reading();
  Scored result;
  result.notes = score_file(
      model, wish.data, wish.reading, [&](const Dataset& rows, std::span<const double> scores) {
        for (std::size_t i = 0; i < rows.rows() && rows.has_labels(); ++i) {
          if (std::isnan(rows.label(i))) continue;
          const auto of_row = scores.subspan(i * width, width);
          result.scores.insert(result.scores.end(), of_row.begin(), of_row.end());
          result.labels.push_back(rows.label(i));
          result.unknown_labels += width == 1 && is_unknown_label(rows.label(i), facts) ? 1 : 0;
        }
      });
  if (result.scores.empty()) {
    Diagnostic whole;
    whole.message = "no row has a label to compare with";
    throw ParseError(wish.data, {std::move(whole)});
  }
  return result;
}

std::string fact(std::string_view name, const std::string& value) {
  return fmt::format("  {:<12}{}\n", name, value);
}

std::string confusion(const ModelBase& model, const BinaryMetrics& m) {
  const std::string positive = printable(model.label_text(model.positive_label));
  const std::string negative =
      model.one_against_rest ? "rest" : printable(model.label_text(model.negative_label));
  const std::size_t width = std::max<std::size_t>({positive.size(), negative.size(), 10}) + 2;
  std::string text = fmt::format("\n  {:<{}}{:>{}}{:>{}}\n", "true \\ said", width + 2, positive,
                                 width, negative, width);
  text +=
      fmt::format("  {:<{}}{:>{}}{:>{}}\n", positive, width + 2, with_separators(m.true_positive),
                  width, with_separators(m.false_negative), width);
  text +=
      fmt::format("  {:<{}}{:>{}}{:>{}}\n", negative, width + 2, with_separators(m.false_positive),
                  width, with_separators(m.true_negative), width);
  return text;
}

int evaluate_classes(const Session& session, const ModelBase& model, const Scored& scored) {
  const std::size_t n = scored.labels.size();
  const auto positive = std::make_unique<bool[]>(n);
  for (std::size_t i = 0; i < n; ++i) positive[i] = scored.labels[i] == model.positive_label;
  const BinaryMetrics m = binary_metrics({positive.get(), n}, scored.scores);
  if (session.json) {
    const Json json = {{"rows", m.rows()},
                       {"accuracy", m.accuracy()},
                       {"precision", m.precision()},
                       {"recall", m.recall()},
                       {"f1", m.f1()},
                       {"auc", std::isnan(m.auc) ? Json(nullptr) : Json(m.auc)},
                       {"confusion",
                        {{"true_positive", m.true_positive},
                         {"false_positive", m.false_positive},
                         {"true_negative", m.true_negative},
                         {"false_negative", m.false_negative}}}};
    print(json.dump(2) + "\n");
    return kDone;
  }
  std::string text = fact("rows", with_separators(m.rows()));
  text += fact("accuracy", in_percent(m.accuracy()));
  text += fact("precision", fmt::format("{:.4f}  of those called {}", m.precision(),
                                        printable(model.label_text(model.positive_label))));
  text += fact("recall", fmt::format("{:.4f}", m.recall()));
  text += fact("F1", fmt::format("{:.4f}", m.f1()));
  text += fact("AUC", std::isnan(m.auc) ? "one class only" : fmt::format("{:.4f}", m.auc));
  print(text + confusion(model, m));
  return kDone;
}

std::string confusion(const MulticlassModel& model,
                      const std::vector<std::vector<std::uint64_t>>& counts) {
  constexpr std::size_t kMostColumns = 30;
  if (model.classes.size() > kMostColumns) return "\n  --json has the confusion table\n";
  std::size_t width = 6;
  for (const double label : model.classes) {
    width = std::max(width, cells(printable(model.label_text(label))) + 1);
  }
  const auto cell = [width](const std::string& text) {
    return std::string(width > cells(text) ? width - cells(text) : 0, ' ') + text;
  };
  std::string text = "\n  true \\ said\n  " + cell("");
  for (const double label : model.classes) text += cell(printable(model.label_text(label)));
  for (std::size_t c = 0; c < counts.size(); ++c) {
    text += "\n  " + cell(printable(model.label_text(model.classes[c])));
    for (const std::uint64_t count : counts[c]) text += cell(with_separators(count));
  }
  return text + "\n";
}

int evaluate_many(const Session& session, const MulticlassModel& model, const Scored& scored) {
  if (model.multilabel) {
    throw UsageError("rows with several labels have no confusion table",
                     "pegasos predict says how many rows were right");
  }
  const std::size_t width = model.classes.size();
  std::vector<std::vector<std::uint64_t>> counts(width, std::vector<std::uint64_t>(width));
  std::uint64_t right = 0;
  std::uint64_t unknown = 0;
  for (std::size_t i = 0; i < scored.labels.size(); ++i) {
    const std::size_t said = model.choose(std::span(scored.scores).subspan(i * width, width));
    const auto found = std::find(model.classes.begin(), model.classes.end(), scored.labels[i]);
    if (found == model.classes.end()) {
      ++unknown;
      continue;
    }
    const auto truth = static_cast<std::size_t>(found - model.classes.begin());
    ++counts[truth][said];
    right += truth == said ? 1 : 0;
  }
  say(session, note_on_unknown_classes(unknown));
  const double accuracy = static_cast<double>(right) / static_cast<double>(scored.labels.size());
  if (session.json) {
    Json json = {{"rows", scored.labels.size()}, {"accuracy", accuracy}};
    for (const double label : model.classes) json["classes"].push_back(model.label_text(label));
    json["confusion"] = counts;
    print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    return kDone;
  }
  print(fact("rows", with_separators(scored.labels.size())) +
        fact("accuracy", in_percent(accuracy)) + confusion(model, counts));
  return kDone;
}

int evaluate_numbers(const Session& session, const Scored& scored) {
  const RegressionMetrics m = regression_metrics(scored.labels, scored.scores);
  if (session.json) {
    const Json json = {{"rows", m.rows}, {"mae", m.mae}, {"rmse", m.rmse}, {"r2", m.r2}};
    print(json.dump(2) + "\n");
    return kDone;
  }
  print(fact("rows", with_separators(m.rows)) + fact("MAE", fmt::format("{:.6g}", m.mae)) +
        fact("RMSE", fmt::format("{:.6g}", m.rmse)) + fact("R2", fmt::format("{:.6g}", m.r2)));
  return kDone;
}

int evaluate(const Session& session, const Wish& wish) {
  const Model loaded = load_model_beside(wish.data, wish.model);
  const ModelBase& model = base_of(loaded);
  const Scored scored = score(session, loaded, wish);
  for (const auto& note : sentences_of(scored.notes)) say(session, "note: " + note + "\n");
  say(session, note_on_unknown_labels(scored.unknown_labels, model));
  if (const auto* many = std::get_if<MulticlassModel>(&loaded)) {
    return evaluate_many(session, *many, scored);
  }
  return model.classifies ? evaluate_classes(session, model, scored)
                          : evaluate_numbers(session, scored);
}

}  // namespace

void add_evaluate(Program& program) {
  Session& session = program.session();
  Command& command = program.add("evaluate", "measure a model on labelled rows");
  const auto wish = std::make_shared<Wish>();
  command.example("pegasos evaluate test.svm train.svm.model",
                  "Accuracy, precision, recall, F1, AUC and the confusion table.");
  command.example("pegasos evaluate houses.csv houses.model --json",
                  "Errors of a regression, for a program to read.");
  command.describe("Rows without a label are left out. A score above 0 means the positive label.");
  add_file(command, "data", wish->data, "Labelled rows; - is standard input")->required();
  add_file(command, "model", wish->model,
           "The model, as train wrote it, or LIBLINEAR's or LIBSVM's")
      ->required();
  add_reading_options(command, wish->reading);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.runs([&session, wish] { return evaluate(session, *wish); });
}

}  // namespace pegasos::cli
