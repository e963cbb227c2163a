// Serialisation: values to bytes and back.
//
// A class lists its members once,
//
//   template <typename Archive> void archive(Archive& a) { a(count_, sums_, name_); }
//
// which an ArchiveWriter writes and an ArchiveReader reads back. For types without such a member, a
// free function archive(a, value) does the same. Numbers are stored as in memory, little endian;
// vectors and strings are preceded by their length. A reader never reads past the end of its bytes
// and rejects lengths that do not fit into them.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pegasos/error.h"

namespace pegasos {

template <typename T>
concept ArchivedAsIs = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class ArchiveWriter {
 public:
  ArchiveWriter() = default;
  // Begins with bytes from elsewhere, with room for so many in all.
  ArchiveWriter(std::string_view begin, std::size_t room) {
    bytes_.reserve(room);
    bytes_ += begin;
  }

  template <typename... T>
  void operator()(T&... values) {
    (write(values), ...);
  }

  // How many bytes the values would take.
  template <typename... T>
  static std::size_t size_of(T&... values) {
    ArchiveWriter counter;
    counter.only_counts_ = true;
    counter(values...);
    return counter.counted_;
  }

  // A vector whose length the reader already knows and checks.
  template <typename T>
  void fixed(std::vector<T>& values) {
    write(values);
  }

  std::string bytes() && { return std::move(bytes_); }

 private:
  void append(const void* data, std::size_t size) {
    if (only_counts_) {
      counted_ += size;
    } else {
      bytes_.append(static_cast<const char*>(data), size);
    }
  }

  template <typename T>
  void write(T& value) {
    if constexpr (ArchivedAsIs<std::remove_const_t<T>>) {
      append(&value, sizeof value);
    } else if constexpr (requires { value.archive(*this); }) {
      value.archive(*this);
    } else {
      archive(*this, value);
    }
  }
  template <ArchivedAsIs T>
  void write(std::vector<T>& values) {
    const std::uint64_t size = values.size();
    append(&size, sizeof size);
    append(values.data(), values.size() * sizeof(T));
  }
  void write(std::string& text) {
    const std::uint64_t size = text.size();
    append(&size, sizeof size);
    append(text.data(), text.size());
  }
  template <typename T>
  void write(std::optional<T>& value) {
    const char present = value ? 1 : 0;
    append(&present, 1);
    if (value) write(*value);
  }

  std::string bytes_;
  bool only_counts_ = false;
  std::size_t counted_ = 0;
};

// Throws Error where the bytes end too soon.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename... T>
  void operator()(T&... values) {
    (read(values), ...);
  }

  template <typename T>
  void fixed(std::vector<T>& values) {
    const std::size_t expected = values.size();
    read(values);
    if (values.size() != expected) throw Error("an array has the wrong length");
  }

  bool at_end() const { return bytes_.empty(); }

 private:
  void take(void* data, std::size_t size) {
    if (size > bytes_.size()) throw Error("the data is truncated");
    if (size > 0) std::memcpy(data, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  std::size_t length(std::size_t bytes_each) {
    std::uint64_t size = 0;
    take(&size, sizeof size);
    if (size > bytes_.size() / bytes_each) throw Error("the data is truncated");
    return static_cast<std::size_t>(size);
  }

  template <typename T>
  void read(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      char byte = 0;
      take(&byte, 1);
      value = byte != 0;
    } else if constexpr (ArchivedAsIs<T>) {
      take(&value, sizeof value);
    } else if constexpr (requires { value.archive(*this); }) {
      value.archive(*this);
    } else {
      archive(*this, value);
    }
  }
  template <ArchivedAsIs T>
  void read(std::vector<T>& values) {
    values.resize(length(sizeof(T)));
    take(values.data(), values.size() * sizeof(T));
  }
  void read(std::string& text) {
    text.resize(length(1));
    take(text.data(), text.size());
  }
  template <typename T>
  void read(std::optional<T>& value) {
    char present = 0;
    take(&present, 1);
    if (present == 0) {
      value.reset();
    } else {
      read(value.emplace());
    }
  }

  std::string_view bytes_;
};

}  // namespace pegasos
