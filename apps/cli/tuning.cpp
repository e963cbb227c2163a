#include "tuning.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "base/quantity_text.h"
#include "kernel_options.h"
#include "options.h"
#include "output_file.h"
#include "pegasos/error.h"
#include "pegasos/options.h"
#include "progress.h"
#include "signals.h"
#include "spelling.h"
#include "table_options.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

constexpr const char* kSearch = "Search";

double number_in(const std::string& flag, const std::string& text) {
  const auto number = parse_real(text);
  if (!number) throw UsageError(fmt::format("{}: '{}' is not a number", flag, printable(text)));
  return *number;
}

// "1e-5:0.1:9": so many numbers, each the same multiple of the one before.
std::vector<double> grid_in(const std::string& flag, const std::string& text) {
  const auto parts = split(text, ':');
  if (parts.size() != 3) {
    throw UsageError(fmt::format("{}: '{}' is not FROM:TO:COUNT", flag, printable(text)),
                     fmt::format("for example {} 1e-6:0.1:11", flag));
  }
  const double from = number_in(flag, parts[0]);
  const double to = number_in(flag, parts[1]);
  const auto count = parse_count(parts[2]);
  constexpr std::uint64_t kMost = 10'000;
  if (!(from > 0) || !(to > 0)) throw UsageError(flag + ": both ends must be positive");
  if (!count || *count < 2 || *count > kMost) {
    throw UsageError(fmt::format("{}: the count must be from 2 to {}", flag, kMost));
  }
  std::vector<double> values;
  for (std::uint64_t k = 0; k < *count; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(*count - 1);
    values.push_back(k + 1 == *count ? to : from * std::pow(to / from, share));
  }
  return values;
}

void add_grid(Command& command, const std::string& flag, std::vector<double>& values,
              const std::string& help) {
  command
      .add_option(
          flag, [flag, &values](const std::string& text) { values = grid_in(flag, text); }, help)
      ->type_name("FROM:TO:COUNT")
      ->group(kSearch);
}

// A score as people read it.
std::string in_words(Score score, double value) {
  if (std::isnan(value)) return "-";
  return score == Score::error || score == Score::accuracy ? fmt::format("{:.2f} %", 100.0 * value)
                                                           : fmt::format("{:.4g}", value);
}

std::string with_error(Score score, const TunePoint& point) {
  const std::string mean = in_words(score, point.mean);
  return std::isnan(point.standard_error)
             ? mean
             : fmt::format("{} ± {}", mean, in_words(score, point.standard_error));
}

std::string place_in_words(const TunePoint& point) {
  std::string text = point.by_c ? fmt::format("C {:.4g} (lambda {:.4g})", point.c, point.lambda)
                                : fmt::format("lambda {:.4g} (C {:.4g})", point.lambda, point.c);
  if (point.gamma) text += fmt::format(", gamma {:.4g}", *point.gamma);
  if (point.degree) text += fmt::format(", degree {}", *point.degree);
  if (point.epsilon) text += fmt::format(", epsilon {:.4g}", *point.epsilon);
  if (point.loss) text += fmt::format(", loss {}", name_of(*point.loss));
  if (!point.scaling.empty()) text += fmt::format(", scaling {}", point.scaling);
  return text;
}

// Means with their error bars in so many cells, from the lowest end to the highest:  ├──●──┤
class ErrorBars {
 public:
  explicit ErrorBars(const std::vector<TunePoint>& points) {
    for (const TunePoint& point : points) {
      if (std::isnan(point.mean)) continue;
      low_ = std::min(low_, point.mean - half(point));
      high_ = std::max(high_, point.mean + half(point));
    }
  }

  std::string of(const TunePoint& point) const {
    if (std::isnan(point.mean)) return "";
    const std::size_t left = cell(point.mean - half(point));
    const std::size_t right = cell(point.mean + half(point));
    const std::size_t middle = cell(point.mean);
    std::string text(left, ' ');
    for (std::size_t k = left; k <= right; ++k) {
      text += k == middle ? symbol("●", "o") : symbol("─", "-");
    }
    return text;
  }

