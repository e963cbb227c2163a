#include "probabilities.h"

#include <fmt/format.h>

#include "options.h"
#include "pegasos/calibrate.h"
#include "progress.h"
#include "quantities.h"
#include "signals.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

constexpr const char* kFlag = "--probability";

}  // namespace

void add_probability_options(Command& command, std::optional<CalibrationKind>& kind) {
  add_choice<CalibrationKind>(
      command, kFlag, {{"platt", CalibrationKind::platt}, {"isotonic", CalibrationKind::isotonic}},
      [&kind](CalibrationKind chosen) { kind = chosen; },
      "Learn probabilities too, on scores of 5 folds that the model of each did not see: a sigmoid "
      "(platt, also when no word follows), or any ascending curve, for some thousand rows and more")
      ->group("What is learned beside it");
  command
      .add_option_function<std::string>(
          "-b",
          [&kind](const std::string& value) {
            if (value == "1") {
              kind = CalibrationKind::platt;
            } else if (value != "0") {
              throw UsageError("-b is LIBSVM's: 1 for probabilities, 0 for none",
                               "--probability says the same; the bias is --bias and -B");
            }
          },
          "")
      ->group("");  // not shown
}

void complete_probability(std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--") return;
    if (arguments[i] != kFlag) continue;
    const bool named = i + 1 < arguments.size() && calibration_of_name(arguments[i + 1]);
    if (!named) arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, "platt");
  }
}

void add_probabilities(const Session& session, CalibrationKind kind, const Dataset& data,
                       const TrainOptions& options, Model& model) {
  CalibrateOptions how;
  how.kind = kind;
  how.seed = options.solver.pegasos.seed;
  Progress progress(session, "calibrating", Progress::Unit::rows);
  progress.show(fmt::format("calibrating on {} folds", how.folds));
  const auto found = calibrate(model, data, options, how, [] { return stop_requested(); });
  if (!found) {
    say(session, "note: interrupted while calibrating; the model has no probabilities\n");
    return;
  }
  base_of(model).calibrations = *found;
}

std::string calibration_in_words(const Calibration& calibration) {
  if (calibration.kind == CalibrationKind::platt) {
    return fmt::format("platt, 1/(1 + exp({:.5g} score {} {:.5g}))", calibration.a,
                       calibration.b < 0 ? '-' : '+', std::abs(calibration.b));
  }
  return "isotonic, " + counted(calibration.scores.size(), "knot");
}

}  // namespace pegasos::cli
