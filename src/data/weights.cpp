#include "pegasos/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/file.h"
#include "data/number_parser.h"
#include "data/row_block.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

std::string_view trimmed(std::string_view line) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

}  // namespace

std::vector<double> read_weights(const std::string& path) {
  const GrowBuffer<char> bytes = read_file_beginning_with("", path);
  const std::string text(bytes.data(), bytes.size());
  std::vector<double> weights;
  std::uint64_t blank_lines = 0;
  std::uint64_t line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view word = trimmed(std::string_view(text).substr(begin, end - begin));
    ++line;
    const auto fail = [&](const std::string& message) {
      throw ParseError(path, {diagnose(text, begin, begin, line, message)});
    };
    if (word.empty()) {
      ++blank_lines;
    } else {
      double weight = 0;
      NumberProblem problem = NumberProblem::none;
      const std::string number(word);  // parse_number reads ahead
      const char* const stop = number.data() + number.size();
      if (parse_number(number.data(), stop, weight, problem) != stop || !(weight >= 0)) {
        fail(fmt::format("weight '{}' is not a number of 0 or more", printable(word)));
      }
      if (blank_lines > 0) fail("blank line before this weight");
      weights.push_back(weight);
    }
    begin = end + 1;
  }
  return weights;
}

Dataset with_weights(const Dataset& data, std::vector<double> weights) {
  if (weights.size() != data.rows()) {
    throw InvalidOption("weights",
                        fmt::format("{} given for {} rows", weights.size(), data.rows()));
  }
  for (const double weight : weights) {
    if (!(weight >= 0) || std::isinf(weight)) {
      throw InvalidOption("weights", "must be finite, 0 or more");
    }
  }
  using Both = std::pair<Dataset, std::vector<double>>;
  const auto owner = std::make_shared<const Both>(data, std::move(weights));
  DatasetParts parts = data.parts();
  parts.weights = owner->second;
  parts.owner = owner;
  return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
}

}  // namespace pegasos
