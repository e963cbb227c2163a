#include "data/svmlight_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/label_words.h"
#include "data/number_parser.h"

namespace pegasos {
namespace {

constexpr double kNoLabel = std::numeric_limits<double>::quiet_NaN();

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// At a line feed, or a carriage return in front of one.
bool at_line_end(const char* p) {
  return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

bool ends_token(const char* p) {
  return is_blank(*p) || *p == '#' || at_line_end(p);
}

const char* token_end(const char* p) {
  while (!ends_token(p)) ++p;
  return p;
}

// Parses the lines of one block. The text ends with a line feed inside the padding, so no scan for
// a line end runs away.
class SvmlightParser {
 public:
  SvmlightParser(std::string_view text, RowBlock& rows, std::optional<std::uint32_t> base,
                 std::size_t max_errors)
      : text_(text),
        end_(text.data() + text.size()),
        rows_(rows),
        base_(base),
        max_errors_(max_errors) {}

  void run() {
    // "1:1 " is the shortest feature, so the stores below need no checks.
    rows_.features.reserve(text_.size() / 4 + 2);
    rows_.values.reserve(text_.size() / 4 + 2);
    features_ = rows_.features.data();
    values_ = rows_.values.data();
    for (p_ = text_.data(); p_ < end_;) {
      ++rows_.lines;
      line_ = p_;
      if (!parse_line()) {
        stored_ = rows_.offsets.back();
        if (rows_.errors.size() >= max_errors_) break;
        while (*p_ != '\n') ++p_;
      }
      ++p_;  // the line feed
    }
    rows_.features.resize_uninitialised(stored_);
    rows_.values.resize_uninitialised(stored_);
  }

 private:
  // Leaves p_ on the line feed. False after a complaint.
  bool parse_line() {
    skip_blanks();
    if (*p_ == '#' || at_line_end(p_)) {
      skip_to_line_end();
      return true;
    }
    double label = kNoLabel;
    if (!parse_label(label)) return false;
    if (!parse_features()) return false;
    rows_.labels.push_back(label);
    rows_.offsets.push_back(stored_);
    return true;
  }

  // The hot loop. It works on local copies, which the compiler can keep in registers.
  bool parse_features() {
    const char* p = p_;
    std::size_t stored = stored_;
    std::int64_t previous = -1;
    bool ascending = true;
    for (;;) {
      while (is_blank(*p)) ++p;
      const std::uint64_t word = digits::load(p);
      const unsigned n = digits::count(word);
      std::uint64_t index = 0;
      if (n - 1 < 7 && p[n] == ':') [[likely]] {
        index = digits::value(word, n);
        p += n + 1;
      } else if (*p == '#' || at_line_end(p)) {
        break;
      } else if (is_qid(p)) {
        if (!parse_qid(p)) return false;
        continue;
      } else if (!parse_unusual_index(p, index)) {
        return false;
      }
      float value = 0.0F;
      const auto digit = static_cast<unsigned char>(*p - '0');
      if (digit <= 9 && (p[1] == ' ' || p[1] == '\n')) {  // most often 1
        value = static_cast<float>(digit);
        ++p;
      } else {
        const char* after = parse_float_fast(p, value);
        if (after == nullptr || !ends_token(after)) [[unlikely]] {
          after = parse_unusual_value(p, index, value);
          if (after == nullptr) return false;
        }
        p = after;
      }
      ascending = ascending && static_cast<std::int64_t>(index) > previous;
      if (previous < 0 || !ascending) {
        note_index(static_cast<std::uint32_t>(index));
        // What came before a descent may be the largest.
        if (previous >= 0) note_index(static_cast<std::uint32_t>(previous));
      }
      previous = static_cast<std::int64_t>(index);
      features_[stored] = static_cast<FeatureId>(index);
      values_[stored] = value;
      stored += value != 0.0F ? 1 : 0;
    }
    if (previous >= 0) note_index(static_cast<std::uint32_t>(previous));
    p_ = p;
    stored_ = stored;
    skip_to_line_end();
    if (base_ == 1 && rows_.smallest_index == 0 && !refuse_index_zero()) return false;
    return ascending || put_in_order();
  }

  // While the indices of a row ascend, its first and last are the extremes.
  void note_index(std::uint32_t index) {
    rows_.smallest_index = std::min(rows_.smallest_index, index);
    rows_.largest_index = std::max(rows_.largest_index, index);
  }

  // Everything below is off the beaten track.

  bool parse_label(double& label) {
    const char* const begin = p_;
    NumberProblem problem = NumberProblem::none;
    const char* after = parse_class(begin, label);
    if (after == nullptr) after = parse_number(begin, end_ + 1, label, problem);
    if (after != nullptr && ends_token(after)) {
      if (rows_.first_set) label = number_word(label_set_of(label));
      note_label_kind(LabelKind::number, begin);
      p_ = after;
      return true;
    }
    const char* const stop = token_end(begin);
    const std::string_view token(begin, static_cast<std::size_t>(stop - begin));
    if (token.find(':') != std::string_view::npos) {  // no label: this is a feature already
      label = kNoLabel;
      ++rows_.rows_unlabelled;
      if (!rows_.first_unlabelled) rows_.first_unlabelled = at(begin, "this row has no label");
      return true;
    }
    if (problem == NumberProblem::not_finite) {
      return complain(begin, fmt::format("label '{}' is not finite", printable(token)),
                      "remove the row, or omit the label to predict it");
    }
    if (problem == NumberProblem::too_large) {
      return complain(begin,
                      fmt::format("label '{}' is too large for a 64-bit number", printable(token)));
    }
    if (is_label_word(token)) {
      note_label_kind(LabelKind::word, begin);
      label = number_word(token);
      p_ = stop;
      return true;
    }
    if (token.find(',') != std::string_view::npos) {
      const auto set = label_set(token);
      if (set) {
        begin_sets(begin);
        label = number_word(*set);
        p_ = stop;
        return true;
      }
      return complain(
          begin, fmt::format("label '{}' is not a list of labels", printable(token)),
          {"write several labels as 1,3; if this is a CSV file: {}", {{"format", "csv"}}});
    }
    if (token.find('\0') != std::string_view::npos) {
      return complain(begin + token.find('\0'), "the line contains a NUL byte",
                      "this does not look like text");
    }
    return complain(begin, fmt::format("label '{}' is not a number", printable(token)),
                    "expected: label index:value index:value ...");
  }

  // Most labels are one digit, with or without a sign. Returns its end, or null.
  static const char* parse_class(const char* p, double& label) {
    const bool negative = *p == '-';
    p += negative || *p == '+' ? 1 : 0;
    const auto digit = static_cast<unsigned char>(*p - '0');
    if (digit > 9 || !ends_token(p + 1)) return nullptr;
    label = static_cast<double>(digit);
    if (negative) label = -label;
    return p + 1;
  }

  double number_word(std::string_view token) {
    const auto [found, is_new] =
        word_numbers_.try_emplace(std::string(token), word_numbers_.size());
    if (is_new) rows_.label_words.emplace_back(token);
    return static_cast<double>(found->second);
  }

  // From here on every label of the block is a word, and so are those before.
  void begin_sets(const char* begin) {
    if (rows_.first_set) return;
    rows_.first_set =
        at(begin, "several labels in one row, but the model predicts one label per row");
    if (rows_.label_kind != LabelKind::number) return;
    for (double& label : rows_.labels) {
      if (!std::isnan(label)) label = number_word(label_set_of(label));
    }
  }

  void note_label_kind(LabelKind kind, const char* begin) {
    if (rows_.label_kind == kind) return;
    if (!rows_.label_kind) {
      rows_.label_kind = kind;
      rows_.first_label = mixed_label(begin);
    } else if (!rows_.first_other_label) {
      rows_.first_other_label = mixed_label(begin);
    }
  }

  Diagnostic mixed_label(const char* begin) const {
    return at(begin,
              mixed_labels_message({begin, static_cast<std::size_t>(token_end(begin) - begin)}));
  }

  static bool is_qid(const char* p) {
    return p[0] == 'q' && p[1] == 'i' && p[2] == 'd' && p[3] == ':';
  }

  bool parse_qid(const char*& p) {
    const char* const begin = p;
    const char* const stop = token_end(begin);
    double ignored = 0;
    NumberProblem problem = NumberProblem::none;
    const char* after = parse_number(begin + 4, end_ + 1, ignored, problem);
    if (after != stop) {
      return complain(begin, fmt::format("'{}' is not a query id", printable(token_at(begin))),
                      "a query id is written qid:number");
    }
    ++rows_.rows_with_qid;
    p = stop;
    return true;
  }

  // Index of eight digits and more, or something that is not index:value at all.
  bool parse_unusual_index(const char*& p, std::uint64_t& index) {
    const char* const begin = p;
    const std::string_view token = token_at(begin);
    const auto colon = token.find(':');
    if (const auto nul = token.find('\0'); nul != std::string_view::npos) {
      return complain(begin + nul, "the line contains a NUL byte", "this does not look like text");
    }
    if (*begin == '\r') {
      return complain(begin, "carriage return inside a line",
                      "convert the line endings: tr '\\r' '\\n' < file");
    }
    if (colon == std::string_view::npos) {
      return complain(begin, fmt::format("expected index:value, found '{}'", printable(token)),
                      {"if the columns are separated by spaces: {} {}",
                       {{"format", "csv"}, {"delimiter", "space"}}});
    }
    const std::string_view number = token.substr(0, colon);
    const bool whole = !number.empty() && std::all_of(number.begin(), number.end(),
                                                      [](char c) { return c >= '0' && c <= '9'; });
    if (!whole) {
      return complain(begin, fmt::format("index '{}' is not a whole number", printable(number)),
                      "write features as index:value, with a whole number as the index");
    }
    const auto significant = std::min(number.find_first_not_of('0'), number.size() - 1);
    index = 0;
    for (const char c : number.substr(significant)) {
      index = index * 10 + static_cast<std::uint64_t>(c - '0');
      if (index > std::numeric_limits<std::uint32_t>::max()) {
        return complain(begin, fmt::format("index {} is larger than the maximum, 4294967295",
                                           printable(number)));
      }
    }
    p = begin + colon + 1;
    return true;
  }

  // The fast path did not understand the value, or something other than a blank follows it. Returns
  // the end of the value, or null after a complaint.
  const char* parse_unusual_value(const char* begin, std::uint64_t index, float& value) {
    const std::string_view token = token_at(begin);
    if (token.empty()) {
      complain(begin, fmt::format("feature {} has no value", index),
               "write index:value without a space after the colon");
      return nullptr;
    }
    if (const auto nul = token.find('\0'); nul != std::string_view::npos) {
      complain(begin + nul, "the line contains a NUL byte", "this does not look like text");
      return nullptr;
    }
    NumberProblem problem = NumberProblem::none;
    const char* const after = parse_number(begin, end_ + 1, value, problem);
    if (after != nullptr && ends_token(after)) return after;
    const std::string shown = printable(token);
    if (problem == NumberProblem::not_finite) {
      complain(begin, fmt::format("value '{}' is not finite", shown),
               "omit the feature, or replace the value by a number");
    } else if (problem == NumberProblem::too_large) {
      complain(begin, fmt::format("value '{}' is too large for a 32-bit float", shown),
               "scale the feature down");
    } else {
      complain(begin, fmt::format("value '{}' is not a number", shown));
    }
    return nullptr;
  }

  bool refuse_index_zero() {
    for (const auto& token : tokens_of_line()) {
      if (token.index == 0) {
        return complain(token.begin, "index 0 in a file whose first index is 1",
                        {"if the first feature of the training data has index 0, train with {}",
                         {{"index_base", "0"}}});
      }
    }
    return true;
  }

  struct Token {
    std::uint64_t index;
    const char* begin;
  };

  // The features of the current line again, with their places. The line is known to be well formed.
  std::vector<Token> tokens_of_line() const {
    std::vector<Token> tokens;
    for (const char* p = line_; *p != '#' && !at_line_end(p);) {
      if (is_blank(*p)) {
        ++p;
        continue;
      }
      const char* const stop = token_end(p);
      const char* q = p;
      std::uint64_t index = 0;
      while (*q >= '0' && *q <= '9') index = index * 10 + static_cast<std::uint64_t>(*q++ - '0');
      if (q > p && *q == ':') tokens.push_back({index, p});
      p = stop;
    }
    return tokens;
  }

  bool put_in_order() {
    auto tokens = tokens_of_line();
    std::stable_sort(tokens.begin(), tokens.end(),
                     [](const Token& a, const Token& b) { return a.index < b.index; });
    const Token* again = nullptr;  // the first in the line that repeats an index
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      if (tokens[i].index != tokens[i - 1].index) continue;
      if (again == nullptr || tokens[i].begin < again->begin) again = &tokens[i];
    }
    if (again != nullptr) {
      return complain(again->begin, fmt::format("index {} appears twice in this row", again->index),
                      "keep one of the two, or add them up");
    }
    const auto begin = static_cast<std::size_t>(rows_.offsets.back());
    std::vector<std::pair<FeatureId, float>> row;
    row.reserve(stored_ - begin);
    for (std::size_t i = begin; i < stored_; ++i) row.emplace_back(features_[i], values_[i]);
    std::sort(row.begin(), row.end());
    for (std::size_t i = begin; i < stored_; ++i) {
      std::tie(features_[i], values_[i]) = row[i - begin];
    }
    ++rows_.rows_reordered;
    return true;
  }

  void skip_blanks() {
    while (is_blank(*p_)) ++p_;
  }
  void skip_to_line_end() {
    while (*p_ != '\n') ++p_;
  }
  static std::string_view token_at(const char* begin) {
    return {begin, static_cast<std::size_t>(token_end(begin) - begin)};
  }
  Diagnostic at(const char* place, std::string message, Hint hint = {}) const {
    return diagnose(text_, static_cast<std::size_t>(line_ - text_.data()),
                    static_cast<std::size_t>(place - text_.data()), rows_.lines, std::move(message),
                    std::move(hint));
  }
  bool complain(const char* place, std::string message, Hint hint = {}) {
    rows_.note_error();
    rows_.errors.push_back(at(place, std::move(message), std::move(hint)));
    return false;
  }

  std::string_view text_;
  const char* end_;
  RowBlock& rows_;
  std::optional<std::uint32_t> base_;
  std::size_t max_errors_;
  const char* p_ = nullptr;
  const char* line_ = nullptr;
  FeatureId* features_ = nullptr;
  float* values_ = nullptr;
  std::size_t stored_ = 0;
  std::unordered_map<std::string, std::size_t> word_numbers_;
};

}  // namespace

void parse_svmlight(std::string_view text, RowBlock& rows, std::optional<std::uint32_t> base,
                    std::size_t max_errors) {
  SvmlightParser(text, rows, base, max_errors).run();
}

}  // namespace pegasos
