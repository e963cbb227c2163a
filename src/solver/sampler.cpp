#include "solver/sampler.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "base/residency.h"

namespace pegasos {

namespace {

// Blocks of a window: more of them mix rows better, fewer are larger reads.
constexpr std::size_t kBlocksPerWindow = 16;

}  // namespace

WindowWalk shuffle_in_windows(const Dataset& data, std::span<RowId> rows, Random& random) {
  WindowWalk walk;
  const std::size_t window = data.rows_at_a_time();
  if (!data.is_paged() || window >= data.rows()) {
    random.shuffle(rows);
    return walk;
  }
  const std::size_t size = std::max<std::size_t>(1, window / kBlocksPerWindow);
  std::vector<RowId> blocks((data.rows() + size - 1) / size);
  std::iota(blocks.begin(), blocks.end(), RowId{0});
  random.shuffle(std::span(blocks));
  const std::vector<RowId> before(rows.begin(), rows.end());
  std::size_t out = 0;
  for (std::size_t first = 0; first < blocks.size(); first += kBlocksPerWindow) {
    WindowWalk::Window& next = walk.windows_.emplace_back(WindowWalk::Window{out, {}});
    const std::size_t last = std::min(blocks.size(), first + kBlocksPerWindow);
    for (std::size_t k = first; k < last; ++k) {
      const auto begin = static_cast<RowId>(blocks[k] * size);
      const auto end = static_cast<RowId>(std::min(data.rows(), (blocks[k] + 1) * size));
      next.blocks.push_back({begin, end});
      const auto from = std::lower_bound(before.begin(), before.end(), begin);
      const auto to = std::lower_bound(from, before.end(), end);
      out = static_cast<std::size_t>(
          std::copy(from, to, rows.begin() + static_cast<std::ptrdiff_t>(out)) - rows.begin());
    }
    random.shuffle(rows.subspan(next.place, out - next.place));
  }
  return walk;
}

void WindowWalk::advance(const Dataset& data) {
  if (next_ == 0) fetch(data, windows_.front());
  ++next_;
  if (next_ < windows_.size()) fetch(data, windows_[next_]);
}

void WindowWalk::reach(const Dataset& data, std::size_t place) {
  if (windows_.empty()) return;
  Residency::relieve();
  if (next_ < windows_.size() && place >= windows_[next_].place) advance(data);
}

void WindowWalk::fetch(const Dataset& data, const Window& window) {
  for (const Block& block : window.blocks) data.will_need(block.begin, block.end);
}

Sampler::Sampler(Sampling sampling, std::size_t rows, std::size_t batch, std::uint64_t seed,
                 const Dataset* data)
    : sampling_(sampling), batch_(batch), seed_(seed), order_(rows), data_(data) {
  std::iota(order_.begin(), order_.end(), RowId{0});
  Random random(seed_, 0);
  if (sampling_ == Sampling::fixed) shuffle(random);
  if (sampling_ == Sampling::without_replacement) pool_ = order_;
}

void Sampler::shuffle(Random& random) {
  if (data_ != nullptr) {
    walk_ = shuffle_in_windows(*data_, order_, random);
  } else {
    random.shuffle(std::span(order_));
  }
}

std::span<const RowId> Sampler::epoch(std::uint64_t number) {
  Random random(seed_, number);
  // Each kind starts from the rows in their order, never from what the last epoch left behind.
  switch (sampling_) {
    case Sampling::shuffle:
      std::iota(order_.begin(), order_.end(), RowId{0});
      shuffle(random);
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
