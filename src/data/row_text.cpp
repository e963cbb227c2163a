#include "data/row_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/number_text.h"
#include "pegasos/error.h"

namespace pegasos {

LabelText::LabelText(std::vector<std::string> words)
    : words_(std::move(words)), longest_(kLongestNumber) {
  for (const auto& word : words_) longest_ = std::max(longest_, word.size());
}

char* LabelText::write(char* out, double label) const {
  if (std::isnan(label)) return out;
  if (words_.empty()) return write_number(out, label);
  if (!(label >= 0) || label >= static_cast<double>(words_.size()) || std::floor(label) != label) {
    throw Error(fmt::format("label {} is not the index of one of the {} label words", label,
                            words_.size()));
  }
  const std::string& word = words_[static_cast<std::size_t>(label)];
  return std::copy(word.begin(), word.end(), out);
}

}  // namespace pegasos
