// Small training problems for tests, kept as plain dense rows, and the solver's view of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pegasos/problem.h"

namespace pegasos::testing {

struct SmallProblem {
  std::vector<std::vector<float>> x;  // rows, all of `features` values
  std::vector<double> y;
  std::vector<double> weights;  // or none
  std::size_t features = 0;
  LossOptions loss = {};
  double lambda = 0.1;
  Bias bias = Bias::none;
  double bias_feature = 1.0;
  bool dense = false;  // the layout linear() hands out

  std::size_t rows() const { return x.size(); }
  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
  bool has_free_bias() const { return bias == Bias::unregularised || bias == Bias::exact; }
  // <w, x_i> by a plain loop.
  double dot(std::size_t i, const std::vector<double>& w) const;

  // Copies the rows; labels and weights stay here, so this must outlive it.
  LinearProblem linear() const;
};

struct ProblemShape {
  std::size_t rows = 20;
  std::size_t features = 5;
  double density = 1.0;      // share of values that are not zero
  double value_scale = 1.0;  // values are normal times this
  double noise = 0.5;        // of the labels, against a random linear truth
  double offset = 0.5;       // the truth's bias
  bool weighted = false;     // weights from 0 (one in eight) to 3
  bool dense = false;
  double lambda = 0.1;
  Loss loss = Loss::hinge;
  Bias bias = Bias::none;
  std::uint64_t seed = 1;
};

// Normal values, labels from a noisy linear truth; the same for the same shape.
SmallProblem make_problem(const ProblemShape& shape);

// A problem that dual ascent solves slowly: columns that are almost the same, and more features
// than Newton's matrix is made for, most of them empty.
SmallProblem crawling_problem();

// What a property test varies in a problem, drawn from RapidCheck's current test case.
struct ProblemRange {
  std::size_t most_rows = 24;
  std::size_t most_features = 8;
  double smallest_lambda = 1e-3;
  double largest_lambda = 10.0;
  bool odd_rows = false;  // also repeated rows, zero rows, one class, denormal and large values
};
SmallProblem arbitrary_problem(const ProblemRange& range);

// For messages: what the problem is, without its numbers.
std::string describe(const SmallProblem& problem);

inline constexpr Loss kAllLosses[] = {Loss::hinge,
                                      Loss::squared_hinge,
                                      Loss::logistic,
                                      Loss::epsilon_insensitive,
                                      Loss::squared_epsilon_insensitive,
                                      Loss::huber};
inline constexpr Bias kAllBiases[] = {Bias::none, Bias::regularised, Bias::unregularised,
                                      Bias::exact};

}  // namespace pegasos::testing
