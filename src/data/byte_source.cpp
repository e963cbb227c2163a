#include "data/byte_source.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

class FileBytes : public ByteSource {
 public:
  FileBytes(std::string path, std::function<bool()> idle)
      : path_(std::move(path)), file_(open_for_reading(path_)), idle_(std::move(idle)) {
    if (FileBytes::stored_bytes_total()) idle_ = nullptr;  // a file never keeps anybody waiting
  }

  std::size_t read(std::span<char> into) override {
    if (!idle_) {
      const std::size_t n = read_fully(file_.value(), into, path_);
      done_ += n;
      return n;
    }
    std::size_t n = 0;
    while (n < into.size()) {
      const std::size_t more = read_some(into.subspan(n));
      if (more == 0) break;
      n += more;
    }
    return n;
  }
  std::size_t read_some(std::span<char> into) override {
    if (idle_) wait_for_input();
    const std::size_t n = pegasos::read_some(file_.value(), into, path_);
    done_ += n;
    return n;
  }
  std::uint64_t stored_bytes_read() const override { return done_; }
  std::optional<std::uint64_t> stored_bytes_total() const override {
    return regular_file_size(file_.value());
  }

 private:
  void wait_for_input() {
    constexpr int kMilliseconds = 100;
    for (;;) {
      pollfd input = {file_.value(), POLLIN, 0};
      // An error of poll is left to the read that follows.
      const int ready = ::poll(&input, 1, kMilliseconds);
      if (ready > 0 || (ready < 0 && errno != EINTR)) return;
      if (!idle_()) throw Cancelled();
    }
  }

  std::string path_;
  FileDescriptor file_;
  std::function<bool()> idle_;
  std::uint64_t done_ = 0;
};

class MemoryBytes : public ByteSource {
 public:
  explicit MemoryBytes(std::span<const char> bytes) : bytes_(bytes) {}

  std::size_t read(std::span<char> into) override {
    const std::size_t n = std::min(into.size(), bytes_.size() - done_);
    if (n > 0) std::memcpy(into.data(), bytes_.data() + done_, n);
    done_ += n;
    return n;
  }
  std::uint64_t stored_bytes_read() const override { return done_; }
  std::optional<std::uint64_t> stored_bytes_total() const override { return bytes_.size(); }

 private:
  std::span<const char> bytes_;
  std::size_t done_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path, std::function<bool()> idle) {
  return std::make_unique<FileBytes>(path, std::move(idle));
}

std::unique_ptr<ByteSource> open_memory(std::span<const char> bytes) {
  return std::make_unique<MemoryBytes>(bytes);
}

}  // namespace pegasos
