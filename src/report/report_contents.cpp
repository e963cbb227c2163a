#include "pegasos/report_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "base/quantity_text.h"
#include "data/take_rows.h"
#include "model/model_words.h"
#include "pegasos/evaluate.h"
#include "pegasos/explain.h"

namespace pegasos {
namespace {

constexpr std::size_t kMostMoments = 300;
constexpr std::size_t kMostMistakes = 12;
constexpr std::size_t kReasons = 4;
constexpr std::size_t kMostPairs = 800;
constexpr std::size_t kMostFeatures = 12;
// A row that is wrong is so by something: votes and probabilities may choose against the scores.
constexpr double kLeastWrong = std::numeric_limits<double>::min();

std::vector<std::string> certificate_in_words(const ModelBase& model,
                                              const std::optional<Certificate>& worst,
                                              bool several) {
  if (!worst) {
    return {
        "This model has no certificate, because there is no lower bound on its objective: the "
        "distance to the optimum is unknown."};
  }
  std::vector<std::string> words;
  const auto gap = worst->share();
  if (!gap) {
    words.push_back(fmt::format(
        "The objective is {:.6g}. The lower bound found so far is too loose to be useful.",
        worst->primal));
  } else if (several) {
    words.push_back(
        fmt::format("Every classifier is proven to be within {} of its optimum. The widest gap "
                    "is between the objective {:.6g} and the bound {:.6g}.",
                    percent_above(*gap), worst->primal, *worst->dual));
  } else {
    words.push_back(fmt::format(
        "The objective of this model is {:.6g}. No model of this kind has one below {:.6g}, so it "
        "is proven to be within {} of the optimum.",
        worst->primal, *worst->dual, percent_above(*gap)));
  }
  if (!several) {
    words.push_back(
        fmt::format("The objective is the sum of the regulariser, {:.6g}, and the mean loss on the "
                    "training rows, {:.6g}.",
                    worst->regulariser, worst->mean_loss));
  }
  if (model.record.interrupted) words.emplace_back("Training was interrupted.");
  return words;
}

void add_facts(const Model& any, const std::string& data, ReportRun& run) {
  const ModelBase& model = base_of(any);
  const auto add = [&run](const char* name, std::string value) {
    run.facts.emplace_back(name, std::move(value));
  };
  if (!data.empty()) add("data", data);
  if (model.record.rows > 0) {
    add("rows", fmt::format("{}, {} non-zeros", with_separators(model.record.rows),
                            with_separators(model.record.non_zeros)));
  }
  add("task", task_in_words(any));
  add("model", size_in_words(any));
  add("loss", name_of(model.loss.loss));
  if (model.lambda > 0) {
    add("regularisation", fmt::format("lambda {:.6g} (C {:.6g})", model.lambda, model.c()));
  }
  add("bias", name_of(model.bias));
  if (const auto* kernel = std::get_if<KernelModel>(&any)) {
    add("kernel", kernel_in_words(kernel->kernel));
  }
  if (model.scaling) add("scaling", name_of(model.scaling->kind));
  std::string work = model.record.solver;
  if (model.record.epochs > 0) work += ", " + counted(model.record.epochs, "epoch");
  add("solver", work + ", " + counted(model.record.steps, "step"));
}

void add_features(const Model& any, ReportRun& run) {
  const auto* model = std::get_if<LinearModel>(&any);
  if (model == nullptr || model->map || !model->schema) return;
  std::vector<FeatureId> order(model->w.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto most = static_cast<std::ptrdiff_t>(std::min(order.size(), kMostFeatures));
  const auto list = [&](double sign, std::string title) {
    std::partial_sort(
        order.begin(), order.begin() + most, order.end(), [&](FeatureId a, FeatureId b) {
          return std::pair(-sign * model->w[a], a) < std::pair(-sign * model->w[b], b);
        });
    ReportFeatures group{std::move(title), {}};
    for (auto id = order.begin(); id != order.begin() + most; ++id) {
      if (sign * model->w[*id] <= 0) break;
      group.weights.emplace_back(model->schema->feature_name(*id), model->w[*id]);
    }
    if (!group.weights.empty()) run.features.push_back(std::move(group));
  };
  const bool classes = model->classifies();
  list(1.0, classes ? "Features that indicate " + model->positive_text()
                    : "Features that increase the prediction");
  list(-1.0, classes ? "Features against " + model->positive_text()
                     : "Features that decrease the prediction");
}

// Rows of one output by how wrong they are, the worst first; rows that are right are left out.
std::vector<RowId> worst_rows(const std::vector<double>& wrongness) {
  std::vector<RowId> rows;
  for (std::size_t i = 0; i < wrongness.size(); ++i) {
    if (wrongness[i] > 0) rows.push_back(static_cast<RowId>(i));
  }
  const auto most = static_cast<std::ptrdiff_t>(std::min(rows.size(), kMostMistakes));
  std::partial_sort(rows.begin(), rows.begin() + most, rows.end(), [&](RowId a, RowId b) {
    return std::pair(-wrongness[a], a) < std::pair(-wrongness[b], b);
  });
  rows.resize(static_cast<std::size_t>(most));
  return rows;
}

std::vector<std::pair<std::string, double>> reasons(const Explanation& explanation,
                                                    const Schema& schema) {
  std::vector<std::pair<std::string, double>> list;
  for (const auto& each : explanation.features) {
    if (each.contribution == 0.0) continue;
    list.emplace_back(schema.feature_name(each.feature), each.contribution);
  }
  return list;
}

// How wrong a row is: how sure the model was of the wrong class, or the size of the error.
double wrongness_of(const Decision& decision, const Truth& truth, const Dataset& rows,
                    std::size_t i, std::span<const double> scores) {
  if (decision.kind() == AnswerKind::number)
    return std::abs(rows.label(i) - decision.number(scores[0]));
  if (truth.is_foreign(i) || truth.is_right(i, scores)) return 0.0;
  const double sure = decision.kind() == AnswerKind::two_classes
                          ? std::abs(scores[0])
                          : scores[decision.class_of(scores)] - scores[truth.class_of(i)];
  return std::max(kLeastWrong, sure);
}

std::vector<ReportMistake> mistakes_of(const Model& model, const Decision& decision,
                                       const Dataset& rows, std::span<const double> scores,
                                       int threads) {
  if (decision.kind() == AnswerKind::label_sets) return {};  // wrong in parts
  const Truth truth(decision, rows);
  const std::size_t width = decision.outputs();
  const auto of_row = [&](std::size_t i) { return scores.subspan(i * width, width); };
  std::vector<double> wrongness(rows.rows(), 0.0);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (truth.is_known(i)) wrongness[i] = wrongness_of(decision, truth, rows, i, of_row(i));
  }
  const std::vector<RowId> worst = worst_rows(wrongness);
  std::vector<Explanation> explanations;
  if (!worst.empty()) {
    explanations = explain(model, take_rows(rows, worst), {.top = kReasons, .threads = threads});
  }
  const bool number = decision.kind() == AnswerKind::number;
  std::vector<ReportMistake> mistakes;
  for (std::size_t k = 0; k < worst.size(); ++k) {
    const RowId i = worst[k];
    ReportMistake mistake;
    mistake.row = i + 1;
    mistake.truth = base_of(model).label_text(rows.label(i));
    mistake.called = number ? fmt::format("{:.6g}", of_row(i)[0]) : decision.text(of_row(i));
    mistake.score = number                                       ? rows.label(i) - of_row(i)[0]
                    : decision.kind() == AnswerKind::two_classes ? of_row(i)[0]
                                                                 : wrongness[i];
    if (!explanations.empty()) mistake.because = reasons(explanations[k], rows.schema());
    mistakes.push_back(std::move(mistake));
  }
  return mistakes;
}

void add_two_classes(const Decision& decision, const ScoredRows& scored,
                     ReportMeasurement& measured) {
  const std::size_t rows = scored.rows;
  const auto positive = std::make_unique<bool[]>(rows);
  std::vector<std::size_t> group(rows);
  std::vector<double> ranked(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    positive[i] = scored.truth[i] == 0;
    group[i] = positive[i] ? 0 : 1;
    ranked[i] = decision.measure(scored.scores[i]);
  }
  if (decision.compares_probabilities()) measured.threshold_of = "probability";
  measured.threshold = decision.threshold();
  measured.thresholds =
      threshold_table({positive.get(), rows}, ranked, decision.threshold(), scored.weights);
  measured.histogram = histogram_of(scored.scores, group, 2);
}

void add_numbers(const ScoredRows& scored, ReportMeasurement& measured) {
  std::vector<double> errors(scored.rows);
  for (std::size_t i = 0; i < scored.rows; ++i) errors[i] = scored.numbers[i] - scored.scores[i];
  measured.histogram = histogram_of(errors, std::vector<std::size_t>(scored.rows, 0), 1);
  const std::size_t shown = std::min(scored.rows, kMostPairs);
  for (std::size_t k = 0; k < shown; ++k) {
    const std::size_t i = k * scored.rows / shown;
    measured.pairs.emplace_back(scored.numbers[i], scored.scores[i]);
  }
}

std::vector<ReportMoment> moments_of(const std::vector<TracedReport>& trace) {
  std::vector<ReportMoment> moments;
  if (trace.empty()) return moments;
  const auto last = trace.back().report.dual;
  const std::size_t shown = std::min(trace.size(), kMostMoments);
  for (std::size_t k = 0; k < shown; ++k) {
    // The first and the last are always among them.
    const TracedReport& traced =
        trace[shown == 1 ? trace.size() - 1 : k * (trace.size() - 1) / (shown - 1)];
    ReportMoment moment;
    moment.seconds = traced.seconds;
    moment.objective = traced.report.primal.objective();
    moment.dual = traced.report.dual;
    // The lemma bounds how far above the optimum; the best bound of the run stands for that.
    if (traced.report.lemma && last) moment.bound = *last + traced.report.lemma->bound;
    moment.test_error = traced.test_error;
    moments.push_back(moment);
  }
  return moments;
}

}  // namespace

ReportRun report_of(const Model& model, const ReportNames& names, std::optional<double> tolerance) {
  ReportRun run;
  run.name = names.model;
  run.command = names.command;
  add_facts(model, names.data, run);
  const auto* many = std::get_if<MulticlassModel>(&model);
  const bool several = many != nullptr && many->strategy != Strategy::joint;
  run.certificate = certificate_of(model);
  run.certificate_words = certificate_in_words(base_of(model), run.certificate, several);
  const auto gap = run.certificate ? run.certificate->share() : std::nullopt;
  run.proven = gap && *gap <= tolerance.value_or(1e-2);
  if (several) {
    for (std::size_t k = 0; k < many->classifiers.size(); ++k) {
      run.classifiers.push_back({many->classifier_name(k), many->classifiers[k].certificate});
    }
  }
  add_features(model, run);
  return run;
}

ReportMeasurement measured_on(const Model& model, const Dataset& rows, const std::string& name,
                              int threads) {
  const ModelBase& base = base_of(model);
  const Decision decision(model);
  const std::vector<double> scores = decisions(model, rows, threads);
  ScoredRows scored;
  scored.add(decision, rows, scores);
  ReportMeasurement measured;
  measured.on = name;
  measured.trained_on =
      base.record.rows == rows.rows() && base.record.data_fingerprint == fingerprint(rows, threads);
  measured.evaluation =
      evaluate(decision, scored, default_evaluation(decision, scored.rows, threads));
  if (decision.kind() == AnswerKind::two_classes) add_two_classes(decision, scored, measured);
  if (decision.kind() == AnswerKind::number) add_numbers(scored, measured);
  measured.mistakes = mistakes_of(model, decision, rows, scores, threads);
  measured.picture = picture_of(model, rows, scores, {.threads = threads});
  return measured;
}

ReportRun report_after_training(const Trained& trained, const Dataset& data,
                                const ReportNames& names) {
  const TrainOptions& options = trained.options;
  ReportRun run = report_of(trained.model, names, options.solver.tolerance);
  const bool several = options.strategy && *options.strategy != Strategy::joint;
  if (!several) run.trace = moments_of(trained.trace);
  run.tuning = trained.search;
  run.measured = options.test
                     ? measured_on(trained.model, *options.test, names.test, options.threads)
                     : measured_on(trained.model, data, names.data, options.threads);
  return run;
}

}  // namespace pegasos
