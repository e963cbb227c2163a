#include "training_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "model_text.h"
#include "quantities.h"
#include "terminal.h"

namespace pegasos::cli {
namespace {

std::string fact(const Style& style, std::string_view name, const std::string& text) {
  return fmt::format("{}  {}\n", style.bold(fmt::format("{:<11}", name)), text);
}

std::string work_in_words(const EpochReport& report, double seconds) {
  switch (report.solver) {
    case Solver::newton:
      return fmt::format("{}, {:.3g} s", counted(report.steps, "Newton step"), seconds);
    case Solver::sdca:
      return fmt::format("{} of dual ascent, {}, {} moved a dual, {:.3g} s",
                         counted(report.epoch, "epoch"), counted(report.steps, "step"),
                         with_separators(report.all_violations), seconds);
    default:
      return fmt::format("{}, {}, {}, {:.3g} s", counted(report.epoch, "epoch"),
                         counted(report.steps, "step"), counted(report.all_violations, "violation"),
                         seconds);
  }
}

std::string work_in_words(const KernelReport& report, double seconds) {
  const std::string work =
      report.blocks > 0
          ? counted(report.blocks, "block") + " of dual ascent"
          : fmt::format("{}, {}, {}", counted(report.epoch, "epoch"), counted(report.steps, "step"),
                        counted(report.all_violations, "violation"));
  return fmt::format("{}, {} of the kernel matrix, {} of them from the cache, {:.3g} s", work,
                     counted(report.kernel_rows_used, "row"), in_percent(report.hit_rate()),
                     seconds);
}

std::string row_of(const EpochReport& report, double seconds) {
  const PrimalValue& primal = report.primal;
  std::string text = fmt::format(
      "{},{},{},{:.6f},{},{},{},{},{},{},{},{}", report.epoch, report.steps, report.rows_seen,
      seconds, report.violations, primal.objective(), primal.regulariser, primal.mean_loss,
      report.dual, report.certificate().gap(), report.norm, primal.wrong);
  if (const auto& lemma = report.lemma) {
    return text + fmt::format(",{},{},{},{}", lemma->largest_gradient, lemma->bound,
                              lemma->tight_bound, lemma->mean_objective);
  }
  return text + ",,,,";
}

std::string row_of(const KernelReport& report, double seconds) {
  const PrimalValue& primal = report.primal;
  const auto certificate = report.certificate();
  const std::string proof =
      certificate ? fmt::format("{},{}", certificate->dual, certificate->gap()) : ",";
  return fmt::format("{},{},{},{},{:.6f},{},{},{},{},{},{},{},{},{},{},{}", report.epoch,
                     report.blocks, report.steps, report.rows_seen, seconds, report.violations,
                     primal.objective(), primal.regulariser, primal.mean_loss, proof, report.norm,
                     primal.wrong, report.support_vectors, report.bounded, report.kernel_rows_used,
                     report.kernel_rows_computed);
}

std::string certificate_facts(const Style& style, const Model& model, const TracedEpoch& last) {
  const auto certificate = last.certificate();
  if (!certificate) {
    return fact(style, "certificate",
                "none: the kernel is not known to be positive semidefinite, so nothing bounds the "
                "optimum");
  }
  const auto* linear = std::get_if<LinearModel>(&model);
  const bool mapped = linear != nullptr && linear->map;
  return fact(style, "lower bound",
              fmt::format("{:.8g}, from the dual: no {} do better", certificate->dual,
                          linear != nullptr ? "weights" : "coefficients")) +
         fact(style, "certificate",
              style.green(gap_in_words(*certificate)) +
                  (mapped ? ", of the approximate problem" : ""));
}

}  // namespace

const PrimalValue& TracedEpoch::primal() const {
  return std::visit([](const auto& kind) -> const PrimalValue& { return kind.primal; }, report);
}

std::optional<Certificate> TracedEpoch::certificate() const {
  return std::visit([](const auto& kind) { return std::optional(kind.certificate()); }, report);
}

std::string trace_as_csv(const std::vector<TracedEpoch>& trace) {
  const bool kernel = !trace.empty() && std::holds_alternative<KernelReport>(trace.front().report);
  std::string text =
      kernel ? "epoch,blocks,steps,rows_seen,seconds,violations,objective,regulariser,mean_loss,"
               "dual,gap,norm,train_wrong,support_vectors,bounded,kernel_rows_used,"
               "kernel_rows_computed,test_error\n"
             : "epoch,steps,rows_seen,seconds,violations,objective,regulariser,mean_loss,dual,gap,"
               "norm,train_wrong,largest_gradient,lemma_bound,lemma_tight_bound,"
               "mean_step_objective,test_error\n";
  for (const auto& traced : trace) {
    text += std::visit([&](const auto& report) { return row_of(report, traced.seconds); },
                       traced.report);
    text += traced.test_error ? fmt::format(",{}\n", *traced.test_error) : ",\n";
  }
  return text;
}

std::string gap_in_words(const Certificate& certificate) {
  const double gap = certificate.relative_gap();
  if (std::isfinite(gap)) return fmt::format("within {} of the optimum, proven", in_percent(gap));
  return fmt::format("within {:.3g} of the optimum in absolute terms, proven", certificate.gap());
}

std::string training_summary(const Model& any, const TracedEpoch& last, bool colour) {
  const Style style(colour ? STDERR_FILENO : -1);
  const ModelBase& model = base_of(any);
  const PrimalValue& primal = last.primal();
  std::string text;
  text += fact(style, "objective",
               fmt::format("{:.8g} = {:.6g} regulariser + {:.6g} mean loss", primal.objective(),
                           primal.regulariser, primal.mean_loss));
  text += certificate_facts(style, any, last);
  if (const auto* kernel = std::get_if<KernelModel>(&any)) {
    text += fact(style, "vectors",
                 fmt::format("{}, norm {:.4g}", vectors_in_words(*kernel), kernel->norm));
  }
  if (model.classifies) {
    const double share = static_cast<double>(primal.wrong) / static_cast<double>(model.record.rows);
    text += fact(style, "on training",
                 fmt::format("{} wrong, {} of {}", in_percent(share), with_separators(primal.wrong),
                             with_separators(model.record.rows)));
  }
  if (last.test_error) {
    text += fact(style, "on test",
                 model.classifies ? in_percent(*last.test_error) + " wrong"
                                  : fmt::format("mean absolute error {:.6g}", *last.test_error));
  }
  text += fact(style, "work",
               std::visit([&](const auto& report) { return work_in_words(report, last.seconds); },
                          last.report));
  const auto* report = std::get_if<EpochReport>(&last.report);
  if (report != nullptr && report->lemma) {
    const LemmaReport& lemma = *report->lemma;
    text += fact(
        style, "lemma",
        fmt::format("largest sub-gradient G = {:.4g}; the mean step objective {:.4g} is at "
                    "most {:.4g} above the optimum's ({:.4g} by G alone)",
                    lemma.largest_gradient, lemma.mean_objective, lemma.tight_bound, lemma.bound));
  }
  return text;
}

std::string training_json(const Model& any, const TracedEpoch& last,
                          const std::string& model_path) {
  const ModelBase& model = base_of(any);
  auto json = model_json(any);
  json["model"] = model_path;
  json["seconds"] = last.seconds;
  if (last.test_error) {
    json[model.classifies ? "test_error" : "test_mean_absolute_error"] = *last.test_error;
  }
  if (const auto* report = std::get_if<KernelReport>(&last.report)) {
    json["objective"] = report->primal.objective();
    json["kernel_rows"] = {{"used", report->kernel_rows_used},
                           {"computed", report->kernel_rows_computed},
                           {"hit_rate", report->hit_rate()}};
  }
  const auto* epoch = std::get_if<EpochReport>(&last.report);
  if (epoch != nullptr && epoch->lemma) {
    const LemmaReport& lemma = *epoch->lemma;
    json["lemma"] = {{"largest_gradient", lemma.largest_gradient},
                     {"bound", lemma.bound},
                     {"tight_bound", lemma.tight_bound},
                     {"mean_step_objective", lemma.mean_objective}};
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace pegasos::cli
