// What a text file is, judged by its first lines.
//
// A line counts as svmlight when one of its tokens is index:value, and for CSV when it has a
// comma, a semicolon, a tab or a bar and no such token. The majority of the first lines decides. A
// file with neither is taken for svmlight, whose complaint about "1 2 3" then says what was
// expected.
#include <algorithm>
#include <string_view>

#include "data/text_format.h"

namespace pegasos {
namespace {

bool is_feature_token(std::string_view token) {
  const auto colon = token.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  if (token.substr(0, colon) == "qid") return true;
  return std::all_of(token.begin(), token.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](char c) { return c >= '0' && c <= '9'; }) &&
         token.find_first_of(",;\"") == std::string_view::npos;
}

bool has_feature_token(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  for (;;) {
    const auto begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return false;
    const auto end = std::min(line.find_first_of(kBlanks, begin), line.size());
    if (is_feature_token(line.substr(begin, end - begin))) return true;
    line = line.substr(end);
  }
}

}  // namespace

DataFormat detect_text_format(std::string_view head) {
  constexpr int kLines = 50;
  int for_svmlight = 0;
  int for_csv = 0;
  for (int seen = 0; seen < kLines && !head.empty();) {
    const auto end = std::min(head.find('\n'), head.size());
    std::string_view line = head.substr(0, end);
    head = head.substr(std::min(end + 1, head.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos || line[0] == '#') continue;
    ++seen;
    if (has_feature_token(line)) {
      ++for_svmlight;
    } else if (line.find_first_of(",;\t|") != std::string_view::npos) {
      ++for_csv;
    }
  }
  return for_csv > for_svmlight ? DataFormat::csv : DataFormat::svmlight;
}

}  // namespace pegasos
