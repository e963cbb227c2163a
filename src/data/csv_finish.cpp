#include "data/csv_finish.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "data/csv_ranks.h"
#include "data/number_scale.h"
#include "data/term_sorter.h"
#include "data/term_weights.h"
#include "data/word_order.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

using Role = CsvColumn::Role;

constexpr std::uint64_t kLeastMissing = 5;
constexpr std::size_t kChunkRows = 1024;

class Finish {
 public:
  Finish(CsvPlan& plan, const CsvGathered& gathered, TextFormat::Rows rows, ThreadPool& pool)
      : plan_(plan),
        gathered_(gathered),
        rows_(rows),
        pool_(pool),
        layout_(plan.layout),
        final_id_(plan.fixed_features + gathered.words.words().size(), kNoFeature),
        number_(plan.fixed_features) {}

  CsvLayout run() {
    count_term_rows();
    number_features();
    fit_medians();
    fit_scales();
    convert_rows();
    describe();
    return std::move(layout_);
  }

 private:
  std::uint64_t own_rows() const { return rows_.offsets.size() - 1; }
  std::uint64_t present(std::size_t j) const { return gathered_.rows - gathered_.missing[j]; }

  // In how many rows each word of a text, or each hash, occurs.
  void count_term_rows() {
    if (!plan_.has_text) return;
    term_rows_.assign(final_id_.size(), 0);
    for (const FeatureId f : rows_.features) ++term_rows_[f];
    sum_counts_over_ranks(term_rows_, plan_.fixed_features, gathered_.words.words(), pool_.ranks());
  }

  // ── features ────────────────────────────────────────────────────────────────────────────────

  void number_features() {
    const auto& words = gathered_.words.words();
    std::vector<std::vector<std::uint32_t>> of_column(layout_.columns.size());
    for (std::uint32_t k = 0; k < words.size(); ++k) of_column[words.column(k)].push_back(k);
    std::uint64_t next = 0;
    for (std::uint32_t j = 0; j < layout_.columns.size(); ++j) {
      CsvColumn& column = layout_.columns[j];
      const CsvTarget& target = plan_.targets[j];
      column.first_feature = static_cast<std::uint32_t>(next);
      if (column.role == Role::text) {
        finish_text(column, target, of_column[j]);
        texts_.push_back({j, column.first_feature,
                          static_cast<FeatureId>(column.text.term_rows.size()),
                          term_rarities(column.text)});
      } else if (column.role == Role::words) {
        take_words(column, of_column[j]);
      } else if (column.role == Role::number) {
        final_id_[target.feature] = column.first_feature;
        number_[target.feature] = {j, 0, true};
      } else if (column.role == Role::date) {
        number_date(column, target, j);
      }
      decide_on_missing(column, target, j);
      next += column.features();
      if (next > std::numeric_limits<FeatureId>::max()) throw Error("more than 2^32 features");
    }
    features_ = static_cast<std::size_t>(next);
  }

  void take_words(CsvColumn& column, std::vector<std::uint32_t>& words) {
    const auto& all = gathered_.words.words();
    sort_by_text(all, words);
    for (const std::uint32_t k : words) {
      final_id_[plan_.fixed_features + k] =
          column.first_feature + static_cast<FeatureId>(column.words.size());
      column.words.emplace_back(all.text(k));
    }
  }

  void finish_text(CsvColumn& column, const CsvTarget& target, std::vector<std::uint32_t>& words) {
    column.text.rows = gathered_.rows;
    const std::uint32_t bits = column.text.rules.hash_bits;
    if (bits > 0) {
      const std::size_t count = std::size_t{1} << bits;
      for (std::size_t h = 0; h < count; ++h) {
        final_id_[target.feature + h] = column.first_feature + static_cast<FeatureId>(h);
        column.text.term_rows.push_back(term_rows_[target.feature + h]);
      }
      return;
    }
    const auto rows_of = [this](std::uint32_t k) { return term_rows_[plan_.fixed_features + k]; };
    std::vector<std::uint32_t> kept;
    std::copy_if(words.begin(), words.end(), std::back_inserter(kept),
                 [&](std::uint32_t k) { return rows_of(k) >= column.text.rules.least_rows; });
    if (kept.empty()) kept = words;  // of a handful of rows every term is rare
    take_words(column, kept);
    for (const std::uint32_t k : kept) column.text.term_rows.push_back(rows_of(k));
  }

