// pegasos inspect: what a data or model file holds.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "command.h"
#include "commands/commands.h"
#include "exit_codes.h"
#include "feature_names_option.h"
#include "model_contents.h"
#include "model_files.h"
#include "model_text.h"
#include "options.h"
#include "pegasos/summary.h"
#include "prediction_text.h"
#include "profile_text.h"
#include "reading.h"
#include "session.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

constexpr std::size_t kLabelsShown = 20;
constexpr std::size_t kBarCells = 30;

struct Inspection {
  std::string path;
  ReadNotes notes;
  std::shared_ptr<const Schema> schema;
  DatasetSummary summary;
};

std::string task_name(Task task) {
  switch (task) {
    case Task::none:
      return "none";
    case Task::binary:
      return "binary";
    case Task::multiclass:
      return "multiclass";
    case Task::regression:
      return "regression";
  }
  return "unknown";
}

std::string sentence_of(const DatasetSummary& summary) {
  switch (summary.task) {
    case Task::none:
      return summary.distinct_labels == 0 ? "no labels" : "only one label";
    case Task::binary:
      return "two labels: binary classification";
    case Task::multiclass:
      return fmt::format("{} labels: multiclass classification", summary.distinct_labels);
    case Task::regression:
      return "numbers: regression";
  }
  return "";
}

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

struct ColumnCounts {
  std::size_t numbers = 0;
  std::size_t words = 0;
  std::size_t texts = 0;
  std::size_t dates = 0;
  std::size_t ignored = 0;
  std::string label;
  std::string weight;
};

ColumnCounts count_columns(const CsvLayout& csv) {
  ColumnCounts counts;
  for (const auto& column : csv.columns) {
    switch (column.role) {
      case CsvColumn::Role::number:
        ++counts.numbers;
        break;
      case CsvColumn::Role::words:
        ++counts.words;
        break;
      case CsvColumn::Role::text:
        ++counts.texts;
        break;
      case CsvColumn::Role::date:
        ++counts.dates;
        break;
      case CsvColumn::Role::ignored:
        ++counts.ignored;
        break;
      case CsvColumn::Role::label:
        counts.label = column.name;
        break;
      case CsvColumn::Role::weight:
        counts.weight = column.name;
        break;
    }
  }
  return counts;
}

std::string delimiter_name(char delimiter) {
  switch (delimiter) {
    case ',':
      return "comma";
    case ';':
      return "semicolon";
    case '\t':
      return "tab";
    case ' ':
      return "space";
    case '|':
      return "pipe";
    default:
      return std::string(1, delimiter);
  }
}

// ── for programs ────────────────────────────────────────────────────────────────────────────────

Json csv_json(const CsvLayout& csv) {
  const ColumnCounts counts = count_columns(csv);
  Json json = {{"delimiter", delimiter_name(csv.delimiter)},
               {"header", csv.has_header},
               {"number_columns", counts.numbers},
               {"words_columns", counts.words},
               {"text_columns", counts.texts},
               {"date_columns", counts.dates},
               {"ignored_columns", counts.ignored}};
  json["label_column"] = counts.label.empty() ? Json(nullptr) : Json(counts.label);
  json["weight_column"] = counts.weight.empty() ? Json(nullptr) : Json(counts.weight);
  return json;
}

Json labels_json(const DatasetSummary& summary) {
  Json labels = Json::array();
  for (const auto& label : summary.labels) {
    labels.push_back({{"value", label.value},
                      {"name", label.name},
                      {"rows", label.rows},
                      {"share", share_of(label.rows, summary.rows)}});
  }
  return labels;
}

Json notes_json(const ReadNotes& notes) {
  return {{"rows_with_qid", notes.rows_with_qid},     {"rows_reordered", notes.rows_reordered},
          {"rows_unlabelled", notes.rows_unlabelled}, {"values_filled", notes.values_filled},
          {"unknown_words", notes.unknown_words},     {"unknown_features", notes.unknown_features}};
}

std::string as_json(const Inspection& seen) {
  const DatasetSummary& summary = seen.summary;
  Json json = {{"file", seen.path}, {"format", name_of(seen.notes.format)}};
  json["compression"] = seen.notes.compression.empty() ? "none" : seen.notes.compression;
  if (seen.schema->csv) {
    json["csv"] = csv_json(*seen.schema->csv);
  } else {
    json["index_base"] = seen.schema->indices.base();
    json["contiguous_indices"] = seen.schema->indices.is_contiguous();
  }
  json["rows"] = summary.rows;
  json["features"] = summary.features;
  json["features_used"] = summary.features_used;
  json["non_zeros"] = summary.non_zeros;
  json["density"] = summary.density;
  json["layout"] = summary.dense ? "dense" : "sparse";
  json["memory_bytes"] = summary.memory_bytes;
  json["empty_rows"] = summary.empty_rows;
  json["longest_row"] = summary.longest_row;
  json["values"] = {{"smallest", summary.smallest_value}, {"largest", summary.largest_value}};
  json["row_norms"] = {{"smallest", summary.smallest_norm}, {"largest", summary.largest_norm}};
  json["task"] = task_name(summary.task);
  json["distinct_labels"] = summary.distinct_labels;
  json["labels"] = labels_json(summary);
  if (summary.distinct_labels > 0) {
    json["label_range"] = {{"smallest", summary.smallest_label},
                           {"largest", summary.largest_label},
                           {"mean", summary.mean_label}};
  }
  if (!seen.notes.columns.empty()) json["columns"] = profile_json(seen.notes.columns);
  json["notes"] = notes_json(seen.notes);
  // Names from the file need not be UTF-8; JSON must be.
  return json.text();
}

