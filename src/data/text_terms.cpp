#include "data/text_terms.h"

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

void TermMaker::add_character(char32_t c, bool& in_word, bool& in_run) {
  const bool alone = stands_alone(c);
  const bool of_word = alone || is_letter(c);
  if (of_word && rules_.word_grams > 0) {
    if (!in_word || alone) {
      if (in_word) word_ends_.push_back(words_.size());
      if (!words_.empty()) words_ += ' ';
      word_begins_.push_back(words_.size());
      in_word = true;
    }
    append_utf8(words_, c);
  }
  if (in_word && (!of_word || alone)) {
    word_ends_.push_back(words_.size());
    in_word = false;
  }
  if (rules_.char_from == 0) return;
  const bool blank = is_blank(c);
  if (!blank) {
    if (!in_run) {
      if (chars_.empty()) {
        char_begins_.push_back(0);
        chars_ += ' ';
      }
      runs_.push_back({char_begins_.size() - 1, 0});
      in_run = true;
    }
    char_begins_.push_back(chars_.size());
    append_utf8(chars_, c);
  } else if (in_run) {
    char_begins_.push_back(chars_.size());
    chars_ += ' ';
    runs_.back().last = char_begins_.size();
    in_run = false;
  }
}

void TermMaker::fold(std::string_view text) {
  words_.clear();
  word_begins_.clear();
  word_ends_.clear();
  chars_.clear();
  char_begins_.clear();
  runs_.clear();
  bool in_word = false;
  bool in_run = false;
  for (std::size_t i = 0; i < text.size();) {
    add_character(fold_case(next_character(text, i)), in_word, in_run);
  }
  add_character(' ', in_word, in_run);
  char_begins_.push_back(chars_.size());
}

std::string_view TermMaker::gram(std::size_t first, std::size_t last) {
  gram_ = '~';
  gram_.append(chars_, char_begins_[first], char_begins_[last] - char_begins_[first]);
  return gram_;
}

}  // namespace pegasos
