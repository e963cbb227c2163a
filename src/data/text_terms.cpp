#include "data/text_terms.h"

#include <array>

#include "data/utf8.h"

namespace pegasos {
namespace {

bool within(char32_t c, char32_t first, char32_t last) {
  return c >= first && c <= last;
}

// Upper-case letters that alternate with their lower-case ones, the upper ones even or odd.
bool is_even_capital(char32_t c) {
  return c % 2 == 0 &&
         (within(c, 0x100, 0x12f) || within(c, 0x132, 0x137) || within(c, 0x14a, 0x177) ||
          within(c, 0x460, 0x481) || within(c, 0x48a, 0x4bf) || within(c, 0x4d0, 0x52f) ||
          within(c, 0x1e00, 0x1e95) || within(c, 0x1ea0, 0x1eff));
}
bool is_odd_capital(char32_t c) {
  return c % 2 == 1 &&
         (within(c, 0x139, 0x148) || within(c, 0x179, 0x17e) || within(c, 0x4c1, 0x4ce));
}

bool stands_alone(char32_t c) {
  return c == '!' || c == '?' || c == '%' || c == '$' || within(c, 0xa2, 0xa5) ||
         within(c, 0x20a0, 0x20cf) || within(c, 0x3041, 0x30ff) || within(c, 0x3400, 0x9fff) ||
         within(c, 0xf900, 0xfaff) || within(c, 0x1f000, 0x1faff) || within(c, 0x20000, 0x3ffff);
}

bool is_letter(char32_t c) {
  if (c < 0x80) return within(c | 0x20, 'a', 'z') || within(c, '0', '9') || c == '_';
  if (c < 0xc0) return c == 0xaa || c == 0xb5 || c == 0xba;
  if (c == 0xd7 || c == 0xf7) return false;
  return !within(c, 0x2000, 0x2bff) && !within(c, 0x3000, 0x303f) && !within(c, 0xe000, 0xf8ff) &&
         !within(c, 0xfe00, 0xfe6f) && !within(c, 0xff00, 0xff0f) && !within(c, 0xff1a, 0xff20) &&
         !within(c, 0xff3b, 0xff40) && !within(c, 0xff5b, 0xff65) && !within(c, 0xffe0, 0xffff);
}

bool is_blank(char32_t c) {
  return c <= ' ' || c == 0x7f || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         within(c, 0x2000, 0x200b) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000 || c == 0xfeff;
}

enum Kinds : unsigned { kLetter = 1, kAlone = 2, kBlank = 4 };

unsigned kinds_of(char32_t c) {
  return (is_letter(c) ? kLetter : 0U) | (stands_alone(c) ? kAlone : 0U) |
         (is_blank(c) ? kBlank : 0U);
}

// What nearly every character is looked up in.
struct Ascii {
  char lower = 0;
  unsigned char kinds = 0;
};
const std::array<Ascii, 0x80> kAscii = [] {
  std::array<Ascii, 0x80> all = {};
  for (char32_t c = 0; c < 0x80; ++c) {
    const char32_t lower = fold_case(c);
    all[c] = {static_cast<char>(lower), static_cast<unsigned char>(kinds_of(lower))};
  }
  return all;
}();

// Of what is behind the last character of a text, for who reads words of eight bytes.
constexpr std::size_t kReadBeyond = 16;

bool is_ascii(std::string_view text) {
  unsigned char all = 0;
  for (const char byte : text) all |= static_cast<unsigned char>(byte);
  return all < 0x80;
}

// The character at text[i], which is advanced behind it.
char32_t next_character(std::string_view text, std::size_t& i) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(i++);
  if (lead < 0x80) return lead;
  const std::size_t more = lead >= 0xf0 && lead < 0xf5   ? 3
                           : lead >= 0xe0 && lead < 0xf0 ? 2
                           : lead >= 0xc2 && lead < 0xe0 ? 1
                                                         : 0;
  if (more == 0 || i + more > text.size()) return lead;
  char32_t c = lead & (0x3fU >> more);
  for (std::size_t k = 0; k < more; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return lead;
    c = c << 6 | (byte(i + k) & 0x3fU);
  }
  constexpr char32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  if (c < kLeast[more] || c > 0x10ffff || within(c, 0xd800, 0xdfff)) return lead;
  i += more;
  return c;
}

}  // namespace

char32_t fold_case(char32_t c) {
  if (c < 0x80) return within(c, 'A', 'Z') ? c + 32 : c;
  if (within(c, 0xc0, 0xde)) return c == 0xd7 ? c : c + 32;
  if (c == 0x130) return 'i';
  if (c == 0x178) return 0xff;
  if (c == 0x17f) return 's';
  if (is_even_capital(c) || is_odd_capital(c)) return c + 1;
  if (c == 0x386) return 0x3ac;
  if (within(c, 0x388, 0x38a)) return c + 37;
  if (c == 0x38c) return 0x3cc;
  if (c == 0x38e || c == 0x38f) return c + 63;
  if (within(c, 0x391, 0x3ab)) return c == 0x3a2 ? c : c + 32;
  if (c == 0x3c2) return 0x3c3;  // final sigma
  if (within(c, 0x400, 0x40f)) return c + 80;
  if (within(c, 0x410, 0x42f)) return c + 32;
  if (within(c, 0x531, 0x556)) return c + 48;
  if (c == 0x1e9e) return 0xdf;
  if (within(c, 0xff21, 0xff3a)) return c + 32;
  return c;
}