// ── for people ──────────────────────────────────────────────────────────────────────────────────

std::string headline(const Inspection& seen) {
  std::string text = name_of(seen.notes.format);
  if (!seen.notes.compression.empty()) text += ", " + seen.notes.compression;
  if (const auto& csv = seen.schema->csv) {
    text += fmt::format(", delimiter {}, {}", printable(delimiter_name(csv->delimiter)),
                        csv->has_header ? "header row" : "no header row");
  } else {
    text += fmt::format(", indices from {}", seen.schema->indices.base());
  }
  return text;
}

std::string fact(std::string_view name, const std::string& value, const std::string& more = "") {
  if (more.empty()) return fmt::format("  {:<11}{}\n", name, value);
  return fmt::format("  {:<11}{:<16}{}\n", name, value, more);
}

std::string columns_fact(const CsvLayout& csv) {
  const ColumnCounts counts = count_columns(csv);
  std::vector<std::string> parts;
  if (counts.numbers > 0) parts.push_back(fmt::format("{} numeric", counts.numbers));
  if (counts.words > 0) parts.push_back(fmt::format("{} categorical", counts.words));
  if (counts.texts > 0) parts.push_back(fmt::format("{} text", counts.texts));
  if (counts.dates > 0) parts.push_back(fmt::format("{} date", counts.dates));
  if (counts.ignored > 0) parts.push_back(fmt::format("{} ignored", counts.ignored));
  if (!counts.label.empty()) parts.push_back("label '" + printable(counts.label) + "'");
  if (!counts.weight.empty()) parts.push_back("weight '" + printable(counts.weight) + "'");
  return fact("columns", with_separators(csv.columns.size()), joined(parts, ", "));
}

std::string facts(const Inspection& seen) {
  const DatasetSummary& s = seen.summary;
  const auto range = [](double low, double high) {
    return fmt::format("{:.6g} to {:.6g}", low, high);
  };
  std::string text =
      fact("rows", with_separators(s.rows),
           s.empty_rows == 0 ? "none empty" : with_separators(s.empty_rows) + " empty");
  if (seen.schema->csv) text += columns_fact(*seen.schema->csv);
  text +=
      fact("features", with_separators(s.features),
           s.features_used == s.features ? "all used" : with_separators(s.features_used) + " used");
  text += fact("non-zeros", with_separators(s.non_zeros),
               fmt::format("density {}, {:.3g} per row, at most {}", in_percent(s.density),
                           share_of(s.non_zeros, s.rows), with_separators(s.longest_row)));
  text += fact("layout", s.dense ? "dense" : "sparse",
               in_bytes(static_cast<double>(s.memory_bytes)) + " in memory");
  text += fact("values", range(s.smallest_value, s.largest_value));
  text += fact("row norms", range(s.smallest_norm, s.largest_norm));
  return text;
}

std::string label_chart(const DatasetSummary& summary) {
  const std::size_t shown = std::min(summary.labels.size(), kLabelsShown);
  std::size_t name_cells = 0;
  std::uint64_t most = 0;
  for (const auto& label : summary.labels) most = std::max(most, label.rows);
  for (std::size_t i = 0; i < shown; ++i) {
    name_cells = std::max(name_cells, cells(printable(summary.labels[i].name)));
  }
  const std::size_t count_cells = with_separators(most).size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& label = summary.labels[i];
    const std::string name = printable(label.name);
    text += fmt::format("  {}{}  {:>{}}  {:>7}  {}\n", std::string(name_cells - cells(name), ' '),
                        name, with_separators(label.rows), count_cells,
                        in_percent(share_of(label.rows, summary.rows)),
                        bar(share_of(label.rows, most), kBarCells));
  }
  if (shown < summary.labels.size()) {
    text += fmt::format("  and {} more\n", summary.labels.size() - shown);
  }
  return text;
}

std::string labels_part(const DatasetSummary& summary, const Style& style) {
  std::string text = fmt::format("\n{}  {}\n", style.bold("Labels"), sentence_of(summary));
  if (summary.task == Task::regression) {
    return text + fact("range", fmt::format("{:.6g} to {:.6g}, mean {:.6g}", summary.smallest_label,
                                            summary.largest_label, summary.mean_label));
  }
  return text + label_chart(summary);
}

