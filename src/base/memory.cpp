#include "base/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <limits>
#include <new>
#include <sstream>

#include "base/cgroup.h"

namespace pegasos {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// The tightest remainder from the process's own group up to the root.
std::uint64_t left_in_own_cgroup() {
  std::uint64_t left = kNoLimit;
  visit_cgroups("memory", [&left](CgroupVersion version, const std::string& folder) {
    const bool v2 = version == CgroupVersion::v2;
    const std::string limit =
        file_contents(folder + (v2 ? "/memory.max" : "/memory.limit_in_bytes"));
    const std::string usage =
        file_contents(folder + (v2 ? "/memory.current" : "/memory.usage_in_bytes"));
    left = std::min(left, left_in_cgroup(limit, usage));
  });
  return left;
}

}  // namespace

std::uint64_t available_of_meminfo(const std::string& meminfo) {
  const std::string key = "MemAvailable:";
  const auto at = meminfo.find(key);
  if (at == std::string::npos) return 0;
  std::istringstream in(meminfo.substr(at + key.size()));
  std::uint64_t kilobytes = 0;
  return in >> kilobytes ? kilobytes * 1024 : 0;
}

std::uint64_t left_in_cgroup(const std::string& limit, const std::string& usage) {
  std::istringstream limit_in(limit);
  std::istringstream usage_in(usage);
  std::uint64_t most = 0;
  std::uint64_t used = 0;
  if (!(limit_in >> most) || !(usage_in >> used)) return kNoLimit;
  return most > used ? most - used : 0;
}

std::uint64_t available_memory() {
  return std::min(available_of_meminfo(file_contents("/proc/meminfo")), left_in_own_cgroup());
}

void* reserve_pages(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  ::madvise(pages, bytes, MADV_HUGEPAGE);  // a hint; small pages do as well
  return pages;
}

void release_pages(void* pages, std::size_t bytes) noexcept {
  if (pages != nullptr) ::munmap(pages, bytes);
}

}  // namespace pegasos
