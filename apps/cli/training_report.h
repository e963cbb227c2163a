// What train says about a run: the words at the end, the same as JSON, and the trace as CSV.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pegasos/kernel_problem.h"
#include "pegasos/model.h"
#include "pegasos/progress.h"

namespace pegasos::cli {

// An epoch of a linear solver, or an epoch or some blocks of a kernel solver, with what the command
// line adds to the solver's report.
struct TracedEpoch {
  std::variant<EpochReport, KernelReport> report;
  double seconds = 0.0;
  std::optional<double> test_error = {};  // share of wrong labels, or the mean absolute error

  const PrimalValue& primal() const;
  // None where the kernel is not known to be positive semidefinite.
  std::optional<Certificate> certificate() const;
};

std::string trace_as_csv(const std::vector<TracedEpoch>& trace);

// "within 0.08 % of the optimum, proven", or what can be said instead.
std::string gap_in_words(const Certificate& certificate);

// The summary a person reads after training.
std::string training_summary(const Model& model, const TracedEpoch& last, bool colour);

// The same for programs.
std::string training_json(const Model& model, const TracedEpoch& last,
                          const std::string& model_path);

}  // namespace pegasos::cli
