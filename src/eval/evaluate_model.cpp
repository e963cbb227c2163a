#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "base/archive.h"
#include "pegasos/evaluate.h"

namespace pegasos {
namespace {

// Resampling numbers takes longer the more rows there are: above so many it is done when asked for.
constexpr std::size_t kNumbersResampledUnasked = 100'000;
// Resampling two classes costs the same for any number of rows; with more it grows with both.
constexpr std::size_t kClassesResampledUnasked = 200;
constexpr std::size_t kScoresResampledUnasked = 10'000'000;

Evaluation two_classes(const Decision& decision, const ScoredRows& scored,
                       const EvaluationOptions& options) {
  const auto positive = std::make_unique<bool[]>(scored.rows);
  const auto predicted = std::make_unique<bool[]>(scored.rows);
  std::vector<double> probabilities;
  for (std::size_t i = 0; i < scored.rows; ++i) {
    positive[i] = scored.truth[i] == 0;
    predicted[i] = decision.says(std::span(scored.scores).subspan(i, 1), 0);
    if (decision.has_probabilities()) {
      probabilities.push_back(decision.probability(scored.scores[i]));
    }
  }
  BinaryPredictions predictions;
  predictions.positive = {positive.get(), scored.rows};
  predictions.called = {predicted.get(), scored.rows};
  predictions.scores = scored.scores;
  predictions.probabilities = probabilities;
  predictions.weights = scored.weights;
  predictions.positive_name = decision.names()[0];
  predictions.negative_name = decision.names()[1];
  return evaluate_binary(predictions, options);
}

Evaluation classes(const Decision& decision, const ScoredRows& scored,
                   const EvaluationOptions& options) {
  const std::size_t width = decision.outputs();
  const std::size_t known = decision.names().size();
  std::vector<std::uint32_t> predicted;
  std::vector<double> probabilities(decision.has_probabilities() ? scored.rows * known : 0);
  for (std::size_t i = 0; i < scored.rows; ++i) {
    const auto scores = std::span(scored.scores).subspan(i * width, width);
    predicted.push_back(static_cast<std::uint32_t>(decision.class_of(scores)));
    if (decision.has_probabilities()) {
      decision.probabilities(scores, std::span(probabilities).subspan(i * known, known));
    }
  }
  ClassPredictions predictions;
  predictions.names = decision.names();
  if (scored.foreign > 0) {
    predictions.names.emplace_back("(other labels)");  // which have no scores to draw curves from
  } else {
    predictions.scores = scored.scores;
    predictions.probabilities = probabilities;
  }
  predictions.truth = scored.truth;
  predictions.called = predicted;
  predictions.weights = scored.weights;
  return evaluate_classes(predictions, options);
}

// Members of a set that are none of the model's labels are never predicted.
Evaluation label_sets(const Decision& decision, const ScoredRows& scored,
                      const EvaluationOptions& options) {
  const std::size_t labels = decision.names().size();
  const auto truth = std::make_unique<bool[]>(scored.rows * labels);
  const auto predicted = std::make_unique<bool[]>(scored.rows * labels);
  for (std::size_t i = 0; i < scored.rows; ++i) {
    const auto scores = std::span(scored.scores).subspan(i * labels, labels);
    for (std::size_t k = 0; k < labels; ++k) {
      truth[i * labels + k] = scored.sets[i * labels + k] != 0;
      predicted[i * labels + k] = decision.says(scores, k);
    }
  }
  LabelSetPredictions predictions;
  predictions.names = decision.names();
  predictions.truth = {truth.get(), scored.rows * labels};
  predictions.called = {predicted.get(), scored.rows * labels};
  predictions.scores = scored.scores;
  predictions.weights = scored.weights;
  return evaluate_label_sets(predictions, options);
}

}  // namespace

void ErrorTally::add(const Decision& decision, const Dataset& data,
                     std::span<const double> scores) {
  rows += data.rows();
  if (!data.has_labels()) return;
  const std::size_t width = decision.outputs();
  const Truth truth(decision, data);
  const bool is_number = decision.kind() == AnswerKind::number;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    if (!truth.is_known(i)) continue;
    const auto of_row = scores.subspan(i * width, width);
    const bool is_right = !is_number && truth.is_right(i, of_row);
    const double wrong =
        is_number ? std::abs(data.label(i) - decision.number(of_row[0])) : (is_right ? 0.0 : 1.0);
    const double s = data.weight(i);
    if (std::isnan(data.label(i))) {
      ++empty_;
      empty_right_ += is_right ? 1 : 0;
      empty_weight_ += s;
      empty_error_ += s * wrong;
      continue;
    }
    ++labelled;
    right += is_right ? 1 : 0;
    foreign += truth.is_foreign(i) ? 1 : 0;
    weight += s;
    error += s * wrong;
  }
  if (labelled == 0) return;
  labelled += empty_;
  right += empty_right_;
  weight += empty_weight_;
  error += empty_error_;
  empty_ = empty_right_ = 0;
  empty_weight_ = empty_error_ = 0.0;
}

