// Generated documents: bags of words with tf-idf values.
//
//   vocabulary   the word of rank r has probability p ∝ (r + 10)^-1.1 (Zipf, the commonest words
//                left out as a list of stop words would); ranks are dealt to the feature ids at
//                random. Some words belong to the topic of one class.
//   document     n different words, n log-normal around words_per_row; words are drawn until there
//                are n, and topic words mostly exchanged for those of the document's class.
//   value        log(1 + tf) · idf, the row scaled to length 1, six significant digits
//
// How many topic words are exchanged differs from document to document: some are typical of their
// class, some hardly say anything. That keeps a share of them hard however many one has.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "data/number_text.h"
#include "data/row_maker.h"

namespace pegasos {
namespace {

constexpr double kZipfExponent = 1.1;
constexpr double kStopWords = 10;
constexpr double kTopicalShare = 0.25;  // of the words belong to a topic
constexpr double kSpreadOfLengths = 0.5;
// In a document a topic word stays as it was drawn with probability kVaguest · u², u uniform, and
// is else exchanged. With 50000 features and 75 words a row a linear SVM with C = 1 then errs
// on 5.2 % of new rows after 1000, on 4.8 % after 10,000 and on 4.2 % after 100,000.
constexpr double kVaguest = 0.9;

// One draw from n given probabilities in constant time (Walker 1977, built as in Vose 1991): a slot
// is chosen evenly, and in it either the slot's own number or its alias.
class AliasTable {
 public:
  explicit AliasTable(std::vector<double> weights) {
    const std::size_t n = weights.size();
    const double mean =
        std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(n);
    std::vector<std::uint32_t> small;
    std::vector<std::uint32_t> large;
    for (std::uint32_t i = 0; i < n; ++i) {
      weights[i] /= mean;
      (weights[i] < 1 ? small : large).push_back(i);
    }
    slots_.resize(n);
    while (!small.empty() && !large.empty()) {
      const std::uint32_t i = small.back();
      const std::uint32_t donor = large.back();
      small.pop_back();
      slots_[i] = {static_cast<std::uint32_t>(weights[i] * 0x1.0p32), donor};
      weights[donor] -= 1 - weights[i];
      if (weights[donor] < 1) {
        large.pop_back();
        small.push_back(donor);
      }
    }
    // What is left is 1 up to rounding.
    for (const auto& rest : {small, large}) {
      for (const std::uint32_t i : rest) slots_[i] = {0, i};
    }
  }

  std::uint32_t draw(Random& random) const {
    const std::uint64_t slot = (std::uint64_t{random.next32()} * slots_.size()) >> 32;
    const Slot& chosen = slots_[slot];
    return random.next32() < chosen.own ? static_cast<std::uint32_t>(slot) : chosen.alias;
  }

 private:
  struct Slot {
    std::uint32_t own;  // share of the slot's own number, times 2^32
    std::uint32_t alias;
  };
  std::vector<Slot> slots_;
};

// The words of one document with their counts.
class WordCounts {
 public:
  // Forgets all words and makes room for `most` different ones.
  void restart(std::size_t most) {
    const std::size_t slots = std::bit_ceil(2 * most + 1);
    slots_.assign(slots, 0);
    shift_ = 64 - std::countr_zero(slots);
    words_.clear();
  }

  std::size_t different() const { return words_.size(); }

  void add(FeatureId id) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (id * 0x9e3779b97f4a7c15u) >> shift_;
    for (; slots_[at] != 0; at = (at + 1) & mask) {
      std::uint64_t& word = words_[slots_[at] - 1];
      if (word >> 32 == id) {
        ++word;
        return;
      }
    }
    words_.push_back((std::uint64_t{id} << 32) + 1);
    slots_[at] = static_cast<std::uint32_t>(words_.size());
  }

  // id · 2^32 + count, by ascending id. Nothing can be added afterwards.
  std::span<const std::uint64_t> sort() {
    std::sort(words_.begin(), words_.end());
    return words_;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> slots_;  // 1 + place in words_, 0 if free; open addressing
  int shift_ = 0;
};

// Words of the topics. They stand in groups of neighbours in rank, one word for each class, so that
// a word can be exchanged for its counterpart of another class that is about as frequent.
class Topics {
 public:
  Topics(std::span<const FeatureId> by_rank, std::uint32_t classes, Random random)
      : classes_(classes), places_(by_rank.size(), kNowhere) {
    for (const FeatureId id : by_rank) {
      if (random.uniform() < kTopicalShare) words_.push_back(id);
    }
    words_.resize(words_.size() / classes * classes);
    for (std::size_t group = 0; group < words_.size(); group += classes) {
      random.shuffle(std::span(words_).subspan(group, classes));
    }
    for (std::size_t i = 0; i < words_.size(); ++i) {
      places_[words_[i]] = static_cast<std::uint32_t>(i);
    }
  }

