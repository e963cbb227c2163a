#include "reading.h"

#include <fmt/format.h>

#include "model_files.h"
#include "options.h"
#include "output_file.h"
#include "pegasos/error.h"
#include "progress.h"
#include "quantities.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

constexpr const char* kGroup = "Reading";

void refuse_model_file(const std::string& path) {
  if (!looks_like_model(path)) return;
  Diagnostic whole;
  whole.message = "this is a model, not data";
  whole.hint = "give the data here; commands that take both want the data first, then the model";
  throw ParseError(path, {std::move(whole)});
}

char delimiter_of(const std::string& text) {
  static const Choices<char> names = {
      {"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"space", ' '}, {"pipe", '|'}};
  if (text.size() == 1) return text[0];
  if (text == "\\t") return '\t';
  std::vector<std::string> words;
  for (const auto& name : names) words.push_back(name.first);
  return names[find_choice("--delimiter", text, words)].second;
}

void add_format_option(Command& command, ReadOptions& options) {
  enum class Wanted { svmlight, csv, tsv, binary };
  add_choice<Wanted>(
      command, "--format",
      {{"svmlight", Wanted::svmlight},
       {"csv", Wanted::csv},
       {"tsv", Wanted::tsv},
       {"binary", Wanted::binary}},
      [&options](Wanted wanted) {
        options.format = wanted == Wanted::svmlight ? DataFormat::svmlight
                         : wanted == Wanted::binary ? DataFormat::binary
                                                    : DataFormat::csv;
        if (wanted == Wanted::tsv && !options.delimiter) options.delimiter = '\t';
      },
      "What the file is; by default found out from its content, as is its compression")
      ->group(kGroup);
}

void add_csv_options(Command& command, ReadOptions& options) {
  command
      .add_option_function<std::string>(
          "--delimiter",
          [&options](const std::string& text) { options.delimiter = delimiter_of(text); },
          "CSV: what stands between cells; by default found out")
      ->type_name("comma|semicolon|tab|space|pipe|CHAR")
      ->group(kGroup);
  add_choice<bool>(
      command, "--header", {{"yes", true}, {"no", false}},
      [&options](bool header) { options.header = header; },
      "CSV: does the first line name the columns? By default found out")
      ->group(kGroup);
  command
      .add_option("--label", options.label_column,
                  "CSV: the column to learn, by name or by number from 1; by default one called "
                  "label, target, class or y, else the last")
      ->type_name("COLUMN")
      ->group(kGroup);
  command
      .add_option("--weight,--weight-column", options.weight_column,
                  "CSV: the column of row weights")
      ->type_name("COLUMN")
      ->group(kGroup);
  add_list(command, "--ignore", options.ignored_columns, "COLUMN,...",
           "CSV: columns to leave out; may be repeated")
      ->group(kGroup);
  add_list(command, "--words", options.words_columns, "COLUMN,...",
           "CSV: columns whose numbers are names, one feature for each; may be repeated")
      ->group(kGroup);
  add_choice<MissingValues>(
      command, "--missing",
      {{"refuse", MissingValues::refuse},
       {"zero", MissingValues::zero},
       {"mean", MissingValues::mean}},
      [&options](MissingValues missing) { options.missing = missing; },
      "CSV: what to do about empty cells (refuse)")
      ->group(kGroup);
}

}  // namespace

void add_reading_options(Command& command, ReadOptions& options) {
  add_format_option(command, options);
  add_choice<std::uint32_t>(
      command, "--index-base", {{"0", 0U}, {"1", 1U}},
      [&options](std::uint32_t base) { options.index_base = base; },
      "svmlight: index of the first feature; by default 0 if index 0 occurs, else 1")
      ->group(kGroup);
  add_csv_options(command, options);
  add_size(
      command, "--max-decompressed",
      [&options](std::uint64_t bytes) { options.max_decompressed = bytes; },
      "Largest size a compressed file may unpack to; by default 1G or 200 times its own size")
      ->group(kGroup);
  add_count(
      command, "--max-errors",
      [&options](std::uint64_t errors) { options.max_errors = static_cast<std::size_t>(errors); },
      "Complaints about the data to show before giving up (8)")
      ->group(kGroup);
}

namespace {

// Options that would be ignored would look as if they had been heeded.
void refuse_csv_options(const ReadOptions& options, DataFormat format, const std::string& path) {
  const std::pair<bool, const char*> asked[] = {
      {options.delimiter.has_value(), "--delimiter"},
      {options.header.has_value(), "--header"},
      {!options.label_column.empty(), "--label"},
      {!options.weight_column.empty(), "--weight-column"},
      {!options.ignored_columns.empty(), "--ignore"},
      {!options.words_columns.empty(), "--words"},
      {options.missing != MissingValues::refuse, "--missing"}};
  for (const auto& [is, flag] : asked) {
    if (!is) continue;
    throw UsageError(
        fmt::format("{} is for CSV, and '{}' is {}", flag, printable(path), name_of(format)),
        "leave it out, or give the table it was made from");
  }
}

}  // namespace

std::string typed_reading_options(const ReadOptions& options) {
  std::string line;
  const auto add = [&line](const char* flag, const std::string& value) {
    line += fmt::format(" {} {}", flag, shell_word(value));
  };
  if (options.format) add("--format", name_of(*options.format));
  if (options.index_base) add("--index-base", std::to_string(*options.index_base));
  if (options.delimiter) add("--delimiter", std::string(1, *options.delimiter));
  if (options.header) add("--header", *options.header ? "yes" : "no");
  if (!options.label_column.empty()) add("--label", options.label_column);
  if (!options.weight_column.empty()) add("--weight", options.weight_column);
  for (const auto& column : options.ignored_columns) add("--ignore", column);
  for (const auto& column : options.words_columns) add("--words", column);
  if (options.missing != MissingValues::refuse) {
    add("--missing", options.missing == MissingValues::zero ? "zero" : "mean");
  }
  return line;
}

ReadResult read_data(const Session& session, const std::string& path, ReadOptions options) {
  refuse_model_file(path);
  Progress progress(session, "reading " + (path == "-" ? "standard input" : path),
                    Progress::Unit::bytes);
  options.threads = session.threads;
  options.watch = progress.watch_reading();
  ReadResult read = read_dataset(path, options);
  if (read.notes.format != DataFormat::csv) refuse_csv_options(options, read.notes.format, path);
  return read;
}

std::vector<std::string> sentences_of(const ReadNotes& notes) {
  std::vector<std::string> sentences;
  const auto note = [&](std::uint64_t count, std::string_view what, std::string_view rest) {
    if (count > 0) sentences.push_back(fmt::format("{} {}", counted(count, what), rest));
  };
  note(notes.rows_with_qid, "row", "with a qid, which is ignored");
  note(notes.rows_reordered, "row", "had indices out of order and were sorted");
  note(notes.rows_unlabelled, "row", "without a label");
  note(notes.values_filled, "empty cell", "filled");
  note(notes.unknown_words, "word", "not known from training, ignored");
  note(notes.unknown_features, "value", "of features not known from training, ignored");
  return sentences;
}

std::string name_of(DataFormat format) {
  switch (format) {
    case DataFormat::svmlight:
      return "svmlight";
    case DataFormat::csv:
      return "csv";
    case DataFormat::binary:
      return "binary";
  }
  return "unknown";
}

}  // namespace pegasos::cli
