#include "report_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>

#include "base/atomic_file.h"
#include "data/take_rows.h"
#include "decision_rule.h"
#include "model_evaluation.h"
#include "model_text.h"
#include "output_file.h"
#include "pegasos/explain.h"
#include "quantities.h"

namespace pegasos::cli {
namespace {

constexpr std::size_t kMostMoments = 300;
constexpr std::size_t kMostMistakes = 12;
constexpr std::size_t kReasons = 4;
constexpr std::size_t kMostPairs = 800;
constexpr std::size_t kMostFeatures = 12;
// A row that is wrong is so by something: votes and probabilities may choose against the scores.
constexpr double kLeastWrong = std::numeric_limits<double>::min();

std::vector<std::string> certificate_in_words(const ModelBase& model,
                                              const std::optional<ModelCertificate>& worst,
                                              bool several) {
  if (!worst) {
    return {
        "Nothing is proven about this model: it has no dual bound. Objectives can be compared, "
        "but how far the optimum is remains open."};
  }
  std::vector<std::string> words;
  const auto gap = worst->relative_gap();
  if (!gap) {
    words.push_back(fmt::format(
        "The objective is {:.6g}. The bound that was found says nothing yet.", worst->primal));
  } else if (several) {
    words.push_back(
        fmt::format("Every machine is within {} of its optimum, and that is proven. The widest gap "
                    "is between the objective {:.6g} and the bound {:.6g}.",
                    in_percent(*gap), worst->primal, *worst->dual));
  } else {
    words.push_back(fmt::format(
        "The objective of this model is {:.6g}. No model of this kind has one below {:.6g}: so it "
        "is within {} of the optimum, and that is proven.",
        worst->primal, *worst->dual, in_percent(*gap)));
  }
  if (!several) {
    words.push_back(
        fmt::format("The objective is {:.6g} for the size of the weights and {:.6g} for "
                    "the mean loss on the training rows.",
                    worst->regulariser, worst->mean_loss));
  }
  if (model.record.interrupted) words.emplace_back("Training was interrupted before its end.");
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
    add("regularisation",
        fmt::format("lambda {:.6g}, which is C = {:.6g}", model.lambda, model.c()));
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
  const bool classes = model->classifies;
  list(1.0, classes ? "Features that speak for " + model->label_text(model->positive_label)
                    : "Features that raise the prediction");
  list(-1.0, classes ? "Features that speak against " + model->label_text(model->positive_label)
                     : "Features that lower the prediction");
}

bool is_multilabel(const Model& model) {
  const auto* many = std::get_if<MulticlassModel>(&model);
  return many != nullptr && many->multilabel;
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
double wrongness_of(const Model& any, const DecisionRule& rule, double label,
                    std::span<const double> scores) {
  const ModelBase& model = base_of(any);
  if (!model.classifies) return std::abs(label - scores[0]);
  if (const auto* many = std::get_if<MulticlassModel>(&any)) {
    const std::size_t called = many->choose(scores);
    const auto truth = std::find(many->classes.begin(), many->classes.end(), label);
    if (truth == many->classes.end() || *truth == many->classes[called]) return 0.0;
    const auto place = static_cast<std::size_t>(truth - many->classes.begin());
    return std::max(kLeastWrong, scores[called] - scores[place]);
  }
  const bool positive = label == model.positive_label;
  return rule.is_positive(scores[0]) == positive ? 0.0 : std::max(kLeastWrong, std::abs(scores[0]));
}

std::vector<ReportMistake> mistakes_of(const Session& session, const Model& any,
                                       const DecisionRule& rule, const Dataset& rows,
                                       std::span<const double> scores) {
  if (is_multilabel(any)) return {};  // wrong in parts
  const ModelBase& model = base_of(any);
  const std::size_t width = outputs(any);
  std::vector<double> wrongness(rows.rows(), 0.0);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (std::isnan(rows.label(i))) continue;
    wrongness[i] = wrongness_of(any, rule, rows.label(i), scores.subspan(i * width, width));
  }
  const std::vector<RowId> worst = worst_rows(wrongness);
  std::vector<Explanation> explanations;
  if (!worst.empty()) {
    explanations =
        explain(any, take_rows(rows, worst), {.top = kReasons, .threads = session.threads});
  }
  std::vector<ReportMistake> mistakes;
  for (std::size_t k = 0; k < worst.size(); ++k) {
    const RowId i = worst[k];
    const auto of_row = scores.subspan(i * width, width);
    ReportMistake mistake;
    mistake.row = i + 1;
    mistake.truth = model.label_text(rows.label(i));
    if (!model.classifies) {
      mistake.called = fmt::format("{:.6g}", of_row[0]);
      mistake.score = rows.label(i) - of_row[0];
    } else if (const auto* many = std::get_if<MulticlassModel>(&any)) {
      mistake.called = many->prediction_text(of_row);
      mistake.score = wrongness[i];
    } else {
      mistake.called = model.label_text(
          rule.is_positive(of_row[0]) ? model.positive_label
                                      : (model.one_against_rest ? NAN : model.negative_label));
      mistake.score = of_row[0];
    }
    if (!explanations.empty()) mistake.because = reasons(explanations[k], rows.schema());
    mistakes.push_back(std::move(mistake));
  }
  return mistakes;
}

void add_two_classes(const ModelBase& model, const DecisionRule& rule, const Scored& scored,
                     ReportMeasurement& measured) {
  const std::size_t rows = scored.labels.size();
  const auto positive = std::make_unique<bool[]>(rows);
  std::vector<std::size_t> group(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    positive[i] = scored.labels[i] == model.positive_label;
    group[i] = positive[i] ? 0 : 1;
  }
  std::vector<double> ranked = scored.scores;
  if (rule.calibration) {
    for (double& score : ranked) score = rule.calibration->probability(score);
    measured.threshold_of = "probability";
  }
  measured.threshold = rule.threshold;
  measured.thresholds =
      threshold_table({positive.get(), rows}, ranked, rule.threshold, scored.weights);
  measured.histogram = histogram_of(scored.scores, group, 2);
}

void add_numbers(const Scored& scored, ReportMeasurement& measured) {
  const std::size_t rows = scored.labels.size();
  std::vector<double> errors(rows);
  for (std::size_t i = 0; i < rows; ++i) errors[i] = scored.labels[i] - scored.scores[i];
  measured.histogram = histogram_of(errors, std::vector<std::size_t>(rows, 0), 1);
  const std::size_t shown = std::min(rows, kMostPairs);
  for (std::size_t k = 0; k < shown; ++k) {
    const std::size_t i = k * rows / shown;
    measured.pairs.emplace_back(scored.labels[i], scored.scores[i]);
  }
}

}  // namespace

ReportRun report_of(const Model& model, const std::string& name, const std::string& data,
                    std::optional<double> tolerance) {
  ReportRun run;
  run.name = name;
  const ModelBase& base = base_of(model);
  add_facts(model, data, run);
  if (!base.record.settings.empty()) {
    run.command = fmt::format("pegasos train {} {} {}", data.empty() ? "DATA" : shell_word(data),
                              shell_word(name), base.record.settings);
  }
  const auto* many = std::get_if<MulticlassModel>(&model);
  const bool several = many != nullptr && !base.certificate;
  run.certificate = several ? many->worst_certificate() : base.certificate;
  run.certificate_words = certificate_in_words(base, run.certificate, several);
  const auto gap = run.certificate ? run.certificate->relative_gap() : std::nullopt;
  run.proven = gap && *gap <= tolerance.value_or(1e-2);
  if (several) {
    for (std::size_t k = 0; k < many->machines.size(); ++k) {
      run.machines.push_back({many->machine_name(k), many->machines[k].certificate});
    }
  }
  add_features(model, run);
  return run;
}

std::vector<ReportMoment> moments_of(const std::vector<TracedEpoch>& trace) {
  std::vector<ReportMoment> moments;
  if (trace.empty()) return moments;
  const auto last = trace.back().certificate();
  const std::size_t shown = std::min(trace.size(), kMostMoments);
  for (std::size_t k = 0; k < shown; ++k) {
    // The first and the last are always among them.
    const TracedEpoch& epoch =
        trace[shown == 1 ? trace.size() - 1 : k * (trace.size() - 1) / (shown - 1)];
    ReportMoment moment;
    moment.seconds = epoch.seconds;
    moment.objective = epoch.primal().objective();
    if (const auto certificate = epoch.certificate()) moment.dual = certificate->dual;
    // The lemma bounds how far above the optimum; the best bound of the run stands for that.
    const auto* linear = std::get_if<EpochReport>(&epoch.report);
    if (linear != nullptr && linear->lemma && last)
      moment.bound = last->dual + linear->lemma->bound;
    moment.test_error = epoch.test_error;
    moments.push_back(moment);
  }
  return moments;
}

ReportMeasurement measured_on(const Session& session, const Model& model, const Dataset& rows,
                              const std::string& path) {
  const ModelBase& base = base_of(model);
  const std::size_t width = outputs(model);
  const DecisionRule rule = rule_for(model, {});
  const std::vector<double> scores = decisions(model, rows, session.threads);
  Scored scored;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    scored.add(rows, i, std::span(scores).subspan(i * width, width));
  }
  ReportMeasurement measured;
  measured.on = path;
  measured.trained_on = base.record.rows == rows.rows() &&
                        base.record.data_fingerprint == fingerprint(rows, session.threads);
  measured.evaluation =
      evaluated(model, rule, scored, default_options(session, model, rows.rows()));
  if (base.classifies && width == 1) add_two_classes(base, rule, scored, measured);
  if (!base.classifies) add_numbers(scored, measured);
  measured.mistakes = mistakes_of(session, model, rule, rows, scores);
  measured.picture = picture_of(model, rows, scores, {.threads = session.threads});
  return measured;
}