std::string for_people(const Inspection& seen) {
  const Style style(STDOUT_FILENO);
  std::string text = fmt::format(
      "{}  {}\n", style.bold(seen.path == "-" ? "standard input" : printable(seen.path)),
      headline(seen));
  text += facts(seen) + labels_part(seen.summary, style);
  ReadNotes reading = seen.notes;
  if (!reading.columns.empty()) {
    text += "\n" + style.bold(title_of_profile(reading.columns, seen.summary.rows)) + "\n" +
            profile_for_people(reading.columns);
    reading.columns.clear();
  }
  auto notes = sentences_of(reading);
  if (const IndexMap& indices = seen.schema->indices; !indices.is_contiguous()) {
    notes.push_back(fmt::format("the largest index is {}; only indices that occur became features",
                                with_separators(indices.seen().back())));
  }
  if (!notes.empty()) text += "\n" + style.bold("Notes") + "\n";
  for (const auto& note : notes) text += "  " + note + "\n";
  return text;
}

struct Arguments {
  std::string path;
  ReadOptions reading;
  std::string names;     // of features, a file
  std::size_t top = 10;  // features of each sign to show
  bool full = false;     // of a model, all of its numbers
  bool weights = false;  // all of them, as CSV
};

// A line for each feature, in the order of the model; the bias comes last.
std::string weights_csv(const Model& model) {
  const auto* linear = std::get_if<LinearModel>(&model);
  const auto* many = std::get_if<MulticlassModel>(&model);
  const bool plain = linear != nullptr
                         ? !linear->map
                         : many != nullptr && many->linear() != nullptr && !many->linear()->map;
  if (!plain) throw UsageError("--weights: this model has no feature weights");
  const Schema& schema = *base_of(model).schema;
  const std::vector<double>& w = linear != nullptr ? linear->w : many->linear()->w;
  const std::size_t width = linear != nullptr ? 1 : many->classifiers.size();
  std::string text = "feature";
  for (std::size_t k = 0; k < width; ++k) {
    text += "," + (linear != nullptr ? "weight" : csv_cell_of(many->classifier_name(k)));
  }
  text += "\n";
  for (std::size_t j = 0; j * width < w.size(); ++j) {
    text += csv_cell_of(schema.feature_name(static_cast<FeatureId>(j)));
    for (std::size_t k = 0; k < width; ++k) text += fmt::format(",{}", w[j * width + k]);
    text += "\n";
  }
  text += "(bias)";
  for (std::size_t k = 0; k < width; ++k) {
    text += fmt::format(",{}", linear != nullptr ? linear->b : many->classifiers[k].b);
  }
  return text + "\n";
}

int inspect_model(const Session& session, const Arguments& arguments) {
  Model model = load_any_model(arguments.path);
  name_features(arguments.names, model);
  if (arguments.weights) {
    print(weights_csv(model));
    return kDone;
  }
  if (!session.json && !arguments.full) {
    print(model_for_people(model, arguments.path, arguments.top));
    return kDone;
  }
  Json json = model_json(model, arguments.top);
  if (arguments.full) json["contents"] = model_contents(model);
  print(arguments.full ? json.one_line() + "\n" : json.text());
  return kDone;
}

int inspect(const Session& session, const Arguments& arguments) {
  if (looks_like_model(arguments.path)) return inspect_model(session, arguments);
  const ReadResult read = read_or_show_columns(session, arguments.path, arguments.reading);
  const Inspection seen = {arguments.path, read.notes, read.data.shared_schema(),
                           summarise(read.data, session.threads)};
  print(session.json ? as_json(seen) : for_people(seen));
  return kDone;
}

}  // namespace

void define_inspect(Command& command, Session& session) {
  const auto arguments = std::make_shared<Arguments>();
  command.example("pegasos inspect train.svm.gz",
                  "Format, size, value ranges, label counts and the task they suggest.");
  command.example("pegasos inspect house.csv --label price",
                  "The same for a table, with the label column named.");
  command.example("pegasos inspect train.svm.model",
                  "A model: its certificate, how it was trained, and its largest weights.");
  command.example("pegasos inspect spam.model --top 30 --feature-names words.txt",
                  "The 30 words with the largest positive and negative weights.");
  command.example("pegasos inspect spam.model --weights > weights.csv", "All weights as CSV.");
  command.example("zcat part-*.gz | pegasos inspect - --json", "Read from a pipe, write JSON.");
  command.describe(
      "Reads the whole file as train would, so a file that inspect accepts can be trained on. "
      "Errors are reported with line and column.");
  add_file(command, "data", arguments->path, "The data file or model; - is standard input")
      ->required();
  add_count(
      command, "--top", [arguments](std::uint64_t top) { arguments->top = top; },
      "Models: number of largest positive and negative weights to show, 0 for all (10)");
  command.add_flag("--full", arguments->full,
                   "Models: write all weights or support vectors, dual variables and settings as "
                   "JSON with full precision; scripts/check_certificate reads this");
  command.add_flag("--weights", arguments->weights,
                   "Linear models: write all feature weights as CSV");
  add_feature_names(command, arguments->names);
  add_reading_options(command, arguments->reading);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.runs([&session, arguments] { return inspect(session, *arguments); });
}

}  // namespace pegasos::cli
