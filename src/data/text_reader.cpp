#include "data/text_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::size_t kHeadBytes = std::size_t{1} << 16;
[[noreturn]] void refuse_file(const std::string& path, std::string message, Hint hint) {
  Diagnostic whole;
  whole.message = std::move(message);
  whole.hint = hint.in_words();
  whole.remedy = std::move(hint);
  throw ParseError(path, {std::move(whole)});
}

Hint use_model_of_tables() {
  return {
      "use a model that was trained on such a table; for a LIBLINEAR or LIBSVM file of such a "
      "model, convert the table to svmlight first, with {}",
      {{"like", "MODEL"}}};
}

}  // namespace

TextReader::TextReader(std::unique_ptr<LineBlocks> blocks, std::string path,
                       const ReadOptions& options, Reading reading)
    : path_(std::move(path)), options_(options), blocks_(std::move(blocks)) {
  blocks_->set_longest_record(static_cast<std::size_t>(options.max_line));
  const std::string_view head = blocks_->peek(kHeadBytes);
  if (head.empty()) refuse_file(path_, "the file is empty", "");
  notes_.compression = blocks_->source().compression();
  notes_.encoding = blocks_->source().encoding();
  if (blocks_->source().form() == "json-lines") {
    read_json_lines(reading);
    return;
  }
  notes_.format = options.format ? *options.format
                  : options.schema && options.schema->source != DataFormat::binary
                      ? options.schema->source
                      : detect_text_format(head);
  if (!options.format && options.schema && notes_.format == DataFormat::svmlight &&
      detect_text_format(head) == DataFormat::csv) {
    refuse_file(path_, "this looks like CSV, but the model was trained on svmlight data",
                use_model_of_tables());
  }
  if (notes_.format == DataFormat::binary) {
    refuse_file(path_, "this is not a Pegasos binary data file", "omit the format to detect it");
  }
  if (notes_.format == DataFormat::csv) {
    blocks_->set_records(LineBlocks::Records::quoted);
    format_ = make_csv_format(options, reading, *blocks_, path_);
  } else {
    format_ = make_svmlight_format(options);
  }
  lines_ = format_->lines_before();
  format_->describe(notes_);
}

void TextReader::read_json_lines(Reading reading) {
  if (options_.schema && !options_.schema->csv) {
    refuse_file(path_, "this is JSON Lines, but the model was trained on svmlight data",
                use_model_of_tables());
  }
  notes_.format = DataFormat::json_lines;
  options_.delimiter = ',';
  options_.header = true;
  options_.quotes = true;
  format_ = make_csv_format(options_, reading, *blocks_, path_);
  lines_ = 0;  // the header is ours
  format_->describe(notes_);
}

void TextReader::go_on_with(std::unique_ptr<LineBlocks> blocks) {
  blocks->set_records(blocks_->records());
  blocks_ = std::move(blocks);
  lines_ = 0;
}

int TextReader::threads_for(int threads) const {
  const auto bytes = blocks_->source().stored_bytes_total();
  if (!bytes) return threads;
  const std::uint64_t shares = *bytes / format_->least_bytes_per_thread();
  return static_cast<int>(
      std::clamp<std::uint64_t>(shares, 1, static_cast<std::uint64_t>(threads)));
}

bool TextReader::take(Item& item) {
  const bool more = blocks_->next(item.text);
  item.progress.bytes_read = blocks_->source().stored_bytes_read();
  item.progress.bytes_total = blocks_->source().stored_bytes_total();
  return more;
}

void TextReader::parse(Item& item) const {
  item.rows.clear();
  format_->parse(item.text, item.rows);
}

void TextReader::adopt(Item& item) {
  RowBlock& rows = item.rows;
  format_->adopt(rows);
  adopt_bad_cells(rows);
  for (auto& error : rows.errors) {
    error.line += lines_;
    errors_.push_back(std::move(error));
    if (errors_.size() < options_.max_errors) continue;
    std::erase_if(bad_cells_, [this](const RowBlock::BadCells& bad) {
      return bad.first.line > errors_.back().line;
    });
    refuse();
  }
  const auto keep_first = [this](std::optional<Diagnostic>& mine, std::optional<Diagnostic>& its) {
    if (mine || !its) return;
    mine = std::move(its);
    mine->line += lines_;
  };
  keep_first(notes_.first_bad, rows.first_bad);
  keep_first(notes_.first_unlabelled, rows.first_unlabelled);
  lines_ += rows.lines;
  rows_ += rows.rows();
  notes_.text_bytes += item.text.size;
  notes_.rows_with_qid += rows.rows_with_qid;
  notes_.rows_reordered += rows.rows_reordered;
  notes_.rows_unlabelled += rows.rows_unlabelled;
  notes_.unknown_features += rows.unknown_features;
  notes_.unknown_words += rows.unknown_words;
  notes_.values_filled += rows.values_filled;
  notes_.rows_bad += rows.rows_bad;
  if (item.text.record_too_long) refuse();
  item.progress.rows = rows_;
  if (options_.watch && !options_.watch(item.progress)) throw Cancelled();
}

// The first bad cell of a column stands for all: they are read to the end to be counted.
void TextReader::adopt_bad_cells(RowBlock& rows) {
  for (auto& bad : rows.bad_cells) {
    const auto known =
        std::find_if(bad_cells_.begin(), bad_cells_.end(),
                     [&bad](const RowBlock::BadCells& one) { return one.column == bad.column; });
    if (known != bad_cells_.end()) {
      known->count += bad.count;
      continue;
    }
    bad.first.line += lines_;
    bad_cells_.push_back(std::move(bad));
  }
}

void TextReader::refuse() {
  for (auto& bad : bad_cells_) {
    if (bad.count > 1) {
      bad.first.message += fmt::format("; {} cells in {} cannot be used", bad.count,
                                       format_->column_shown(bad.column));
    }
    errors_.push_back(std::move(bad.first));
  }
  std::stable_sort(errors_.begin(), errors_.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.line < b.line; });
  throw ParseError(path_, std::move(errors_));
}

void TextReader::end(NoRows none) {
  if (has_errors()) refuse();
  if (rows_ == 0 && none == NoRows::refused) refuse_file(path_, "the file has no rows of data", "");
}

Schema TextReader::finish(TextFormat::Rows rows, ThreadPool& pool) {
  Schema schema = format_->finish(rows, pool);
  format_->describe(notes_);
  return schema;
}

std::shared_ptr<const Schema> TextReader::with_sets(std::shared_ptr<const Schema> schema) const {
  const auto* words = format_->words_of_sets();
  if (words == nullptr || words->size() == schema->label_words.size()) return schema;
  Schema extended = *schema;
  extended.label_words = *words;
  extended.multilabel = true;
  return std::make_shared<const Schema>(std::move(extended));
}

}  // namespace pegasos
