// The data of train and tune: which rows, with which weights and names, and what was decided about
// them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <utility>
#include <vector>

#include "base/cores.h"
#include "base/quantity_text.h"
#include "data/take_rows.h"
#include "feature_names_option.h"
#include "math/passes.h"
#include "options.h"
#include "pegasos/error.h"
#include "pegasos/weights.h"
#include "reading.h"
#include "terminal.h"
#include "train_run.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

// How evenly the rows are divided.
std::string said_of_ranks(const RankShares& shares) {
  if (shares.rows.size() == 1) return "";
  const auto range = [](const std::vector<std::uint64_t>& counts) {
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    return fmt::format("{} to {}", with_separators(*least), with_separators(*most));
  };
  return fmt::format(
      "{} ranks, each with {} rows and {} non-zeros; the largest share is {:.2f} times the mean\n",
      shares.rows.size(), range(shares.rows), range(shares.non_zeros), shares.skew());
}

// The weights of the rows at hand, of a file with those of all.
std::vector<double> weights_for(const Session& session, const std::string& path,
                                const Dataset& data) {
  std::vector<double> weights = read_weights(path);
  if (!session.ranks) return weights;
  const RankShares shares = rank_shares(data, *session.ranks);
  const std::uint64_t rows = shares.rows_before(session.ranks->size());
  if (weights.size() != rows) {
    throw UsageError(fmt::format("--weights: '{}' has {} weights, but the data has {} rows",
                                 printable(path), weights.size(), rows));
  }
  const auto begin =
      weights.begin() + static_cast<std::ptrdiff_t>(shares.rows_before(session.ranks->rank()));
  return {begin, begin + static_cast<std::ptrdiff_t>(data.rows())};
}

std::uint64_t sum_of(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::string decided(const std::string& path, const ReadResult& read, const RankShares& shares) {
  const Dataset& data = read.data;
  std::string format = name_of(read.notes.format);
  if (!read.notes.compression.empty()) format += " in " + read.notes.compression;
  if (!data.schema().csv) format += fmt::format(", indices from {}", data.schema().indices.base());
  return fmt::format("{}: {}; {}, {}, {}\n", path == "-" ? "standard input" : printable(path),
                     format, counted(sum_of(shares.rows), "row"),
                     counted(data.features(), "feature"),
                     counted(sum_of(shares.non_zeros), "non-zero"));
}

Dataset without_unlabelled(const Dataset& data) {
  std::vector<RowId> labelled;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    if (!std::isnan(data.label(i))) labelled.push_back(static_cast<RowId>(i));
  }
  return take_rows(data, labelled, data.parts().residency);
}

// The rows to learn from, with weights and names. Of sets of labels one may be empty.
Dataset rows_of(const Session& session, const TrainArguments& arguments, const ReadResult& read) {
  const TrainingFlags& flags = arguments.training;
  Dataset data = read.data;
  if (!flags.weights.empty()) {
    data = with_weights(data, weights_for(session, flags.weights, data));
  }
  const bool skips = arguments.reading.bad_rows == BadRows::skip;
  if (skips && read.notes.rows_unlabelled > 0 && data.has_labels() && !data.schema().multilabel) {
    data = without_unlabelled(data);
  }
  return name_features(flags.names, data);
}

void refuse_unlabelled(const TrainArguments& arguments, const ReadResult& read) {
  const ReadNotes& notes = read.notes;
  if (!notes.first_unlabelled || !read.data.has_labels() || read.data.schema().multilabel) return;
  Diagnostic about = *notes.first_unlabelled;
  about.column = 0;
  about.message =
      fmt::format("row without a label ({} in total)", with_separators(notes.rows_unlabelled));
  about.hint = "label them, or train on the other rows: --on-error skip";
  throw ParseError(arguments.data, {std::move(about)});
}

// The same error; rows that have no other way out can be left out.
ParseError with_way_out(const ParseError& error) {
  std::vector<Diagnostic> all = error.diagnostics();
  for (Diagnostic& one : all) {
    if (one.line == 0 || !one.hint.empty()) continue;
    one.hint = "mend the row, or leave out rows that cannot be read: --on-error skip";
    break;
  }
  return {error.path(), std::move(all)};
}

