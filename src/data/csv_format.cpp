// CSV and TSV as a TextFormat: the plan of the columns is made from the beginning of the file,
// blocks are parsed by it, words and means are brought together in the order of the file.
//
// Feature ids go through two stages. While a file is read without a schema its words are not all
// known, so a number has the id of its column and a word comes after all columns, in the order of
// appearance. At the end words are sorted, and features numbered from column to column. Rows hold
// their values in the order of the columns, so they ascend in the final ids.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "data/csv_layout.h"
#include "data/csv_parser.h"
#include "data/csv_sample.h"
#include "data/label_words.h"
#include "data/text_format.h"
#include "data/word_table.h"

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
        grammar_(plan_.delimiter),
        schema_(options.schema),
        max_errors_(options.max_errors),
        reading_(reading),
        labels_(options.schema.get()),
        sums_(plan_.targets.size()),
        counts_(plan_.targets.size()) {}

  void parse(const TextBlock& text, RowBlock& rows) const override {
    if (text.record_too_long) {
      rows.errors.push_back(refuse_long_record(text.text(), grammar_));
      return;
    }
    parse_csv(text.text(), plan_, max_errors_, rows);
    if (!plan_.ascending) sort_each_row(rows);
  }

  void adopt(RowBlock& rows) override {
    labels_.adopt(rows);
    if (plan_.by_schema) return;
    adopt_words(rows);
    for (std::size_t j = 0; j < rows.column_sums.size(); ++j) {
      sums_[j] += rows.column_sums[j];
      counts_[j] += rows.column_counts[j];
    }
    if (reading_ == Reading::stream && !rows.words.empty()) sort_each_row(rows);
  }

  std::uint64_t lines_before() const override { return plan_.header_lines; }

  Schema finish(Rows rows) override {
    if (plan_.by_schema) return *schema_;
    Schema schema;
    schema.source = DataFormat::csv;
    schema.label_words = labels_.sort(rows.labels);
    schema.csv = plan_.layout;
    const std::vector<FeatureId> final_id = number_features(*schema.csv);
    fill_holes(rows, *schema.csv);
    for (auto& feature : rows.features) feature = final_id[feature];
    return schema;
  }

 private:
  FeatureId columns() const { return static_cast<FeatureId>(plan_.targets.size()); }

  // Words of the block to words of the file.
  void adopt_words(RowBlock& rows) {
    if (rows.words.empty()) return;
    std::vector<FeatureId> id_of;
    id_of.reserve(rows.words.size());
    for (const auto& word : rows.words) {
      id_of.push_back(columns() + words_.add(word.column, word.text));
    }
    if (words_.words().size() > std::numeric_limits<FeatureId>::max() - columns()) {
      throw Error("more than 2^32 different words; leave a column out");
    }
    for (auto& feature : rows.features) {
      if (feature >= columns()) feature = id_of[feature - columns()];
    }
  }

  // Completes the columns and returns the final id of each provisional one.
  std::vector<FeatureId> number_features(CsvLayout& layout) const {
    const auto& words = words_.words();
    std::vector<std::uint32_t> order(words.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&words](std::uint32_t a, std::uint32_t b) {
      return std::tie(words[a].column, words[a].text) < std::tie(words[b].column, words[b].text);
    });
    std::vector<FeatureId> final_id(columns() + words.size());
    auto word = order.begin();
    FeatureId next = 0;
    for (FeatureId j = 0; j < columns(); ++j) {
      CsvColumn& column = layout.columns[j];
      if (column.role != Role::number && column.role != Role::words) continue;
      column.first_feature = next;
      if (column.role == Role::number) {
        column.mean = counts_[j] > 0 ? sums_[j] / static_cast<double>(counts_[j]) : 0.0;
        final_id[j] = next++;
        continue;
      }
      for (; word != order.end() && words[*word].column == j; ++word) {
        column.words.push_back(words[*word].text);
        final_id[columns() + *word] = next++;
      }
    }
    return final_id;
  }

  // Puts the means where cells were empty. A mean of zero is dropped, as zeros are not stored.
  void fill_holes(Rows& rows, const CsvLayout& layout) const {
    if (plan_.missing != MissingValues::mean) return;
    std::size_t kept = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i + 1 < rows.offsets.size(); ++i) {
      const auto end = static_cast<std::size_t>(rows.offsets[i + 1]);
      for (std::size_t j = begin; j < end; ++j) {
        float value = rows.values[j];
        if (std::isnan(value)) value = static_cast<float>(layout.columns[rows.features[j]].mean);
        rows.features[kept] = rows.features[j];
        rows.values[kept] = value;
        kept += value != 0.0F ? 1 : 0;
      }
      begin = end;
      rows.offsets[i + 1] = kept;
    }
    rows.features = rows.features.first(kept);
    rows.values = rows.values.first(kept);
  }

  CsvPlan plan_;
  CsvGrammar grammar_;
  std::shared_ptr<const Schema> schema_;
  std::size_t max_errors_;
  Reading reading_;
  LabelWords labels_;
  WordTable words_;
  std::vector<double> sums_;  // per column, of its cells that are not empty
  std::vector<std::uint64_t> counts_;
};

}  // namespace

std::unique_ptr<TextFormat> make_csv_format(const ReadOptions& options, Reading reading,
                                            LineBlocks& blocks, const std::string& path) {
  if (options.schema && !options.schema->csv) {
    throw InvalidOption("format",
                        "the model was not trained on CSV data, so there are no columns "
                        "to match");
  }
  if (reading == Reading::stream && !options.schema && options.missing == MissingValues::mean) {
    throw InvalidOption("missing",
                        "a mean is known only after the whole file has been read; a "
                        "stream of rows can use zero");
  }
  const CsvSample sample(blocks, options, path);
  CsvPlan plan = plan_columns(sample, options, path);
  blocks.skip(plan.header_bytes);
  return std::make_unique<CsvFormat>(std::move(plan), options, reading);
}

}  // namespace pegasos
