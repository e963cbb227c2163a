// The threshold that suits a purpose best on given rows.
//
// Going down through the scores, more and more rows are predicted positive; what a line between two
// of them is worth follows from the weights of the rows above it.
#include <cmath>
#include <limits>
#include <memory>

#include "eval/ranking.h"
#include "pegasos/error.h"
#include "pegasos/evaluate.h"

namespace pegasos {
namespace {

struct Counts {
  double true_positive = 0;
  double false_positive = 0;
};

// The more the better.
class Worth {
 public:
  Worth(ThresholdAim aim, const Counts& all, double false_positive, double false_negative)
      : aim_(aim), all_(all), false_positive_(false_positive), false_negative_(false_negative) {}

  double operator()(const Counts& above) const {
    const double missed = all_.true_positive - above.true_positive;
    switch (aim_) {
      case ThresholdAim::f1:
        return 2.0 * above.true_positive /
               (2.0 * above.true_positive + above.false_positive + missed);
      case ThresholdAim::balanced:
        return 0.5 * (above.true_positive / all_.true_positive + 1.0 -
                      above.false_positive / all_.false_positive);
      case ThresholdAim::cost:
        break;
    }
    return -(false_positive_ * above.false_positive + false_negative_ * missed) /
           (all_.true_positive + all_.false_positive);
  }

 private:
  ThresholdAim aim_;
  Counts all_;
  double false_positive_;
  double false_negative_;
};

// Half way, and below the higher one, so that it alone is above.
double between(double lower, double higher) {
  const double middle = lower + 0.5 * (higher - lower);
  return middle < higher ? middle : lower;
}

void check(const Decision& decision, const ScoredRows& scored) {
  if (decision.kind() != AnswerKind::two_classes) {
    throw InvalidOption("best_threshold", "needs a model with two classes");
  }
  if (scored.foreign > 0) {
    throw InvalidOption("best_threshold", "some rows have labels that the model does not know");
  }
}

}  // namespace

BestThreshold best_threshold(const Decision& decision, const ScoredRows& scored, ThresholdAim aim,
                             double cost_false_positive, double cost_false_negative) {
  check(decision, scored);
  if (!(cost_false_positive > 0) || !(cost_false_negative > 0)) {
    throw InvalidOption("cost", "costs must be finite and greater than 0");
  }
  const auto positive = std::make_unique<bool[]>(scored.rows);
  Counts all;
  const RowWeights weight{scored.weights};
  for (std::size_t i = 0; i < scored.rows; ++i) {
    positive[i] = scored.truth[i] == 0;
    (positive[i] ? all.true_positive : all.false_positive) += weight(i);
  }
  if (!(all.true_positive > 0) || !(all.false_positive > 0)) {
    throw InvalidOption("best_threshold", "needs rows of both classes");
  }
  const Ranking ranking = rank_rows({positive.get(), scored.rows}, scored.scores);
  const Worth worth(aim, all, cost_false_positive, cost_false_negative);
  const double usual = decision.compares_probabilities() ? 0.0 : decision.threshold();
  const auto score_at = [&](std::size_t place) { return scored.scores[ranking.order[place]]; };
  Counts above;
  BestThreshold best{.above = score_at(0), .value = worth(above)};  // nothing is positive
  for (std::size_t place = 0; place < ranking.rows(); ++place) {
    (ranking.positive[place] != 0 ? above.true_positive : above.false_positive) +=
        weight(ranking.order[place]);
    if (ranking.group_end[place] == 0) continue;
    const bool last = place + 1 == ranking.rows();
    const double line = last ? std::nextafter(score_at(place), -std::numeric_limits<double>::max())
                             : between(score_at(place + 1), score_at(place));
    const double value = worth(above);
    const bool nearer = std::abs(line - usual) < std::abs(best.above - usual);
    if (value > best.value || (value == best.value && nearer)) best = {line, value};
  }
  if (aim == ThresholdAim::cost) best.value = -best.value;
  return best;
}

}  // namespace pegasos
