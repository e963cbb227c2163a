#include "base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

void sync_folder(const std::string& folder) {
  const FileDescriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle.is_open()) throw IoError("cannot open folder", folder, errno);
  // Some file systems cannot sync a folder and say EINVAL; the rename is then as durable as it
  // gets.
  if (::fsync(handle.value()) != 0 && errno != EINVAL) {
    throw IoError("cannot sync folder", folder, errno);
  }
}

// The permissions a plainly created file would get.
mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  if (path_ == "-") {
    file_ = FileDescriptor(STDOUT_FILENO);
    return;
  }
  struct stat info = {};
  const bool exists = ::stat(path_.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) throw IoError("cannot write", path_, EISDIR);
  if (exists && !S_ISREG(info.st_mode)) {
    file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file_.is_open()) throw IoError("cannot open", path_, errno);
    return;
  }
  // Replacing what a symbolic link points to keeps the link.
  std::error_code failure;
  if (std::filesystem::is_symlink(path_, failure)) {
    const auto target = std::filesystem::canonical(path_, failure);
    if (!failure) path_ = target.string();
  }
  static std::atomic<unsigned> counter{0};
  temporary_ = fmt::format("{}.{}-{}.tmp", path_, ::getpid(), counter.fetch_add(1));
  const mode_t mode = exists ? (info.st_mode & 0777) : default_mode();
  file_ = FileDescriptor(
      ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC, mode));
  if (!file_.is_open()) {
    temporary_.clear();
    throw IoError("cannot create", path_, errno);
  }
}

AtomicFile::~AtomicFile() {
  if (replaces()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const char> bytes) {
  bytes_written_ += bytes.size();
  if (pending_.size() + bytes.size() > kBufferBytes) {
    flush();
    if (bytes.size() > kBufferBytes) {
      write_fully(file_.value(), bytes, path_);
      return;
    }
  }
  pending_.append(bytes);
}

void AtomicFile::flush() {
  const auto bytes = pending_.view();
  pending_.clear();
  write_fully(file_.value(), bytes, path_);
}

void AtomicFile::commit() {
  flush();
  if (!replaces()) {
    // Standard output stays open for others; a device or pipe reports its last error on close.
    const int fd = file_.release();
    if (fd > STDERR_FILENO && ::close(fd) != 0) throw IoError("cannot write", path_, errno);
    return;
  }
  if (::fsync(file_.value()) != 0) throw IoError("cannot sync", path_, errno);
  if (::close(file_.release()) != 0) throw IoError("cannot close", path_, errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    throw IoError("cannot rename into", path_, errno);
  }
  temporary_.clear();
  sync_folder(folder_of(path_));
}

}  // namespace pegasos
