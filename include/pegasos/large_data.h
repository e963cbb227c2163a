// Reading data for training within a limit of memory.
//
// What fits is read into memory as usual. Larger data is put into its binary form in one pass, in
// constant memory, and kept as a cache beside the file (NAME.cache.pgd) or in a folder of caches;
// the rows are then mapped, and come into memory as training visits them. See docs/large-data.md.
#pragma once

#include <cstdint>
#include <string>

#include "pegasos/option_table.h"
#include "pegasos/read.h"
#include "pegasos/train.h"

namespace pegasos {

struct MemoryOptions {
  // Bytes for the whole process; 0: nine tenths of what the machine and its control group leave.
  std::uint64_t limit = 0;
  // A folder for caches and for rows on their way into them. Default: that of the data; the current
  // one for standard input.
  std::string cache_folder = {};
  // How many copies of the rows the caller will have at a time, for folds say, beside those that
  // the options of training ask for.
  std::size_t copies = 0;

  void validate() const;  // throws InvalidOption
};

// Named memory and cache_dir.
const OptionTable<MemoryOptions>& memory_option_table();

struct MemoryPlan {
  std::uint64_t limit = 0;   // 0: none is known
  std::uint64_t rows = 0;    // bytes of the rows: as read, scaled, mapped, and copied for folds
  std::uint64_t others = 0;  // of dual variables, weights and what else training keeps
  // Of the rows that are in a file, how many bytes may be in memory; 0: all rows are.
  std::uint64_t resident = 0;
  std::string cache = {};    // the file, or none
  bool cache_found = false;  // it was there

  std::string in_words() const;  // one line
};

struct PlannedRead {
  ReadResult read = {};
  MemoryPlan plan = {};
};

// Throws Error, with the way out, where training could not keep within the limit even so; and
// IoError where a cache cannot be written.
PlannedRead read_for_training(const std::string& path, const ReadOptions& reading,
                              const TrainOptions& training, const MemoryOptions& memory = {});

}  // namespace pegasos