  void number_date(const CsvColumn& column, const CsvTarget& target, std::uint32_t j) {
    final_id_[target.feature] = column.first_feature;
    number_[target.feature] = {j, 0, true};
    number_[target.parts] = {j, 1, true};
    const auto parts = static_cast<FeatureId>(column.features() - 1);
    for (FeatureId k = 0; k < parts; ++k) {
      final_id_[target.parts + k] = column.first_feature + 1 + k;
    }
  }

  void decide_on_missing(CsvColumn& column, const CsvTarget& target, std::uint32_t j) {
    if (target.missing == kNoFeature || plan_.missing == MissingValues::zero) return;
    const std::uint64_t holes = gathered_.missing[j];
    const bool matters = column.role == Role::words
                             ? holes > 0
                             : holes >= kLeastMissing && present(j) >= kLeastMissing;
    if (!matters) return;
    column.missing_feature = true;
    final_id_[target.missing] =
        column.first_feature + static_cast<FeatureId>(column.features() - 1);
  }

  // ── numbers ─────────────────────────────────────────────────────────────────────────────────

  double origin_of(const CsvTarget& target) const { return target.scale[0].origin; }

  // Of columns with holes the true one; of others that of the sample, which the plan has.
  void fit_medians() {
    for (std::size_t j = 0; j < layout_.columns.size(); ++j) {
      CsvColumn& column = layout_.columns[j];
      if (column.role != Role::number) continue;
      const auto n = static_cast<double>(std::max<std::uint64_t>(1, present(j)));
      column.mean = plan_.centres[j] + gathered_.sums[j].sum / n;
      if (present(j) == 0) column.mean = 0.0;
      if (gathered_.missing[j] == 0 || plan_.missing != MissingValues::median) continue;
      column.median = median_of(static_cast<FeatureId>(j), own_rows() - gathered_.own_missing[j]) +
                      origin_of(plan_.targets[j]);
    }
  }

  double median_of(FeatureId feature, std::uint64_t count) const {
    std::vector<float> values;
    values.reserve(count);
    for (std::size_t e = 0; e < rows_.features.size(); ++e) {
      if (rows_.features[e] == feature && !std::isnan(rows_.values[e])) {
        values.push_back(rows_.values[e]);
      }
    }
    values.resize(count);  // zeros are not always stored
    return median_over_ranks(values, pool_.ranks());
  }

  struct Spread {
    double mean = 0.0;  // of the numbers themselves
    double deviation = 0.0;
    double smallest = 0.0;
    double largest = 0.0;
  };

  Spread spread_of(FeatureId feature, std::size_t j, bool keeps_zeros) const {
    Spread spread;
    const RowBlock::NumberSums& sums = gathered_.sums[feature];
    const double centre = plan_.centres[feature];
    const auto n = static_cast<double>(present(j));
    if (present(j) == 0 || sums.smallest > sums.largest) return spread;
    const double mean = sums.sum / n;
    spread.mean = centre + mean;
    spread.deviation = std::sqrt(std::max(0.0, sums.squares / n - mean * mean));
    spread.smallest = centre + sums.smallest;
    spread.largest = centre + sums.largest;
    if (!keeps_zeros) {
      spread.smallest = std::min(spread.smallest, 0.0);
      spread.largest = std::max(spread.largest, 0.0);
    }
    return spread;
  }

  static double inverse(double size) {
    return size > 0.0 && std::isfinite(1.0 / size) ? 1.0 / size : 1.0;
  }

  ColumnScale scale_of(const Spread& spread, double origin, bool shifts) const {
    ColumnScale scale;
    scale.origin = origin;
    switch (gathered_.scaling) {
      case TableScaling::none:
        break;
      case TableScaling::standard:
        scale.shift = shifts ? spread.mean - origin : -origin;
        scale.factor = inverse(spread.deviation);
        // A constant column is zero after the shift, whatever rounding left of its deviation.
        if (spread.largest == spread.smallest) scale.factor = 1.0;
        break;
      case TableScaling::min_max:
        scale.shift = shifts ? spread.smallest - origin : -origin;
        scale.factor = inverse(spread.largest - spread.smallest);
        break;
      case TableScaling::max_abs:
        scale.shift = -origin;
        scale.factor = inverse(std::max(std::abs(spread.smallest), std::abs(spread.largest)));
        break;
    }
    return scale;
  }

