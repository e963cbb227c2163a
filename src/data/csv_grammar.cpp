#include "data/csv_grammar.h"

#include <algorithm>
#include <utility>

#include "data/row_block.h"

namespace pegasos {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text;
}

// nan, inf or infinity, signed or not, in any case.
bool spells_non_finite(std::string_view text) {
  std::string word(without_sign(text));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return word == "nan" || word == "inf" || word == "infinity";
}

// Follows the number grammar to the very end, whatever the value.
bool spells_decimal(std::string_view text) {
  text = without_sign(text);
  const auto drop_digits = [&text] {
    const auto stop = std::find_if_not(text.begin(), text.end(), is_digit);
    const auto count = static_cast<std::size_t>(stop - text.begin());
    text.remove_prefix(count);
    return count;
  };
  std::size_t mantissa = drop_digits();
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    mantissa += drop_digits();
  }
  if (mantissa == 0) return false;
  if (text.empty()) return true;
  if ((text[0] | 0x20) != 'e') return false;
  text = without_sign(text.substr(1));
  return drop_digits() > 0 && text.empty();
}

template <typename T>
NumberProblem read_whole(std::string_view text, T& out) {
  const char* const end = text.data() + text.size();
  NumberProblem problem = NumberProblem::none;
  const char* const after = parse_number(text.data(), end, out, problem);
  if (after == end && after != nullptr) return NumberProblem::none;
  if (problem == NumberProblem::not_finite && spells_non_finite(text)) return problem;
  if (problem == NumberProblem::too_large && spells_decimal(text)) return problem;
  return NumberProblem::not_a_number;
}

}  // namespace

CsvProblemText describe(CsvProblem problem) {
  switch (problem) {
    case CsvProblem::stray_quote:
      return {"quote inside an unquoted cell",
              {"quote the whole cell and double the quote inside it, or read quotes as plain "
               "characters with {}",
               {{"quotes", "none"}}}};
    case CsvProblem::text_after_quote:
      return {"text after the closing quote of a cell",
              "a quote inside a quoted cell must be doubled"};
    case CsvProblem::open_quote:
      return {"this quote is never closed",
              {"close it, remove it, or read quotes as plain characters with {}",
               {{"quotes", "none"}}}};
    case CsvProblem::nul:
      return {"the line contains a NUL byte", "this does not look like text"};
    case CsvProblem::carriage_return:
      return {"carriage return inside a line", "convert the line endings: tr '\\r' '\\n' < file"};
    case CsvProblem::none:
      break;
  }
  return {"", ""};
}

CsvGrammar::CsvGrammar(char delimiter, bool quotes) : delimiter_(delimiter), quotes_(quotes) {
  for (const char c : {delimiter, '\n', '\r', '\0'}) stops_[static_cast<unsigned char>(c)] = true;
  if (quotes) stops_['"'] = true;
  if (blank_separated()) stops_['\t'] = true;
}

CsvCell CsvGrammar::scan(const char* p, const char* end) const {
  p = skip_blanks(p);
  if (quotes_ && *p == '"') return scan_quoted(p, end);
  CsvCell cell;
  cell.place = p;
  cell.after = plain_end(p);
  const char* const stop = trim_back(p, cell.after);
  cell.text = {p, static_cast<std::size_t>(stop - p)};
  switch (*cell.after) {
    case '"':
      cell.problem = CsvProblem::stray_quote;
      break;
    case '\0':
      cell.problem = CsvProblem::nul;
      break;
    case '\r':
      if (!at_line_end(cell.after)) cell.problem = CsvProblem::carriage_return;
      break;
    default:
      break;
  }
  return cell;
}

CsvCell CsvGrammar::scan_quoted(const char* p, const char* end) const {
  CsvCell cell;
  cell.place = p;
  cell.quoted = true;
  const auto stop_at = [&cell](const char* place, CsvProblem problem) {
    cell.after = place;
    cell.problem = problem;
    return cell;
  };
  const char* q = p + 1;
  for (;; ++q) {
    if (q == end) return stop_at(p, CsvProblem::open_quote);
    if (*q == '\0') return stop_at(q, CsvProblem::nul);
    if (*q != '"') continue;
    if (q[1] != '"') break;
    cell.doubled_quotes = true;
    ++q;
  }
  cell.text = {p + 1, static_cast<std::size_t>(q - p - 1)};
  cell.after = q + 1;
  if (!blank_separated()) {
    cell.after = skip_blanks(cell.after);
  } else if (is_blank(*cell.after)) {
    return cell;
  }
  if (*cell.after == delimiter_ || at_line_end(cell.after)) return cell;
  if (*cell.after == '\0') return stop_at(cell.after, CsvProblem::nul);
  return stop_at(cell.after, CsvProblem::text_after_quote);
}

const char* CsvGrammar::next_cell(const char* after) const {
  if (!blank_separated()) return *after == delimiter_ ? after + 1 : nullptr;
  after = skip_blanks(after);
  return at_line_end(after) ? nullptr : after;
}

CsvShape CsvGrammar::measure(const char* p, const char* end, std::size_t expected) const {
  CsvShape shape;
  for (;;) {
    const CsvCell cell = scan(p, end);
    if (cell.problem != CsvProblem::none) {
      shape.problem = cell.problem;
      shape.place = cell.after;
      shape.end = cell.problem == CsvProblem::open_quote ? end : cell.after;
      break;
    }
    if (shape.cells == expected) shape.place = cell.place;
    ++shape.cells;
    p = next_cell(cell.after);
    if (p == nullptr) {
      if (shape.cells < expected) shape.place = cell.after;
      shape.end = cell.after;
      break;
    }
  }
  while (*shape.end != '\n') ++shape.end;
  return shape;
}

Diagnostic complain_at(std::string_view text, const char* place, std::uint64_t first_line,
                       std::string message, Hint hint) {
  const auto at = static_cast<std::size_t>(place - text.data());
  const std::string_view before = text.substr(0, at);
  const auto feeds = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return diagnose(text, line_begin, at, first_line + static_cast<std::uint64_t>(feeds),
                  std::move(message), std::move(hint));
}

std::string unescape(const CsvCell& cell) {
  std::string plain;
  plain.reserve(cell.text.size());
  for (std::size_t i = 0; i < cell.text.size(); ++i) {
    plain += cell.text[i];
    if (cell.text[i] == '"') ++i;  // its twin
  }
  return plain;
}

NumberProblem read_number(std::string_view text, float& out) {
  return read_whole(text, out);
}

NumberProblem read_number(std::string_view text, double& out) {
  return read_whole(text, out);
}

bool looks_like_number(std::string_view text) {
  double ignored = 0;
  return read_number(text, ignored) != NumberProblem::not_a_number;
}

}  // namespace pegasos
