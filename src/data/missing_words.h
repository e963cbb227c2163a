// The cells that mean a missing value: the empty one, and NA, null, ? and whatever else was agreed
// on.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pegasos {

class MissingWords {
 public:
  MissingWords() = default;
  explicit MissingWords(std::vector<std::string> words) : words_(std::move(words)) {
    for (const auto& word : words_) {
      longest_ = std::max(longest_, word.size());
      if (!word.empty()) begins_[static_cast<unsigned char>(word[0])] = true;
    }
  }

  const std::vector<std::string>& words() const { return words_; }

  bool contains(std::string_view cell) const {
    if (cell.empty()) return true;
    // Nearly every cell is told by its first character or its length.
    if (cell.size() > longest_ || !begins_[static_cast<unsigned char>(cell[0])]) return false;
    return std::find(words_.begin(), words_.end(), cell) != words_.end();
  }

 private:
  std::vector<std::string> words_;
  std::array<bool, 256> begins_{};
  std::size_t longest_ = 0;
};

}  // namespace pegasos
