// The cache of a data file: its binary form, found again by a key.
//
// The key is a hash of the file's size, time of change and samples of its contents, of the reading
// options and of the version of the format; a file or options that differ have another key, and the
// cache is made anew. There is one cache for a file, NAME.cache.pgd, beside it or in a folder of
// caches. It is written to a temporary file of its own and renamed, so that two processes that make
// it at once do not meet, and a reader sees the old one or the new one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/residency.h"
#include "data/binary_format.h"
#include "pegasos/read.h"

namespace pegasos {

// Of a regular file. Throws IoError.
std::uint64_t cache_key(const std::string& data, const ReadOptions& options);

// Beside the data unless a folder is given, whose caches carry the key in their names: there may be
// files of the same name from elsewhere.
std::string cache_path(const std::string& data, const std::string& folder, std::uint64_t key);

// The cache, if there is one with this key that can be read.
std::optional<PagedBinary> open_cache(const std::string& path, std::uint64_t key,
                                      std::shared_ptr<Residency> residency, ThreadPool& pool);

}  // namespace pegasos
