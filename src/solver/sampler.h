// The order in which a solver visits rows. A sampler fills an index array for one epoch (m rows);
// the step does not know which kind it is.
//
//   shuffle              a fresh permutation each epoch
//   fixed                one permutation for all epochs
//   iid                  m draws with replacement
//   without_replacement  batches of k different rows, each batch drawn independently
//
// Rows that are in a file larger than memory (Dataset::is_paged) are shuffled in windows: their
// order is cut into blocks, the blocks are shuffled, and the rows of a few blocks at a time. Every
// row is still visited once in an epoch, and only a window needs to be in memory. Draws with
// replacement have no windows.
//
// Epoch e draws from the Philox stream e of the seed alone (the fixed permutation from stream 0),
// so a run can be taken up at any epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/random.h"
#include "pegasos/dataset.h"
#include "pegasos/pegasos_options.h"

namespace pegasos {

// Tells a paged dataset which rows a walk in windows is at, comes to next, and has left.
class WindowWalk {
 public:
  struct Block {
    RowId begin;
    RowId end;
  };

  // The walk comes to this place of its order.
  void reach(const Dataset& data, std::size_t place) {
    if (place >= next_place_) [[unlikely]]
      enter(data, place);
  }

 private:
  friend WindowWalk shuffle_in_windows(const Dataset& data, std::span<RowId> rows, Random& random);
  struct Window {
    std::size_t place;  // of its first row in the order
    std::vector<Block> blocks;
  };
  void enter(const Dataset& data, std::size_t place);
  void advise(const Dataset& data, std::size_t window, PageUse use) const;
  bool is_worth_bringing_in(const Dataset& data, std::size_t window) const;

  std::vector<Window> windows_;
  std::size_t rows_ = 0;  // of all windows
  std::size_t next_ = 0;  // the window, and where it begins
  std::size_t next_place_ = std::numeric_limits<std::size_t>::max();
};

// Shuffles ids of rows, ascending before: all of them, or in windows where the data is paged.
WindowWalk shuffle_in_windows(const Dataset& data, std::span<RowId> rows, Random& random);

class Sampler {
 public:
  // `data`: where the rows come from, if they may be paged.
  Sampler(Sampling sampling, std::size_t rows, std::size_t batch, std::uint64_t seed,
          const Dataset* data = nullptr);

  // The rows of epoch 0, 1, 2, …, whichever were asked for before.
  std::span<const RowId> epoch(std::uint64_t number);

  // The epoch has come to this place of its order.
  void reach(std::size_t place) {
    if (data_ != nullptr) walk_.reach(*data_, place);
  }

  // Every row exactly once per epoch.
  bool visits_every_row() const {
    return sampling_ == Sampling::shuffle || sampling_ == Sampling::fixed;
  }

 private:
  void shuffle(Random& random);

  Sampling sampling_;
  std::size_t batch_;
  std::uint64_t seed_;
  std::vector<RowId> order_;
  const Dataset* data_;
  WindowWalk walk_;
  std::vector<RowId> pool_;  // without_replacement: all rows, the next batch at the front
};

}  // namespace pegasos
