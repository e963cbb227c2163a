#include "data/term_index.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::size_t kShort = 7;
constexpr std::uint64_t kIsShort = std::uint64_t{2} << 62;
constexpr std::uint64_t kIsPair = std::uint64_t{1} << 62;
constexpr std::uint64_t kIsHash = std::uint64_t{3} << 62;
constexpr std::uint64_t kMostTerms = std::uint64_t{1} << 30;
constexpr std::size_t kLeastSlots = 1024;

constexpr std::array<std::uint64_t, kShort + 1> kBytes = [] {
  std::array<std::uint64_t, kShort + 1> masks = {};
  for (std::size_t n = 1; n <= kShort; ++n) masks[n] = masks[n - 1] << 8 | 0xffU;
  return masks;
}();

// There must be eight bytes to read.
std::uint64_t key_of(std::string_view text, bool is_marked) {
  const std::uint64_t mark = is_marked ? 8 : 0;
  if (text.size() > kShort) {
    return kIsHash | XXH3_64bits_withSeed(text.data(), text.size(), mark);
  }
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text.data(), sizeof bytes);
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  return kIsShort | (mark | text.size()) << 56 | (bytes & kBytes[text.size()]);
}

std::uint64_t scattered(std::uint64_t key) {
  return (key ^ key >> 32) * 0x9e3779b97f4a7c15U;
}

}  // namespace

void TermIndex::store(std::string_view text, FeatureId first, std::size_t bytes_left,
                      CsvValues& values) {
  maker_.cut(text);
  chars_.clear();
  maker_.each_of_chars([this](std::string_view chars) { chars_.push_back(chars); });
  const std::size_t most = maker_.words() * rules_.word_grams + chars_.size();
  if (most + words_.size() > kMostTerms) throw Error("more than 2^30 terms in one text");
  values.make_room(most, bytes_left);
  if (2 * (used_ + most) > slots_.size()) {
    grow(std::bit_ceil(std::max(kLeastSlots, 2 * (used_ + most))));
  }
  first_ = first;
  features_ = values.features_from(values.stored()).data();
  values_ = values.values_from(values.stored()).data();
  stored_ = 0;
  if (rules_.word_grams > 0) find_words();
  for (std::size_t n = 2; n <= rules_.word_grams; ++n) find_next_words(n);
  find_chars();
  values.take(stored_);
}

void TermIndex::find_words() {
  keys_.clear();
  for (std::size_t i = 0; i < maker_.words(); ++i) add_key(key_of(maker_.word(i), false));
  find_all_texts([this](std::size_t k) { return WordView{maker_.word(k), false}; });
  numbers_of_one_ = numbers_;
}

// Terms of n words, each made of one of n - 1, which were looked up last, and the word behind it.
void TermIndex::find_next_words(std::size_t n) {
  if (maker_.words() < n) {
    numbers_.clear();
    return;
  }
  keys_.clear();
  for (std::size_t i = 0; i + n <= maker_.words(); ++i) {
    add_key(kIsPair | std::uint64_t{numbers_[i]} << 32 | numbers_of_one_[i + n - 1]);
  }
  find_all([](std::uint32_t, std::size_t) { return true; },
           [this](std::size_t k) {
             const std::uint64_t pair = keys_[k] & ~kIsPair;
             return words_.add_joined(column_, pair >> 32, pair & 0xffffffffU);
           });
}

void TermIndex::find_chars() {
  keys_.clear();
  for (const std::string_view chars : chars_) add_key(key_of(chars, true));
  find_all_texts([this](std::size_t k) { return WordView{chars_[k], true}; });
}

// The memory of all slots is on its way before the first is looked at.
inline void TermIndex::add_key(std::uint64_t key) {
  __builtin_prefetch(&slots_[scattered(key) >> shift_]);
  keys_.push_back(key);
}

template <typename TextOf>
void TermIndex::find_all_texts(const TextOf& text_of) {
  find_all([&](std::uint32_t number,
               std::size_t k) { return keys_[k] < kIsHash || words_.has(number, text_of(k)); },
           [&](std::size_t k) { return words_.add(column_, text_of(k)); });
}

template <typename IsSame, typename Add>
inline void TermIndex::find_all(const IsSame& is_same, const Add& add) {
  numbers_.resize(keys_.size());
  Slot* const slots = slots_.data();
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    const std::uint64_t key = keys_[k];
    std::size_t at = scattered(key) >> shift_;
    while (slots[at].key != key || !is_same(slots[at].number, k)) {
      if (slots[at].key == 0) {
        slots[at] = {key, add(k), 0};
        ++used_;
        break;
      }
      at = (at + 1) & mask;
    }
    numbers_[k] = slots[at].number;
    count(slots[at]);
  }
}

// Where a term was stored last tells whether that was in this cell.
inline void TermIndex::count(Slot& slot) {
  const FeatureId feature = first_ + slot.number;
  if (slot.place < stored_ && features_[slot.place] == feature) {
    values_[slot.place] += 1.0F;
    return;
  }
  slot.place = stored_;
  features_[stored_] = feature;
  values_[stored_] = 1.0F;
  ++stored_;
}

void TermIndex::grow(std::size_t slots) {
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots));
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots));
  for (const Slot& slot : before) {
    if (slot.key == 0) continue;
    std::size_t at = scattered(slot.key) >> shift_;
    while (slots_[at].key != 0) at = (at + 1) & (slots - 1);
    slots_[at] = slot;
  }
}

}  // namespace pegasos
