#include "shortfall.h"

#include <fmt/format.h>

#include <cmath>

#include "base/quantity_text.h"
#include "model/model_words.h"
#include "output_file.h"
#include "pegasos/options.h"
#include "pegasos/summary.h"
#include "spelling.h"

namespace pegasos::cli {
namespace {

// Features this far apart in size, or rows this long, cost a solver many times its usual epochs.
constexpr double kWideSpread = 1e3;
constexpr double kLongRow = 10.0;
constexpr double kSmallLambdaTimesRows = 0.01;  // C above 100

std::string reasons(const Trained& trained, const Dataset& data) {
  const TrainOptions& options = trained.options;
  const ModelBase& model = base_of(trained.model);
  const DatasetSummary summary = summarise(data);
  std::string text;
  const auto say = [&](const std::string& reason) { text += "  " + reason + "\n"; };
  if (trained.ending == Ending::out_of_time) {
    say(fmt::format("training was stopped by --max-time {}", *options.max_seconds));
  }
  if (model.record.solver == "pegasos") {
    say("the gap of Pegasos only decreases as 1/epochs; the other solvers close it");
  }
  if (options.kernel) {
    if (model.lambda * static_cast<double>(data.rows()) < kSmallLambdaTimesRows) {
      say(fmt::format("lambda {:.3g} is small (C {:.3g}): a larger value trains faster",
                      model.lambda, model.c()));
    }
    return text;
  }
  if (summary.largest_feature > kWideSpread * summary.smallest_feature) {
    say(fmt::format("feature magnitudes range from {:.3g} to {:.3g}: scale the features",
                    summary.smallest_feature, summary.largest_feature));
  } else if (summary.largest_norm > kLongRow) {
    say(fmt::format("row norms are as large as {:.3g}: scale the features", summary.largest_norm));
  }
  if (model.lambda * static_cast<double>(data.rows()) < kSmallLambdaTimesRows) {
    say(
        fmt::format("lambda {:.3g} is small (C {:.3g}): a larger value trains faster and often "
                    "predicts as well",
                    model.lambda, model.c()));
  }
  if (summary.empty_rows * 2 > summary.rows) {
    say(fmt::format("{} of {} rows are empty", with_separators(summary.empty_rows),
                    with_separators(summary.rows)));
  }
  return text;
}

}  // namespace

std::string shortfall(const TrainingFlags& flags, const Trained& trained, const Dataset& data,
                      const ShortfallFiles& files) {
  const ModelBase& model = base_of(trained.model);
  std::string text = fmt::format("note: the tolerance {} was not reached: {}\n",
                                 in_percent(trained.options.solver.tolerance),
                                 gap_in_words(certificate_of(trained.model).value()));
  text += reasons(trained, data);
  TrainingFlags further = flags;
  further.options = trained.options;
  further.options.max_seconds.reset();
  if (further.options.solver.kind == Solver::pegasos) {
    further.options.solver.kind = Solver::automatic;
    further.options.solver.max_epochs.reset();
  } else if (trained.ending != Ending::out_of_time) {
    further.options.solver.max_epochs = 10 * std::max<std::uint64_t>(model.record.epochs, 100);
  }
  if (files.data != "-" && files.model != "-") {
    std::vector<Setting> settings = settings_of(train_option_table(), further.options);
    for (Setting& one : settings_beside(further)) settings.push_back(std::move(one));
    settings.insert(settings.end(), files.reading.begin(), files.reading.end());
    text += fmt::format("  to reach it:  pegasos train {} {} {}\n", file_word(files.data),
                        file_word(files.model), spelled(settings));
  }
  return text;
}

}  // namespace pegasos::cli
