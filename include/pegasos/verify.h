// Verification: does a model's certificate hold on this data?
//
// A certificate claims an objective P and a relative gap r: no weights improve on P by more than r.
// Both are checked from the data, the weights and, if the model stores them, its dual variables:
//
//   P of the weights by a fresh pass is the P that is claimed, and
//   a feasible dual point has  D ≥ P/(1 + r),  hence  P ≤ (1 + r) D ≤ (1 + r) optimum.
//
// P is rounded up and D down by a bound on all rounding errors, so that [D, P] contains the optimum
// in exact arithmetic (docs/certificate.md).
//
// Without kept duals such a point is searched for, from the weights. The search also ends when it
// meets weights with an objective below P/(1 + r): those disprove the claim.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/model.h"
#include "pegasos/progress.h"
#include "pegasos/watch.h"

namespace pegasos {

// What is verified may differ from what was claimed in the last digits: kernel values depend on
// the instructions of the machine, and models of version 0.1 did not round outward. A claim is held
// to be true up to this share of the objective; the interval that is reported has no such
// allowance.
inline constexpr double kRoundingAllowance = 1e-9;

struct VerifyOptions {
  // How near the optimum to look for a proof where the model claims nothing; ≥ 0.
  double tolerance = 1e-3;
  // The most epochs of the search. ≥ 1. Default: those of training.
  std::optional<std::uint64_t> max_epochs = {};
  // ≥ 1; 0: as many as the process may use. Changes no bit.
  int threads = 0;
  // Compute in pairs of doubles, 32 digits, from the start. Otherwise that is done only where
  // double precision leaves less than ten certain digits. Linear models; others always compute in
  // double precision.
  bool exact = false;

  void validate() const;  // throws InvalidOption
};

enum class Finding {
  holds,              // verified
  no_claim,           // the model claims nothing; what could be proven is in `dual`
  objective_differs,  // these weights do not have the claimed objective on this data
  duals_too_low,      // the kept duals do not prove the claimed share
  disproven,          // better weights exist that refute the claimed gap
  not_found           // neither a proof nor a disproof within max_epochs, or it was interrupted
};

struct Verification {
  Finding finding = Finding::no_claim;
  std::optional<Certificate> claimed = {};
  PrimalValue primal = {};            // of the model, fresh, rounded up
  double primal_below = 0.0;          // the model's objective is at least this
  std::optional<double> dual = {};    // the best bound, fresh, rounded down; none if not needed
  bool in_pairs = false;              // the arithmetic: pairs of doubles, or doubles
  std::optional<double> better = {};  // an objective that the search met below the model's
  bool duals_kept = false;            // the bound is from the model's own duals
  bool same_data = false;             // by rows and fingerprint
  bool interrupted = false;

  bool refuted() const { return finding != Finding::holds && finding != Finding::no_claim; }
  // What is proven about the model now.
  Certificate proven() const { return {.primal = primal.objective(), .dual = dual}; }
};

// `data` has the model's features: it was read with the model's schema. `watch` sees the search.
// Throws InvalidOption for a model without lambda, which no objective can be computed of, and for
// data without the labels or features of the model.
Verification verify(const LinearModel& model, const Dataset& data,
                    const VerifyOptions& options = {}, const Watch& watch = {});

// Of a kernel that is not known to be positive semidefinite only the objective can be computed: it
// has no claim.
Verification verify(const KernelModel& model, const Dataset& data,
                    const VerifyOptions& options = {}, const Watch& watch = {});

// Of many classes: what was found of each classifier, in their order; of a joint model one.
struct MulticlassVerification {
  std::vector<Verification> classifiers = {};
  bool same_data = false;

  // The gravest.
  Finding finding() const;
  bool refuted() const { return finding() != Finding::holds && finding() != Finding::no_claim; }
};

// `go_on` is asked often, with the classifier being looked at; false ends it there.
MulticlassVerification verify(const MulticlassModel& model, const Dataset& data,
                              const VerifyOptions& options = {},
                              const std::function<bool(std::size_t)>& go_on = {});

}  // namespace pegasos
