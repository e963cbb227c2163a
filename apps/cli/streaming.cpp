#include "streaming.h"

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "exit_codes.h"
#include "feature_names_option.h"
#include "model/model_words.h"
#include "model_files.h"
#include "model_text.h"
#include "options.h"
#include "output_file.h"
#include "pegasos/options.h"
#include "reading.h"
#include "signals.h"
#include "spelling.h"
#include "table_options.h"
#include "terminal.h"
#include "train_run.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

constexpr std::uint64_t kFirstReport = 1024;

bool is_table(const ReadNotes& notes) {
  return notes.format == DataFormat::csv || notes.format == DataFormat::json_lines;
}

// The line that tells how a stream goes whenever its rows have doubled.
class StreamTalk {
 public:
  StreamTalk(const Session& session, bool classifies)
      : session_(session), classifies_(classifies) {}

  void see(const StreamProgress& now) {
    if (now.rows < next_) return;
    ProgressiveLoss recent = now.progressive;
    recent.weight -= last_.weight;
    recent.loss -= last_.loss;
    recent.error -= last_.error;
    say(session_,
        fmt::format("{:>14} rows   {}   since the last line: {}\n", with_separators(now.rows),
                    in_words(now.progressive), in_words(recent)));
    last_ = now.progressive;
    while (next_ <= now.rows) next_ *= 2;
  }

  std::string in_words(const ProgressiveLoss& loss) const {
    return fmt::format("loss {:.4g}, {}", loss.mean_loss(),
                       classifies_ ? in_percent(loss.mean_error()) + " wrong"
                                   : fmt::format("mean absolute error {:.4g}", loss.mean_error()));
  }

 private:
  const Session& session_;
  bool classifies_;
  std::uint64_t next_ = kFirstReport;
  ProgressiveLoss last_ = {};
};

std::string data_name(const std::string& path) {
  return path == "-" ? "standard input" : printable(path);
}

// What the beginning of the stream has settled; refuses options that the format has no use for.
void say_beginning(const Session& session, const TrainArguments& arguments,
                   const StreamBegin& begin) {
  const TrainingFlags& training = arguments.training;
  if (!is_table(begin.notes)) {
    const auto refuse = [&](const char* flag) {
      throw UsageError(fmt::format("{} is for tables, but {} is {}", flag,
                                   data_name(arguments.data), name_of(begin.notes.format)),
                       "rows of other formats are not scaled in a stream");
    };
    if (!arguments.reading.schema && table_scaling_of(training) != TableScaling::standard) {
      if (table_scaling_of(training) != TableScaling::none) refuse("--scale");
    } else if (training.scale_given) {
      refuse("--scale");
    }
    if (training.target_scale.value_or(false)) refuse("--target");
  }
  std::string format = name_of(begin.notes.format);
  if (!begin.notes.compression.empty()) format += " in " + begin.notes.compression;
  say(session, fmt::format("{}: a stream of {}\n", data_name(arguments.data), format));
  for (const auto& note : sentences_of(begin.notes)) say(session, "note: " + note + "\n");
  std::string classes;
  for (const double label : begin.learns.classes) {
    classes += (classes.empty() ? "" : ", ") + begin.schema.label_text(label);
  }
  say(session, fmt::format("learns {}, {} loss, lambda {:.4g}; no certificate, because a proof "
                           "needs all rows and a stream keeps none\n",
                           classes.empty() ? "numbers" : "the classes " + printable(classes),
                           name_of(begin.learns.loss.loss), begin.learns.lambda));
}

void say_end(const Session& session, const TrainArguments& arguments, const Streamed& streamed,
             const StreamTalk& talk) {
  const StreamProgress& progress = streamed.progress;
  ReadNotes notes = streamed.notes;
  notes.columns.clear();  // said at the beginning
  notes.rows_unlabelled = 0;
  for (const auto& note : sentences_of(notes)) say(session, "note: " + note + "\n");
  const auto passed_over = [&](std::uint64_t rows, const char* what) {
    if (rows > 0) say(session, fmt::format("note: {} {} (skipped)\n", counted(rows, "row"), what));
  };
  passed_over(progress.unlabelled, "without a label");
  passed_over(progress.other_labels, "with an unknown class");
  say(session,
      fmt::format("\nstream       {}, {}, {:.2f} s, {} rows/s\n", counted(progress.rows, "row"),
                  counted(progress.features, "feature"), progress.seconds,
                  in_short(static_cast<double>(progress.rows) / std::max(progress.seconds, 1e-9))));
  say(session, fmt::format("progressive  {} (each row was predicted before it was learned from)\n",
                           talk.in_words(progress.progressive)));
  say(session, "certificate  none; train without --stream for a proven model\n");
  say(session,
      fmt::format("model        {}\n",
                  arguments.model == "-" ? "standard output" : printable(arguments.model)));
}

