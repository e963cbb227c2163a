// Owners of operating system files: a descriptor, a read-only mapping. Every call is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/grow_buffer.h"

namespace pegasos {

// Closes its descriptor, unless it only borrows one of the standard streams.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { close_quietly(); }

  int value() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void close_quietly();

 private:
  int fd_ = -1;
};

// Opens for reading; "-" is standard input. Directories are refused here rather than at the first
// read. Throws IoError.
FileDescriptor open_for_reading(const std::string& path);

// The size of a regular file; nothing for pipes and devices.
std::optional<std::uint64_t> regular_file_size(int fd);

// Reads until `into` is full or the input ends; returns the bytes read. Throws IoError.
std::size_t read_fully(int fd, std::span<char> into, const std::string& path);

// One read: at least a byte, or 0 at the end of the input. Throws IoError.
std::size_t read_some(int fd, std::span<char> into, const std::string& path);

// Writes all of it, however often the system writes less. Throws IoError.
void write_fully(int fd, std::span<const char> bytes, const std::string& path);

// All bytes of a file that begins with `start`; of any other only as many as it takes to see that.
// Throws IoError.
GrowBuffer<char> read_file_beginning_with(std::string_view start, const std::string& path);

// Whether a regular file begins with `start`; false also if it cannot be read. Pipes are left
// alone: what is read from them is gone.
bool file_begins_with(std::string_view start, const std::string& path);

class Residency;

// A whole file in memory, read only. The file must not be truncated while it is mapped. With a
// residency (base/residency.h), pages come when they are used, and go again.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path, std::shared_ptr<Residency> residency = nullptr);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::shared_ptr<Residency> residency_;
};

}  // namespace pegasos
