// Data of many classes as a problem with the joint loss.
#pragma once

#include <cstdint>
#include <vector>

#include "certify/joint_objective.h"
#include "model/class_labels.h"
#include "pegasos/multiclass_model.h"

namespace pegasos {

// The problem and what it points to.
class JointInputs {
 public:
  // Throws InvalidOption for a bias that is free, a loss other than the hinge, and rows of none of
  // the classes.
  JointInputs(const Dataset& rows, const ClassLabels& labels, std::vector<double> weights,
              const ModelBase& model);
  JointInputs(const JointInputs&) = delete;
  JointInputs& operator=(const JointInputs&) = delete;

  const JointProblem& problem() const { return problem_; }

 private:
  std::vector<std::uint32_t> y_;
  std::vector<double> weights_;
  JointProblem problem_;
};

}  // namespace pegasos
