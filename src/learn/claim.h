// What a model claims, and what would prove it. See pegasos/verify.h.
#pragma once

#include "certify/certificate.h"
#include "pegasos/verify.h"

namespace pegasos {

// Throws InvalidOption for a model without lambda, and for data without the model's features.
void check_has_problem(const ModelBase& model, const Dataset& data);

inline bool claims_a_share(const Verification& result) {
  return result.claimed && result.claimed->dual;
}

// The least bound that proves what is claimed of an objective, or the share of the options. A claim
// without a positive bound is one in absolute terms.
double bound_wanted(const Verification& result, const VerifyOptions& options);

// Takes over the objective of a model. Returns whether that is the one it claims, if it claims any;
// the finding says so if not.
bool objective_holds(const Proof& proof, Verification& result);

// What a search for a proof found: a bound, and the objective of a point of its own.
void judge_search(const Proof& found, double wanted, Verification& result);

// Of a joint model, on data that was checked to be of its features.
Verification verify_joint(const MulticlassModel& model, const Dataset& data,
                          const VerifyOptions& options,
                          const std::function<bool(std::size_t)>& go_on);

}  // namespace pegasos