  bool has(FeatureId id) const { return places_[id] != kNowhere; }
  FeatureId counterpart(FeatureId id, std::uint32_t of_class) const {
    return words_[places_[id] / classes_ * classes_ + of_class];
  }

 private:
  static constexpr std::uint32_t kNowhere = 0xffffffff;
  std::uint32_t classes_;
  std::vector<std::uint32_t> places_;  // of each word in words_
  std::vector<FeatureId> words_;
};

class TextRows final : public RowMaker {
 public:
  explicit TextRows(const GenerateOptions& options) : TextRows(options, ids_by_rank(options)) {}

  void append(std::uint64_t first, std::size_t count, GeneratedRows& rows) const override {
    WordCounts words;
    std::vector<double> values;
    for (std::uint64_t i = first; i < first + count; ++i) {
      Random random(seed_, i);
      const std::uint32_t of_class = classes_.draw(random);
      draw_words(of_class, random, words);
      append_row(words.sort(), values, rows);
      rows.labels.push_back(classes_.label(of_class, random));
    }
  }

 private:
  TextRows(const GenerateOptions& options, const std::vector<FeatureId>& by_rank)
      : seed_(options.seed),
        mean_words_(options.words_per_row),
        classes_(options),
        topics_(by_rank, static_cast<std::uint32_t>(options.classes),
                shared_random(options, SharedStream::topics)),
        idf_(by_rank.size()) {
    std::vector<double> weights(by_rank.size());
    for (std::size_t i = 0; i < by_rank.size(); ++i) {
      weights[by_rank[i]] = std::pow(static_cast<double>(i + 1) + kStopWords, -kZipfExponent);
    }
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    // About how many words are drawn until enough of them differ.
    const double length = 1.3 * options.words_per_row;
    for (std::size_t id = 0; id < weights.size(); ++id) {
      const double document_share = -std::expm1(-length * weights[id] / total);
      idf_[id] = static_cast<float>(std::log1p(1 / document_share));
    }
    for (std::size_t tf = 0; tf < kCommonCounts; ++tf) {
      log_counts_[tf] = std::log1p(static_cast<double>(tf));
    }
    table_ = AliasTable(std::move(weights));
  }

  static std::vector<FeatureId> ids_by_rank(const GenerateOptions& options) {
    std::vector<FeatureId> ids(features_of(options));
    std::iota(ids.begin(), ids.end(), FeatureId{0});
    shared_random(options, SharedStream::vocabulary).shuffle(std::span<FeatureId>(ids));
    return ids;
  }

  void draw_words(std::uint32_t of_class, Random& random, WordCounts& words) const {
    // Log-normal with the mean asked for; rounding up or down by chance keeps it.
    const double factor =
        std::exp(kSpreadOfLengths * random.normal() - kSpreadOfLengths * kSpreadOfLengths / 2);
    const double wanted = 1 + (mean_words_ - 1) * factor + random.uniform();
    const auto different = std::min(idf_.size(), static_cast<std::size_t>(wanted));
    // Where nearly all words are asked for, the rarest would take for ever.
    const std::size_t most_draws = 16 + 20 * different;
    const double u = random.uniform();
    const auto vague = static_cast<std::uint32_t>(kVaguest * u * u * 0x1.0p32);
    words.restart(different);
    for (std::size_t drawn = 0; drawn < most_draws && words.different() < different; ++drawn) {
      FeatureId id = table_.draw(random);
      if (topics_.has(id) && random.next32() >= vague) id = topics_.counterpart(id, of_class);
      words.add(id);
    }
  }

  double log_count(std::uint32_t tf) const {
    return tf < kCommonCounts ? log_counts_[tf] : std::log1p(static_cast<double>(tf));
  }

  void append_row(std::span<const std::uint64_t> words, std::vector<double>& values,
                  GeneratedRows& rows) const {
    values.clear();
    double squares = 0.0;
    for (const std::uint64_t word : words) {
      const auto tf = static_cast<std::uint32_t>(word);
      const double value = log_count(tf) * double{idf_[word >> 32]};
      squares += value * value;
      values.push_back(value);
    }
    const double norm = std::sqrt(squares);
    for (std::size_t j = 0; j < words.size(); ++j) {
      rows.features.push_back(static_cast<FeatureId>(words[j] >> 32));
      rows.values.push_back(static_cast<float>(round_to_six_digits(values[j] / norm)));
    }
    rows.offsets.push_back(rows.features.size());
  }

  static constexpr std::size_t kCommonCounts = 64;

  std::uint64_t seed_;
  double mean_words_;
  ClassDraw classes_;
  Topics topics_;
  AliasTable table_{{1.0}};
  std::vector<float> idf_;
  double log_counts_[kCommonCounts];
};

}  // namespace

std::unique_ptr<RowMaker> make_text_rows(const GenerateOptions& options) {
  return std::make_unique<TextRows>(options);
}

}  // namespace pegasos