double ErrorTally::mean() const {
  return weight > 0 ? error / weight : std::numeric_limits<double>::quiet_NaN();
}

void ErrorTally::add_other_ranks(Collective& ranks) {
  if (ranks.size() == 1) return;
  std::array<double, 6> sums = {static_cast<double>(rows),
                                static_cast<double>(labelled),
                                static_cast<double>(right),
                                static_cast<double>(foreign),
                                weight,
                                error};
  ranks.sum(sums);
  rows = static_cast<std::uint64_t>(sums[0]);
  labelled = static_cast<std::uint64_t>(sums[1]);
  right = static_cast<std::uint64_t>(sums[2]);
  foreign = static_cast<std::uint64_t>(sums[3]);
  weight = sums[4];
  error = sums[5];
}

double error_of(const Model& model, const Dataset& rows, int threads, Collective& ranks) {
  ErrorTally tally;
  tally.add(Decision(model), rows, decisions(model, rows, threads));
  tally.add_other_ranks(ranks);
  return tally.mean();
}

void ScoredRows::add(const Decision& decision, const Dataset& data,
                     std::span<const double> of_rows) {
  if (!data.has_labels()) return;
  const std::size_t width = decision.outputs();
  const Truth answers(decision, data);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    if (!answers.is_known(i)) continue;
    ++rows;
    const auto of_row = of_rows.subspan(i * width, width);
    if (decision.kind() == AnswerKind::number) {
      scores.push_back(decision.number(of_row[0]));
    } else {
      scores.insert(scores.end(), of_row.begin(), of_row.end());
    }
    if (data.has_weights()) weights.push_back(data.weight(i));
    foreign += answers.is_foreign(i) ? 1 : 0;
    if (decision.kind() == AnswerKind::number) {
      numbers.push_back(data.label(i));
    } else if (decision.kind() == AnswerKind::label_sets) {
      for (std::size_t k = 0; k < width; ++k) sets.push_back(answers.has(i, k) ? 1 : 0);
    } else {
      truth.push_back(static_cast<std::uint32_t>(answers.class_of(i)));
    }
  }
}

void ScoredRows::add_other_ranks(Collective& ranks) {
  if (ranks.size() == 1) return;
  ArchiveWriter writer;
  std::uint64_t count = rows;
  writer(count, foreign, scores, truth, sets, numbers, weights);
  const auto all = ranks.gather(std::move(writer).bytes());
  *this = {};
  const auto append = [](auto& mine, const auto& theirs) {
    mine.insert(mine.end(), theirs.begin(), theirs.end());
  };
  for (const std::string& part : all) {
    ScoredRows theirs;
    ArchiveReader reader(part);
    reader(count, theirs.foreign, theirs.scores, theirs.truth, theirs.sets, theirs.numbers,
           theirs.weights);
    rows += static_cast<std::size_t>(count);
    foreign += theirs.foreign;
    append(scores, theirs.scores);
    append(truth, theirs.truth);
    append(sets, theirs.sets);
    append(numbers, theirs.numbers);
    append(weights, theirs.weights);
  }
}

EvaluationOptions default_evaluation(const Decision& decision, std::size_t rows, int threads) {
  EvaluationOptions options;
  options.threads = threads;
  const std::size_t outputs = decision.outputs();
  const bool quick =
      decision.kind() == AnswerKind::number
          ? rows <= kNumbersResampledUnasked
          : rows * outputs <= kScoresResampledUnasked && outputs <= kClassesResampledUnasked;
  if (quick) options.bootstrap.emplace();
  return options;
}

Evaluation evaluate(const Decision& decision, const ScoredRows& scored,
                    const EvaluationOptions& options) {
  switch (decision.kind()) {
    case AnswerKind::number:
      return evaluate_numbers({scored.numbers, scored.scores, scored.weights}, options);
    case AnswerKind::label_sets:
      return label_sets(decision, scored, options);
    case AnswerKind::two_classes:
      if (scored.foreign == 0) return two_classes(decision, scored, options);
      break;
    case AnswerKind::classes:
      break;
  }
  return classes(decision, scored, options);
}

Evaluation evaluate(const Model& model, const Dataset& rows, const DecisionOptions& how,
                    const EvaluationOptions& options) {
  const Decision decision(model, how);
  ScoredRows scored;
  scored.add(decision, rows, decisions(model, rows, options.threads));
  return evaluate(decision, scored, options);
}

}  // namespace pegasos
