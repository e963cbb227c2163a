// pegasos explain: why rows get the scores they get.
#include "pegasos/explain.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "command.h"
#include "commands/commands.h"
#include "exit_codes.h"
#include "feature_names_option.h"
#include "model_files.h"
#include "options.h"
#include "pegasos/decision.h"
#include "pegasos/importance.h"
#include "pegasos/read.h"
#include "reading.h"
#include "session.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

struct Arguments {
  std::string data;
  std::string model;
  std::string names;
  std::uint64_t rows = 10;
  std::optional<std::uint64_t> row;  // from 1
  std::uint64_t top = 10;
  bool importance = false;  // of columns, instead of rows
  std::uint64_t seed = 1;
  ReadOptions reading;
};

// A row with its place in the file, from 1.
struct Explained {
  std::uint64_t row = 0;
  double label = NAN;
  Explanation explanation;
};

class Writer {
 public:
  explicit Writer(const Model& model)
      : model_(base_of(model)), decision_(model), style_(STDOUT_FILENO) {}

  std::string text(const Explained& row) const {
    const Explanation& why = row.explanation;
    std::string text = heading(row);
    const double largest = why.features.empty() ? 0.0 : std::abs(why.features.front().contribution);
    for (const auto& one : why.features) {
      text += line(name_of(one.feature), shown_value(one), one.contribution, largest);
    }
    if (why.other_features > 0) {
      text += why.additive ? line(counted(why.other_features, "other"), "", why.others, 0.0)
                           : fmt::format("  {}\n", counted(why.other_features, "other"));
    }
    if (why.additive) {
      if (why.centred || why.base != 0) {
        text += line(why.centred ? "score of the mean row" : "bias", "", why.base, 0.0);
      }
      text += line("score", "", why.score, 0.0);
    }
    return text + vectors(why) + "\n";
  }

  Json json(const Explained& row) const {
    const Explanation& why = row.explanation;
    Json json = {{"row", row.row}, {"score", why.score}, {"predicted", prediction(why)}};
    if (!std::isnan(row.label)) json["label"] = model_.label_text(row.label);
    if (has_probability()) json["probability"] = decision_.probability(why.score);
    json["bias"] = why.bias;
    json["base"] = why.base;
    json["centred"] = why.centred;
    json["additive"] = why.additive;
    json["features"] = Json::array();
    for (const auto& one : why.features) {
      json["features"].push_back({{"feature", model_.schema->feature_name(one.feature)},
                                  {"value", value_in_file(one)},
                                  {"contribution", one.contribution}});
    }
    json["other_features"] = why.other_features;
    if (why.additive) json["others"] = why.others;
    if (why.vectors.empty()) return json;
    for (const auto& one : why.vectors) {
      json["vectors"].push_back({{"vector", one.vector + 1},
                                 {"coefficient", one.coefficient},
                                 {"kernel", one.kernel},
                                 {"contribution", one.contribution}});
    }
    json["other_vectors"] = why.other_vectors;
    json["vector_others"] = why.vector_others;
    return json;
  }

 private:
  static constexpr std::size_t kNameCells = 32;

  std::string prediction(const Explanation& why) const {
    if (decision_.kind() == AnswerKind::number) {
      return fmt::format("{:.6g}", decision_.number(why.score));
    }
    if (decision_.kind() == AnswerKind::two_classes) return decision_.text({&why.score, 1});
    return decision_.names()[why.output];
  }

  bool has_probability() const {
    return decision_.kind() == AnswerKind::two_classes && decision_.has_probabilities();
  }

  std::string name_of(FeatureId feature) const {
    return printable(model_.schema->feature_name(feature));
  }

  // In the units of the file. A 0 that was scaled and is scaled back is 0 again.
  double value_in_file(const FeatureContribution& one) const {
    const Schema& schema = *model_.schema;
    const double value = schema.number_in_file(one.feature, one.value);
    const double unit =
        schema.number_in_file(one.feature, 1.0) - schema.number_in_file(one.feature, 0.0);
    const double rounding = 1e-6 * std::abs(unit) * std::max(1.0, std::abs(one.value));
    return std::abs(value - std::round(value)) <= rounding ? std::round(value) + 0.0 : value;
  }
  std::string shown_value(const FeatureContribution& one) const {
    return fmt::format("{:.6g}", value_in_file(one));
  }

