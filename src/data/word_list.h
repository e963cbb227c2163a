// Words with the column they belong to, numbered in their order.
//
// A vocabulary has a hundred thousand words of a few bytes: their texts stand one behind the other
// in one array, so that a new one costs no allocation and no object of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/grow_buffer.h"

namespace pegasos {

// A word as it is looked up. Terms of characters have a mark before them in the list, which is
// said here, so that they need not be copied to have it.
struct WordView {
  static constexpr char kMark = '~';

  std::string_view text = {};  // without the mark
  bool is_marked = false;

  static WordView of(std::string_view text) {
    const bool marked = !text.empty() && text.front() == kMark;
    return {text.substr(marked ? 1 : 0), marked};
  }
  std::string whole() const { return (is_marked ? std::string(1, kMark) : "").append(text); }
};

class WordList {
 public:
  std::size_t size() const { return columns_.size(); }
  bool empty() const { return columns_.empty(); }
  std::uint32_t column(std::size_t k) const { return columns_[k]; }
  // Until the next word is added.
  std::string_view text(std::size_t k) const {
    return {bytes_.data() + begins_[k], begins_[k + 1] - begins_[k]};
  }

  // Whether word k has this text.
  bool has(std::size_t k, WordView word) const {
    const std::string_view known = text(k);
    const std::size_t mark = word.is_marked ? 1 : 0;
    if (known.size() != word.text.size() + mark) return false;
    if (word.is_marked && known.front() != WordView::kMark) return false;
    return same(known.data() + mark, word.text.data(), word.text.size());
  }
  // Its text will be needed soon.
  void fetch(std::size_t k) const { __builtin_prefetch(&begins_[k]); }

  // These return the number of the new word.
  std::uint32_t add(std::uint32_t column, WordView word) {
    const std::size_t mark = word.is_marked ? 1 : 0;
    char* const out = make_room(column, word.text.size() + mark);
    *out = WordView::kMark;
    copy(word.text, out + mark);
    return static_cast<std::uint32_t>(size() - 1);
  }
  // The words of another list from the one with number `first` on.
  void append(const WordList& other, std::size_t first) {
    if (first >= other.size()) return;
    const std::size_t begin = begins_.back();
    const std::size_t their_begin = other.begins_[first];
    const std::size_t bytes = other.begins_.back() - their_begin;
    bytes_.resize_uninitialised(begin + bytes + kSlack);
    std::memcpy(bytes_.data() + begin, other.bytes_.data() + their_begin, bytes);
    begins_.reserve(begins_.size() + other.size() - first);
    for (std::size_t k = first; k < other.size(); ++k) {
      begins_.push_back(begin + other.begins_[k + 1] - their_begin);
    }
    columns_.insert(columns_.end(), other.columns_.begin() + static_cast<std::ptrdiff_t>(first),
                    other.columns_.end());
  }
  // Words `a` and `b` with a blank between.
  std::uint32_t add_joined(std::uint32_t column, std::size_t a, std::size_t b) {
    char* const out = make_room(column, text(a).size() + 1 + text(b).size());
    join(text(a), text(b), out);
    return static_cast<std::uint32_t>(size() - 1);
  }
  // The same for two texts, which are not of the list.
  std::uint32_t add_joined(std::uint32_t column, std::string_view a, std::string_view b) {
    join(a, b, make_room(column, a.size() + 1 + b.size()));
    return static_cast<std::uint32_t>(size() - 1);
  }

 private:
  static constexpr std::size_t kSlack = 8;  // behind the last text: a mark may be written there

  char* make_room(std::uint32_t column, std::size_t bytes) {
    const std::size_t begin = begins_.back();
    bytes_.resize_uninitialised(begin + bytes + kSlack);
    begins_.push_back(begin + bytes);
    columns_.push_back(column);
    return bytes_.data() + begin;
  }
  static void join(std::string_view a, std::string_view b, char* out) {
    copy(a, out);
    out[a.size()] = ' ';
    copy(b, out + a.size() + 1);
  }
  // Most texts are short: two copies of known size, which may overlap, take less than a call.
  static void copy(std::string_view text, char* out) {
    const std::size_t n = text.size();
    const char* const in = text.data();
    if (n > 16) {
      std::memcpy(out, in, n);
    } else if (n >= 8) {
      copy_ends<8>(in, n, out);
    } else if (n >= 4) {
      copy_ends<4>(in, n, out);
    } else {
      for (std::size_t i = 0; i < n; ++i) out[i] = in[i];
    }
  }
  template <std::size_t kBytes>
  static void copy_ends(const char* in, std::size_t n, char* out) {
    std::memcpy(out, in, kBytes);
    std::memcpy(out + n - kBytes, in + n - kBytes, kBytes);
  }

  // Likewise for comparing.
  static bool same(const char* a, const char* b, std::size_t n) {
    if (n > 16) return std::memcmp(a, b, n) == 0;
    if (n >= 8) return same_ends<std::uint64_t>(a, b, n);
    if (n >= 4) return same_ends<std::uint32_t>(a, b, n);
    for (std::size_t i = 0; i < n; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }
  template <typename Word>
  static bool same_ends(const char* a, const char* b, std::size_t n) {
    Word first[2];
    Word last[2];
    std::memcpy(&first[0], a, sizeof(Word));
    std::memcpy(&first[1], b, sizeof(Word));
    std::memcpy(&last[0], a + n - sizeof(Word), sizeof(Word));
    std::memcpy(&last[1], b + n - sizeof(Word), sizeof(Word));
    return first[0] == first[1] && last[0] == last[1];
  }

  GrowBuffer<char> bytes_;
  std::vector<std::size_t> begins_ = {0};  // and the end
  std::vector<std::uint32_t> columns_;
};

}  // namespace pegasos
