#include "data/term_index.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::uint64_t kMostTerms = std::uint64_t{1} << 30;
constexpr std::size_t kLeastSlots = 1024;
constexpr std::size_t kManySlots = std::size_t{1} << 16;  // below, they grow faster

// Blanks of one byte: no word and no run of characters goes beyond one.
bool is_blank(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' || byte == 0x7f;
}

// How many of eight bytes, the first of them the lowest, come before the first blank.
unsigned bytes_before_blank(std::uint64_t bytes) {
  constexpr std::uint64_t kEach = 0x0101010101010101U;
  constexpr std::uint64_t kHigh = 0x80 * kEach;
  // The high bit of a byte: below '!' after the subtraction, or 0 where 0x7f was. A borrow only
  // spoils bytes above the first blank. Bytes of 0x80 and more are none.
  const std::uint64_t is_delete = bytes ^ 0x7f * kEach;
  const std::uint64_t blanks =
      ((bytes - ('!' * kEach)) | ((is_delete - kEach) & ~is_delete)) & ~bytes & kHigh;
  return static_cast<unsigned>(std::countr_zero(blanks)) / 8;
}

}  // namespace

void TermIndex::store(std::string_view text, FeatureId first, std::size_t bytes_left,
                      CsvValues& values) {
  cut_at_blanks(text);
  find_pieces();
  std::size_t most = 0;
  for (std::size_t i = 0; i < cut_count_; ++i) {
    const PieceTable::Terms& terms = cut_[i].terms;
    most += terms.words * std::size_t{rules_.word_grams} + terms.chars;
  }
  if (most + words_.size() > kMostTerms) throw Error("more than 2^30 terms in one text");
  values.make_room(most, bytes_left);
  first_ = first;
  features_ = values.features_from(values.stored()).data();
  values_ = values.values_from(values.stored()).data();
  stored_ = 0;
  count_pieces();
  for (std::size_t n = 2; n <= rules_.word_grams && n <= word_numbers_.size(); ++n) {
    count_terms_of_words(n);
  }
  values.take(stored_);
}

void TermIndex::cut_at_blanks(std::string_view text) {
  if (cut_.size() < text.size() / 2 + 1) cut_.resize(text.size() + 1);
  cut_count_ = 0;
  if (!looks_up_pieces()) {
    cut_[cut_count_++] = {text, 0};
    return;
  }
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end; ++p) {
    const char* const begin = p;
    if (end - p >= 8) {
      const std::uint64_t bytes = term_key::first_bytes(p);
      const unsigned length = bytes_before_blank(bytes);
      if (length < 8) {  // nearly always
        p += length;
        cut_[cut_count_] = {{begin, length}, term_key::of_short(bytes, length, false)};
        cut_count_ += length > 0 ? 1 : 0;
        continue;
      }
      p += 8;
    }
    while (p < end && !is_blank(*p)) ++p;
    add_long_piece({begin, static_cast<std::size_t>(p - begin)});
  }
}

// Or one at the end of the text.
void TermIndex::add_long_piece(std::string_view piece) {
  if (piece.empty()) return;
  char copy[8] = {};
  std::uint64_t key = 0;
  if (piece.size() <= term_key::kShort) {
    std::memcpy(copy, piece.data(), piece.size());
    key = term_key::of({copy, piece.size()}, false);
  } else if (piece.size() <= PieceTable::kLongest) {
    key = term_key::of_long(piece, false);
  }
  cut_[cut_count_++] = {piece, key};
}

void TermIndex::find_pieces() {
  pieces_.begin_text(cut_count_);
  for (std::size_t i = 0; i < cut_count_; ++i) pieces_.fetch(cut_[i].key);
  for (std::size_t i = 0; i < cut_count_; ++i) {
    const std::string_view text = cut_[i].text;
    const std::uint64_t key = cut_[i].key;
    const PieceTable::Terms* const known = pieces_.find(key, text);
    cut_[i].terms = known != nullptr ? *known : pieces_.add(key, text, cut_piece(text));
  }
}