  std::string heading(const Explained& row) const {
    const double score = row.explanation.score;
    std::string text = style_.bold(fmt::format("row {}", with_separators(row.row)));
    text += fmt::format("  score {:+.5g}", score);
    if (model_.classifies()) text += ", predicted " + printable(prediction(row.explanation));
    if (has_probability()) {
      text += fmt::format(" (probability of {} {:.4f})", printable(decision_.names()[0]),
                          decision_.probability(score));
    }
    if (!std::isnan(row.label)) text += ", labelled " + printable(model_.label_text(row.label));
    text += "\n";
    if (row.explanation.features.empty()) return text + "  no feature contributes to the score\n";
    return text +
           style_.dim(fmt::format("  {:<32}{:>12}  {:>12}", "feature", "value",
                                  row.explanation.additive ? "contribution" : "score drop")) +
           "\n";
  }

  static std::string line(const std::string& name, const std::string& value, double contribution,
                          double largest) {
    const std::size_t used = cells(name);
    std::string text = fmt::format("  {}{}{:>12}  {:>+12.5g}", name,
                                   std::string(used < kNameCells ? kNameCells - used : 1, ' '),
                                   value, contribution);
    if (largest > 0) text += "  " + bar(std::abs(contribution) / largest, 16);
    return text + "\n";
  }

  std::string vectors(const Explanation& why) const {
    if (why.vectors.empty()) return "";
    std::string text = style_.dim(fmt::format("  {:<32}{:>12}  {:>12}", "support vector", "kernel",
                                              "contribution")) +
                       "\n";
    const double largest = std::abs(why.vectors.front().contribution);
    for (const auto& one : why.vectors) {
      text += line(fmt::format("{} (coefficient {:+.4g})", one.vector + 1, one.coefficient),
                   fmt::format("{:.5g}", one.kernel), one.contribution, largest);
    }
    if (why.other_vectors > 0) {
      text += line(counted(why.other_vectors, "other"), "", why.vector_others, 0.0);
    }
    if (why.bias != 0) text += line("bias", "", why.bias, 0.0);
    return text + line("score", "", why.score, 0.0);
  }

  const ModelBase& model_;
  Decision decision_;
  Style style_;
};

// Calls take(Explained) for the rows asked for, reading no further than to the last of them.
template <typename Take>
std::uint64_t walk(const Session& session, const Arguments& arguments, const Model& model,
                   const Take& take) {
  ReadOptions reading = arguments.reading;
  reading.threads = session.threads;
  reading.schema = base_of(model).schema;
  const std::uint64_t first = arguments.row ? *arguments.row - 1 : 0;
  const std::uint64_t end = arguments.row         ? *arguments.row
                            : arguments.rows == 0 ? UINT64_MAX
                                                  : arguments.rows;
  RowStream stream(arguments.data, reading);
  std::uint64_t taken = 0;
  while (const auto block = stream.next()) {
    const std::uint64_t begin = stream.first_row();
    const std::uint64_t from = std::max(first, begin);
    const std::uint64_t to = std::min(end, begin + block->rows());
    if (from < to) {
      const Dataset rows = block->slice(from - begin, to - from);
      const auto explanations =
          explain(model, rows, {.top = arguments.top, .threads = session.threads});
      for (std::size_t i = 0; i < rows.rows(); ++i) {
        take(Explained{from + i + 1, rows.has_labels() ? rows.label(i) : NAN, explanations[i]});
        ++taken;
      }
    }
    if (begin + block->rows() >= end) break;
  }
  return taken;
}

std::string meaning(const Explanation& why) {
  if (why.additive && why.centred)
    return "each contribution is weight times (value - mean of the training rows); together with "
           "the score of the mean row they add up to the score\n";
  if (why.additive)
    return "each contribution is weight times value; together with the bias they add up to the "
           "score\n";
  return "score drop is how much the score falls if the feature is set to 0; the drops do not add "
         "up to the score\n";
}

std::string importance_for_people(const Importances& found, bool classifies, std::size_t shown) {
  const Style style(STDOUT_FILENO);
  const auto in_words = [classifies](double value) {
    return classifies ? fmt::format("{:+.2f} points", 100.0 * value)
                      : fmt::format("{:+.5g}", value);
  };
  std::string text =
      style.bold(classifies ? fmt::format("{} of the rows are wrong", in_percent(found.error))
                            : fmt::format("mean absolute error {:.6g}", found.error));
  text += "; dealt to other rows, a column makes it worse by\n";
  const double largest = found.columns.empty() ? 0.0 : std::max(0.0, found.columns.front().rise);
  for (std::size_t k = 0; k < shown; ++k) {
    const ColumnImportance& one = found.columns[k];
    const std::string name = printable(one.name);
    const std::size_t used = cells(name);
    text += fmt::format("  {}{}{:>16} ± {:<10.3g}  {}\n", name,
                        std::string(used < 32 ? 32 - used : 1, ' '), in_words(one.rise),
                        classifies ? 100.0 * one.standard_error : one.standard_error,
                        largest > 0 ? bar(std::max(0.0, one.rise) / largest, 16) : "");
  }
  return text;
}

