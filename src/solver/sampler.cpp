#include "solver/sampler.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/random.h"

namespace pegasos {

Sampler::Sampler(Sampling sampling, std::size_t rows, std::size_t batch, std::uint64_t seed)
    : sampling_(sampling), batch_(batch), seed_(seed), order_(rows) {
  std::iota(order_.begin(), order_.end(), RowId{0});
  if (sampling_ == Sampling::fixed) Random(seed_, 0).shuffle(std::span(order_));
  if (sampling_ == Sampling::without_replacement) pool_ = order_;
}

std::span<const RowId> Sampler::epoch(std::uint64_t number) {
  Random random(seed_, number);
  // Each kind starts from the rows in their order, never from what the last epoch left behind.
  switch (sampling_) {
    case Sampling::shuffle:
      std::iota(order_.begin(), order_.end(), RowId{0});
      random.shuffle(std::span(order_));
      break;
    case Sampling::fixed:
      break;
    case Sampling::iid:
      for (auto& row : order_) row = static_cast<RowId>(random.below(order_.size()));
      break;
    case Sampling::without_replacement:
      std::iota(pool_.begin(), pool_.end(), RowId{0});
      for (std::size_t begin = 0; begin < order_.size(); begin += batch_) {
        const std::size_t size = std::min(batch_, order_.size() - begin);
        // The first steps of a Fisher–Yates shuffle draw a uniform subset, whatever the order was.
        for (std::size_t i = 0; i < size; ++i) {
          std::swap(pool_[i], pool_[i + random.below(pool_.size() - i)]);
          order_[begin + i] = pool_[i];
        }
      }
      break;
  }
  return order_;
}

}  // namespace pegasos
