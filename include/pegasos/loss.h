// The losses, as options. src/math/losses.h has their formulas, slopes and conjugates.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pegasos {

enum class Loss {
  hinge,                        // max(0, 1 - y z)
  squared_hinge,                // max(0, 1 - y z)^2
  logistic,                     // ln(1 + exp(-y z))
  epsilon_insensitive,          // max(0, |y - z| - epsilon)
  squared_epsilon_insensitive,  // max(0, |y - z| - epsilon)^2
  huber                         // r^2/2 for |r| ≤ delta, else delta (|r| - delta/2); r = y - z
};

struct LossOptions {
  Loss loss = Loss::hinge;
  double epsilon = 0.1;  // half width of the insensitive tube, ≥ 0; the two epsilon losses
  double delta = 1.0;    // where the Huber loss turns from square to straight, > 0

  void validate() const;  // throws InvalidOption

  friend bool operator==(const LossOptions&, const LossOptions&) = default;
};

// True for the three losses whose labels are -1 and +1.
bool is_classification(Loss loss);

// "hinge", "squared-hinge", … as the command line spells them.
std::string name_of(Loss loss);
std::optional<Loss> loss_of_name(const std::string& name);
const std::vector<std::string>& loss_names();

}  // namespace pegasos