 private:
  static constexpr std::size_t kCells = 32;

  static double half(const TunePoint& point) {
    return std::isnan(point.standard_error) ? 0.0 : point.standard_error;
  }
  std::size_t cell(double value) const {
    const double share = high_ > low_ ? (value - low_) / (high_ - low_) : 0.0;
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(kCells - 1)));
  }
  // bar() knows whether the locale has such signs.
  static std::string symbol(const char* sign, const char* plain) {
    return bar(1.0, 1) == "#" ? plain : sign;
  }

  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

// All points, or of a wide search the best of each path, and the choice.
std::vector<bool> rows_of_table(const TuneResult& result) {
  const bool wide = result.points.front().loss.has_value();
  std::vector<bool> shown(result.points.size(), !wide);
  const auto better = [&](const TunePoint& a, const TunePoint& b) {
    return std::isnan(b.mean) ||
           (larger_is_better(result.score) ? a.mean > b.mean : a.mean < b.mean);
  };
  for (std::size_t p = 0, best = 0; wide && p < result.points.size(); ++p) {
    const bool begins = p == 0 || result.points[p].path != result.points[p - 1].path;
    if (begins || better(result.points[p], result.points[best])) best = p;
    const bool ends =
        p + 1 == result.points.size() || result.points[p + 1].path != result.points[p].path;
    if (ends) shown[best] = true;
  }
  shown[result.best] = shown[result.chosen] = true;
  return shown;
}

}  // namespace

void add_tuning_options(Command& command, TuneOptions& options) {
  for (const auto& entry : tune_option_table()) {
    add_entry(command, entry, options);
    if (entry.info.name == "lambdas") {
      add_grid(command, "--lambda-grid", options.lambdas, "Logarithmic grid of lambda values");
    } else if (entry.info.name == "cs") {
      add_grid(command, "--c-grid", options.cs, "Logarithmic grid of C values");
    }
  }
}

void settle_tuning(const Command& command, const TrainingFlags& flags) {
  const auto given = [&command](const char* flag) { return command.was_given(flag); };
  std::string first;
  for (const char* flag : {"--lambdas", "--lambda-grid", "--cs", "--c-grid"}) {
    if (!given(flag)) continue;
    if (!first.empty()) throw UsageError(fmt::format("{} and {} cannot be combined", first, flag));
    first = flag;
  }
  if (given("--folds") && given("--holdout")) {
    throw UsageError("--folds and --holdout cannot be combined");
  }
  if (!flags.start.empty()) {
    throw UsageError(
        "--continue is only for train: a model trained on held-out rows would bias the scores");
  }
}

TuneResult run_tuning(const Session& session, const Dataset& data, const TuneOptions& options,
                      const CheckpointWatch& checkpoint) {
  Progress progress(session, "tuning", Progress::Unit::rows);
  TuneWatch watch;
  watch.checkpoint = checkpoint;
  watch.interrupted = [] { return stop_requested(); };
  watch.progress = [&](const TuneProgress& seen) {
    std::string line =
        fmt::format("tuning  {} of {} models", seen.fits, with_separators(seen.fits_planned));
    if (seen.best != nullptr) {
      line += fmt::format("  best so far {} at {}", in_words(seen.score, seen.best->mean),
                          place_in_words(*seen.best));
    }
    progress.show(line);
  };
  return tune(data, options, watch);
}

std::string note_on_the_end(const TuneResult& result) {
  const TunePoint& best = result.points[result.best];
  const auto is_end = [&](std::size_t neighbour) {
    return neighbour >= result.points.size() || result.points[neighbour].path != best.path;
  };
  const bool strongest = is_end(result.best - 1);  // wraps at the first
  const bool weakest = is_end(result.best + 1) && !result.interrupted;
  if (strongest == weakest) return "";
  return fmt::format(
      "note: the best value is the {} regularisation tried; {} regularisation may be better\n",
      strongest ? "strongest" : "weakest", strongest ? "stronger" : "weaker");
}

