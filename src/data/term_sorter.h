// Puts the terms of a cell into the order of their features.
//
// A cell has a few hundred terms of a vocabulary of some ten thousand. A bit for each feature, in
// words that fit the first cache, and a bit for each of these words give the order in one pass,
// without a comparison. Where there are so many features that their bits do not fit, terms are
// sorted.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pegasos/dataset.h"

namespace pegasos {

class TermSorter {
 public:
  explicit TermSorter(std::size_t features) : has_bits_(features <= kMostFeatures) {
    if (!has_bits_) return;
    counts_.resize(features);
    bits_.resize(features / 64 + 1);
    groups_.resize(bits_.size() / 64 + 1);
  }

  // Each feature at most once.
  void add(FeatureId feature, float count) {
    if (has_bits_) {
      counts_[feature] = count;
      bits_[feature / 64] |= std::uint64_t{1} << feature % 64;
      groups_[feature / 4096] |= std::uint64_t{1} << feature / 64 % 64;
    } else {
      terms_.push_back(std::uint64_t{feature} << 32 | std::bit_cast<std::uint32_t>(count));
    }
  }

  // Calls take(feature, count) for all in ascending order, and forgets them.
  template <typename Take>
  void drain(const Take& take) {
    if (!has_bits_) {
      std::sort(terms_.begin(), terms_.end());
      for (const std::uint64_t term : terms_) {
        take(static_cast<FeatureId>(term >> 32),
             std::bit_cast<float>(static_cast<std::uint32_t>(term)));
      }
      terms_.clear();
      return;
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (; groups_[g] != 0; groups_[g] &= groups_[g] - 1) {
        const std::size_t word = 64 * g + static_cast<std::size_t>(std::countr_zero(groups_[g]));
        std::uint64_t bits = bits_[word];
        bits_[word] = 0;
        for (; bits != 0; bits &= bits - 1) {
          const std::size_t feature = 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
          take(static_cast<FeatureId>(feature), counts_[feature]);
        }
      }
    }
  }

 private:
  static constexpr std::size_t kMostFeatures = std::size_t{1} << 20;

  bool has_bits_;
  std::vector<float> counts_;          // of features whose bit is set
  std::vector<std::uint64_t> bits_;    // of features
  std::vector<std::uint64_t> groups_;  // of words of bits_
  std::vector<std::uint64_t> terms_;   // the feature, and below it the bits of the count
};

}  // namespace pegasos
