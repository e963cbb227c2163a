// Pieces of text, what stands between two blanks, and the numbers of the terms each one has.
//
// Of the pieces of a text most were seen before, as they are written: their terms need not be cut
// out and looked up again. What is longer than kLongest is hardly seen twice and is not kept, and
// when there are too many all are forgotten.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "data/term_key.h"

namespace pegasos {

class PieceTable {
 public:
  static constexpr std::size_t kLongest = 64;

  // The terms of a piece: those of one word in their order, then those of characters.
  struct Terms {
    std::uint32_t begin = 0;
    std::uint32_t words = 0;
    std::uint32_t chars = 0;
  };
  std::span<const std::uint32_t> words_of(const Terms& terms) const {
    return {numbers_.data() + terms.begin, terms.words};
  }
  std::span<const std::uint32_t> chars_of(const Terms& terms) const {
    return {numbers_.data() + terms.begin + terms.words, terms.chars};
  }

  // To be called before a text: nothing is forgotten until the next one. Room for so many pieces.
  void begin_text(std::size_t pieces) {
    numbers_.resize(kept_numbers_);
    if (kept_numbers_ > kMostNumbers) forget();
    if (2 * (used_ + pieces) > slots_.size()) {
      grow(std::bit_ceil(std::max(kLeastSlots, 2 * (used_ + pieces))));
    }
  }
  void fetch(std::uint64_t key) const { __builtin_prefetch(&slots_[slot_of(key)]); }

  // The terms of a piece, null if it is not known.
  const Terms* find(std::uint64_t key, std::string_view piece) const {
    const Slot& slot = slots_[place_of(key, piece)];
    return slot.key == 0 ? nullptr : &slot.terms;
  }

  // Numbers are added here, then the piece that has those from `begin` on, which is not there yet.
  // One without a key is not kept.
  std::vector<std::uint32_t>& numbers() { return numbers_; }
  Terms add(std::uint64_t key, std::string_view piece, Terms terms) {
    if (key == 0) return terms;
    Slot& slot = slots_[place_of(key, piece)];
    slot = {key, terms, static_cast<std::uint32_t>(texts_.size())};
    ++used_;
    kept_numbers_ = numbers_.size();
    if (term_key::is_hash(key)) {
      texts_.push_back(static_cast<char>(piece.size()));
      texts_.insert(texts_.end(), piece.begin(), piece.end());
    }
    return terms;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;  // 0: free
    Terms terms;
    std::uint32_t text = 0;  // where its length and text are, of a key that is a hash
  };

  std::size_t slot_of(std::uint64_t key) const { return term_key::scattered(key) >> shift_; }
  bool has_text(const Slot& slot, std::string_view piece) const {
    const char* const text = texts_.data() + slot.text;
    return static_cast<std::size_t>(*text) == piece.size() &&
           std::string_view(text + 1, piece.size()) == piece;
  }
  // The slot of the piece, or the free one where it belongs.
  std::size_t place_of(std::uint64_t key, std::string_view piece) const {
    std::size_t at = slot_of(key);
    while (slots_[at].key != 0 &&
           (slots_[at].key != key || (term_key::is_hash(key) && !has_text(slots_[at], piece)))) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return at;
  }

  void forget() {
    slots_.assign(slots_.size(), {});
    used_ = kept_numbers_ = 0;
    numbers_.clear();
    texts_.clear();
  }
  void grow(std::size_t slots) {
    const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots));
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots));
    for (const Slot& slot : before) {
      if (slot.key == 0) continue;
      std::size_t at = slot_of(slot.key);
      while (slots_[at].key != 0) at = (at + 1) & (slots - 1);
      slots_[at] = slot;
    }
  }

  static constexpr std::size_t kLeastSlots = 1024;
  static constexpr std::size_t kMostNumbers = std::size_t{1} << 20;

  std::vector<Slot> slots_;  // a power of two of them, at most half in use
  std::size_t used_ = 0;
  unsigned shift_ = 64;  // 64 - the bits of a slot's number
  std::vector<std::uint32_t> numbers_;
  std::size_t kept_numbers_ = 0;  // of pieces that are kept
  std::vector<char> texts_;
};

}  // namespace pegasos
