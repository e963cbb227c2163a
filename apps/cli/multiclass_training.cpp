#include "multiclass_training.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "exit_codes.h"
#include "model_files.h"
#include "multiclass_text.h"
#include "output_file.h"
#include "probabilities.h"
#include "progress.h"
#include "reading.h"
#include "run_clock.h"
#include "scoring.h"
#include "shortfall.h"
#include "signals.h"
#include "terminal.h"
#include "training_report.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

// The model that --warm-start names.
std::optional<MulticlassModel> machines_to_begin_from(const Session& session,
                                                      const std::string& path) {
  if (path.empty()) return std::nullopt;
  Model model = load_any_model(path);
  auto* many = std::get_if<MulticlassModel>(&model);
  if (many == nullptr) {
    throw UsageError(
        fmt::format("--warm-start: '{}' is no model that this one can begin from", printable(path)),
        "many classes begin from a model of many classes");
  }
  say(session, fmt::format("begins from {}: its machines\n", printable(path)));
  return std::move(*many);
}

// "7: epoch 3  objective 0.1  within 2 % of the optimum, proven  (12 of 26 done)"
std::string progress_of(const MulticlassReport& report) {
  std::string line = report.name.empty() ? "" : printable(report.name) + ": ";
  line += fmt::format("epoch {}  objective {:.5g}", report.epoch, report.primal.objective());
  if (report.dual) line += "  " + gap_in_words({report.primal.objective(), *report.dual});
  if (report.machines > 1) line += fmt::format("  ({} of {} done)", report.done, report.machines);
  return line;
}

MulticlassTrainResult run(const Session& session, const Dataset& data, const TrainingWishes& wishes,
                          const MulticlassModel* begin_from, const RunClock& clock) {
  Progress progress(session, "training", Progress::Unit::rows);
  MulticlassWatch watch;
  watch.interrupted = [&] { return stop_requested() || clock.is_over(wishes.max_seconds); };
  watch.progress = [&](const MulticlassReport& report) {
    progress.show(progress_of(report));
    return watch.interrupted() ? Verdict::stop : Verdict::go_on;
  };
  return train_multiclass(data, wishes.options, watch, begin_from);
}

void report(const Session& session, const MulticlassFiles& files,
            const MulticlassTrainResult& result, const MulticlassOutcome& outcome) {
  const MulticlassModel& model = result.model;
  say(session, fmt::format("{}; the same in full:\n  pegasos train {} {} {}\n\n",
                           printable(classes_in_words(model)), shell_word(files.data),
                           shell_word(files.model), model.record.settings));
  if (!result.reason.empty()) {
    say(session, fmt::format("solver {}: {}\n", model.record.solver, result.reason));
  }
  say(session, multiclass_summary(model, outcome));
  say(session, fmt::format("model        {}\n",
                           files.model == "-" ? "standard output" : printable(files.model)));
  if (session.json) print(multiclass_training_json(model, outcome, files.model));
}

}  // namespace

int train_many(const Session& session, const MulticlassFiles& files, const Dataset& data,
               const ReadOptions& reading, TrainingWishes& wishes) {
  const auto begin_from = machines_to_begin_from(session, wishes.start);
  const RunClock clock;
  MulticlassTrainResult result =
      run(session, data, wishes, begin_from ? &*begin_from : nullptr, clock);
  const bool out_of_time = clock.is_over(wishes.max_seconds);
  MulticlassModel& model = result.model;
  MulticlassOutcome outcome{.seconds = clock.seconds()};
  if (!wishes.keep_dual) {
    model.duals.clear();
    for (Machine& machine : model.machines) machine.duals.clear();
  }
  if (wishes.probability) {
    Model any = std::move(model);
    add_probabilities(session, *wishes.probability, data, wishes.options, any);
    model = std::get<MulticlassModel>(std::move(any));
  }
  wishes.options.strategy = model.strategy;
  model.record.interrupted = stop_requested();
  model.record.settings = explicit_options(wishes, model) + typed_reading_options(reading);
  save_model(model, files.model);
  // With a kernel this would take as long as predicting all rows.
  if (!model.kernel) outcome.training_error = error_of_classes(data, model, session.threads);
  if (files.test != nullptr) {
    outcome.test_error = error_of_classes(*files.test, model, session.threads);
  }
  report(session, files, result, outcome);
  if (files.saved) files.saved(model);
  if (stop_requested()) {
    say(session, "interrupted: the model so far is saved\n");
    return 128 + stop_signal();
  }
  ModelBase facts = model;
  facts.certificate = model.worst_certificate();
  const auto& proof = facts.certificate;
  const double tolerance = wishes.options.solver.tolerance;
  if (!proof || Certificate{proof->primal, proof->dual.value_or(0.0)}.within(tolerance)) {
    return kDone;
  }
  say(session, shortfall(wishes, data, facts, {files.data, files.model, out_of_time}));
  return wishes.strict ? kNotProven : kDone;
}

}  // namespace pegasos::cli
