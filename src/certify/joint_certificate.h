// The certificate of the joint loss of many classes as a theorem; see certify/certificate.h.
//
//   D(a) = lambda/2 |W|^2 + 1/m sum_i sum over r ≠ y_i of -a_ir (1 + z_ir - z_iy) - lambda/2 |W(a)
//   - W|^2
//
// for a_ir ≤ 0 with sum over r ≠ y of -a_ir ≤ s_i exactly; a_iy stands for minus the sum of the
// others, as the real number that it is. In double precision.
#pragma once

#include <span>

#include "certify/certificate.h"
#include "certify/joint_objective.h"

namespace pegasos {

// Makes `a` exactly feasible in place. Empty: no bound is proven.
Proof certify_joint(const JointProblem& problem, const JointPoint& point, std::span<double> a,
                    ThreadPool& pool);

}  // namespace pegasos
