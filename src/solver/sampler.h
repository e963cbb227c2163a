// The order in which a solver visits rows. A sampler fills an index array for one epoch (m rows);
// the step does not know which kind it is.
//
//   shuffle              a fresh permutation each epoch
//   fixed                one permutation for all epochs
//   iid                  m draws with replacement
//   without_replacement  batches of k different rows, each batch drawn independently
//
// Epoch e draws from the Philox stream e of the seed alone (the fixed permutation from stream 0),
// so a run can be taken up at any epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/pegasos_options.h"

namespace pegasos {

class Sampler {
 public:
  Sampler(Sampling sampling, std::size_t rows, std::size_t batch, std::uint64_t seed);

  // The rows of epoch 0, 1, 2, …, whichever were asked for before.
  std::span<const RowId> epoch(std::uint64_t number);

  // Every row exactly once per epoch.
  bool visits_every_row() const {
    return sampling_ == Sampling::shuffle || sampling_ == Sampling::fixed;
  }

 private:
  Sampling sampling_;
  std::size_t batch_;
  std::uint64_t seed_;
  std::vector<RowId> order_;
  std::vector<RowId> pool_;  // without_replacement: all rows, the next batch at the front
};

}  // namespace pegasos
