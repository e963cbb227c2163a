#include "shortfall.h"

#include <fmt/format.h>

#include <cmath>

#include "output_file.h"
#include "pegasos/summary.h"
#include "quantities.h"
#include "terminal.h"
#include "training_report.h"

namespace pegasos::cli {
namespace {

// Features this far apart in size, or rows this long, cost a solver many times its usual epochs.
constexpr double kWideSpread = 1e3;
constexpr double kLongRow = 10.0;
constexpr double kSmallLambdaTimesRows = 0.01;  // C above 100

std::string reasons(const TrainingWishes& wishes, const Dataset& data, const ModelBase& model,
                    bool out_of_time) {
  const DatasetSummary summary = summarise(data);
  std::string text;
  const auto say = [&](const std::string& reason) { text += "  " + reason + "\n"; };
  if (out_of_time) say(fmt::format("--max-time {} ended it", *wishes.max_seconds));
  if (model.record.solver == "pegasos") {
    say("the gap of pure Pegasos falls like 1/epochs; the other solvers close it");
  }
  if (wishes.options.kernel) {
    if (model.lambda * static_cast<double>(data.rows()) < kSmallLambdaTimesRows) {
      say(fmt::format("lambda {:.3g} is small (C {:.3g}): a larger one is quicker", model.lambda,
                      model.c()));
    }
    return text;
  }
  if (summary.largest_feature > kWideSpread * summary.smallest_feature) {
    say(fmt::format("features differ in size, from {:.3g} to {:.3g}: scale them to about 1",
                    summary.smallest_feature, summary.largest_feature));
  } else if (summary.largest_norm > kLongRow) {
    say(fmt::format("rows are as long as {:.3g}: scale the features to about 1",
                    summary.largest_norm));
  }
  if (model.lambda * static_cast<double>(data.rows()) < kSmallLambdaTimesRows) {
    say(
        fmt::format("lambda {:.3g} is small (C {:.3g}): a larger one is quicker and often predicts "
                    "as well",
                    model.lambda, model.c()));
  }
  if (summary.empty_rows * 2 > summary.rows) {
    say(fmt::format("{} of {} rows are empty", with_separators(summary.empty_rows),
                    with_separators(summary.rows)));
  }
  return text;
}

}  // namespace

std::string shortfall(const TrainingWishes& wishes, const Dataset& data, const ModelBase& model,
                      const Ending& ending) {
  const ModelCertificate& proof = model.certificate.value();
  std::string text = fmt::format("note: {} was asked for; reached: {}.\n",
                                 in_percent(wishes.options.solver.tolerance),
                                 gap_in_words({proof.primal, proof.dual.value_or(0.0)}));
  text += reasons(wishes, data, model, ending.out_of_time);
  TrainingWishes further = wishes;
  further.max_seconds.reset();
  if (wishes.options.solver.kind == Solver::pegasos) {
    further.options.solver.kind = Solver::automatic;
    further.options.solver.max_epochs.reset();
  } else if (!ending.out_of_time) {
    further.options.solver.max_epochs = 10 * std::max<std::uint64_t>(model.record.epochs, 100);
  }
  if (ending.data != "-" && ending.model != "-") {
    text += fmt::format("  to get there:  pegasos train {} {} {}\n", shell_word(ending.data),
                        shell_word(ending.model), explicit_options(further, model));
  }
  return text;
}

}  // namespace pegasos::cli
