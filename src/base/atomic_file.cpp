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

// Where a symbolic link leads in the end, whether there is a file yet or not.
std::string link_target(std::string path) {
  std::error_code failure;
  for (int links = 0; std::filesystem::is_symlink(path, failure); ++links) {
    if (links == 40) throw IoError("cannot write", path, ELOOP);
    const auto next = std::filesystem::read_symlink(path, failure);
    if (failure) throw IoError("cannot write", path, failure.value());
    path = (std::filesystem::path(path).parent_path() / next).string();
  }
  return path;
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
  path_ = link_target(std::move(path_));  // replacing what a link points to keeps the link
  const mode_t mode = exists ? (info.st_mode & 0777) : 0666;
  create_temporary(mode);
  // The mask of the process has a say in new files only. Where a file system knows no permissions
  // there are none to keep.
  if (exists) ::fchmod(file_.value(), mode);
}

void AtomicFile::create_temporary(mode_t mode) {
  static std::atomic<unsigned> counter{0};
  // A process that was killed may have left a temporary, and in a container the next one often has
  // the same number; so a name that is taken is no reason to give up.
  do {
    temporary_ = fmt::format("{}.{}-{}.tmp", path_, ::getpid(), counter.fetch_add(1));
    file_ =
        FileDescriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  } while (!file_.is_open() && errno == EEXIST);
  if (!file_.is_open()) throw IoError("cannot create", path_, errno);
}

AtomicFile::~AtomicFile() {
  if (replaces()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view text) {
  const std::span<const char> bytes(text.data(), text.size());
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
