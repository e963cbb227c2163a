#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/residency.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// Linux caps one read or write just below 2 GiB; smaller requests also keep Ctrl-C responsive.
constexpr std::size_t kLargestTransfer = std::size_t{1} << 26;

}  // namespace

void FileDescriptor::close_quietly() {
  if (fd_ > STDERR_FILENO) ::close(fd_);
  fd_ = -1;
}

FileDescriptor open_for_reading(const std::string& path) {
  if (path == "-") return FileDescriptor(STDIN_FILENO);
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) throw IoError("cannot open", path, errno);
  FileDescriptor file(fd);
  struct stat info = {};
  if (::fstat(fd, &info) != 0) throw IoError("cannot examine", path, errno);
  if (S_ISDIR(info.st_mode)) throw IoError("cannot read", path, EISDIR);
  return file;
}

std::optional<std::uint64_t> regular_file_size(int fd) {
  struct stat info = {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(info.st_size);
}

std::size_t read_some(int fd, std::span<char> into, const std::string& path) {
  for (;;) {
    const auto n = ::read(fd, into.data(), std::min(into.size(), kLargestTransfer));
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) throw IoError("cannot read", path, errno);
  }
}

std::size_t read_fully(int fd, std::span<char> into, const std::string& path) {
  std::size_t done = 0;
  while (done < into.size()) {
    const std::size_t n = read_some(fd, into.subspan(done), path);
    if (n == 0) break;
    done += n;
  }
  return done;
}

void write_fully(int fd, std::span<const char> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const auto n = ::write(fd, bytes.data(), std::min(bytes.size(), kLargestTransfer));
    if (n < 0) {
      if (errno == EINTR) continue;
      throw IoError("cannot write", path, errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

GrowBuffer<char> read_file_beginning_with(std::string_view start, const std::string& path) {
  const FileDescriptor file = open_for_reading(path);
  GrowBuffer<char> bytes;
  bytes.resize_uninitialised(start.size());
  bytes.resize_uninitialised(read_fully(file.value(), {bytes.data(), bytes.size()}, path));
  if (std::string_view(bytes.data(), bytes.size()) != start) return bytes;
  const auto expected = regular_file_size(file.value());
  if (expected) bytes.reserve(static_cast<std::size_t>(*expected) + 1);
  constexpr std::size_t kStep = std::size_t{1} << 18;
  for (;;) {
    const std::size_t before = bytes.size();
    bytes.resize_uninitialised(std::max(before + kStep, bytes.capacity()));
    const auto room = std::span(bytes.data() + before, bytes.size() - before);
    const std::size_t n = read_fully(file.value(), room, path);
    bytes.resize_uninitialised(before + n);
    if (n < room.size()) return bytes;
  }
}

bool file_begins_with(std::string_view start, const std::string& path) {
  try {
    const FileDescriptor file = open_for_reading(path);
    if (!regular_file_size(file.value())) return false;
    std::string bytes(start.size(), '\0');
    bytes.resize(read_fully(file.value(), bytes, path));
    return bytes == start;
  } catch (const IoError&) {
    return false;
  }
}

MappedFile::MappedFile(const std::string& path, std::shared_ptr<Residency> residency)
    : residency_(std::move(residency)) {
  const FileDescriptor file = open_for_reading(path);
  const auto size = regular_file_size(file.value());
  if (!size) throw IoError("cannot map", path, ENODEV);
  if (*size == 0) return;
  size_ = static_cast<std::size_t>(*size);
  // Reads further ahead; a hint, which belongs to the open file that the mapping keeps.
  if (residency_) ::posix_fadvise(file.value(), 0, 0, POSIX_FADV_SEQUENTIAL);
  const int flags = residency_ ? MAP_SHARED : MAP_PRIVATE | MAP_POPULATE;
  void* mapped = ::mmap(nullptr, size_, PROT_READ, flags, file.value(), 0);
  if (mapped == MAP_FAILED) throw IoError("cannot map", path, errno);
  data_ = static_cast<const std::byte*>(mapped);
  if (residency_) residency_->add(data_, size_);
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  if (residency_) residency_->remove(data_);
  ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace pegasos
