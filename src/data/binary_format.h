// The binary data file: the arrays of a Dataset as they stand in memory, so that opening is
// mapping. src/base/section_file.h has the container; its magic here is 0x89 'P' 'G' 'D' CR LF 0x1a
// LF, its version 1, and the kinds of its sections are
//
//   1 offsets      u64[m+1], sparse only
//   2 feature ids  u32[values], sparse only
//   3 values       f32[values]
//   4 labels       f64[m], if there are labels
//   5 weights      f64[m], if there are weights
//   6 schema       JSON
//   7 seen         u32[d], the written indices of an IndexMap that is not contiguous
//   8 counts       rows m u64, features d u64, values u64 (non-zeros, or m·d when dense),
//                  layout u32 (0 sparse, 1 dense), zero u32
//   9 key          u64, of a cache: what it was made from, see data_cache.h
//
// Opening checks every checksum and every invariant of the arrays; a file that passes is safe to
// compute with, whatever program wrote it. Opening it as larger than memory checks all but the
// feature ids and values (2 and 3), which the first pass over the rows does: until then they must
// not be computed with.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/grow_buffer.h"
#include "base/section_file.h"
#include "base/thread_pool.h"
#include "pegasos/dataset.h"

namespace pegasos {

constexpr std::string_view kBinaryMagic = "\x89PGD\r\n\x1a\n";

constexpr SectionFormat kBinaryData = {kBinaryMagic, 1, "binary data"};

inline bool is_binary_data(std::string_view head) {
  return head.starts_with(kBinaryMagic);
}

// Maps the file. Throws CorruptFile with the offset of what is wrong.
Dataset open_binary(const std::string& path, ThreadPool& pool);

// The same for a file whose rows are not all to be in memory. `check` reads all of them.
struct PagedBinary {
  Dataset data = {};
  std::optional<std::uint64_t> key = {};
  std::function<void(ThreadPool&)> check = {};  // throws CorruptFile
};
PagedBinary open_binary_paged(const std::string& path, std::shared_ptr<Residency> residency,
                              ThreadPool& pool);

// Writes the data as a cache with this key; `between` as in write_section_file. Throws IoError.
void write_binary_cache(const Dataset& data, std::uint64_t key, const std::string& path,
                        const std::function<void()>& between = {});

// The same from bytes that were read; `name` stands in messages.
Dataset open_binary_from(GrowBuffer<char> bytes, const std::string& name, ThreadPool& pool);

}  // namespace pegasos
