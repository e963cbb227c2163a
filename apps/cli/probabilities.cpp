#include "probabilities.h"

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "options.h"
#include "pegasos/options.h"
#include "table_options.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

constexpr const char* kFlag = "--probability";

}  // namespace

void add_probability_options(Command& command, TrainOptions& options) {
  OptionInfo info = find_option(train_option_table(), "probabilities")->info;
  info.meaning += "; platt if no method is given";
  add_described(command, info, [&options](const std::string& text) {
    try {
      find_option(train_option_table(), "probabilities")->set(options, text);
    } catch (const InvalidOption& error) {
      throw usage_error_of(error);
    }
  });
  command
      .add_option(
          "-b",
          [&options](const std::string& value) {
            if (value == "1") {
              options.probabilities = CalibrationKind::platt;
            } else if (value != "0") {
              throw UsageError("-b: must be 0 or 1, as in LIBSVM",
                               "-b 1 is short for --probability; for the bias use --bias and -B");
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

std::string calibration_in_words(const Calibration& calibration) {
  if (calibration.kind == CalibrationKind::platt) {
    return fmt::format("platt, 1/(1 + exp({:.5g} score {} {:.5g}))", calibration.a,
                       calibration.b < 0 ? '-' : '+', std::abs(calibration.b));
  }
  return "isotonic, " + counted(calibration.scores.size(), "knot");
}

}  // namespace pegasos::cli