std::string tuning_table(const TuneResult& result) {
  const Style style(STDOUT_FILENO);
  const auto varies = [&](auto member) {
    return std::any_of(result.points.begin(), result.points.end(), [&](const TunePoint& point) {
      return point.*member != result.points.front().*member;
    });
  };
  const bool gamma = varies(&TunePoint::gamma);
  const bool degree = varies(&TunePoint::degree);
  const bool epsilon = varies(&TunePoint::epsilon);
  const bool wide = result.points.front().loss.has_value();
  std::string text;
  if (wide) text += fmt::format("{:<27} {:<8} ", "loss", "scaling");
  text += fmt::format("{:>11} {:>11}", "lambda", "C");
  if (gamma) text += fmt::format(" {:>9}", "gamma");
  if (degree) text += fmt::format(" {:>6}", "degree");
  if (epsilon) text += fmt::format(" {:>9}", "epsilon");
  text = style.bold(text + fmt::format("  {:>9}", name_of(result.score))) + "\n";
  const std::vector<bool> shown = rows_of_table(result);
  std::vector<TunePoint> drawn;
  for (std::size_t p = 0; p < result.points.size(); ++p) {
    if (shown[p]) drawn.push_back(result.points[p]);
  }
  const ErrorBars bars(drawn);
  for (std::size_t p = 0; p < result.points.size(); ++p) {
    if (!shown[p]) continue;
    const TunePoint& point = result.points[p];
    std::string line;
    if (wide) line += fmt::format("{:<27} {:<8} ", name_of(*point.loss), point.scaling);
    line += fmt::format("{:>11.4g} {:>11.4g}", point.lambda, point.c);
    if (gamma) line += fmt::format(" {:>9.4g}", *point.gamma);
    if (degree) line += fmt::format(" {:>6}", *point.degree);
    if (epsilon) line += fmt::format(" {:>9.4g}", *point.epsilon);
    const std::string half =
        std::isnan(point.standard_error) ? "" : "± " + in_words(result.score, point.standard_error);
    line +=
        fmt::format("  {:>9} {:<10} {}", in_words(result.score, point.mean), half, bars.of(point));
    if (p == result.chosen) line = style.green(fmt::format("{}  chosen", line));
    if (p == result.best && p != result.chosen) line += "  best";
    text += line;
    text += "\n";
  }
  return text;
}

std::string choice_in_words(const TuneResult& result, Choice choice) {
  const TunePoint& chosen = result.points[result.chosen];
  const TunePoint& best = result.points[result.best];
  std::string text = fmt::format("{}: {} {}", place_in_words(chosen), name_of(result.score),
                                 with_error(result.score, chosen));
  if (result.chosen != result.best) {
    text += fmt::format(", within one standard error of the best, {} at {}",
                        with_error(result.score, best), place_in_words(best));
  } else {
    text += choice == Choice::best
                ? ", the best"
                : ", the best; no stronger regularisation is within one standard error";
  }
  return text;
}

std::string options_of_choice(const TrainingFlags& flags, const TuneOptions& options,
                              const TunePoint& point) {
  std::string line;
  TrainOptions chosen = options_at(options, point);
  chosen.max_seconds.reset();  // it was for the search
  for (const Setting& one : changed_settings(train_option_table(), chosen)) {
    line += " " + spelled(one);
  }
  for (const Setting& one : settings_beside(flags)) line += " " + spelled(one);
  // Without it, training would go by the format of the data.
  if (flags.target_scale) line += *flags.target_scale ? " --target scale" : " --target none";
  return line;
}

}  // namespace pegasos::cli
