// svmlight as a text format: what comes before and after parsing a block (svmlight_parser.h has the
// grammar). Numbers the features of a file, or translates its indices to those of a model.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/residency.h"
#include "data/label_words.h"
#include "data/svmlight_parser.h"
#include "data/text_format.h"
#include "simd/arrays.h"

namespace pegasos {
namespace {

// The distinct values, ascending. Sorted runs are merged as soon as two are of similar length, so
// the memory follows the distinct values and not their number.
std::vector<std::uint32_t> distinct(std::span<const std::uint32_t> values) {
  constexpr std::size_t kRun = std::size_t{1} << 20;
  std::vector<std::vector<std::uint32_t>> runs;
  const auto merge_last_two = [&runs] {
    std::vector<std::uint32_t> merged;
    const auto& a = runs[runs.size() - 2];
    const auto& b = runs.back();
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged));
    runs.pop_back();
    runs.back() = std::move(merged);
  };
  while (!values.empty()) {
    const auto part = values.first(std::min(kRun, values.size()));
    values = values.subspan(part.size());
    std::vector<std::uint32_t> run(part.begin(), part.end());
    std::sort(run.begin(), run.end());
    run.erase(std::unique(run.begin(), run.end()), run.end());
    runs.push_back(std::move(run));
    while (runs.size() > 1 && runs[runs.size() - 2].size() < 2 * runs.back().size()) {
      merge_last_two();
    }
  }
  while (runs.size() > 1) merge_last_two();
  return runs.empty() ? std::vector<std::uint32_t>() : std::move(runs.back());
}

class SvmlightFormat : public TextFormat {
 public:
  explicit SvmlightFormat(const ReadOptions& options)
      : base_(options.schema ? options.schema->indices.base() : options.index_base),
        schema_(options.schema),
        skips_bad_rows_(options.bad_rows == BadRows::skip),
        max_errors_(skips_bad_rows_ ? std::numeric_limits<std::size_t>::max() : options.max_errors),
        labels_(options.schema.get()) {}

  void parse(const TextBlock& text, RowBlock& rows) const override {
    if (text.record_too_long) {
      rows.errors.push_back(
          {.line = 1,
           .column = 0,
           .message = fmt::format("the line is longer than {}", longest_in_words(text.size)),
           .hint = hint_on_long_lines().in_words(),
           .remedy = hint_on_long_lines(),
           .excerpt = "",
           .caret = 0});
      return;
    }
    parse_svmlight(text.text(), rows, base_, max_errors_);
    if (skips_bad_rows_) skip_bad_rows(rows);
    if (schema_) apply_schema(rows);
  }

  void adopt(RowBlock& rows) override {
    labels_.adopt(rows);
    non_zeros_ += rows.features.size();
    smallest_ = std::min(smallest_, rows.smallest_index);
    largest_ = std::max(largest_, rows.largest_index);
  }

  const std::vector<std::string>* words_of_sets() const override {
    return labels_.has_sets() ? &labels_.words() : nullptr;
  }

  Schema finish(Rows rows, ThreadPool& pool) override {
    if (schema_) {
      Schema known = *schema_;
      if (labels_.has_sets()) known.label_words = labels_.words();
      return known;
    }
    Schema schema;
    schema.source = DataFormat::svmlight;
    labels_.agree(pool.ranks());
    schema.label_words = labels_.sort(rows.labels);
    schema.multilabel = labels_.has_sets();
    const bool any = smallest_ <= largest_;
    const std::uint32_t base = base_.value_or(any && smallest_ == 0 ? 0 : 1);
    const std::uint64_t span = any ? std::uint64_t{largest_} + 1 - base : 0;
    // One weight per index of the range, as long as the weights do not outgrow the data.
    if (IndexMap::is_worth_its_range(span, non_zeros_)) {
      schema.indices = IndexMap::contiguous(base, span);
      if (base > 0) {
        // In pieces: they need not all be in memory at a time.
        constexpr std::size_t kPiece = std::size_t{1} << 20;
        for (std::size_t at = 0; at < rows.features.size(); at += kPiece) {
          simd::subtract(rows.features.subspan(at, std::min(kPiece, rows.features.size() - at)),
                         base);
          Residency::relieve();
        }
      }
      return schema;
    }
    schema.indices = IndexMap::of_seen(base, distinct(rows.features));
    for (auto& feature : rows.features) feature = *schema.indices.id_of(feature);
    return schema;
  }

 private:
  // A line with a complaint has given no row; it is counted instead.
  static void skip_bad_rows(RowBlock& rows) {
    rows.rows_bad += rows.errors.size();
    if (!rows.errors.empty()) rows.first_bad = std::move(rows.errors.front());
    rows.errors.clear();
    rows.rows_before_error.reset();
  }

  // Indices to the ids of a model; those it does not know are dropped and counted.
  void apply_schema(RowBlock& rows) const {
    const IndexMap& indices = schema_->indices;
    // Where every index of the block is one of a contiguous range, ids differ by the base alone.
    const bool any = rows.smallest_index <= rows.largest_index;
    if (indices.is_contiguous() && any && rows.smallest_index >= indices.base() &&
        std::uint64_t{rows.largest_index} - indices.base() < indices.features()) {
      simd::subtract({rows.features.data(), rows.features.size()}, indices.base());
      return;
    }
    std::size_t kept = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const auto end = static_cast<std::size_t>(rows.offsets[i + 1]);
      for (std::size_t j = begin; j < end; ++j) {
        const auto id = indices.id_of(rows.features[j]);
        if (!id) continue;
        rows.features[kept] = *id;
        rows.values[kept] = rows.values[j];
        ++kept;
      }
      begin = end;
      rows.offsets[i + 1] = kept;
    }
    rows.unknown_features += rows.features.size() - kept;
    rows.features.resize_uninitialised(kept);
    rows.values.resize_uninitialised(kept);
  }

  std::optional<std::uint32_t> base_;
  std::shared_ptr<const Schema> schema_;
  bool skips_bad_rows_;
  std::size_t max_errors_;
  LabelWords labels_;
  std::uint64_t non_zeros_ = 0;
  std::uint32_t smallest_ = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t largest_ = 0;
};

}  // namespace

std::unique_ptr<TextFormat> make_svmlight_format(const ReadOptions& options) {
  if (options.schema && options.schema->csv) {
    throw InvalidOption("format",
                        "the model was trained on CSV and does not know svmlight indices");
  }
  return std::make_unique<SvmlightFormat>(options);
}

}  // namespace pegasos
