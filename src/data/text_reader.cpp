#include "data/text_reader.h"

#include <utility>

#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::size_t kHeadBytes = std::size_t{1} << 16;

[[noreturn]] void refuse_file(const std::string& path, std::string message, std::string hint) {
  Diagnostic whole;
  whole.message = std::move(message);
  whole.hint = std::move(hint);
  throw ParseError(path, {std::move(whole)});
}

}  // namespace

TextReader::TextReader(std::unique_ptr<LineBlocks> blocks, std::string path,
                       const ReadOptions& options, Reading reading)
    : path_(std::move(path)), options_(options), blocks_(std::move(blocks)) {
  const std::string_view head = blocks_->peek(kHeadBytes);
  if (head.empty()) refuse_file(path_, "the file is empty", "");
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff")) {
    refuse_file(path_, "the file is UTF-16 text", "convert it: iconv -f UTF-16 -t UTF-8 " + path_);
  }
  notes_.compression = blocks_->source().compression();
  notes_.format = options.format ? *options.format
                  : options.schema && options.schema->source != DataFormat::binary
                      ? options.schema->source
                      : detect_text_format(head);
  if (!options.format && options.schema && notes_.format == DataFormat::svmlight &&
      detect_text_format(head) == DataFormat::csv) {
    refuse_file(path_, "this looks like CSV, but the model was trained on svmlight data", "");
  }
  if (notes_.format == DataFormat::binary) {
    refuse_file(path_, "this is not a Pegasos binary data file", "leave --format out");
  }
  if (notes_.format == DataFormat::csv) {
    blocks_->set_records(LineBlocks::Records::quoted);
    format_ = make_csv_format(options, reading, *blocks_, path_);
  } else {
    format_ = make_svmlight_format(options);
  }
  lines_ = format_->lines_before();
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
  for (auto& error : rows.errors) {
    error.line += lines_;
    errors_.push_back(std::move(error));
    if (errors_.size() >= options_.max_errors) throw ParseError(path_, std::move(errors_));
  }
  lines_ += rows.lines;
  rows_ += rows.rows();
  notes_.text_bytes += item.text.size;
  notes_.rows_with_qid += rows.rows_with_qid;
  notes_.rows_reordered += rows.rows_reordered;
  notes_.rows_unlabelled += rows.rows_unlabelled;
  notes_.unknown_features += rows.unknown_features;
  notes_.unknown_words += rows.unknown_words;
  notes_.values_filled += rows.values_filled;
  if (item.text.record_too_long) throw ParseError(path_, std::move(errors_));
  item.progress.rows = rows_;
  if (options_.watch && !options_.watch(item.progress)) throw Cancelled();
}

void TextReader::end() {
  if (!errors_.empty()) throw ParseError(path_, std::move(errors_));
  if (rows_ == 0) refuse_file(path_, "the file has no rows of data", "");
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