PieceTable::Terms TermIndex::cut_piece(std::string_view piece) {
  std::vector<std::uint32_t>& numbers = pieces_.numbers();
  PieceTable::Terms terms;
  terms.begin = static_cast<std::uint32_t>(numbers.size());
  maker_.cut(piece);
  chars_.clear();
  maker_.each_of_chars([this](std::string_view chars) { chars_.push_back(chars); });
  make_room_for(maker_.words() + chars_.size());
  if (rules_.word_grams > 0) {
    keys_.clear();
    for (std::size_t i = 0; i < maker_.words(); ++i) {
      add_key(term_key::of(maker_.word(i), false));
    }
    find_all_texts(numbers, [this](std::size_t k) { return WordView{maker_.word(k), false}; });
  }
  terms.words = static_cast<std::uint32_t>(numbers.size()) - terms.begin;
  keys_.clear();
  for (const std::string_view chars : chars_) add_key(term_key::of(chars, true));
  find_all_texts(numbers, [this](std::size_t k) { return WordView{chars_[k], true}; });
  terms.chars = static_cast<std::uint32_t>(numbers.size()) - terms.begin - terms.words;
  return terms;
}

void TermIndex::count_pieces() {
  places_.resize(words_.size());
  word_numbers_.clear();
  for (std::size_t i = 0; i < cut_count_; ++i) {
    const PieceTable::Terms& terms = cut_[i].terms;
    for (const std::uint32_t number : pieces_.words_of(terms)) {
      word_numbers_.push_back(number);
      count(number);
    }
    for (const std::uint32_t number : pieces_.chars_of(terms)) count(number);
  }
  numbers_ = word_numbers_;
}

// Terms of n words, each made of one of n - 1, which were looked up last, and the word behind it.
void TermIndex::count_terms_of_words(std::size_t n) {
  const std::size_t terms = word_numbers_.size() + 1 - n;
  make_room_for(terms);
  keys_.clear();
  for (std::size_t i = 0; i < terms; ++i) {
    add_key(term_key::of_pair(numbers_[i], word_numbers_[i + n - 1]));
  }
  numbers_.clear();
  const auto join = [this, n](std::size_t k) {
    // The words themselves are at hand where the whole text was cut.
    if (n == 2 && !looks_up_pieces()) {
      return words_.add_joined(column_, maker_.word(k), maker_.word(k + 1));
    }
    const std::uint64_t pair = keys_[k] & ~term_key::kIsPair;
    return words_.add_joined(column_, pair >> 32, pair & 0xffffffffU);
  };
  find_all(
      numbers_, [](std::uint32_t, std::size_t) { return true; }, join);
  places_.resize(words_.size());
  for (const std::uint32_t number : numbers_) count(number);
}

// The memory of all slots is on its way before the first is looked at.
inline void TermIndex::add_key(std::uint64_t key) {
  __builtin_prefetch(&slots_[term_key::scattered(key) >> shift_]);
  keys_.push_back(key);
}

template <typename TextOf>
void TermIndex::find_all_texts(std::vector<std::uint32_t>& numbers, const TextOf& text_of) {
  find_all(
      numbers,
      [&](std::uint32_t number, std::size_t k) {
        return !term_key::is_hash(keys_[k]) || words_.has(number, text_of(k));
      },
      [&](std::size_t k) { return words_.add(column_, text_of(k)); });
}

template <typename IsSame, typename Add>
inline void TermIndex::find_all(std::vector<std::uint32_t>& numbers, const IsSame& is_same,
                                const Add& add) {
  Slot* const slots = slots_.data();
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    const std::uint64_t key = keys_[k];
    std::size_t at = term_key::scattered(key) >> shift_;
    while (slots[at].key != key || !is_same(slots[at].number, k)) {
      if (slots[at].key == 0) {
        slots[at] = {key, add(k)};
        ++used_;
        break;
      }
      at = (at + 1) & mask;
    }
    numbers.push_back(slots[at].number);
  }
}

// Where a term was stored last tells whether that was in this cell.
inline void TermIndex::count(std::uint32_t number) {
  const FeatureId feature = first_ + number;
  std::uint32_t& place = places_[number];
  if (place < stored_ && features_[place] == feature) {
    values_[place] += 1.0F;
    return;
  }
  place = stored_;
  features_[stored_] = feature;
  values_[stored_] = 1.0F;
  ++stored_;
}

void TermIndex::make_room_for(std::size_t terms) {
  if (2 * (used_ + terms) <= slots_.size()) return;
  const std::size_t least = slots_.size() < kManySlots ? 4 * slots_.size() : 0;
  grow(std::bit_ceil(std::max({kLeastSlots, least, 2 * (used_ + terms)})));
}

void TermIndex::grow(std::size_t slots) {
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots));
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots));
  for (const Slot& slot : before) {
    if (slot.key == 0) continue;
    std::size_t at = term_key::scattered(slot.key) >> shift_;
    while (slots_[at].key != 0) at = (at + 1) & (slots - 1);
    slots_[at] = slot;
  }
}

}  // namespace pegasos
