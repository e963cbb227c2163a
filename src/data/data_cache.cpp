#include "data/data_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::uint64_t kSamples = 64;
constexpr std::uint64_t kSampleBytes = std::uint64_t{1} << 14;

}  // namespace

std::uint64_t cache_key(const std::string& data, const ReadOptions& options) {
  const FileDescriptor file = open_for_reading(data);
  struct stat info = {};
  if (::fstat(file.value(), &info) != 0) throw IoError("cannot read", data, errno);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  std::string facts = fmt::format("{} {} {}.{} {}", kBinaryData.version, size, info.st_mtim.tv_sec,
                                  info.st_mtim.tv_nsec, static_cast<int>(options.table_scaling));
  for (const Setting& one : changed_settings(read_option_table(), options)) {
    facts += fmt::format(" {}={}", one.name, one.value);
  }
  std::string sample(kSampleBytes, '\0');
  for (std::uint64_t k = 0; k < kSamples; ++k) {
    const std::uint64_t last = size > kSampleBytes ? size - kSampleBytes : 0;
    const auto n = ::pread(file.value(), sample.data(), sample.size(),
                           static_cast<off_t>(last / (kSamples - 1) * k));
    if (n < 0) throw IoError("cannot read", data, errno);
    const auto hash = XXH3_64bits(sample.data(), static_cast<std::size_t>(n));
    facts += fmt::format(" {:016x}", hash);
  }
  return XXH3_64bits(facts.data(), facts.size());
}

std::string cache_path(const std::string& data, const std::string& folder, std::uint64_t key) {
  if (folder.empty()) return data + ".cache.pgd";
  const std::string name = std::filesystem::path(data).filename().string();
  return (std::filesystem::path(folder) / fmt::format("{}.{:016x}.cache.pgd", name, key)).string();
}

std::optional<PagedBinary> open_cache(const std::string& path, std::uint64_t key,
                                      std::shared_ptr<Residency> residency, ThreadPool& pool) {
  if (!file_begins_with(kBinaryMagic, path)) return std::nullopt;
  try {
    PagedBinary opened = open_binary_paged(path, std::move(residency), pool);
    if (opened.key == key) return opened;
  } catch (const CorruptFile&) {
    // It is made anew.
  }
  return std::nullopt;
}

}  // namespace pegasos
