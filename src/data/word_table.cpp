#include "data/word_table.h"

// Words are short: the call into the library would take as long as the hash.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <utility>

namespace pegasos {
namespace {

std::uint64_t hash_of(std::uint32_t column, std::string_view text) {
  return XXH3_64bits_withSeed(text.data(), text.size(), column);
}

}  // namespace

std::uint64_t hash_of_term(std::string_view term) {
  return XXH3_64bits(term.data(), term.size());
}

std::size_t WordTable::slot_of(std::uint64_t hash, std::uint32_t column,
                               std::string_view text) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.entry == 0) return at;
    if (slot.hash != hash >> 32) continue;
    const RowBlock::Word& word = words_[slot.entry - 1];
    if (word.column == column && word.text == text) return at;
  }
}

std::uint32_t WordTable::add(std::uint32_t column, std::string_view text) {
  make_room_for(1);
  return add(hash_of(column, text), column, text);
}

std::uint32_t WordTable::add(std::uint64_t hash, std::uint32_t column, std::string_view text) {
  Slot& slot = slots_[slot_of(hash, column, text)];
  if (slot.entry == 0) {
    words_.push_back({column, std::string(text)});
    slot = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint32_t>(words_.size())};
  }
  return slot.entry - 1;
}

void WordTable::fetch(std::uint32_t column, const WordBatch& batch,
                      std::vector<std::uint64_t>& hashes) const {
  hashes.resize(batch.size());
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t k = 0; k < batch.size(); ++k) {
    hashes[k] = hash_of(column, batch[k]);
    __builtin_prefetch(&slots_[hashes[k] & mask]);
  }
  for (const std::uint64_t hash : hashes) {
    const Slot& slot = slots_[hash & mask];
    if (slot.entry != 0) __builtin_prefetch(&words_[slot.entry - 1]);
  }
}

std::optional<std::uint32_t> WordTable::find(std::uint32_t column, std::string_view text) const {
  if (slots_.empty()) return std::nullopt;
  const Slot& slot = slots_[slot_of(hash_of(column, text), column, text)];
  if (slot.entry == 0) return std::nullopt;
  return slot.entry - 1;
}

std::vector<RowBlock::Word> WordTable::take_words() {
  slots_.clear();
  return std::exchange(words_, {});
}

void WordTable::make_room_for(std::size_t more) {
  std::size_t slots = std::max<std::size_t>(64, slots_.size());
  while (2 * (words_.size() + more) > slots) slots *= 2;
  if (slots > slots_.size()) grow(slots);
}

void WordTable::grow(std::size_t slots) {
  slots_.assign(slots, Slot());
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::uint64_t hash = hash_of(words_[i].column, words_[i].text);
    slots_[slot_of(hash, words_[i].column, words_[i].text)] = {
        static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint32_t>(i + 1)};
  }
}

}  // namespace pegasos
