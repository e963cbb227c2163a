#include "model/text_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "data/number_parser.h"
#include "data/row_block.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

bool is_whole_label(double label) {
  return label == std::trunc(label) && std::abs(label) <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace

void note_logarithms(const SingleOutputModel& model, std::vector<std::string>& notes) {
  if (model.transform == TargetTransform::none) return;
  notes.push_back(fmt::format("the exported model predicts the logarithm, ln {}, of the target",
                              model.transform == TargetTransform::log ? "y" : "(1 + y)"));
}

std::pair<int, int> labels_for(const SingleOutputModel& model, std::vector<std::string>& notes) {
  if (model.has_probabilities()) {
    notes.emplace_back(
        "the probabilities were dropped: labels are predicted by the sign of the score, which may "
        "differ");
  }
  if (model.threshold) {
    notes.emplace_back(
        "the threshold was dropped: labels are predicted by the sign of the score, which may "
        "differ");
  }
  const auto& [positive, negative] = *model.labels;
  const bool kept = negative && model.schema->label_words.empty() && is_whole_label(positive) &&
                    is_whole_label(*negative);
  if (kept) return {static_cast<int>(positive), static_cast<int>(*negative)};
  notes.push_back(
      fmt::format("labels were replaced by numbers, which the data needs too: 1 is {}, -1 is {}",
                  model.positive_text(), model.negative_text()));
  return {1, -1};
}

std::vector<double> labels_for(const MulticlassModel& model, std::vector<std::string>& notes) {
  const bool kept = model.schema->label_words.empty() &&
                    std::all_of(model.classes.begin(), model.classes.end(), is_whole_label);
  std::vector<double> labels;
  std::string names;
  for (const double label : model.classes) {
    labels.push_back(kept ? label : static_cast<double>(labels.size()) + 1.0);
    names += fmt::format("{}{} is {}", names.empty() ? "" : ", ", labels.back(),
                         model.label_text(label));
  }
  if (!kept) notes.push_back("labels were replaced by numbers, which the data needs too: " + names);
  return labels;
}

std::string side_by_side(std::span<const double> numbers) {
  std::string text;
  for (const double number : numbers) {
    if (!text.empty()) text += ' ';
    text += fmt::format("{:.17g}", number);
  }
  return text;
}

std::string_view Scanner::next() {
  while (end_ < text_.size() && is_space(text_[end_])) {
    if (text_[end_++] != '\n') continue;
    ++line_;
    line_begin_ = end_;
  }
  begin_ = end_;
  while (end_ < text_.size() && !is_space(text_[end_])) ++end_;
  return text_.substr(begin_, end_ - begin_);
}

void Scanner::fail(std::string message, std::string hint) const {
  throw ModelParseError(
      name_, {diagnose(text_, line_begin_, begin_, line_, std::move(message), std::move(hint))});
}

double Scanner::next_number(std::string_view what) {
  const std::string_view word = next();
  double number = 0;
  NumberProblem problem = NumberProblem::none;
  const char* end = word.data() + word.size();
  if (parse_number(word.data(), end, number, problem) == end && !word.empty()) return number;
  if (word.empty()) fail(fmt::format("the file ends before {}", what));
  const bool infinite = problem == NumberProblem::not_finite || problem == NumberProblem::too_large;
  fail(fmt::format("{} '{}' is not a {}number", what, printable(word), infinite ? "finite " : ""));
}

std::int64_t Scanner::next_whole(std::string_view what, std::int64_t least, std::int64_t most) {
  const std::string_view word = next();
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (problem != std::errc() || end != word.data() + word.size() || number < least ||
      number > most) {
    fail(fmt::format("{} '{}' is not a whole number from {} to {}", what, printable(word), least,
                     most));
  }
  return number;
}

}  // namespace pegasos
