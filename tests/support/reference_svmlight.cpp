#include "support/reference_svmlight.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace pegasos::testing {
namespace {

struct Token {
  std::string text;
  std::size_t column;
};

std::vector<Token> split(const std::string& line) {
  std::vector<Token> tokens;
  std::size_t i = 0;
  while (i < line.size()) {
    if (line[i] == ' ' || line[i] == '\t') {
      ++i;
      continue;
    }
    Token token{"", i + 1};
    while (i < line.size() && line[i] != ' ' && line[i] != '\t') token.text += line[i++];
    tokens.push_back(token);
  }
  return tokens;
}

bool spells_non_finite(std::string text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.erase(0, 1);
  std::string start = text.substr(0, 3);
  std::transform(start.begin(), start.end(), start.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (start != "nan" && start != "inf") return false;
  const std::string rest = text.substr(3);
  const auto begins_with_inity = [&rest] {
    std::string five = rest.substr(0, 5);
    for (char& c : five) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return five == "inity";
  };
  const auto ends_word = [](const std::string& after) {
    if (after.empty()) return true;
    const char c = after[0];
    const bool goes_on = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                         (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 128 ||
                         std::string("_.-+/&").find(c) != std::string::npos;
    return !goes_on;
  };
  return ends_word(rest) || (start == "inf" && begins_with_inity() && ends_word(rest.substr(5)));
}

bool is_word(const std::string& text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 128;
  };
  if (text.empty() || !letter(text[0])) return false;
  const auto first = static_cast<unsigned char>(text[0]);
  if (first >= 128 && first < 0xc2) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == '/' ||
           c == '&';
  });
}

// The members of a list once each, numbers by value and then words; none if one is neither.
std::optional<std::string> set_of(const std::string& list) {
  std::map<double, int> numbers;
  std::set<std::string> words;
  std::istringstream members(list + ",");
  for (std::string member; std::getline(members, member, ',');) {
    if (reference_is_number(member)) {
      const double value = std::strtod(member.c_str(), nullptr);
      if (std::isinf(value)) return std::nullopt;
      numbers[value + 0.0];
    } else if (is_word(member) && !spells_non_finite(member)) {
      words.insert(member);
    } else {
      return std::nullopt;
    }
  }
  std::string set;
  for (const auto& [number, unused] : numbers) {
    set += (set.empty() ? "" : ",") + fmt::format("{}", number);
  }
  for (const auto& word : words) set += (set.empty() ? "" : ",") + word;
  return set;
}

class Line {
 public:
  Line(const std::string& text, std::uint64_t number, std::optional<std::uint32_t> base)
      : number_(number), base_(base), tokens_(split(text)) {}

  bool empty() const { return tokens_.empty(); }

  // The column of the first complaint, or 0.
  std::size_t parse(ReferenceFile& file, ReferenceRow& row) {
    std::size_t first_feature = 0;
    if (tokens_[0].text.find(':') == std::string::npos) {
      first_feature = 1;
      if (const std::size_t column = parse_label(row)) return column;
    }
    label_known = true;
    std::vector<std::pair<std::uint32_t, std::size_t>> seen;
    for (std::size_t i = first_feature; i < tokens_.size(); ++i) {
      if (const std::size_t column = parse_feature(tokens_[i], file, row, seen)) return column;
    }
    for (const auto& [index, column] : seen) {
      if (base_ == 1u && index == 0) return column;
    }
    std::set<std::uint32_t> before;
    for (const auto& [index, column] : seen) {
      if (!before.insert(index).second) return column;
    }
    return 0;
  }

  bool label_known = false;
  std::size_t label_column() const { return tokens_[0].column; }

 private:
  std::size_t parse_label(ReferenceRow& row) {
    const Token& token = tokens_[0];
    if (reference_is_number(token.text)) {
      row.number = std::strtod(token.text.c_str(), nullptr);
      return std::isinf(*row.number) ? token.column : 0;
    }
    if (spells_non_finite(token.text)) return token.column;
    if (is_word(token.text)) {
      row.word = token.text;
      return 0;
    }
    // A number too large with something behind it, or a list of labels, is reported as a whole.
    std::smatch match;
    static const std::regex kPrefix(R"(^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)");
    if (std::regex_search(token.text, match, kPrefix) &&
        std::isinf(std::strtod(match.str().c_str(), nullptr))) {
      return token.column;
    }
    if (token.text.find(',') != std::string::npos) {
      row.set = set_of(token.text);
      return row.set ? 0 : token.column;
    }
    const auto nul = token.text.find('\0');
    return nul == std::string::npos ? token.column : token.column + nul;
  }

  std::size_t parse_feature(const Token& token, ReferenceFile& file, ReferenceRow& row,
                            std::vector<std::pair<std::uint32_t, std::size_t>>& seen) const {
    if (token.text.substr(0, 4) == "qid:") {
      const std::string id = token.text.substr(4);
      const bool good = reference_is_number(id) && std::isfinite(std::strtod(id.c_str(), nullptr));
      return good ? 0 : token.column;
    }
    const auto nul = token.text.find('\0');
    if (nul != std::string::npos) return token.column + nul;
    const auto colon = token.text.find(':');
    if (colon == std::string::npos || colon == 0) return token.column;
    std::string index = token.text.substr(0, colon);
    if (index.find_first_not_of("0123456789") != std::string::npos) return token.column;
    index.erase(0, std::min(index.find_first_not_of('0'), index.size() - 1));
    if (index.size() > 10 || std::stoull(index) > 4294967295ULL) return token.column;
    const std::string value = token.text.substr(colon + 1);
    const std::size_t value_column = token.column + colon + 1;
    if (!reference_is_number(value)) return value_column;
    const float number = std::strtof(value.c_str(), nullptr);
    if (std::isinf(number)) return value_column;
    const auto id = static_cast<std::uint32_t>(std::stoull(index));
    seen.emplace_back(id, token.column);
    file.has_index_zero = file.has_index_zero || id == 0;
    file.largest_index = std::max(file.largest_index, id);
    if (number != 0.0F) row.values[id] = number;
    return 0;
  }

  std::uint64_t number_;
  std::optional<std::uint32_t> base_;
  std::vector<Token> tokens_;
};

}  // namespace

bool reference_is_number(const std::string& token) {
  if (token.find('\0') != std::string::npos || token.find('\n') != std::string::npos) return false;
  static const std::regex kNumber(R"([+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?)");
  return std::regex_match(token, kNumber);
}

ReferenceFile reference_svmlight(std::string text, std::optional<std::uint32_t> base) {
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.erase(0, 3);
  ReferenceFile file;
  std::optional<bool> first_is_word;
  bool mixture_reported = false;
  std::uint64_t number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string line = text.substr(0, end);
    text = end == std::string::npos ? "" : text.substr(end + 1);
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    line = line.substr(0, line.find('#'));
    Line parser(line, number, base);
    if (parser.empty()) continue;
    ReferenceRow row;
    const std::size_t column = parser.parse(file, row);
    if (parser.label_known && (row.word || row.number)) {
      if (!first_is_word) first_is_word = row.word.has_value();
      if (*first_is_word != row.word.has_value() && !mixture_reported) {
        mixture_reported = true;
        file.errors.push_back({number, parser.label_column()});
      }
    }
    if (column != 0) {
      file.errors.push_back({number, column});
    } else {
      file.rows.push_back(row);
    }
  }
  return file;
}

}  // namespace pegasos::testing
