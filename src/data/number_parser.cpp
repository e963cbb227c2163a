#include "data/number_parser.h"

#include <fast_float/fast_float.h>

#include <cmath>
#include <string_view>

namespace pegasos {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "nan", "inf", "Infinity": words a person may have meant as numbers. "infected" is not one.
bool spells_non_finite(std::string_view text) {
  if (text.empty() || ((text[0] | 0x20) != 'n' && (text[0] | 0x20) != 'i')) return false;
  const auto goes_on = [](char c) {
    return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c & 0x80) != 0 ||
           std::string_view("_.-+/&").find(c) != std::string_view::npos;
  };
  for (const std::string_view word : {"nan", "infinity", "inf"}) {
    if (text.size() < word.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i < word.size(); ++i) same = same && (text[i] | 0x20) == word[i];
    if (same && (text.size() == word.size() || !goes_on(text[word.size()]))) return true;
  }
  return false;
}

template <typename T>
const char* parse_any(const char* p, const char* end, T& out, NumberProblem& problem) {
  const bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  const bool begins = p < end && (is_digit(*p) || (*p == '.' && p + 1 < end && is_digit(p[1])));
  if (!begins) {
    const std::string_view rest(p, static_cast<std::size_t>(end - p));
    problem = spells_non_finite(rest) ? NumberProblem::not_finite : NumberProblem::not_a_number;
    return nullptr;
  }
  const auto [stop, error] = fast_float::from_chars(p, end, out);
  if (std::isinf(out)) {
    problem = NumberProblem::too_large;
    return nullptr;
  }
  // Out of range but not infinite is underflow: the nearest number is zero or subnormal.
  if (error != std::errc() && error != std::errc::result_out_of_range) {
    problem = NumberProblem::not_a_number;
    return nullptr;
  }
  if (negative) out = -out;
  problem = NumberProblem::none;
  return stop;
}

}  // namespace

const char* parse_number(const char* p, const char* end, float& out, NumberProblem& problem) {
  return parse_any(p, end, out, problem);
}

const char* parse_number(const char* p, const char* end, double& out, NumberProblem& problem) {
  return parse_any(p, end, out, problem);
}

}  // namespace pegasos