Report report_after_training(const Session& session, const TrainedReport& trained) {
  const auto name = [](const std::string& path) {
    return path == "-" ? path : std::filesystem::path(path).filename().string();
  };
  ReportRun run =
      report_of(trained.model, name(trained.model_path), trained.data_path, trained.tolerance);
  run.trace = moments_of(trained.trace);
  run.tuning = trained.tuned;
  const Dataset& rows = trained.test != nullptr ? *trained.test : trained.data;
  run.measured = measured_on(session, trained.model, rows,
                             name(trained.test != nullptr ? trained.test_path : trained.data_path));
  const DoctorOptions doctor = {.examples = 1, .threads = session.threads};
  run.symptoms = trained.test != nullptr ? diagnose(trained.data, *trained.test, doctor)
                                         : diagnose(trained.data, doctor);
  if (base_of(trained.model).scaling) {
    std::erase_if(*run.symptoms, [](const Symptom& one) { return one.ailment == Ailment::scale; });
  }
  return {.title = fmt::format("{}, trained on {}", run.name, name(trained.data_path)),
          .runs = {std::move(run)}};
}

void write_report(const Report& report, const std::string& path) {
  AtomicFile file(path);
  const std::string page = report_page(report);
  file.write(std::span<const char>(page.data(), page.size()));
  file.commit();
}

}  // namespace pegasos::cli
