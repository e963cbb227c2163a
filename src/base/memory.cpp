#include "base/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <new>
#include <sstream>

namespace pegasos {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::string contents(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The tightest remainder from the process's own group up to the root.
std::uint64_t left_in_own_cgroup() {
  std::uint64_t left = kNoLimit;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string entry; std::getline(groups, entry);) {
    const auto first = entry.find(':');
    const auto second = first == std::string::npos ? first : entry.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = entry.substr(first + 1, second - first - 1);
    const bool v2 = controllers.empty();
    if (!v2 && controllers != "memory") continue;
    const std::string root = v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    std::string group = entry.substr(second + 1);
    for (;;) {
      const std::string limit =
          contents(root + group + (v2 ? "/memory.max" : "/memory.limit_in_bytes"));
      const std::string usage =
          contents(root + group + (v2 ? "/memory.current" : "/memory.usage_in_bytes"));
      left = std::min(left, left_in_cgroup(limit, usage));
      const auto slash = group.rfind('/');
      if (slash == std::string::npos || group.empty()) break;
      group.resize(slash);
    }
  }
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
  return std::min(available_of_meminfo(contents("/proc/meminfo")), left_in_own_cgroup());
}

void* reserve_pages(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  ::madvise(pages, bytes, MADV_HUGEPAGE);  // a wish; small pages do as well
  return pages;
}

void release_pages(void* pages, std::size_t bytes) noexcept {
  if (pages != nullptr) ::munmap(pages, bytes);
}

}  // namespace pegasos
