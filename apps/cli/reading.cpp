#include "reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/quantity_text.h"
#include "model_files.h"
#include "options.h"
#include "output_file.h"
#include "pegasos/error.h"
#include "profile_text.h"
#include "progress.h"
#include "signals.h"
#include "spelling.h"
#include "table_options.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

void refuse_model_file(const std::string& path) {
  if (!looks_like_model(path)) return;
  Diagnostic whole;
  whole.message = "this is a model, not data";
  whole.hint =
      "expected a data file; commands that take both expect the data first, then the model";
  throw ParseError(path, {std::move(whole)});
}

}  // namespace

namespace {

// Options that say how columns become features, which a file read for a model cannot change.
const std::vector<std::string>& settled_by_model() {
  static const std::vector<std::string> options = {
      "index_base", "ignored_columns", "words_columns", "column_kinds", "date_order",
      "text_words", "text_chars",      "text_min_rows", "hash_bits"};
  return options;
}

}  // namespace

void add_reading_options(Command& command, ReadOptions& options) {
  add_table(command, read_option_table(), options, {"threads", "id_column", "bad_rows"});
}

void add_reading_options_for_model(Command& command, ReadOptions& options) {
  std::vector<std::string> left_out = settled_by_model();
  left_out.insert(left_out.end(), {"threads", "id_column", "bad_rows"});
  add_table(command, read_option_table(), options, left_out);
}

bool is_settled_by_model(const std::string& option) {
  const auto& settled = settled_by_model();
  return std::find(settled.begin(), settled.end(), option) != settled.end();
}

void refuse_settled_by_model(const ReadOptions& options, const std::string& model) {
  for (const Setting& one : changed_settings(read_option_table(), options)) {
    if (!is_settled_by_model(one.name)) continue;
    throw UsageError(
        fmt::format("{} has no effect here: the columns are read as when '{}' was trained",
                    flag_of(one.name), printable(model)),
        fmt::format("remove it, or train a model with {}", spelled(one)));
  }
}

namespace {

// An option without effect is an error, so that it is not ignored silently.
void refuse_csv_options(const ReadOptions& options, DataFormat format, const std::string& path) {
  for (const Setting& one : changed_settings(read_option_table(), options)) {
    const std::string& meaning = find_option(read_option_table(), one.name)->info.meaning;
    if (!meaning.starts_with("CSV") && !meaning.starts_with("Text")) continue;
    throw UsageError(fmt::format("{} is for CSV files, but '{}' is {}", flag_of(one.name),
                                 printable(path), name_of(format)),
                     "remove it, or use the original CSV file");
  }
}

}  // namespace

ReadOptions options_for_second(ReadOptions first, std::shared_ptr<const Schema> schema) {
  first.schema = std::move(schema);
  first.label_column.clear();
  first.weight_column.clear();
  return first;
}

std::vector<Setting> reading_settings(const ReadOptions& options) {
  std::vector<Setting> settings = changed_settings(read_option_table(), options);
  // These change no result.
  std::erase_if(settings, [](const Setting& one) {
    return one.name == "max_errors" || one.name == "max_decompressed" || one.name == "max_line";
  });
  return settings;
}

namespace {

// Reads with a progress line; `read` gets the options with it.
template <typename Read>
auto read_watched(const Session& session, const std::string& path, ReadOptions options, Read read) {
  refuse_model_file(path);
  Progress progress(session, "reading " + (path == "-" ? "standard input" : path),
                    Progress::Unit::bytes);
  options.threads = session.threads;
  options.watch = progress.watch_reading();
  options.idle = [] { return !stop_requested(); };
  return read(options);
}

void refuse_for_format(const ReadOptions& options, DataFormat format, const std::string& path) {
  const bool table = format == DataFormat::csv || format == DataFormat::json_lines;
  if (!table) refuse_csv_options(options, format, path);
}

}  // namespace

ReadResult read_data(const Session& session, const std::string& path, const ReadOptions& options) {
  ReadResult result = read_watched(session, path, options, [&](const ReadOptions& watched) {
    return session.ranks ? read_share(path, watched, *session.ranks) : read_dataset(path, watched);
  });
  refuse_for_format(options, result.notes.format, path);
  return result;
}

PlannedRead read_data_within(const Session& session, const std::string& path,
                             const ReadOptions& options, TrainOptions training,
                             const MemoryOptions& memory) {
  training.threads = session.threads;
  // Where a cache may be written, Ctrl-C is left to the progress line, which sees it between two
  // pieces: no half of a file stays behind.
  constexpr std::uintmax_t kMayNeedCache = std::uintmax_t{1} << 30;
  std::error_code absent;
  const auto size = std::filesystem::file_size(path, absent);
  std::optional<ResultAtRisk> at_risk;
  if (memory.limit > 0 || (!absent && size > kMayNeedCache)) at_risk.emplace();
  PlannedRead result = read_watched(session, path, options, [&](const ReadOptions& watched) {
    return read_for_training(path, watched, training, memory);
  });
  refuse_for_format(options, result.read.notes.format, path);
  return result;
}

ReadResult read_or_show_columns(const Session& session, const std::string& path,
                                const ReadOptions& options) {
  try {
    return read_data(session, path, options);
  } catch (const ParseError&) {
    if (path != "-" && !session.json) {
      const auto columns = profile_columns(path, options);
      if (!columns.empty()) {
        print("Columns, judged by the first rows\n" + profile_for_people(columns) + "\n");
      }
    }
    throw;
  }
}

std::vector<std::string> sentences_of(const ReadNotes& notes) {
  std::vector<std::string> sentences;
  const auto note = [&](std::uint64_t count, std::string_view what, std::string_view rest) {
    if (count > 0) sentences.push_back(fmt::format("{} {}", counted(count, what), rest));
  };
  note(notes.rows_with_qid, "row", "with a qid (ignored)");
  note(notes.rows_reordered, "row", "with unsorted indices (sorted)");
  note(notes.rows_unlabelled, "row", "without a label");
  if (notes.rows_unlabelled > 0 && notes.first_unlabelled) {
    sentences.back() += fmt::format(", the first at line {}", notes.first_unlabelled->line);
  }
  const bool by_column = !notes.columns.empty();
  note(by_column ? 0 : notes.values_filled, "missing cell", "filled");
  note(notes.unknown_words, "word", "not seen in training (ignored)");
  note(notes.unknown_features, "value", "for features not seen in training (ignored)");
  note(notes.rows_bad, "row", "could not be read");
  if (notes.first_bad) {
    sentences.back() +=
        fmt::format(", the first at line {}: {}", notes.first_bad->line, notes.first_bad->message);
  }
  if (!notes.encoding.empty()) {
    sentences.push_back("the text was converted from " + notes.encoding);
  }
  if (notes.matched_by_position) {
    sentences.emplace_back(
        "columns were matched by position, because they are not named in both files");
  }
  if (!notes.columns_extra.empty()) {
    sentences.push_back(fmt::format("{} not used by the model (ignored): {}",
                                    counted(notes.columns_extra.size(), "column"),
                                    printable(joined(notes.columns_extra, ", "))));
  }
  for (auto& sentence : sentences_of(notes.columns)) sentences.push_back(std::move(sentence));
  return sentences;
}

}  // namespace pegasos::cli