  void fit_scales() {
    for (std::size_t j = 0; j < layout_.columns.size(); ++j) {
      CsvColumn& column = layout_.columns[j];
      const CsvTarget& target = plan_.targets[j];
      if (column.role == Role::number && gathered_.scaling != TableScaling::none) {
        const Spread spread = spread_of(target.feature, j, target.keeps_zeros);
        column.scales = {scale_of(spread, origin_of(target), target.keeps_zeros)};
      }
      if (column.role == Role::date) fit_date(column, target, j);
    }
  }

  void fit_date(CsvColumn& column, const CsvTarget& target, std::size_t j) {
    const Spread days = spread_of(target.feature, j, true);
    const Spread years = spread_of(target.parts, j, true);
    const double origin = origin_of(target);
    if (gathered_.scaling == TableScaling::none) {
      column.scales = {{origin, days.largest - origin, -1.0}, {0.0, 2000.0, 1.0}};
      return;
    }
    column.scales = {scale_of(days, origin, true), scale_of(years, 0.0, true)};
    column.scales[0].factor = -column.scales[0].factor;
  }

  // ── rows ────────────────────────────────────────────────────────────────────────────────────

  // Which number of a column a provisional feature is.
  struct NumberOf {
    std::uint32_t column = 0;
    std::uint32_t part = 0;
    bool is = false;
  };

  // The final features of the terms of a text column.
  struct Terms {
    std::uint32_t column;
    FeatureId first;
    FeatureId count;
    std::vector<double> rarities;

    bool have(FeatureId id) const { return id - first < count; }
  };

  struct Chunk {
    std::size_t first_row = 0;
    std::size_t last_row = 0;
    std::size_t begin = 0;  // of its values
    std::size_t kept = 0;
  };

  // Nothing but numbers and words as they are: features get their final ids, and that is all.
  bool only_renumbers() const {
    return !plan_.needs_spread && !plan_.has_text &&
           std::all_of(gathered_.missing.begin(), gathered_.missing.end(),
                       [](std::uint64_t holes) { return holes == 0; });
  }

  void renumber() {
    constexpr std::size_t kChunk = std::size_t{1} << 16;
    const std::size_t count = rows_.features.size();
    pool_.for_each((count + kChunk - 1) / kChunk, [&](std::size_t c) {
      const std::size_t end = std::min(count, (c + 1) * kChunk);
      for (std::size_t e = c * kChunk; e < end; ++e) {
        rows_.features[e] = final_id_[rows_.features[e]];
      }
    });
  }

  void convert_rows() {
    if (only_renumbers()) {
      renumber();
      return;
    }
    for (std::size_t j = 0; j < layout_.columns.size(); ++j) {
      const CsvColumn& column = layout_.columns[j];
      fills_.push_back(column.role == Role::number ? fill_value(column, plan_.missing) : 0.0F);
    }
    const std::size_t rows = own_rows();
    std::vector<Chunk> chunks((rows + kChunkRows - 1) / kChunkRows);
    for (std::size_t c = 0; c < chunks.size(); ++c) {
      chunks[c].first_row = c * kChunkRows;
      chunks[c].last_row = std::min(rows, (c + 1) * kChunkRows);
      chunks[c].begin = static_cast<std::size_t>(rows_.offsets[c * kChunkRows]);
    }
    // The offset behind a chunk is the next one's beginning, which that one does not change.
    std::vector<std::uint64_t> ends;
    ends.reserve(chunks.size());
    for (const Chunk& chunk : chunks) ends.push_back(rows_.offsets[chunk.last_row]);
    pool_.for_each(chunks.size(), [&](std::size_t c) { convert(chunks[c], ends[c]); });
    join(chunks);
  }

  // Converts the rows of a chunk and moves them together at its beginning. Offsets of its rows but
  // the first then count from the beginning of the chunk; the last is in `kept`.
  void convert(Chunk& chunk, std::uint64_t end_of_chunk) const {
    TermSorter terms(plan_.has_text ? features_ : 0);
    std::size_t out = chunk.begin;
    auto begin = chunk.begin;
    for (std::size_t i = chunk.first_row; i < chunk.last_row; ++i) {
      const auto end =
          static_cast<std::size_t>(i + 1 < chunk.last_row ? rows_.offsets[i + 1] : end_of_chunk);
      for (std::size_t e = begin; e < end;) {
        const FeatureId id = final_id_[rows_.features[e]];
        const auto text = std::find_if(texts_.begin(), texts_.end(),
                                       [id](const Terms& its) { return its.have(id); });
        if (text != texts_.end()) {
          e = convert_terms(e, end, *text, out, terms);
        } else {
          convert_value(e++, out);
        }
      }
      begin = end;
      if (i + 1 < chunk.last_row) rows_.offsets[i + 1] = out - chunk.begin;
    }
    chunk.kept = out - chunk.begin;
  }