std::string stream_json(const Streamed& streamed, const std::string& model) {
  const StreamProgress& progress = streamed.progress;
  Json json = model_json(streamed.model);
  json["model"] = model;
  json["seconds"] = progress.seconds;
  json["stream"] = {{"rows", progress.rows},
                    {"rows_unlabelled", progress.unlabelled},
                    {"rows_of_other_labels", progress.other_labels},
                    {"rows_bad", streamed.notes.rows_bad},
                    {"progressive_loss", progress.progressive.mean_loss()},
                    {"progressive_error", progress.progressive.mean_error()}};
  return json.text();
}

void add_settings(const TrainArguments& arguments, Model& model) {
  auto& settings = base_of(model).record.settings;
  settings.insert(settings.begin(), {"stream", "yes"});
  const auto append = [&settings](std::vector<Setting> more) {
    for (Setting& one : more) settings.push_back(std::move(one));
  };
  append(changed_settings(stream_option_table(), arguments.stream.options));
  append(settings_beside(arguments.training));
  append(reading_settings(arguments.reading));
}

int conclude(const Session& session, const TrainArguments& arguments, const Streamed& streamed) {
  if (streamed.failure) {
    say(session,
        fmt::format("the model of the rows above was saved; to continue from it: --continue "
                    "{}\n",
                    file_word(arguments.model)));
    std::rethrow_exception(streamed.failure);
  }
  if (streamed.ending != Ending::stopped_by_caller) return kDone;
  say(session,
      fmt::format("interrupted: the model was saved; to continue with new rows: --continue "
                  "{}\n",
                  file_word(arguments.model)));
  return 128 + stop_signal();
}

}  // namespace

void add_stream_options(Command& command, StreamFlags& flags) {
  constexpr const char* kGroup = "Streams";
  command
      .add_flag(
          "--stream", flags.on,
          "Learn in one pass from rows as they arrive, with only the weights in memory. Prints "
          "the progressive validation loss; there is no certificate. With --continue, "
          "continue from a model with new rows")
      ->group(kGroup);
  add_table(command, stream_option_table(), flags.options);
}

void check_stream_flags(const Command& command, const StreamFlags& flags) {
  if (flags.on) {
    for (const char* flag : {"--test", "--trace", "--report", "--live", "-v", "--checkpoint",
                             "--checkpoint-every", "--resume", "--strict", "--weights",
                             "--feature-names", "--probability", "--keep-dual", "--seed"}) {
      if (!command.was_given(flag)) continue;
      throw UsageError(fmt::format("{} cannot be combined with --stream", flag),
                       "a stream sees every row once and keeps none");
    }
    return;
  }
  for (const auto& option : command.options()) {
    if (option->view().group != "Streams" || option->count() == 0) continue;
    throw UsageError(fmt::format("{} needs --stream", option->view().name));
  }
}

int train_on_stream(Session& session, TrainArguments& arguments) {
  if (session.ranks) throw UsageError("--stream runs in one process only", "run it without mpirun");
  check_train_files(session, arguments);
  ReadOptions reading = arguments.reading;
  reading.table_scaling = table_scaling_of(arguments.training);
  reading.threads = 1;
  TrainOptions options = arguments.training.options;
  if (options.scaling != ScalingKind::unit_row) options.scaling.reset();  // tables, by the reader
  options.scale_targets = arguments.training.target_scale.value_or(true);
  if (!arguments.training.start.empty()) {
    options.start = std::make_shared<const Model>(load_any_model(arguments.training.start));
  }
  session.output = arguments.model;
  const FileAtRisk at_risk(arguments.model);
  std::optional<StreamTalk> talk;
  StreamWatch watch;
  watch.begin = [&](const StreamBegin& begin) {
    say_beginning(session, arguments, begin);
    talk.emplace(session, !begin.learns.classes.empty());
  };
  watch.event = [&](const StreamProgress& now) { talk->see(now); };
  watch.stop = [] { return stop_requested(); };
  if (arguments.model != "-") {
    watch.save = [&](const Model& model) {
      Model now = model;
      add_settings(arguments, now);
      save_model(now, arguments.model);
    };
  }
  Streamed streamed =
      train_stream(arguments.data, reading, options, arguments.stream.options, watch);
  add_settings(arguments, streamed.model);
  save_model(streamed.model, arguments.model);
  say_end(session, arguments, streamed, *talk);
  if (session.json && !streamed.failure) print(stream_json(streamed, arguments.model));
  return conclude(session, arguments, streamed);
}

}  // namespace pegasos::cli
