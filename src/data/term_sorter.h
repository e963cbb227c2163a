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

  // Writes all in ascending order, and forgets them. Returns how many they were.
  std::size_t drain(FeatureId* features, float* values) {
    return has_bits_ ? drain_bits(features, values) : drain_sorted(features, values);
  }

 private:
  std::size_t drain_sorted(FeatureId* features, float* values) {
    std::sort(terms_.begin(), terms_.end());
    for (const std::uint64_t term : terms_) {
      *features++ = static_cast<FeatureId>(term >> 32);
      *values++ = std::bit_cast<float>(static_cast<std::uint32_t>(term));
    }
    const std::size_t count = terms_.size();
    terms_.clear();
    return count;
  }

  std::size_t drain_bits(FeatureId* features, float* values) {
    const float* const counts = counts_.data();
    std::uint64_t* const words = bits_.data();
    std::size_t out = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      std::uint64_t group = groups_[g];
      if (group == 0) continue;
      groups_[g] = 0;
      for (; group != 0; group &= group - 1) {
        const std::size_t word = 64 * g + static_cast<std::size_t>(std::countr_zero(group));
        std::uint64_t bits = words[word];
        words[word] = 0;
        for (; bits != 0; bits &= bits - 1) {
          const std::size_t feature = 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
          features[out] = static_cast<FeatureId>(feature);
          values[out++] = counts[feature];
        }
      }
    }
    return out;
  }

  static constexpr std::size_t kMostFeatures = std::size_t{1} << 20;

  bool has_bits_;
  std::vector<float> counts_;          // of features whose bit is set
  std::vector<std::uint64_t> bits_;    // of features
  std::vector<std::uint64_t> groups_;  // of words of bits_
  std::vector<std::uint64_t> terms_;   // the feature, and below it the bits of the count
};

}  // namespace pegasos
