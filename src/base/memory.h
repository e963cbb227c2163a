// Large arrays, and how much memory the process may use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/file.h"

namespace pegasos {

// Bytes that can be used without swapping: what the system has available, reduced to what is left
// under the limit of the control group (v1 or v2) the process is in. 0 when nothing is known.
std::uint64_t available_memory();

// Bytes of the process that are in memory. 0 when nothing is known.
std::uint64_t resident_memory();

// Bytes of its mapped files that are in memory, for those who ask often: the file that says it
// stays open. Of the process that made it, not of one forked from it. 0 when nothing is known.
class ResidentFiles {
 public:
  ResidentFiles();
  std::uint64_t bytes() const;

 private:
  FileDescriptor statm_;
};

// The parts of it, from the files' contents, for tests. MemAvailable of /proc/meminfo, 0 without;
// limit minus usage of a control group, nothing (the largest number) for "max".
std::uint64_t available_of_meminfo(const std::string& meminfo);
std::uint64_t left_in_cgroup(const std::string& limit, const std::string& usage);

void* reserve_pages(std::size_t bytes);  // throws std::bad_alloc
void release_pages(void* pages, std::size_t bytes) noexcept;

// An array whose pages come into being when they are first written, in large pieces where the
// system has them: a page fault for every 4 KiB would cost as much as filling them.
template <typename T>
class LazyArray {
 public:
  LazyArray() = default;
  explicit LazyArray(std::size_t size)
      : data_(static_cast<T*>(reserve_pages(size * sizeof(T)))), size_(size) {}
  LazyArray(LazyArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  LazyArray& operator=(LazyArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  LazyArray(const LazyArray&) = delete;
  LazyArray& operator=(const LazyArray&) = delete;
  ~LazyArray() { release_pages(data_, size_ * sizeof(T)); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace pegasos
