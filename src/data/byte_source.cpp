#include "data/byte_source.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/file.h"

namespace pegasos {
namespace {

class FileBytes : public ByteSource {
 public:
  explicit FileBytes(std::string path) : path_(std::move(path)), file_(open_for_reading(path_)) {}

  std::size_t read(std::span<char> into) override {
    const std::size_t n = read_fully(file_.value(), into, path_);
    done_ += n;
    return n;
  }
  std::size_t read_some(std::span<char> into) override {
    const std::size_t n = pegasos::read_some(file_.value(), into, path_);
    done_ += n;
    return n;
  }
  std::uint64_t stored_bytes_read() const override { return done_; }
  std::optional<std::uint64_t> stored_bytes_total() const override {
    return regular_file_size(file_.value());
  }

 private:
  std::string path_;
  FileDescriptor file_;
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

std::unique_ptr<ByteSource> open_file(const std::string& path) {
  return std::make_unique<FileBytes>(path);
}

std::unique_ptr<ByteSource> open_memory(std::span<const char> bytes) {
  return std::make_unique<MemoryBytes>(bytes);
}

}  // namespace pegasos
