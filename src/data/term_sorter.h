// Puts the terms of a cell into the order of their features.
//
// A cell has a few hundred terms of a vocabulary of some ten thousand. A bit for each feature, in
// words that fit the first cache, and a bit for each of these words give the order in one pass,
// without a comparison. Where there are so many features that their bits do not fit, terms are
// sorted.
//
// There is no branch on what cannot be foreseen: whether a term is dropped, and whether a word has
// a second bit.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pegasos/dataset.h"

namespace pegasos {

class TermSorter {
 public:
  explicit TermSorter(std::size_t features)
      : dropped_(static_cast<FeatureId>(features)), has_bits_(features <= kMostFeatures) {
    if (!has_bits_) return;
    bits_.resize(features / 64 + 1);
    groups_.resize(bits_.size() / 64 + 1);
    counts_.resize(64 * bits_.size());
  }

  // Each feature at most once. What is none of the features is dropped.
  void add(FeatureId feature, float count) {
    feature = std::min(feature, dropped_);
    if (has_bits_) {
      counts_[feature] = count;
      bits_[feature / 64] |= std::uint64_t{1} << feature % 64;
      groups_[feature / 4096] |= std::uint64_t{1} << feature / 64 % 64;
      ++added_;
    } else if (feature != dropped_) {
      terms_.push_back(std::uint64_t{feature} << 32 | std::bit_cast<std::uint32_t>(count));
    }
  }

  // What was added, in ascending order, until drain is called again.
  struct Terms {
    std::span<const FeatureId> features;
    std::span<const float> counts;
  };
  Terms drain() {
    const std::size_t room = std::max(added_, terms_.size()) + 1;
    if (features_.size() < room) {
      features_.resize(2 * room);
      values_.resize(2 * room);
    }
    const std::size_t count = has_bits_ ? drain_bits() : drain_sorted();
    added_ = 0;
    return {{features_.data(), count}, {values_.data(), count}};
  }

 private:
  std::size_t drain_sorted() {
    std::sort(terms_.begin(), terms_.end());
    std::size_t out = 0;
    for (const std::uint64_t term : terms_) {
      features_[out] = static_cast<FeatureId>(term >> 32);
      values_[out++] = std::bit_cast<float>(static_cast<std::uint32_t>(term));
    }
    terms_.clear();
    return out;
  }

  std::size_t drain_bits() {
    std::size_t out = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      std::uint64_t group = groups_[g];
      groups_[g] = 0;
      for (; group != 0; group &= group - 1) {
        out = drain_word(64 * g + static_cast<std::size_t>(std::countr_zero(group)), out);
      }
    }
    return out - (out > 0 && features_[out - 1] == dropped_ ? 1 : 0);
  }

  // Two at a time: of the second it does not matter what is written if there is none.
  std::size_t drain_word(std::size_t word, std::size_t out) {
    constexpr std::uint64_t kLast = std::uint64_t{1} << 63;
    const float* const counts = counts_.data() + 64 * word;
    FeatureId* const features = features_.data();
    float* const values = values_.data();
    const auto first = static_cast<FeatureId>(64 * word);
    std::uint64_t bits = bits_[word];
    bits_[word] = 0;
    do {
      const int one = std::countr_zero(bits | kLast);
      bits &= bits - 1;
      const int two = std::countr_zero(bits | kLast);
      features[out] = first + static_cast<FeatureId>(one);
      features[out + 1] = first + static_cast<FeatureId>(two);
      values[out] = counts[one];
      values[out + 1] = counts[two];
      out += bits != 0 ? 2 : 1;
      bits &= bits - 1;
    } while (bits != 0);
    return out;
  }

  static constexpr std::size_t kMostFeatures = std::size_t{1} << 20;

  FeatureId dropped_;  // stands for all that are dropped, behind the last
  bool has_bits_;
  std::size_t added_ = 0;
  std::vector<float> counts_;          // of features whose bit is set
  std::vector<std::uint64_t> bits_;    // of features
  std::vector<std::uint64_t> groups_;  // of words of bits_
  std::vector<std::uint64_t> terms_;   // the feature, and below it the bits of the count
  std::vector<FeatureId> features_;    // in ascending order, with room for one more
  std::vector<float> values_;
};

}  // namespace pegasos