int explain_columns(const Session& session, const Arguments& arguments, const Model& model) {
  if (arguments.row) throw UsageError("--importance is of columns, not of a row");
  ReadOptions reading = arguments.reading;
  reading.schema = base_of(model).schema;
  const ReadResult read = read_data(session, arguments.data, reading);
  const Importances found = permutation_importance(
      model, read.data, {.seed = arguments.seed, .threads = session.threads});
  const std::size_t shown = arguments.top == 0
                                ? found.columns.size()
                                : std::min<std::size_t>(arguments.top, found.columns.size());
  const bool classifies = base_of(model).classifies();
  if (!session.json) {
    print(importance_for_people(found, classifies, shown));
    say(session, "note: on rows that were trained on, columns seem more important than they are\n");
    return kDone;
  }
  Json columns = Json::array();
  for (std::size_t k = 0; k < shown; ++k) {
    columns.push_back({{"column", found.columns[k].name},
                       {"rise", found.columns[k].rise},
                       {"standard_error", found.columns[k].standard_error}});
  }
  print(Json{{"error", found.error}, {"columns", std::move(columns)}}.text());
  return kDone;
}

int explain_command(const Session& session, const Arguments& arguments) {
  if (arguments.row && *arguments.row == 0) throw UsageError("--row: row numbers start at 1");
  Model model = load_model_beside(arguments.data, arguments.model);
  name_features(arguments.names, model);
  if (arguments.importance) return explain_columns(session, arguments, model);
  const Writer writer(model);
  if (session.json) {
    Json rows = Json::array();
    walk(session, arguments, model,
         [&](const Explained& row) { rows.push_back(writer.json(row)); });
    print(Json{{"rows", std::move(rows)}}.text());
    return kDone;
  }
  Explanation last;
  const std::uint64_t shown = walk(session, arguments, model, [&](const Explained& row) {
    last = row.explanation;
    print(writer.text(row));
  });
  if (shown == 0) {
    say(session, "note: no such row\n");
    return kDone;
  }
  say(session, "note: " + meaning(last));
  if (!arguments.row && shown == arguments.rows) {
    say(session,
        fmt::format("note: showing the first {}; use --rows 0 for all rows, --row N for one\n",
                    counted(shown, "row")));
  }
  return kDone;
}

}  // namespace

void define_explain(Command& command, Session& session) {
  const auto arguments = std::make_shared<Arguments>();
  command.example("pegasos explain mail.svm spam.model --feature-names words.txt",
                  "The words that raise or lower the spam score, for each message.");
  command.example("pegasos explain houses.csv houses.model --row 17 --top 0",
                  "Every contribution to the predicted price of one house.");
  command.example("pegasos explain test.csv houses.model --importance",
                  "Which columns the model relies on.");
  command.example("pegasos explain mail.svm spam.model --rows 0 --json", "All rows, as JSON.");
  command.describe(
      "In a linear model each feature contributes its weight times its value, and the "
      "contributions and the bias add up to the score (with more than two classes, the score of "
      "the predicted class). For other models the output shows how much the score drops if the "
      "feature is set to 0. For two-class kernel models it also lists the support vectors, whose "
      "contributions and the bias add up to the score. Feature names come from the header of a "
      "table, or from --feature-names here or in train.");
  add_file(command, "data", arguments->data, "The rows to explain; - is standard input")
      ->required();
  add_file(command, "model", arguments->model, "A model written by train, LIBLINEAR or LIBSVM")
      ->required();
  add_count(
      command, "--rows", [arguments](std::uint64_t rows) { arguments->rows = rows; },
      "Explain the first N rows, 0 for all (10)");
  add_count(
      command, "--row", [arguments](std::uint64_t row) { arguments->row = row; },
      "Explain only this row; the first row is 1");
  add_count(
      command, "--top", [arguments](std::uint64_t top) { arguments->top = top; },
      "Show the N largest contributions, 0 for all (10)");
  command.add_flag(
      "--importance", arguments->importance,
      "Permutation importance of columns instead: how much the error on these labelled "
      "rows rises when the values of a column are shuffled, mean of 5 shuffles");
  add_seed(command, arguments->seed);
  add_feature_names(command, arguments->names);
  add_reading_options_for_model(command, arguments->reading);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.runs([&session, arguments] { return explain_command(session, *arguments); });
}

}  // namespace pegasos::cli
