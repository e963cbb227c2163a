// Checkpoint: how far a run has come. A run that continues from it reaches the same bits as one
// that was never stopped.
//
// Watch::checkpoint (watch.h) hands them out; TrainOptions::resume takes one, for train, tune and
// cross_validate alike. A checkpoint belongs to its data, options and version of the library, and
// is refused by name where one of them differs.
//
// A run is a tree of parts, each with a name such as "classifier 3" or "search/round 0/chain 5".
// What is finished stands as its result; what runs stands as the state of its solver, under the
// name of the part with "/state" behind. The bytes are opaque.
//
// The file is a container of base/section_file.h: magic 0x89 "PGC" CR LF 0x1a LF, version 1,
// sections
//
//   1  run    version (text), work (text), data fingerprint u64, seconds f64,
//             options: count u64, then name and value (texts) of each
//   2  parts  count u64, then of each: name (text), bytes u64
//   3  bytes  of the parts, one behind the other, in that order
//
// A text is its length in bytes, u64, and the bytes. All numbers are little endian.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pegasos/setting.h"

namespace pegasos {

struct Checkpoint {
  std::string version = {};  // of the library that wrote it
  std::string work = {};     // "train", "tune", "cross-validate"
  std::uint64_t data_fingerprint = 0;
  std::vector<Setting> options = {};  // as they were resolved
  double seconds = 0.0;               // that the run has taken so far
  std::map<std::string, std::string> parts = {};

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

// The file appears whole or not at all. Throws IoError.
void save_checkpoint(const Checkpoint& checkpoint, const std::string& path);

// Whether a file begins as a checkpoint does; false also if it cannot be read.
bool looks_like_checkpoint(const std::string& path);

// Throws IoError, and CorruptFile for a file that is damaged or no checkpoint.
Checkpoint load_checkpoint(const std::string& path);

// The same from bytes in memory; `path` stands in messages.
Checkpoint load_checkpoint_from_memory(const std::string& bytes, const std::string& path);

}  // namespace pegasos
