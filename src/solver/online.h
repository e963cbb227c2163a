// Pegasos on rows as they come: every row is seen once, in order, and not kept.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "pegasos/dataset.h"
#include "pegasos/problem.h"

namespace pegasos {

// Where a stream of rows has led. This is all that Pegasos needs to go on.
struct OnlinePoint {
  LinearPoint point = {};  // no weights: nothing was seen yet
  double counted = 0.0;    // rows seen, and the offset of the step size
};

// What is learned, without the rows.
struct OnlineProblem {
  LossOptions loss = {};
  double lambda = 0.0;
  Bias bias = Bias::none;  // not exact
  double bias_feature = 1.0;
};

// Takes a step of batch size 1 on each row, with eta = 1/(lambda (counted + t)). For the squared
// losses `counted` is raised before a row that asks for it, without which its step would diverge.
// How rows are cut into calls changes no bit.
class OnlineSolver {
 public:
  OnlineSolver(const OnlineProblem& problem, const OnlinePoint& from);
  OnlineSolver(OnlineSolver&&) noexcept;
  ~OnlineSolver();

  // y and weights are those of the rows; no weights: all 1. A row may have more features than those
  // before it. `scores`, if there are any, get <w, x> + b of each row before its step.
  void learn(const Dataset& rows, std::span<const double> y, std::span<const double> weights,
             std::span<double> scores);

  // Room for so many features; new weights are 0.
  void grow(std::size_t features);

  OnlinePoint reached() const;
  double counted() const;  // of what was reached

 private:
  class State;
  template <typename LossType>
  class StateOf;
  std::unique_ptr<State> state_;
};

}  // namespace pegasos
