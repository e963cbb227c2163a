// Pegasos as in a textbook: w a plain dense vector that is shrunk and added to, projected by
// computing its norm, averaged by keeping every iterate, with duals and lemma by their definitions.
// Slow, and with nothing to get wrong. The row order comes from the real Sampler, and Bias::exact
// uses the real best_bias, each tested on its own.
#pragma once

#include <cstdint>
#include <vector>

#include "pegasos/pegasos_options.h"
#include "pegasos/watch.h"
#include "support/small_problem.h"

namespace pegasos::testing {

struct ReferenceRun {
  LinearPoint last = {};        // the last iterate; b of a regularised bias or as stepped
  LinearPoint handed_out = {};  // as options.average says; b means nothing with a free bias
  // The duals of every epoch's end and of the end of the run, as visits left them.
  std::vector<std::vector<double>> duals = {};
  std::vector<std::vector<double>> suffix_duals = {};  // likewise, of the later epochs alone
  LemmaReport lemma = {};
  std::uint64_t steps = 0;
  std::uint64_t rows_seen = 0;
  std::uint64_t violations = 0;
  double norm = 0.0;
  double largest_norm = 0.0;  // of all iterates: the size of what rounding acts on
  double radius = 0.0;
};

ReferenceRun reference_pegasos(const SmallProblem& problem, const PegasosOptions& options);

}  // namespace pegasos::testing
