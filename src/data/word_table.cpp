#include "data/word_table.h"

// Words are short: the call into the library would take as long as the hash.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace pegasos {
namespace {

std::uint32_t hash_of(std::uint32_t column, WordView word) {
  const std::uint64_t seed = std::uint64_t{column} << 1 | (word.is_marked ? 1 : 0);
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(word.text.data(), word.text.size(), seed));
}

}  // namespace

std::uint64_t hash_of_term(std::string_view term) {
  return XXH3_64bits(term.data(), term.size());
}

inline std::size_t WordTable::slot_of(std::uint32_t hash, std::uint32_t column,
                                      WordView word) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.entry == 0) return at;
    if (slot.hash != hash || words_.column(slot.entry - 1) != column) continue;
    if (words_.has(slot.entry - 1, word)) return at;
  }
}

inline std::uint32_t WordTable::add(std::uint32_t hash, std::uint32_t column, WordView word) {
  Slot& slot = slots_[slot_of(hash, column, word)];
  if (slot.entry == 0) {
    slot = {hash, words_.add(column, word) + 1};
  }
  return slot.entry - 1;
}

std::uint32_t WordTable::add(std::uint32_t column, std::string_view text) {
  make_room_for(1);
  const WordView word = WordView::of(text);
  return add(hash_of(column, word), column, word);
}

void WordTable::fetch(std::uint32_t column, const WordBatch& batch,
                      std::vector<std::uint32_t>& hashes) const {
  hashes.resize(batch.size());
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t k = 0; k < batch.size(); ++k) {
    hashes[k] = hash_of(column, batch[k]);
    __builtin_prefetch(&slots_[hashes[k] & mask]);
  }
  for (const std::uint32_t hash : hashes) {
    const Slot& slot = slots_[hash & mask];
    if (slot.entry != 0) words_.fetch(slot.entry - 1);
  }
}

void WordTable::add_all(std::uint32_t column, const WordBatch& batch,
                        std::vector<std::uint32_t>& numbers) {
  make_room_for(batch.size());
  fetch(column, batch, hashes_);
  for (std::size_t k = 0; k < batch.size(); ++k) {
    numbers.push_back(add(hashes_[k], column, batch[k]));
  }
}

void WordTable::find_all(std::uint32_t column, const WordBatch& batch,
                         std::vector<std::uint32_t>& hashes,
                         std::vector<std::uint32_t>& numbers) const {
  if (slots_.empty()) return;
  fetch(column, batch, hashes);
  for (std::size_t k = 0; k < batch.size(); ++k) {
    const Slot& slot = slots_[slot_of(hashes[k], column, batch[k])];
    if (slot.entry != 0) numbers.push_back(slot.entry - 1);
  }
}

std::optional<std::uint32_t> WordTable::find(std::uint32_t column, std::string_view text) const {
  if (slots_.empty()) return std::nullopt;
  const WordView word = WordView::of(text);
  const Slot& slot = slots_[slot_of(hash_of(column, word), column, word)];
  if (slot.entry == 0) return std::nullopt;
  return slot.entry - 1;
}

bool WordTable::go_on_with(const WordList& list) {
  if (!slots_.empty()) return false;
  words_.append(list, words_.size());
  return true;
}

WordList WordTable::take_words() {
  slots_.clear();
  return std::exchange(words_, {});
}

void WordTable::make_room_for(std::size_t more) {
  std::size_t slots = std::max<std::size_t>(64, slots_.size());
  while (2 * (words_.size() + more) > slots) slots *= 2;
  if (slots > slots_.size()) grow(slots);
}

// Words that came without slots are hashed; for others their slots know enough.
void WordTable::grow(std::size_t slots) {
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots));
  const auto put = [this, mask = slots - 1](Slot slot) {
    std::size_t at = slot.hash & mask;
    while (slots_[at].entry != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  };
  for (const Slot& slot : before) {
    if (slot.entry != 0) put(slot);
  }
  if (!before.empty()) return;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::uint32_t hash = hash_of(words_.column(i), WordView::of(words_.text(i)));
    put({hash, static_cast<std::uint32_t>(i + 1)});
  }
}

}  // namespace pegasos
