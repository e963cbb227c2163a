// The grammar of CSV: where cells and records begin and end (RFC 4180, with the usual leniencies).
//
//   record = cell { delimiter cell } end
//   cell   = { blank } ( quoted | plain ) { blank }
//   quoted = '"' { any character but '"' | '""' } '"'
//   plain  = { any character but the delimiter, '"', CR, LF }      blanks around it are not part of
//   it blank  = space | tab, unless it is the delimiter;   end = LF | CR LF | end of file
//
// With a space as the delimiter, cells are separated by runs of blanks. Lines of blanks only are
// skipped. A NUL byte is nowhere allowed, nor is a carriage return outside quotes within a line.
//
// Without quotes, '"' is a character like any other.
//
// All text must be followed by a line feed that is not part of it, so that no scan runs away.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "data/number_parser.h"
#include "pegasos/error.h"

namespace pegasos {

enum class CsvProblem { none, stray_quote, text_after_quote, open_quote, nul, carriage_return };

// What is wrong, and how to fix it.
struct CsvProblemText {
  const char* message;
  Hint hint;
};
CsvProblemText describe(CsvProblem problem);

struct CsvCell {
  const char* place = nullptr;  // its first character that is not blank; the quote of a quoted one
  const char* after = nullptr;  // the delimiter or line end behind it; with a problem, its place
  std::string_view text;        // without the quotes and the blanks around it
  bool quoted = false;
  bool doubled_quotes = false;  // the text has "" where " is meant
  CsvProblem problem = CsvProblem::none;
};

// A record as a whole, for complaints and for going on behind it.
struct CsvShape {
  std::size_t cells = 0;
  CsvProblem problem = CsvProblem::none;
  // Of the problem; else of the first cell too many, or where a missing one should stand.
  const char* place = nullptr;
  const char* end = nullptr;  // the line feed behind the record; with a problem, the next one
};

class CsvGrammar {
 public:
  explicit CsvGrammar(char delimiter, bool quotes = true);

  char delimiter() const { return delimiter_; }
  bool quotes() const { return quotes_; }
  bool blank_separated() const { return delimiter_ == ' '; }

  bool is_blank(char c) const { return c == ' ' || (c == '\t' && delimiter_ != '\t'); }
  const char* skip_blanks(const char* p) const {
    while (is_blank(*p)) ++p;
    return p;
  }
  // At a line feed, or a carriage return in front of one.
  static bool at_line_end(const char* p) { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }

  // Where a plain cell may end: at the delimiter, a line end, or something it must not contain.
  const char* plain_end(const char* p) const {
    while (!stops_[static_cast<unsigned char>(*p)]) ++p;
    return p;
  }
  const char* trim_back(const char* begin, const char* end) const {
    while (end > begin && is_blank(end[-1])) --end;
    return end;
  }

  // The cell at p. `end` is the end of the text, where an open quote is given up.
  CsvCell scan(const char* p, const char* end) const;

  // The beginning of the cell behind one that ends at `after`; null if the record ends there.
  const char* next_cell(const char* after) const;

  // The record at p, which is meant to have `expected` cells.
  CsvShape measure(const char* p, const char* end, std::size_t expected) const;

 private:
  CsvCell scan_quoted(const char* p, const char* end) const;

  char delimiter_;
  bool quotes_;
  std::array<bool, 256> stops_{};
};

// A complaint about a place in `text`, which begins with line number `first_line`.
Diagnostic complain_at(std::string_view text, const char* place, std::uint64_t first_line,
                       std::string message, Hint hint = {});

// The text of a cell with "" turned into ".
std::string unescape(const CsvCell& cell);

// Reads a cell that is one number from its beginning to its end. Spelled infinities and NaNs, and
// numbers too large for T, are told from words.
NumberProblem read_number(std::string_view text, float& out);
NumberProblem read_number(std::string_view text, double& out);

// A number, or what was meant as one: not a word.
bool looks_like_number(std::string_view text);

}  // namespace pegasos
