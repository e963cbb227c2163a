#include "training_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "model/model_words.h"
#include "model_text.h"
#include "multiclass_text.h"
#include "terminal.h"
#include "train_run.h"

namespace pegasos::cli {
namespace {

std::string fact(const Style& style, std::string_view name, const std::string& text) {
  return fmt::format("{}  {}\n", style.bold(fmt::format("{:<11}", name)), text);
}

std::string kernel_work_in_words(const TrainingReport& report, double seconds) {
  const KernelWork& kernel = *report.kernel;
  const std::string work =
      kernel.blocks > 0
          ? counted(kernel.blocks, "block") + " of dual ascent"
          : fmt::format("{}, {}, {}", counted(report.epoch, "epoch"), counted(report.steps, "step"),
                        counted(report.all_violations, "violation"));
  return fmt::format("{}, {} ({} from the cache), {:.3g} s", work,
                     counted(kernel.rows_used, "kernel row"), in_percent(kernel.hit_rate()),
                     seconds);
}

std::string work_in_words(const TrainingReport& report, double seconds) {
  if (report.kernel) return kernel_work_in_words(report, seconds);
  switch (report.solver) {
    case Solver::newton:
      return fmt::format("{}, {:.3g} s", counted(report.steps, "Newton step"), seconds);
    case Solver::sdca:
      return fmt::format("{} of dual ascent, {}, {}, {:.3g} s", counted(report.epoch, "epoch"),
                         counted(report.steps, "step"),
                         counted(report.all_violations, "dual update"), seconds);
    default:
      return fmt::format("{}, {}, {}, {:.3g} s", counted(report.epoch, "epoch"),
                         counted(report.steps, "step"), counted(report.all_violations, "violation"),
                         seconds);
  }
}

std::string kernel_row_of(const TrainingReport& report, double seconds) {
  const PrimalValue& primal = report.primal;
  const KernelWork& kernel = *report.kernel;
  const auto certificate = report.certificate();
  const std::string proof =
      certificate ? fmt::format("{},{}", *certificate->dual, certificate->gap()) : ",";
  return fmt::format("{},{},{},{},{:.6f},{},{},{},{},{},{},{},{},{},{},{}", report.epoch,
                     kernel.blocks, report.steps, report.rows_seen, seconds, report.violations,
                     primal.objective(), primal.regulariser, primal.mean_loss, proof, report.norm,
                     primal.wrong, kernel.support_vectors, kernel.bounded, kernel.rows_used,
                     kernel.rows_computed);
}

std::string row_of(const TrainingReport& report, double seconds) {
  if (report.kernel) return kernel_row_of(report, seconds);
  const PrimalValue& primal = report.primal;
  std::string text = fmt::format(
      "{},{},{},{:.6f},{},{},{},{},{},{},{},{}", report.epoch, report.steps, report.rows_seen,
      seconds, report.violations, primal.objective(), primal.regulariser, primal.mean_loss,
      *report.dual, report.certificate()->gap(), report.norm, primal.wrong);
  if (const auto& lemma = report.lemma) {
    return text + fmt::format(",{},{},{},{}", lemma->largest_gradient, lemma->bound,
                              lemma->tight_bound, lemma->mean_objective);
  }
  return text + ",,,,";
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text)
    quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

std::string objective_in_words(const Certificate& proof) {
  return fmt::format("{} = {:.6g} regulariser + {:.6g} mean loss", digits_above(proof.primal, 8),
                     proof.regulariser, proof.mean_loss);
}

std::string certificate_facts(const Style& style, const Trained& trained) {
  const auto proof = certificate_of(trained.model);
  const PrimalValue& primal = trained.trace.back().report.primal;
  if (!proof) {
    return fact(style, "objective",
                fmt::format("{:.8g} = {:.6g} regulariser + {:.6g} mean loss", primal.objective(),
                            primal.regulariser, primal.mean_loss)) +
           fact(style, "certificate", "none: the kernel is not known to be positive semidefinite");
  }
  const auto* linear = std::get_if<LinearModel>(&trained.model);
  const bool mapped = linear != nullptr && linear->map;
  return fact(style, "objective", objective_in_words(*proof)) +
         fact(style, "lower bound",
              fmt::format("{} (dual objective; no {} have a lower objective)",
                          digits_below(proof->dual.value_or(0.0), 8),
                          linear != nullptr ? "weights" : "coefficients")) +
         fact(style, "certificate",
              style.green(gap_in_words(*proof)) + (mapped ? ", for the approximate problem" : ""));
}

std::string many_facts(const Style& style, const MulticlassModel& model) {
  std::string text;
  if (model.joint) text += fact(style, "objective", objective_in_words(model.joint->certificate));
  text += fact(style, "certificate", style.green(proof_in_words(model)));
  if (const KernelClassifiers* kernels = model.kernels()) {
    text += fact(style, "vectors", counted(kernels->vectors(), "support vector"));
  }
  return text;
}

std::string fit_in_words(const Regression& fit) {
  return fmt::format("MAE {:.6g}, RMSE {:.6g}, R² {:.4f}", fit.mae.value, fit.rmse.value,
                     fit.r2.value);
}

std::string error_in_words(const Trained& trained, double error) {
  return base_of(trained.model).classifies() ? in_percent(error)
                                             : fmt::format("mean absolute error {:.6g}", error);
}

std::string training_error_in_words(const Trained& trained) {
  std::string text = error_in_words(trained, *trained.training_error);
  const auto* single = single_output(trained.model);
  const bool counted_rows = single != nullptr && single->certificate &&
                            single->certificate->wrong &&
                            static_cast<double>(*single->certificate->wrong) ==
                                *trained.training_error * static_cast<double>(single->record.rows);
  if (counted_rows) {
    text += fmt::format(" ({} of {})", with_separators(*single->certificate->wrong),
                        with_separators(single->record.rows));
  }
  return text;
}

}  // namespace

std::string trace_as_csv(const std::vector<TracedReport>& trace) {
  const bool kernel = !trace.empty() && trace.front().report.kernel;
  const bool several = !trace.empty() && trace.front().report.classifier.count > 1;
  std::string text = several ? "classifier," : "";
  text += kernel
              ? "epoch,blocks,steps,rows_seen,seconds,violations,objective,regulariser,mean_loss,"
                "dual,gap,norm,train_wrong,support_vectors,bounded,kernel_rows_used,"
                "kernel_rows_computed,test_error\n"
              : "epoch,steps,rows_seen,seconds,violations,objective,regulariser,mean_loss,dual,gap,"
                "norm,train_wrong,largest_gradient,lemma_bound,lemma_tight_bound,"
                "mean_step_objective,test_error\n";
  for (const auto& traced : trace) {
    if (several) text += csv_field(traced.report.classifier.name) + ",";
    text += row_of(traced.report, traced.seconds);
    text += traced.test_error ? fmt::format(",{}\n", *traced.test_error) : ",\n";
  }
  return text;
}

std::string training_summary(const Trained& trained) {
  const Style style(STDERR_FILENO);
  const TrainingReport& last = trained.trace.back().report;
  const auto* many = std::get_if<MulticlassModel>(&trained.model);
  std::string text = many != nullptr ? many_facts(style, *many) : certificate_facts(style, trained);
  if (const auto* kernel = std::get_if<KernelModel>(&trained.model)) {
    text += fact(style, "vectors",
                 fmt::format("{}, norm {:.4g}", vectors_in_words(*kernel), kernel->support.norm));
  }
  if (trained.training_error) {
    text += fact(style, "train error",
                 trained.training_fit ? fit_in_words(*trained.training_fit)
                                      : training_error_in_words(trained));
  }
  if (trained.test_error) {
    text += fact(style, "test error",
                 trained.test_fit ? fit_in_words(*trained.test_fit)
                                  : error_in_words(trained, *trained.test_error));
  }
  if (many != nullptr) {
    text += fact(style, "work",
                 fmt::format("{}, {}, {}, {:.3g} s", many->record.solver,
                             counted(many->classifiers.size(), "classifier"),
                             counted(many->record.steps, "step"), trained.seconds));
    return text;
  }
  text += fact(style, "work", work_in_words(last, trained.seconds));
  if (const auto& lemma = last.lemma) {
    text +=
        fact(style, "lemma",
             fmt::format("largest sub-gradient norm G = {:.4g}; the mean objective over the steps, "
                         "{:.4g}, is at most {:.4g} above the optimum ({:.4g} by G alone)",
                         lemma->largest_gradient, lemma->mean_objective, lemma->tight_bound,
                         lemma->bound));
  }
  return text;
}

std::string ranks_in_words(const RanksUsed& used, const Trained& trained) {
  const auto rounds =
      static_cast<double>(std::max<std::uint64_t>(1, base_of(trained.model).record.epochs));
  return fmt::format(
      "ranks        {}; {} sums and gathers of {} in all ({} per step or epoch), {:.2f} s\n",
      used.ranks, with_separators(used.sent.calls), in_bytes(static_cast<double>(used.sent.bytes)),
      in_bytes(static_cast<double>(used.sent.bytes) / rounds), used.sent.seconds);
}

std::string training_json(const Trained& trained, const TrainArguments& arguments,
                          const std::optional<RanksUsed>& ranks) {
  const bool classifies = base_of(trained.model).classifies();
  const TrainingReport& last = trained.trace.back().report;
  Json json = model_json(trained.model);
  json["model"] = arguments.model;
  json["seconds_reading"] = arguments.seconds_reading;
  json["seconds"] = trained.seconds;
  if (ranks) {
    json["ranks"] = {{"count", ranks->ranks},
                     {"calls", ranks->sent.calls},
                     {"bytes", ranks->sent.bytes},
                     {"seconds", ranks->sent.seconds}};
  }
  if (trained.training_error) {
    json[classifies ? "training_error" : "training_mean_absolute_error"] = *trained.training_error;
  }
  if (trained.test_error) {
    json[classifies ? "test_error" : "test_mean_absolute_error"] = *trained.test_error;
  }
  if (single_output(trained.model) == nullptr) return json.text();
  if (const auto& kernel = last.kernel) {
    json["objective"] = last.primal.objective();
    json["kernel_rows"] = {{"used", kernel->rows_used},
                           {"computed", kernel->rows_computed},
                           {"hit_rate", kernel->hit_rate()}};
  }
  if (const auto& lemma = last.lemma) {
    json["lemma"] = {{"largest_gradient", lemma->largest_gradient},
                     {"bound", lemma->bound},
                     {"tight_bound", lemma->tight_bound},
                     {"mean_step_objective", lemma->mean_objective}};
  }
  return json.text();
}

}  // namespace pegasos::cli
