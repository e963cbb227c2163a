#include "data/word_order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string_view>

namespace pegasos {
namespace {

struct KeyedWord {
  std::uint64_t key;
  std::uint32_t word;
};

std::uint64_t first_bytes(std::string_view text) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(8, text.size()); ++i) {
    bytes |= std::uint64_t{static_cast<unsigned char>(text[i])} << (56 - 8 * i);
  }
  return bytes;
}

// Byte after byte from the last; of few words by comparing them.
void sort_by_key(std::vector<KeyedWord>& words) {
  constexpr std::size_t kFew = 512;
  if (words.size() < kFew) {
    std::sort(words.begin(), words.end(),
              [](const KeyedWord& a, const KeyedWord& b) { return a.key < b.key; });
    return;
  }
  std::array<std::array<std::size_t, 256>, 8> counts = {};
  for (const KeyedWord& word : words) {
    for (std::size_t b = 0; b < 8; ++b) ++counts[b][word.key >> 8 * b & 0xffU];
  }
  std::vector<KeyedWord> other(words.size());
  for (std::size_t b = 0; b < 8; ++b) {
    if (counts[b][words[0].key >> 8 * b & 0xffU] == words.size()) continue;  // all the same
    std::exclusive_scan(counts[b].begin(), counts[b].end(), counts[b].begin(), std::size_t{0});
    for (const KeyedWord& word : words) other[counts[b][word.key >> 8 * b & 0xffU]++] = word;
    words.swap(other);
  }
}

}  // namespace

void sort_by_text(const WordList& list, std::vector<std::uint32_t>& words) {
  std::vector<KeyedWord> keyed;
  keyed.reserve(words.size());
  for (const std::uint32_t k : words) keyed.push_back({first_bytes(list.text(k)), k});
  sort_by_key(keyed);
  const auto differ = [](const KeyedWord& a, const KeyedWord& b) { return a.key != b.key; };
  for (auto begin = keyed.begin(); begin != keyed.end();) {
    const auto last = std::adjacent_find(begin, keyed.end(), differ);
    const auto end = last == keyed.end() ? last : last + 1;
    if (end - begin > 1) {
      std::sort(begin, end, [&list](const KeyedWord& a, const KeyedWord& b) {
        return list.text(a.word) < list.text(b.word);
      });
    }
    begin = end;
  }
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = keyed[i].word;
}

}  // namespace pegasos
