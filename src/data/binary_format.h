// The binary data file: the arrays of a Dataset as they stand in memory, so that opening is
// mapping.
//
//   0    magic        8 bytes, 0x89 'P' 'G' 'D' CR LF 0x1a LF (a transfer as text breaks it)
//   8    version      u32, 1
//   12   sections     u32, at most 16
//   16   rows         u64
//   24   features     u64, d
//   32   values       u64, stored values: non-zeros, or rows·d when dense
//   40   layout       u32, 0 sparse, 1 dense
//   44   zero         u32
//   48   file size    u64
//   56   checksum     u64, XXH3 of bytes 0 … 55 and the section table
//   64   section table, 32 bytes each: kind u32, zero u32, offset u64, bytes u64, XXH3 u64
//        sections, each at a multiple of 64
//
// Section kinds: 1 offsets u64[m+1], 2 feature ids u32[], 3 values f32[], 4 labels f64[m],
// 5 weights f64[m], 6 schema JSON, 7 the indices seen u32[] of an IndexMap that is not contiguous.
// Little endian. Opening checks every checksum and every invariant of the arrays; a file that
// passes is safe to compute with, whoever wrote it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/grow_buffer.h"
#include "base/thread_pool.h"
#include "pegasos/dataset.h"

namespace pegasos {

constexpr std::string_view kBinaryMagic = "\x89PGD\r\n\x1a\n";

inline bool is_binary_data(std::string_view head) {
  return head.starts_with(kBinaryMagic);
}

// Maps the file. Throws CorruptFile with the offset of what is wrong.
Dataset open_binary(const std::string& path, ThreadPool& pool);

// The same from bytes that were read; `name` stands in messages.
Dataset open_binary_from(GrowBuffer<char> bytes, const std::string& name, ThreadPool& pool);

}  // namespace pegasos
