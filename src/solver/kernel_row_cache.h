// A cache of kernel matrix rows with a memory limit.
//
// Rows are computed by the batch and handed out in the order asked for. What is in the cache
// changes how long that takes and nothing else: a row has the same bits whenever it is computed.
// The row that was used longest ago makes room for a new one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/memory.h"
#include "math/kernel_blocks.h"

namespace pegasos {

class KernelRowCache {
 public:
  // How often a row is used. Steps of Pegasos come back to the same rows in every epoch; most rows
  // are in one block of dual ascent only.
  enum class Use { again_and_again, about_once };

  // `bytes` of rows, but at least one; 0: half of the memory that is free, or less where rows are
  // cheap and used about once.
  KernelRowCache(const KernelBlocks& blocks, std::uint64_t bytes, Use use = Use::about_once);

  // As many rows as there is room for.
  std::size_t capacity() const { return slot_rows_.size(); }
  std::size_t row_size() const { return blocks_->columns(); }
  const KernelBlocks& blocks() const { return *blocks_; }
  bool holds(RowId row) const { return slot_of_[row] != kNone; }

  // Computes those of some different rows, at most capacity() of them, that are not there.
  void prepare(std::span<const RowId> rows, ThreadPool& pool);

  // The same, and rows that may be wanted next where the last panel has room for them, which cost
  // nearly nothing there. None of this if there is no room for all.
  void prepare_panels(std::span<const RowId> rows, std::span<const RowId> next, ThreadPool& pool);

  // Computes rows as prepare() does, and gives pointers to them, valid until the next call.
  void fetch(std::span<const RowId> rows, std::span<const float*> out, ThreadPool& pool);

  // The same for any number: take(first, pointers) is called with consecutive parts of them.
  using Take = std::function<void(std::size_t first, std::span<const float* const> rows)>;
  void for_parts(std::span<const RowId> rows, ThreadPool& pool, const Take& take);

  // From now on only these rows and columns, ascending, numbered as `blocks` does. Values stay.
  void keep(std::span<const RowId> kept, const KernelBlocks& blocks, ThreadPool& pool);

  std::uint64_t used() const { return used_; }
  std::uint64_t computed() const { return computed_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  float* place(std::uint32_t slot) { return memory_.data() + std::size_t{slot} * row_size(); }
  void touch(std::uint32_t slot);
  void unlink(std::uint32_t slot);
  void link_as_newest(std::uint32_t slot);
  std::uint32_t free_slot();
  void move_columns(std::span<const RowId> kept, std::span<const std::uint32_t> moved_to,
                    ThreadPool& pool);

  const KernelBlocks* blocks_;
  std::vector<std::uint32_t> slot_of_;  // by row
  std::vector<RowId> slot_rows_;
  // A ring through the slots in use, oldest first.
  std::vector<std::uint32_t> newer_;
  std::vector<std::uint32_t> older_;
  std::uint32_t oldest_ = kNone;
  std::uint32_t newest_ = kNone;
  std::uint32_t unused_ = 0;  // slots from here on were never used
  LazyArray<float> memory_;
  std::vector<float*> missing_places_;
  std::vector<RowId> missing_rows_;
  std::uint64_t used_ = 0;
  std::uint64_t computed_ = 0;
};

}  // namespace pegasos
