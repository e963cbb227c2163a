// What the text models of LIBLINEAR and LIBSVM have in common.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pegasos/model.h"

namespace pegasos {

// The two labels as the whole numbers that such a file holds; where they are none, 1 and -1, and a
// sentence in `notes`.
// Adds a note where what the model predicts is the exponential of its score.
void note_logarithms(const SingleOutputModel& model, std::vector<std::string>& notes);

std::pair<int, int> labels_for(const SingleOutputModel& model, std::vector<std::string>& notes);

// The labels of many classes as whole numbers; where they are none, 1, 2, … and a sentence.
std::vector<double> labels_for(const MulticlassModel& model, std::vector<std::string>& notes);

// Numbers with blanks between, with all their digits.
std::string side_by_side(std::span<const double> numbers);

// Words of a text with the place of the current one.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  // The next word, or "" at the end.
  std::string_view next();

  std::size_t bytes_left() const { return text_.size() - end_; }

  // Complains about the current word.
  [[noreturn]] void fail(std::string message, std::string hint = "") const;

  double next_number(std::string_view what);

  std::int64_t next_whole(std::string_view what, std::int64_t least, std::int64_t most);

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  std::string_view text_;
  const std::string& name_;
  std::size_t begin_ = 0;  // of the current word
  std::size_t end_ = 0;
  std::size_t line_begin_ = 0;
  std::uint64_t line_ = 1;
};

}  // namespace pegasos
