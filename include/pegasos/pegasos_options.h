// Options of Pegasos: every choice in the paper, with defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pegasos {

enum class Sampling { shuffle, fixed, iid, without_replacement };
enum class Average { last, mean, suffix, weighted };

std::string name_of(Sampling sampling);
std::string name_of(Average average);

struct PegasosOptions {
  // Rows a step, k ≥ 1; more than there are rows means all of them: plain sub-gradient descent.
  std::uint64_t batch = 1;

  Sampling sampling = Sampling::shuffle;

  // After each step, back onto the ball of radius sqrt(mean loss at 0 / lambda), 1/sqrt(lambda) for
  // the hinge, which is known to hold the optimum.
  bool project = false;

  // What is handed out: the last iterate, the mean of all, the mean of those of the second half of
  // the planned epochs, or the mean weighted by the step number.
  Average average = Average::last;

  // Rows that count as seen before the first: eta = 1/(lambda (t + offset)). Default: 0 where
  // slopes are bounded; twice the batch times the largest s |x|^2/lambda for the squared losses,
  // which diverge without. A free bias that takes steps counts as a feature of value 1 in |x|^2.
  std::optional<double> step_offset = {};

  // An end, whichever comes first; an epoch is as many rows as the data has. ≥ 1.
  std::uint64_t epochs = 100;
  std::optional<std::uint64_t> steps = {};

  std::uint64_t seed = 1;

  // Keep the norm of every sub-gradient for the lemma; costs another dot product for every
  // violating row of a batch after its first.
  bool measure_gradients = true;

  void validate() const;  // throws InvalidOption
};

}  // namespace pegasos
