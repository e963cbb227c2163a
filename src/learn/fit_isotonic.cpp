// Isotonic regression by pooling adjacent violators: rows by ascending score, equal scores
// together; whenever a block has a lower share of positive rows than the one before, the two become
// one.
#include <algorithm>
#include <numeric>

#include "eval/checks.h"
#include "pegasos/calibrate.h"

namespace pegasos {
namespace {

struct Block {
  double first = 0.0;  // score
  double last = 0.0;
  double weight = 0.0;
  double positive = 0.0;

  double share() const { return positive / weight; }
};

// Above the pooled shares of both: a product instead of quotients, which could differ by rounding.
bool violates(const Block& left, const Block& right) {
  return left.positive * right.weight >= right.positive * left.weight;
}

void push(std::vector<Block>& blocks, const Block& next) {
  blocks.push_back(next);
  while (blocks.size() > 1 && violates(blocks[blocks.size() - 2], blocks.back())) {
    const Block last = blocks.back();
    blocks.pop_back();
    blocks.back().last = last.last;
    blocks.back().weight += last.weight;
    blocks.back().positive += last.positive;
  }
}

}  // namespace

Calibration fit_isotonic(std::span<const bool> positive, std::span<const double> scores,
                         std::span<const double> weights) {
  check_numbers(scores, positive.size(), "scores");
  check_weights(weights, positive.size());
  const RowWeights weight{weights};
  std::vector<std::uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return scores[a] != scores[b] ? scores[a] < scores[b] : a < b;
  });
  std::vector<Block> blocks;
  for (std::size_t at = 0; at < order.size();) {
    Block tied;
    tied.first = tied.last = scores[order[at]];
    for (; at < order.size() && scores[order[at]] == tied.first; ++at) {
      tied.weight += weight(order[at]);
      tied.positive += positive[order[at]] ? weight(order[at]) : 0.0;
    }
    if (tied.weight > 0) push(blocks, tied);
  }
  if (blocks.empty() || std::isinf(blocks.front().first) || std::isinf(blocks.back().last)) {
    throw InvalidOption("scores", "none of them is finite");
  }
  Calibration fit;
  fit.kind = CalibrationKind::isotonic;
  for (const Block& block : blocks) {
    fit.scores.push_back(block.first);
    fit.probabilities.push_back(block.share());
    if (block.last == block.first) continue;
    fit.scores.push_back(block.last);
    fit.probabilities.push_back(block.share());
  }
  return fit;
}

}  // namespace pegasos