  void convert_value(std::size_t e, std::size_t& out) const {
    const FeatureId f = rows_.features[e];
    float value = rows_.values[e];
    if (f < number_.size() && number_[f].is) {
      const CsvColumn& column = layout_.columns[number_[f].column];
      if (std::isnan(value)) {
        value = fills_[number_[f].column];
      } else if (!column.scales.empty()) {
        value = scaled(value, column.scales[number_[f].part]);
      }
    }
    rows_.features[out] = final_id_[f];
    rows_.values[out] = value;
    out += value != 0.0F && final_id_[f] != kNoFeature ? 1 : 0;
  }

  // The terms of one cell, from e on. Returns their end. What was dropped is passed over, whichever
  // cell it is of.
  std::size_t convert_terms(std::size_t e, std::size_t end, const Terms& text, std::size_t& out,
                            TermSorter& terms) const {
    const FeatureId* const final_ids = final_id_.data();
    FeatureId* const features = rows_.features.data();
    float* const values = rows_.values.data();
    for (; e < end; ++e) {
      const FeatureId id = final_ids[features[e]];
      if (!text.have(id) && id != kNoFeature) break;
      terms.add(id, values[e]);
    }
    const TermSorter::Terms kept = terms.drain();
    std::copy(kept.features.begin(), kept.features.end(), features + out);
    weigh_terms(text.rarities, text.first, kept.features, kept.counts, values + out);
    out += kept.features.size();
    return e;
  }

  void join(const std::vector<Chunk>& chunks) {
    std::size_t out = 0;
    for (const Chunk& chunk : chunks) {
      if (out != chunk.begin && chunk.kept > 0) {
        std::memmove(&rows_.features[out], &rows_.features[chunk.begin],
                     chunk.kept * sizeof(FeatureId));
        std::memmove(&rows_.values[out], &rows_.values[chunk.begin], chunk.kept * sizeof(float));
      }
      for (std::size_t i = chunk.first_row + 1; i < chunk.last_row; ++i) rows_.offsets[i] += out;
      out += chunk.kept;
      rows_.offsets[chunk.last_row] = out;
    }
  }

  void describe() {
    for (std::size_t j = 0; j < layout_.columns.size(); ++j) {
      const CsvColumn& column = layout_.columns[j];
      plan_.profile[j].features = column.features();
      if (column.role == Role::text) plan_.profile[j].remark = remark_on(column);
    }
  }

  std::string remark_on(const CsvColumn& column) const {
    const TextRules& rules = column.text.rules;
    std::string text = rules.word_grams > 0 ? fmt::format("1 to {} words", rules.word_grams) : "";
    if (rules.char_from > 0) {
      text += fmt::format("{}{} to {} characters", text.empty() ? "" : ", ", rules.char_from,
                          rules.char_to);
    }
    if (rules.hash_bits == 0) return text;
    const auto used = static_cast<std::uint64_t>(
        std::count_if(column.text.term_rows.begin(), column.text.term_rows.end(),
                      [](std::uint32_t rows) { return rows > 0; }));
    const std::uint64_t terms = gathered_.hashed_terms.size();
    return text + fmt::format(", hashed: {} distinct terms in {} of 2^{} features", terms, used,
                              rules.hash_bits);
  }

  CsvPlan& plan_;
  const CsvGathered& gathered_;
  TextFormat::Rows rows_;
  ThreadPool& pool_;
  CsvLayout layout_;
  std::vector<FeatureId> final_id_;  // of provisional ids; kNoFeature: dropped
  std::vector<NumberOf> number_;     // of those before the words
  std::vector<std::uint32_t> term_rows_;
  std::size_t features_ = 0;  // in the end
  std::vector<float> fills_;  // of columns
  std::vector<Terms> texts_;
};

}  // namespace

CsvLayout finish_csv(CsvPlan& plan, const CsvGathered& gathered, TextFormat::Rows rows,
                     ThreadPool& pool) {
  return Finish(plan, gathered, rows, pool).run();
}

}  // namespace pegasos
