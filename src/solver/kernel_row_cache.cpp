#include "solver/kernel_row_cache.h"

#include <algorithm>

namespace pegasos {
namespace {

// To compute a row of cheap values takes no longer than to get fresh pages for it from the system.
// Where most are used once, no more memory than this, or so many rows.
constexpr std::uint64_t kMostForCheapRows = std::uint64_t{1} << 28;
constexpr std::uint64_t kFewestCheapRows = 1024;

std::size_t rows_that_fit(const KernelBlocks& blocks, std::uint64_t bytes,
                          KernelRowCache::Use use) {
  const std::uint64_t row_bytes = std::max<std::uint64_t>(1, blocks.columns() * sizeof(float));
  if (bytes == 0) {
    bytes = available_memory() / 2;
    if (use == KernelRowCache::Use::about_once && blocks.is_cheap()) {
      bytes = std::min(bytes, std::max(kMostForCheapRows, kFewestCheapRows * row_bytes));
    }
  }
  const std::uint64_t rows = std::max<std::uint64_t>(1, bytes / row_bytes);
  return static_cast<std::size_t>(std::min<std::uint64_t>(rows, blocks.columns()));
}

}  // namespace

KernelRowCache::KernelRowCache(const KernelBlocks& blocks, std::uint64_t bytes, Use use)
    : blocks_(&blocks),
      slot_of_(blocks.columns(), kNone),
      slot_rows_(rows_that_fit(blocks, bytes, use)),
      newer_(slot_rows_.size(), kNone),
      older_(slot_rows_.size(), kNone),
      memory_(slot_rows_.size() * blocks.columns()) {}

void KernelRowCache::unlink(std::uint32_t slot) {
  (older_[slot] == kNone ? oldest_ : newer_[older_[slot]]) = newer_[slot];
  (newer_[slot] == kNone ? newest_ : older_[newer_[slot]]) = older_[slot];
}

void KernelRowCache::link_as_newest(std::uint32_t slot) {
  older_[slot] = newest_;
  newer_[slot] = kNone;
  (newest_ == kNone ? oldest_ : newer_[newest_]) = slot;
  newest_ = slot;
}

void KernelRowCache::touch(std::uint32_t slot) {
  if (slot == newest_) return;
  unlink(slot);
  link_as_newest(slot);
}

std::uint32_t KernelRowCache::free_slot() {
  if (unused_ < slot_rows_.size()) return unused_++;
  const std::uint32_t slot = oldest_;
  unlink(slot);
  slot_of_[slot_rows_[slot]] = kNone;
  return slot;
}

void KernelRowCache::prepare(std::span<const RowId> rows, ThreadPool& pool) {
  // Those that are there first, so that none of them makes room for a new one.
  for (const RowId row : rows) {
    if (holds(row)) touch(slot_of_[row]);
  }
  missing_rows_.clear();
  missing_places_.clear();
  for (const RowId row : rows) {
    if (holds(row)) continue;
    const std::uint32_t slot = free_slot();
    slot_of_[row] = slot;
    slot_rows_[slot] = row;
    link_as_newest(slot);
    missing_rows_.push_back(row);
    missing_places_.push_back(place(slot));
  }
  if (!missing_rows_.empty()) blocks_->compute(missing_rows_, missing_places_, pool);
  computed_ += missing_rows_.size();
}

void KernelRowCache::prepare_panels(std::span<const RowId> rows, std::span<const RowId> next,
                                    ThreadPool& pool) {
  const auto is_missing = [this](RowId row) { return !holds(row); };
  auto missing = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), is_missing));
  std::vector<RowId> wanted(rows.begin(), rows.end());
  for (const RowId row : next) {
    if (missing % simd::kPanelWidth == 0) break;
    if (holds(row)) continue;
    wanted.push_back(row);
    ++missing;
  }
  if (wanted.size() <= capacity()) prepare(wanted, pool);
}

// In waves. A wave writes below where its first slot was, so that nothing is overwritten before it
// has moved, whatever the order in the wave; a wave of one slot moves it towards the front.
void KernelRowCache::move_columns(std::span<const RowId> kept,
                                  std::span<const std::uint32_t> moved_to, ThreadPool& pool) {
  const std::size_t before = row_size();
  const std::size_t after = std::max<std::size_t>(1, kept.size());
  for (std::size_t first = 0; first < unused_;) {
    const std::size_t end =
        std::min<std::size_t>(unused_, std::max(first + 1, first * before / after));
    pool.for_each(end - first, [&](std::size_t k) {
      const std::size_t slot = first + k;
      if (moved_to[slot] == kNone) return;
      const float* from = memory_.data() + slot * before;
      float* to = memory_.data() + std::size_t{moved_to[slot]} * kept.size();
      for (std::size_t c = 0; c < kept.size(); ++c) to[c] = from[kept[c]];
    });
    first = end;
  }
}

void KernelRowCache::keep(std::span<const RowId> kept, const KernelBlocks& blocks,
                          ThreadPool& pool) {
  std::vector<RowId> number(slot_of_.size(), kNone);
  for (std::size_t k = 0; k < kept.size(); ++k) number[kept[k]] = static_cast<RowId>(k);
  std::vector<std::uint32_t> by_age;
  for (std::uint32_t slot = oldest_; slot != kNone; slot = newer_[slot]) {
    if (number[slot_rows_[slot]] != kNone) by_age.push_back(slot);
  }
  const std::vector<RowId> rows_before = std::move(slot_rows_);
  std::vector<std::uint32_t> moved_to(rows_before.size(), kNone);
  std::uint32_t next = 0;
  for (std::uint32_t slot = 0; slot < unused_; ++slot) {
    if (slot_of_[rows_before[slot]] != slot || number[rows_before[slot]] == kNone) continue;
    moved_to[slot] = next++;
  }
  move_columns(kept, moved_to, pool);
  blocks_ = &blocks;
  const std::size_t slots =
      std::min(kept.size(), memory_.size() / std::max<std::size_t>(1, kept.size()));
  slot_of_.assign(kept.size(), kNone);
  slot_rows_.assign(slots, 0);
  newer_.assign(slots, kNone);
  older_.assign(slots, kNone);
  oldest_ = newest_ = kNone;
  unused_ = next;
  for (const std::uint32_t slot : by_age) {
    const RowId row = number[rows_before[slot]];
    slot_of_[row] = moved_to[slot];
    slot_rows_[moved_to[slot]] = row;
    link_as_newest(moved_to[slot]);
  }
}

void KernelRowCache::fetch(std::span<const RowId> rows, std::span<const float*> out,
                           ThreadPool& pool) {
  prepare(rows, pool);
  used_ += rows.size();
  for (std::size_t r = 0; r < rows.size(); ++r) out[r] = place(slot_of_[rows[r]]);
}

void KernelRowCache::for_parts(std::span<const RowId> rows, ThreadPool& pool, const Take& take) {
  constexpr std::size_t kMost = 1024;
  const std::size_t part = std::min(kMost, capacity());
  std::vector<const float*> pointers(std::min(part, rows.size()));
  for (std::size_t first = 0; first < rows.size(); first += part) {
    const auto some = rows.subspan(first, std::min(part, rows.size() - first));
    fetch(some, std::span(pointers).first(some.size()), pool);
    take(first, std::span(pointers).first(some.size()));
  }
}

}  // namespace pegasos
