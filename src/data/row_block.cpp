#include "data/row_block.h"

#include <fmt/format.h>

#include <algorithm>

namespace pegasos {

void RowBlock::clear() {
  labels.clear();
  weights.clear();
  offsets.clear();
  offsets.push_back(0);
  features.clear();
  values.clear();
  lines = 0;
  smallest_index = std::numeric_limits<std::uint32_t>::max();
  largest_index = 0;
  rows_with_qid = rows_reordered = rows_unlabelled = unknown_features = unknown_words =
      values_filled = 0;
  errors.clear();
  rows_before_error.reset();
  label_kind.reset();
  first_other_label.reset();
  first_set.reset();
  label_words.clear();
  sums.clear();
  missing.clear();
  hashed_terms.clear();
  bad_cells.clear();
  rows_bad = 0;
  first_bad.reset();
  first_unlabelled.reset();
  ids.clear();
  is_bad.clear();
}

std::string printable(std::string_view token, std::size_t longest) {
  std::string shown;
  for (const char c : token.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  if (token.size() > longest) {
    // Do not end in the middle of a UTF-8 sequence.
    while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xc0) == 0x80) {
      shown.pop_back();
    }
    if (!shown.empty() && static_cast<unsigned char>(shown.back()) >= 0xc0) shown.pop_back();
    shown += "…";
  }
  return shown;
}

std::string longest_in_words(std::size_t bytes) {
  constexpr std::size_t kMega = std::size_t{1} << 20;
  return bytes % kMega == 0 ? fmt::format("{} MiB", bytes / kMega) : fmt::format("{} bytes", bytes);
}

Hint hint_on_long_lines() {
  return {"this does not look like text with one row per line; if it is, raise the limit: {}",
          {{"max_line", "1G"}}};
}

Diagnostic diagnose(std::string_view text, std::size_t line_begin, std::size_t at,
                    std::uint64_t line, std::string message, Hint hint) {
  constexpr std::size_t kBefore = 40;
  constexpr std::size_t kAfter = 36;
  Diagnostic result;
  result.line = line;
  result.column = at - line_begin + 1;
  result.message = std::move(message);
  result.hint = hint.in_words();
  result.remedy = std::move(hint);

  const std::size_t line_end = std::min(text.find_first_of("\r\n", at), text.size());
  const std::size_t begin = at - line_begin > kBefore ? at - kBefore : line_begin;
  const std::size_t end = std::min(line_end, at + kAfter);
  const auto masked = [](std::string_view part) {
    std::string plain(part);
    // Tabs and control characters would move the caret or the terminal.
    std::replace_if(
        plain.begin(), plain.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
    return plain;
  };
  if (begin > line_begin) result.excerpt = "...";
  result.excerpt += masked(text.substr(begin, at - begin));
  result.caret = result.excerpt.size();
  result.excerpt += masked(text.substr(at, end - at));
  if (end < line_end) result.excerpt += "...";
  return result;
}

}  // namespace pegasos