inline void TermMaker::add_to_words(std::string_view character, unsigned kinds) {
  const bool alone = (kinds & kAlone) != 0;
  const bool of_word = (kinds & (kAlone | kLetter)) != 0;
  if (of_word) {
    if (!in_word_ || alone) {
      if (in_word_) word_ends_.push_back(words_size_);
      if (words_size_ > 0) words_[words_size_++] = ' ';
      word_begins_.push_back(words_size_);
      in_word_ = true;
    }
    for (const char byte : character) words_[words_size_++] = byte;
  }
  if (in_word_ && (!of_word || alone)) {
    word_ends_.push_back(words_size_);
    in_word_ = false;
  }
}

inline void TermMaker::add_to_runs(std::string_view character, bool blank) {
  if (!blank) {
    if (!in_run_) {
      if (chars_size_ == 0) {
        char_begins_[characters_++] = 0;
        chars_[chars_size_++] = ' ';
      }
      runs_.push_back({characters_ - 1, 0});
      in_run_ = true;
    }
    char_begins_[characters_++] = chars_size_;
    for (const char byte : character) chars_[chars_size_++] = byte;
  } else if (in_run_) {
    char_begins_[characters_++] = chars_size_;
    chars_[chars_size_++] = ' ';
    runs_.back().last = characters_;
    in_run_ = false;
  }
}

void TermMaker::make_room(std::size_t bytes) {
  // A byte becomes two at most (of Latin-1), with a blank before it.
  const std::size_t room = 3 * bytes + 4 + kReadBeyond;
  if (words_.size() < room) {
    words_.resize(room + room / 2);
    chars_.resize(room + room / 2);
    char_begins_.resize(room + room / 2);
  }
  words_size_ = chars_size_ = characters_ = 0;
  word_begins_.clear();
  word_ends_.clear();
  runs_.clear();
}

void TermMaker::cut(std::string_view text) {
  if (is_ascii(text)) {
    cut_ascii(text);
  } else {
    fold(text);
  }
}

// The runs with their blanks hold the words too: no word goes beyond a run.
void TermMaker::cut_ascii(std::string_view text) {
  make_room(text.size());
  is_ascii_ = true;
  word_text_ = chars_.data();
  char* const begin = chars_.data();
  char* out = begin;
  *out++ = ' ';
  const auto here = [&] { return static_cast<std::size_t>(out - begin); };
  for (const char byte : text) {
    const Ascii& known = kAscii[static_cast<unsigned char>(byte)];
    if ((known.kinds & kLetter) != 0) {
      if (!in_word_) {
        if (!in_run_) runs_.push_back({here() - 1, 0});
        word_begins_.push_back(here());
        in_word_ = in_run_ = true;
      }
      *out++ = known.lower;
      continue;
    }
    if (in_word_) word_ends_.push_back(here());
    in_word_ = false;
    if ((known.kinds & kBlank) != 0) {
      if (!in_run_) continue;
      *out++ = ' ';
      runs_.back().last = here();
      in_run_ = false;
      continue;
    }
    if (!in_run_) runs_.push_back({here() - 1, 0});
    in_run_ = true;
    if ((known.kinds & kAlone) != 0) {
      word_begins_.push_back(here());
      word_ends_.push_back(here() + 1);
    }
    *out++ = known.lower;
  }
  if (in_word_) word_ends_.push_back(here());
  if (in_run_) {
    *out++ = ' ';
    runs_.back().last = here();
  }
  in_word_ = in_run_ = false;
}

void TermMaker::fold(std::string_view text) {
  make_room(text.size());
  is_ascii_ = false;
  word_text_ = words_.data();
  const bool has_words = rules_.word_grams > 0;
  const bool has_chars = rules_.char_from > 0;
  std::string encoded;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) [[likely]] {
      const Ascii& known = kAscii[byte];
      const std::string_view character(&known.lower, 1);
      if (has_words) add_to_words(character, known.kinds);
      if (has_chars) add_to_runs(character, (known.kinds & kBlank) != 0);
      ++i;
      continue;
    }
    const char32_t c = fold_case(next_character(text, i));
    encoded.clear();
    append_utf8(encoded, c);
    const unsigned kinds = kinds_of(c);
    if (has_words) add_to_words(encoded, kinds);
    if (has_chars) add_to_runs(encoded, (kinds & kBlank) != 0);
  }
  if (has_words) add_to_words("", kBlank);
  if (has_chars) add_to_runs("", true);
  char_begins_[characters_] = chars_size_;
}

}  // namespace pegasos
