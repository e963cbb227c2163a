#include "base/residency.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <iterator>

#include "base/grow_buffer.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::uint64_t kPage = 4096;
// The fastest that all threads may walk over mapped pages, in bytes per second.
constexpr double kFastest = 10e9;
constexpr double kShortestSleep = 0.2e-3;
constexpr double kLongestSleep = 20e-3;
// Pages go when so much of the limit is used: whoever sees to it may be late.
constexpr double kUsed = 0.5;
// A thread looks so often while it visits as many bytes as the limit has.
constexpr std::uint64_t kLooks = 32;
// What the system maps for one page that is asked for: 64 kB around it, in two arrays.
constexpr std::size_t kAroundFault = std::size_t{128} << 10;

// Where the file system has no files without names, one whose name goes at once.
FileDescriptor open_nameless(const std::string& folder) {
  FileDescriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.is_open()) return file;
  static std::atomic<unsigned> counter{0};
  std::string path;
  do {
    path = fmt::format("{}/.pegasos-{}-{}.tmp", folder, ::getpid(), counter.fetch_add(1));
    file = FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  } while (!file.is_open() && errno == EEXIST);
  if (!file.is_open()) throw IoError("cannot create a file in", folder, errno);
  ::unlink(path.c_str());
  return file;
}

// The residency that was made last; the mutex keeps it alive while it is relieved.
std::atomic<Residency*> newest{nullptr};
std::mutex newest_mutex;
// Bytes that a thread may visit between two looks.
std::atomic<std::size_t> between_looks{0};

// What this thread has visited since it looked last.
thread_local const char* last_visited = nullptr;
thread_local std::size_t visited = 0;

}  // namespace

Residency::Residency(std::uint64_t bytes, std::string folder)
    : bytes_(bytes),
      folder_(std::move(folder)),
      before_(resident_.bytes()),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {
  const std::lock_guard lock(newest_mutex);
  newest = this;
  between_looks = static_cast<std::size_t>(bytes_ / kLooks);
}

Residency::~Residency() {
  const std::lock_guard lock(newest_mutex);
  if (newest == this) newest = nullptr;
}

void Residency::relieve() {
  if (newest.load(std::memory_order_relaxed) == nullptr) return;
  // Whoever comes while another is at it waits: that one may sleep on a busy machine, and nobody
  // would give pages back meanwhile.
  const std::lock_guard lock(newest_mutex);
  Residency* const mine = newest;
  if (mine != nullptr && mine->left() <= 0.0) mine->release();
}

void Residency::visit(const void* at, std::size_t bytes, Visits how) {
  const auto* const begin = static_cast<const char*>(at);
  visited += bytes;
  if (how == Visits::in_order) {
    const auto jump = begin > last_visited ? begin - last_visited : last_visited - begin;
    visited += std::min(static_cast<std::size_t>(jump), kAroundFault);
    last_visited = begin + bytes;
  }
  if (visited < between_looks.load(std::memory_order_relaxed)) return;
  visited = 0;
  relieve();
}

double Residency::left() const {
  const std::uint64_t now = resident_.bytes();
  const double used = now > before_ ? static_cast<double>(now - before_) : 0.0;
  return kUsed * static_cast<double>(bytes_) - used;
}

void Residency::add(const void* pages, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  mappings_[pages] = bytes;
}

void Residency::remove(const void* pages) {
  const std::lock_guard lock(mutex_);
  mappings_.erase(pages);
}

void Residency::advise(const void* at, std::size_t bytes, PageUse use) {
  const std::lock_guard lock(mutex_);
  const auto next = mappings_.upper_bound(at);
  if (next == mappings_.begin() || bytes == 0) return;
  const auto& [pages, size] = *std::prev(next);
  const auto mapped = reinterpret_cast<std::uintptr_t>(pages);
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  if (begin >= mapped + size) return;
  // With a page came those around it, in aligned groups, and they go with it.
  const std::uintptr_t unit = use == PageUse::over ? kAroundFault / 2 : kPage;
  const std::uintptr_t first = std::max(mapped, begin / unit * unit);
  const std::uintptr_t last = std::min(mapped + size, (begin + bytes + unit - 1) / unit * unit);
#ifdef MADV_POPULATE_READ
  constexpr int kNow = MADV_POPULATE_READ;
#else
  constexpr int kNow = MADV_WILLNEED;
#endif
  const int advice = use == PageUse::over   ? MADV_DONTNEED
                     : use == PageUse::soon ? MADV_WILLNEED
                                            : kNow;
  // A hint: pages that stay cost memory, not correctness.
  char* const start = static_cast<char*>(const_cast<void*>(pages)) + (first - mapped);
  ::madvise(start, last - first, advice);
}

void Residency::release() {
  const std::lock_guard lock(mutex_);
  for (const auto& [pages, bytes] : mappings_) {
    // A hint: pages that stay cost memory, not correctness.
    ::madvise(const_cast<void*>(pages), bytes, MADV_DONTNEED);
  }
}

void Residency::watch(const std::stop_token& stop) {
  std::mutex sleeping;
  std::condition_variable_any wake;
  std::unique_lock lock(sleeping);
  while (!stop.stop_requested()) {
    double left = this->left();
    if (left <= 0.0) {
      release();
      left = kUsed * static_cast<double>(bytes_);
    }
    const std::chrono::duration<double> sleep(
        std::clamp(left / kFastest, kShortestSleep, kLongestSleep));
    wake.wait_for(lock, stop, sleep, [] { return false; });
  }
}

SpoolFile::SpoolFile(std::shared_ptr<Residency> residency)
    : residency_(std::move(residency)), file_(open_nameless(residency_->folder())) {}

SpoolFile::~SpoolFile() {
  unmap();
}

void SpoolFile::unmap() {
  if (pages_ == nullptr) return;
  residency_->remove(pages_);
  ::munmap(pages_, bytes_);
  pages_ = nullptr;
  bytes_ = 0;
}

void* SpoolFile::resize(std::size_t bytes) {
  // A hole in the file would be a SIGBUS on a full disk.
  const int failure =
      bytes > bytes_ ? ::posix_fallocate(file_.value(), 0, static_cast<off_t>(bytes))
                     : (::ftruncate(file_.value(), static_cast<off_t>(bytes)) == 0 ? 0 : errno);
  if (failure != 0) {
    throw IoError("not enough disk space for the rows in", residency_->folder(), failure);
  }
  unmap();
  if (bytes == 0) return nullptr;
  void* pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.value(), 0);
  if (pages == MAP_FAILED) throw IoError("cannot map a file in", residency_->folder(), errno);
  pages_ = pages;
  bytes_ = bytes;
  residency_->add(pages_, bytes_);
  return pages_;
}

void SpoolFile::write(std::size_t at, const void* bytes, std::size_t count) {
  const char* from = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = ::pwrite(file_.value(), from, count, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw IoError("cannot write to a file in", residency_->folder(), errno);
    from += written;
    at += static_cast<std::size_t>(written);
    count -= static_cast<std::size_t>(written);
  }
}

std::shared_ptr<SpoolFile> make_spool_file(const std::shared_ptr<Residency>& residency) {
  return residency ? std::make_shared<SpoolFile>(residency) : nullptr;
}

void* resize_spool_file(SpoolFile& file, std::size_t bytes) {
  return file.resize(bytes);
}

void write_to_spool_file(SpoolFile& file, std::size_t at, const void* bytes, std::size_t count) {
  file.write(at, bytes, count);
}

}  // namespace pegasos
