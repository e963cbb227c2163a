#include "solver/sampler.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "base/residency.h"

namespace pegasos {

namespace {

// Blocks of a window: more of them mix rows better, fewer are larger reads.
constexpr std::size_t kBlocksPerWindow = 8;
// A visit to a page that is not there takes as long as so many pages that are brought in at once.
constexpr double kPagesPerFault = 20;
constexpr double kPage = 4096;

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
  walk.rows_ = out;
  walk.next_place_ = 0;
  return walk;
}

// The window of this place; those passed over have no rows.
void WindowWalk::enter(const Dataset& data, std::size_t place) {
  if (next_ > 0) advise(data, next_ - 1, PageUse::over);
  while (next_ + 1 < windows_.size() && windows_[next_ + 1].place <= place) ++next_;
  if (is_worth_bringing_in(data, next_)) advise(data, next_, PageUse::now);
  ++next_;
  const bool ends = next_ == windows_.size();
  if (!ends) advise(data, next_, PageUse::soon);
  next_place_ = ends ? std::numeric_limits<std::size_t>::max() : windows_[next_].place;
}

void WindowWalk::advise(const Dataset& data, std::size_t window, PageUse use) const {
  for (const Block& block : windows_[window].blocks) data.advise(block.begin, block.end, use);
}

// Late epochs of dual ascent visit a few rows only.
bool WindowWalk::is_worth_bringing_in(const Dataset& data, std::size_t window) const {
  const std::size_t end = window + 1 < windows_.size() ? windows_[window + 1].place : rows_;
  const auto visits = static_cast<double>(end - windows_[window].place);
  double rows = 0;
  for (const Block& block : windows_[window].blocks) rows += block.end - block.begin;
  const double bytes =
      rows / static_cast<double>(data.rows()) * static_cast<double>(data.memory_bytes());
  return 2 * kPagesPerFault * visits >= bytes / kPage;  // ids and values
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
