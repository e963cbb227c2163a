#include "base/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <sstream>

#include "base/cgroup.h"

namespace pegasos {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
// The first version of control groups writes "no limit" as the largest number of whole pages.
constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 62;

// The number behind a name at the beginning of a line; 0 without.
std::uint64_t value_of(const std::string& lines, const std::string& name) {
  std::istringstream in(lines);
  std::string key;
  std::uint64_t value = 0;
  while (in >> key >> value) {
    if (key == name) return value;
  }
  return 0;
}

// The tightest remainder from the process's own group up to the root.
std::uint64_t left_in_own_cgroup() {
  std::uint64_t left = kNoLimit;
  visit_cgroups("memory", [&left](CgroupVersion version, const std::string& folder) {
    const bool v2 = version == CgroupVersion::v2;
    const std::string limit =
        file_contents(folder + (v2 ? "/memory.max" : "/memory.limit_in_bytes"));
    if (left_in_cgroup(limit, "0") >= kUnlimited) return;  // as most groups are
    const std::string usage =
        file_contents(folder + (v2 ? "/memory.current" : "/memory.usage_in_bytes"));
    // Pages of files count as used, but go when they are needed elsewhere.
    const std::string stat = file_contents(folder + "/memory.stat");
    const std::uint64_t cached = value_of(stat, v2 ? "inactive_file" : "total_inactive_file") +
                                 value_of(stat, v2 ? "active_file" : "total_active_file");
    const std::uint64_t room = left_in_cgroup(limit, usage);
    left = std::min(left, room < kNoLimit - cached ? room + cached : room);
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

namespace {

FileDescriptor open_statm() {
  return FileDescriptor(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
}

// Number k of it, in bytes: 1 resident, 2 of files.
std::uint64_t number_in(const FileDescriptor& statm, int k) {
  if (!statm.is_open()) return 0;
  char text[128] = {};
  if (::pread(statm.value(), text, sizeof text - 1, 0) <= 0) return 0;
  char* at = text;
  std::uint64_t pages = 0;
  for (int i = 0; i <= k; ++i) pages = std::strtoull(at, &at, 10);
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::uint64_t resident_memory() {
  return number_in(open_statm(), 1);
}

ResidentFiles::ResidentFiles() : statm_(open_statm()) {}

std::uint64_t ResidentFiles::bytes() const {
  return number_in(statm_, 2);
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