// Within the limit of memory where there is one; says how the memory will be used if that was asked
// for, or if rows do not fit.
ReadResult read_rows(const Session& session, const TrainArguments& arguments) {
  if (!arguments.memory || session.ranks) {
    return read_data(session, arguments.data, arguments.reading);
  }
  MemoryOptions memory = *arguments.memory;
  if (arguments.training.folds) {  // two that folds share, and scaled ones for each thread
    const int threads = session.threads > 0 ? session.threads : available_cores();
    memory.copies = std::max<std::size_t>(
        2, std::min(*arguments.training.folds, static_cast<std::size_t>(threads)));
  }
  PlannedRead planned = read_data_within(session, arguments.data, arguments.reading,
                                         arguments.training.options, memory);
  if (arguments.memory->limit > 0 || planned.plan.resident > 0) {
    say(session, fmt::format("memory: {}\n", printable(planned.plan.in_words())));
  }
  return std::move(planned.read);
}

// Which column is learned where nobody said so. Of a label and a text there is no doubt.
std::string guessed_label(const ReadOptions& reading, const ReadResult& read) {
  if (!reading.label_column.empty() || !read.data.schema().csv) return "";
  const std::vector<ColumnProfile>& columns = read.notes.columns;
  const auto label = std::find_if(columns.begin(), columns.end(), [](const ColumnProfile& one) {
    return one.use == ColumnProfile::Use::label;
  });
  if (label == columns.end() || columns.size() <= 2) return "";
  return fmt::format("note: the label is column '{}' (--label NAME chooses another)\n",
                     printable(label->name));
}

}  // namespace

void add_on_error(Command& command, ReadOptions& reading) {
  add_choice<BadRows>(
      command, "--on-error", {{"stop", BadRows::refuse}, {"skip", BadRows::skip}},
      [&reading](BadRows what) { reading.bad_rows = what; },
      "What to do with a row that cannot be read, has no label or, in a stream, an unknown class: "
      "stop, or leave it out (stop)");
}

std::string plain_name(const std::string& data) {
  std::filesystem::path name = std::filesystem::path(data).filename();
  for (const char* suffix : {".gz", ".bz2", ".xz", ".zst"}) {
    if (name.extension() == suffix) return name.stem().string();
  }
  return name.string();
}

Dataset read_table_again(const Session& session, const TrainArguments& arguments,
                         TableScaling scaling) {
  ReadOptions reading = arguments.reading;
  reading.table_scaling = scaling;
  return rows_of(session, arguments, read_data(session, arguments.data, reading));
}

ReadResult read_training_data(const Session& session, TrainArguments& arguments) {
  arguments.reading.table_scaling = table_scaling_of(arguments.training);
  ReadResult read;
  try {
    read = read_rows(session, arguments);
  } catch (const ParseError& error) {
    if (arguments.reading.bad_rows != BadRows::refuse) throw;
    throw with_way_out(error);
  }
  settle_scaling(arguments.training, read.notes.format);
  read.data = rows_of(session, arguments, read);
  Collective& ranks = session.ranks ? *session.ranks : alone();
  const RankShares shares = rank_shares(read.data, ranks);
  add_other_ranks(read.notes, ranks);
  say(session, decided(arguments.data, read, shares));
  say(session, said_of_ranks(shares));
  say(session, guessed_label(arguments.reading, read));
  for (const auto& note : sentences_of(read.notes)) say(session, "note: " + note + "\n");
  if (arguments.reading.bad_rows == BadRows::refuse) refuse_unlabelled(arguments, read);
  const auto& columns =
      read.data.schema().csv ? read.data.schema().csv->columns : std::vector<CsvColumn>{};
  const bool scaled = std::any_of(columns.begin(), columns.end(),
                                  [](const CsvColumn& column) { return !column.scales.empty(); });
  if (!arguments.training.scale_given && scaled) {
    say(session, "note: numeric columns are standardised (--scale none turns this off)\n");
  }
  return read;
}

}  // namespace pegasos::cli
