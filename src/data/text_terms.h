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

#include "data/word_table.h"
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
    each(text, take, [this, &take](std::string_view chars) {
      gram_ = WordView{chars, true}.whole();
      take(gram_);
    });
  }

  // The words of a text and its runs of characters in lower case, for who numbers terms by their
  // parts. They stay until the next text, and 8 bytes may be read from the beginning of each.
  void cut(std::string_view text);
  std::size_t words() const { return word_begins_.size(); }
  std::string_view word(std::size_t i) const {
    return {word_text_ + word_begins_[i], word_ends_[i] - word_begins_[i]};
  }
  // Calls take(std::string_view) for each term of characters, without its mark.
  template <typename Take>
  void each_of_chars(const Take& take) const {
    if (rules_.char_from == 0) return;
    if (is_ascii_) {
      each_of_runs(take, [this](std::size_t first, std::size_t last) {
        return std::string_view(chars_.data() + first, last - first);
      });
    } else {
      each_of_runs(take, [this](std::size_t first, std::size_t last) { return gram(first, last); });
    }
  }

  // The same, with terms of characters handed to take_chars without their mark.
  template <typename Take, typename TakeChars>
  void each(std::string_view text, const Take& take, const TakeChars& take_chars) {
    fold(text);
    const std::size_t words = word_begins_.size();
    for (std::size_t i = 0; i < words; ++i) {
      for (std::size_t n = 1; n <= rules_.word_grams && i + n <= words; ++n) {
        const std::size_t end = word_ends_[i + n - 1];
        take(std::string_view(words_.data() + word_begins_[i], end - word_begins_[i]));
      }
    }
    each_of_chars(take_chars);
  }

 private:
  struct Run {
    std::size_t first;  // characters
    std::size_t last;
  };

  template <typename Take, typename Gram>
  void each_of_runs(const Take& take, const Gram& gram_of) const {
    for (const auto& [first, last] : runs_) {
      const std::size_t length = last - first;
      for (std::size_t n = rules_.char_from; n <= rules_.char_to; ++n) {
        if (length <= n) {
          take(gram_of(first, last));
          break;
        }
        for (std::size_t i = first; i + n <= last; ++i) take(gram_of(i, i + n));
      }
    }
  }

  void make_room(std::size_t bytes);
  void fold(std::string_view text);
  void cut_ascii(std::string_view text);
  // A lower-case character of one to four bytes, and what it is.
  void add_to_words(std::string_view character, unsigned kinds);
  void add_to_runs(std::string_view character, bool blank);
  // Characters `first` … `last` - 1.
  std::string_view gram(std::size_t first, std::size_t last) const {
    const char* const chars = chars_.data();
    return {chars + char_begins_[first], char_begins_[last] - char_begins_[first]};
  }

  TextRules rules_;
  // Buffers with room for the text, and how much of them is in use: nothing is checked on the way.
  std::vector<char> words_;  // lower-case words with one blank between
  std::size_t words_size_ = 0;
  bool in_word_ = false;
  const char* word_text_ = nullptr;  // what the words are parts of
  std::vector<std::size_t> word_begins_;
  std::vector<std::size_t> word_ends_;
  std::vector<char> chars_;  // lower-case runs with a blank before, between and behind
  std::size_t chars_size_ = 0;
  bool in_run_ = false;
  bool is_ascii_ = false;                 // a character is a byte of chars_
  std::vector<std::size_t> char_begins_;  // else of every character, and the end
  std::size_t characters_ = 0;
  std::vector<Run> runs_;
  std::string gram_;
};

}  // namespace pegasos
