// CSV and TSV as a TextFormat: the plan of the columns is made from the beginning of the file,
// blocks are parsed by it, words and sums are brought together in the order of the file.
//
// Feature ids go through two stages. While a file is read without a schema its words are not all
// known, so features have the provisional ids of the plan. At the end csv_finish numbers them from
// column to column, fills holes, scales numbers and weighs terms.
#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "data/csv_finish.h"
#include "data/csv_layout.h"
#include "data/csv_parser.h"
#include "data/csv_ranks.h"
#include "data/csv_sample.h"
#include "data/csv_words.h"
#include "data/label_words.h"
#include "data/text_format.h"

namespace pegasos {
namespace {

using Role = CsvColumn::Role;

void sort_each_row(RowBlock& rows) {
  std::vector<std::pair<FeatureId, float>> row;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto begin = static_cast<std::size_t>(rows.offsets[i]);
    const auto end = static_cast<std::size_t>(rows.offsets[i + 1]);
    row.clear();
    for (std::size_t j = begin; j < end; ++j) row.emplace_back(rows.features[j], rows.values[j]);
    std::sort(row.begin(), row.end());
    for (std::size_t j = begin; j < end; ++j) {
      std::tie(rows.features[j], rows.values[j]) = row[j - begin];
    }
  }
}

class CsvFormat : public TextFormat {
 public:
  CsvFormat(CsvPlan plan, const ReadOptions& options, Reading reading)
      : plan_(std::move(plan)),
        grammar_(plan_.delimiter, plan_.quotes),
        schema_(options.schema),
        max_errors_(options.max_errors),
        bad_rows_(options.bad_rows),
        reading_(reading),
        labels_(options.schema.get()) {
    gathered_.scaling = options.table_scaling;
    gathered_.sums.resize(plan_.centres.size());
    gathered_.missing.resize(plan_.targets.size());
  }

  void parse(const TextBlock& text, RowBlock& rows) const override {
    if (text.record_too_long) {
      rows.errors.push_back(refuse_long_record(text.text(), grammar_));
      return;
    }
    parse_csv(text.text(), plan_, max_errors_, bad_rows_, rows);
    if (!plan_.ascending) sort_each_row(rows);
  }

  std::uint64_t least_bytes_per_thread() const override {
    constexpr std::uint64_t kOfText = std::uint64_t{1} << 20;
    return plan_.has_text && !plan_.by_schema ? kOfText : 1;
  }

  void adopt(RowBlock& rows) override {
    labels_.adopt(rows);
    for (std::size_t j = 0; j < rows.missing.size(); ++j) gathered_.missing[j] += rows.missing[j];
    if (plan_.by_schema) return;
    adopt_words(rows);
    gathered_.hashed_terms.insert(rows.hashed_terms.begin(), rows.hashed_terms.end());
    for (std::size_t f = 0; f < rows.sums.size(); ++f) {
      RowBlock::NumberSums& sum = gathered_.sums[f];
      sum.sum += rows.sums[f].sum;
      sum.squares += rows.sums[f].squares;
      sum.smallest = std::min(sum.smallest, rows.sums[f].smallest);
      sum.largest = std::max(sum.largest, rows.sums[f].largest);
    }
    if (reading_ == Reading::stream) sort_each_row(rows);
  }

  std::uint64_t lines_before() const override { return plan_.lines_before; }
  std::size_t bytes_before() const override { return plan_.bytes_before; }

  Schema finish(Rows rows, ThreadPool& pool) override {
    if (plan_.by_schema) return *schema_;
    Schema schema;
    schema.source = DataFormat::csv;
    labels_.agree(pool.ranks());
    schema.label_words = labels_.sort(rows.labels);
    gathered_.rows = rows.offsets.size() - 1;
    gathered_.own_missing = gathered_.missing;
    gather_table_over_ranks(gathered_, pool.ranks());
    schema.csv = finish_csv(plan_, gathered_, rows, pool);
    finished_ = true;
    return schema;
  }

  void describe(ReadNotes& notes) const override {
    notes.matched_by_position = plan_.by_position;
    notes.columns_extra = plan_.extra_columns;
    notes.columns = plan_.profile;
    if (!finished_) return;
    for (std::size_t j = 0; j < notes.columns.size(); ++j) {
      ColumnProfile& profile = notes.columns[j];
      if (profile.use == ColumnProfile::Use::feature) profile.missing = gathered_.missing[j];
    }
  }

  std::string column_shown(std::uint32_t column) const override {
    return plan_.names[column].shown;
  }

 private:
  // Words of the block to words of the file.
  void adopt_words(RowBlock& rows) {
    if (!rows.words) return;
    CsvWords& words = *rows.words;
    add_new_words(words);
    if (words.same_as_file) return;
    const FeatureId fixed = plan_.fixed_features;
    const FeatureId* const word_of_file = words.word_of_file.data();
    for (auto& feature : rows.features) {
      if (feature >= fixed) feature = fixed + word_of_file[feature - fixed];
    }
  }

  void add_new_words(CsvWords& words) {
    const WordList& list = words.table.words();
    std::vector<FeatureId>& known = words.word_of_file;
    const std::size_t first = known.size();
    if (words.same_as_file && gathered_.words.words().size() == first &&
        gathered_.words.go_on_with(list)) {
      for (std::size_t k = first; k < list.size(); ++k) known.push_back(static_cast<FeatureId>(k));
    }
    constexpr std::size_t kTogether = 256;
    for (std::size_t k = known.size(); k < list.size();) {
      const std::uint32_t column = list.column(k);
      batch_.clear();
      while (k < list.size() && list.column(k) == column && batch_.size() < kTogether) {
        batch_.push_back(WordView::of(list.text(k++)));
      }
      gathered_.words.add_all(column, batch_, known);
    }
    if (gathered_.words.words().size() >
        std::numeric_limits<FeatureId>::max() - plan_.fixed_features) {
      throw Error("more than 2^32 distinct words; ignore a column");
    }
    for (std::size_t k = first; k < known.size(); ++k) {
      words.same_as_file = words.same_as_file && known[k] == k;
    }
  }

  WordBatch batch_;
  CsvPlan plan_;
  CsvGrammar grammar_;
  std::shared_ptr<const Schema> schema_;
  std::size_t max_errors_;
  BadRows bad_rows_;
  Reading reading_;
  LabelWords labels_;
  CsvGathered gathered_;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<TextFormat> make_csv_format(const ReadOptions& options, Reading reading,
                                            LineBlocks& blocks, const std::string& path) {
  if (options.schema && !options.schema->csv) {
    throw InvalidOption("format",
                        "the model was not trained on CSV data, so columns cannot be matched");
  }
  const bool is_stream = reading == Reading::stream;
  if (is_stream && !options.schema && options.missing &&
      (*options.missing == MissingValues::mean || *options.missing == MissingValues::median)) {
    throw InvalidOption("missing",
                        "the mean and the median need the whole file; for streamed rows use zero");
  }
  const CsvSample sample(blocks, options, path);
  CsvPlan plan = plan_columns(sample, options, path, is_stream);
  blocks.skip(plan.header_bytes);
  blocks.set_records(plan.quotes ? LineBlocks::Records::quoted : LineBlocks::Records::lines);
  return std::make_unique<CsvFormat>(std::move(plan), options, reading);
}

std::vector<ColumnProfile> profile_csv(const ReadOptions& options, LineBlocks& blocks,
                                       const std::string& path) {
  const CsvSample sample(blocks, options, path);
  return plan_columns(sample, options, path, false).profile;
}

}  // namespace pegasos
