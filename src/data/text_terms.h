// Text to terms: what a text column counts.
//
// Words are runs of letters and digits of any script, lower-cased (simple case folding of the
// Latin, Greek, Cyrillic and Armenian letters); an ideograph, a kana, a currency sign, an emoji,
// "!", "?" and "%" are words by themselves. A term of n words is n words in a row with a blank
// between. A term of n characters is "~" and n characters in a row of a run without blanks, which
// begins and ends with a blank; of a shorter run the whole of it.
//
// Bytes that are not UTF-8 are taken for Latin-1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pegasos/schema.h"

namespace pegasos {

// The lower-case form of a character.
char32_t fold_case(char32_t c);

class TermMaker {
 public:
  explicit TermMaker(const TextRules& rules) : rules_(rules) {}

  // Calls take(std::string_view) for each term of the text, as often as it occurs.
  template <typename Take>
  void each(std::string_view text, const Take& take) {
    fold(text);
    const std::size_t words = word_begins_.size();
    for (std::size_t i = 0; i < words; ++i) {
      for (std::size_t n = 1; n <= rules_.word_grams && i + n <= words; ++n) {
        const std::size_t end = word_ends_[i + n - 1];
        take(std::string_view(words_).substr(word_begins_[i], end - word_begins_[i]));
      }
    }
    if (rules_.char_from == 0) return;
    for (const auto& [first, last] : runs_) {
      const std::size_t length = last - first;
      for (std::size_t n = rules_.char_from; n <= rules_.char_to; ++n) {
        if (length <= n) {
          take(gram(first, last));
          break;
        }
        for (std::size_t i = first; i + n <= last; ++i) take(gram(i, i + n));
      }
    }
  }

 private:
  struct Run {
    std::size_t first;  // characters, of char_begins_
    std::size_t last;
  };

  void fold(std::string_view text);
  void add_character(char32_t c, bool& in_word, bool& in_run);
  // Characters `first` … `last` - 1 with the mark before them.
  std::string_view gram(std::size_t first, std::size_t last);

  TextRules rules_;
  std::string words_;  // lower-case words with one blank between
  std::vector<std::size_t> word_begins_;
  std::vector<std::size_t> word_ends_;
  std::string chars_;                     // lower-case runs with a blank before, between and behind
  std::vector<std::size_t> char_begins_;  // of every character, and the end
  std::vector<Run> runs_;
  std::string gram_;
};

}  // namespace pegasos
