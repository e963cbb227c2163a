// Streaming: one block of rows after the other, in constant memory.
#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "base/cores.h"
#include "base/file.h"
#include "base/thread_pool.h"
#include "data/apply_schema.h"
#include "data/binary_format.h"
#include "data/byte_source.h"
#include "data/decode_text.h"
#include "data/divided_text.h"
#include "data/file_list.h"
#include "data/line_blocks.h"
#include "data/text_reader.h"
#include "pegasos/error.h"
#include "pegasos/read.h"

namespace pegasos {

struct RowStream::State {
  ReadNotes notes;
  std::uint64_t first_row = 0;
  std::uint64_t rows_given = 0;

  // Text.
  std::unique_ptr<TextReader> reader;
  TextReader::Item item;
  std::shared_ptr<const Schema> schema;
  std::function<void(const RowExtras&)> extras;
  std::exception_ptr failure;  // thrown by the next call
  Dataset sample;

  // Binary: slices of the mapped file.
  std::optional<Dataset> whole;

  // What the reader has noted; the columns of a sample stay.
  void take_notes() {
    auto columns = std::move(notes.columns);
    notes = reader->notes();
    if (notes.columns.empty()) notes.columns = std::move(columns);
  }
};

namespace {

constexpr std::size_t kRowsOfBinary = 4096;

Dataset view_of(const RowBlock& rows, std::shared_ptr<const Schema> schema) {
  DatasetParts parts;
  parts.rows = rows.rows();
  // With a schema its features; without, ids are as written, up to the largest there can be.
  const auto known = static_cast<std::size_t>(schema->feature_count());
  parts.features = known > 0 ? known : std::size_t{1} << 32;
  parts.sparse = SparseMatrix{rows.offsets.view(), rows.features.view(), rows.values.view()};
  parts.labels = rows.labels.view();
  parts.weights = rows.weights.view();
  parts.schema = std::move(schema);
  return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
}

// The binary file behind these blocks, in the features of options.schema if there is one.
Dataset open_binary_blocks(LineBlocks& blocks, const std::string& path, const ReadOptions& options,
                           ThreadPool& pool, ReadNotes& notes) {
  const bool mappable = path != "-" && blocks.source().compression().empty() &&
                        blocks.source().stored_bytes_total().has_value();
  const Dataset data =
      mappable ? open_binary(path, pool) : open_binary_from(blocks.rest(), path, pool);
  notes.format = DataFormat::binary;
  notes.compression = blocks.source().compression();
  return options.schema ? apply_schema(data, options.schema, notes) : data;
}

int threads_of(const ReadOptions& options) {
  return options.threads > 0 ? options.threads : available_cores();
}

using ScoreBlock = std::function<std::vector<double>(const Dataset&)>;
using TakeBlock = std::function<void(const Dataset&, std::span<const double>)>;

void map_slices(const Dataset& whole, const ScoreBlock& score, const TakeBlock& take,
                ThreadPool& pool) {
  struct Slice {
    Dataset rows;
    std::vector<double> scores;
  };
  std::size_t next = 0;
  ordered_pipeline<Slice>(
      pool,
      [&](Slice& slice) {
        const std::size_t count = std::min(kRowsOfBinary, whole.rows() - next);
        if (count == 0) return false;
        slice.rows = whole.slice(next, count);
        next += count;
        return true;
      },
      [&](Slice& slice) { slice.scores = score(slice.rows); },
      [&](Slice& slice) { take(slice.rows, slice.scores); });
}

void map_text(TextReader& reader, const ReadOptions& options, const ScoreBlock& score,
              const TakeBlock& take, ThreadPool& pool) {
  struct Scored {
    TextReader::Item item;
    std::vector<double> scores;
  };
  ordered_pipeline<Scored>(
      pool, [&](Scored& block) { return reader.take(block.item); },
      [&](Scored& block) {
        reader.parse(block.item);
        block.scores = score(view_of(block.item.rows, options.schema));
      },
      [&](Scored& block) {
        const bool stopped = reader.has_errors();
        const RowBlock& rows = block.item.rows;
        // The rows before the first bad one are answered.
        const auto hand_out = [&](std::size_t count) {
          if (stopped || count == 0) return;
          if (options.extras) options.extras({rows.ids, rows.is_bad});
          const Dataset all = view_of(rows, reader.with_sets(options.schema));
          const std::size_t width = block.scores.size() / rows.rows();
          take(all.slice(0, count), std::span(block.scores).first(count * width));
        };
        try {
          reader.adopt(block.item);
        } catch (const ParseError&) {
          hand_out(rows.rows_before_error.value_or(0));
          throw;
        }
        hand_out(reader.has_errors() ? rows.rows_before_error.value_or(0) : rows.rows());
      });
}

// Several files, or the share of one rank.
ReadNotes map_divided(const std::vector<std::string>& files, const ReadOptions& options,
                      const ScoreBlock& score, const TakeBlock& take, ThreadPool& pool) {
  refuse_what_cannot_be_divided(files);
  if (file_begins_with(kBinaryMagic, files.front())) {
    const ReadResult read = read_dataset(files.front(), options);
    map_slices(read.data, score, take, pool);
    return read.notes;
  }
  DividedText text(files, options, Reading::stream);
  text.read([&](TextReader& reader) {
    map_text(reader, options, score, take, pool);
    reader.end(TextReader::NoRows::fine);
    return 0;
  });
  ReadNotes notes = text.reader().notes();
  text.locate(notes);
  return notes;
}

// The text of a file, and how to read it. Input that trickles in is handed on as it comes; whether
// there is a header cannot wait then.
struct Opened {
  std::unique_ptr<LineBlocks> blocks;
  ReadOptions reading;
};
Opened open_blocks(const std::string& path, const ReadOptions& options) {
  auto stored = open_file(path, options.idle);
  const bool trickles = !stored->stored_bytes_total();
  Opened opened;
  opened.reading = options;
  if (trickles && options.schema && options.schema->csv && !options.header) {
    opened.reading.header = options.schema->csv->has_header;
  }
  opened.blocks = std::make_unique<LineBlocks>(
      decoded(decompressed(std::move(stored), path, options.max_decompressed), path, options,
              trickles),
      trickles ? LineBlocks::Filling::eager : LineBlocks::Filling::full);
  return opened;
}

// What a sample has settled for the rest of its stream. Indices go on beyond those of the sample.
std::shared_ptr<const Schema> schema_for_stream(const Schema& sample,
                                                const std::vector<std::string>& labels) {
  auto schema = std::make_shared<Schema>(sample);
  if (!schema->csv) {
    const std::uint32_t base = sample.indices.base();
    schema->indices = IndexMap::contiguous(base, (std::uint64_t{1} << 32) - base);
  }
  if (!schema->label_words.empty()) {
    std::set<std::string> words(labels.begin(), labels.end());
    words.insert(schema->label_words.begin(), schema->label_words.end());
    schema->label_words.assign(words.begin(), words.end());
  }
  return schema;
}

void keep_to_layout(const CsvLayout& layout, ReadOptions& options) {
  options.delimiter = layout.delimiter;
  options.header = layout.has_header;
  options.quotes = layout.quotes;
  options.label_column.clear();
  options.weight_column.clear();
  options.ignored_columns.clear();
  options.words_columns.clear();
  options.column_kinds.clear();
}

}  // namespace

RowStream::RowStream(std::unique_ptr<State> state) : state_(std::move(state)) {}

RowStream::RowStream(const std::string& path, const ReadOptions& options)
    : state_(std::make_unique<State>()) {
  options.validate();
  state_->extras = options.extras;
  state_->schema = options.schema ? options.schema : std::make_shared<const Schema>();
  Opened opened = open_blocks(path, options);
  if (is_binary_data(opened.blocks->peek(kBinaryMagic.size()))) {
    ThreadPool pool(threads_of(options));
    state_->whole = open_binary_blocks(*opened.blocks, path, options, pool, state_->notes);
    state_->schema = state_->whole->shared_schema();
    return;
  }
  state_->reader =
      std::make_unique<TextReader>(std::move(opened.blocks), path, opened.reading, Reading::stream);
}

RowStream RowStream::sampled(const std::string& path, ReadOptions options, std::size_t sample_bytes,
                             const std::vector<std::string>& labels) {
  options.validate();
  auto state = std::make_unique<State>();
  state->extras = options.extras;
  Opened opened = open_blocks(path, options);
  LineBlocks& blocks = *opened.blocks;
  if (is_binary_data(blocks.peek(kBinaryMagic.size()))) {
    ThreadPool pool(threads_of(options));
    state->whole = open_binary_blocks(blocks, path, options, pool, state->notes);
    state->schema = state->whole->shared_schema();
    state->sample = state->whole->slice(0, std::min(kRowsOfBinary, state->whole->rows()));
    return RowStream(std::move(state));
  }
  ReadOptions sampling = options;
  sampling.watch = nullptr;
  sampling.extras = nullptr;
  if (blocks.source().form() == "json-lines") {
    sampling.format = DataFormat::csv;
    sampling.delimiter = ',';
    sampling.header = sampling.quotes = true;
  }
  const std::string_view head = blocks.peek(std::size_t{1} << 16);
  const DataFormat format = sampling.format.value_or(detect_text_format(head));
  if (format == DataFormat::csv && sampling.quotes.value_or(true)) {
    blocks.set_records(LineBlocks::Records::quoted);
  }
  ReadResult sample = read_dataset_from_memory(blocks.peek_records(sample_bytes), path, sampling);
  state->sample = sample.data;
  options.format = format;
  options.schema = state->schema = schema_for_stream(sample.data.schema(), labels);
  if (format == DataFormat::csv) keep_to_layout(*options.schema->csv, options);
  state->reader =
      std::make_unique<TextReader>(std::move(opened.blocks), path, options, Reading::stream);
  state->notes.columns = sample.notes.columns;
  state->take_notes();
  return RowStream(std::move(state));
}

RowStream::RowStream(RowStream&&) noexcept = default;
RowStream::~RowStream() = default;

std::optional<Dataset> RowStream::next() {
  State& state = *state_;
  state.first_row = state.rows_given;
  if (state.failure) std::rethrow_exception(state.failure);
  if (state.whole) {
    const std::size_t count =
        std::min(kRowsOfBinary, state.whole->rows() - static_cast<std::size_t>(state.first_row));
    if (count == 0) return std::nullopt;
    state.rows_given += count;
    return state.whole->slice(static_cast<std::size_t>(state.first_row), count);
  }
  while (state.reader->take(state.item)) {
    const RowBlock& rows = state.item.rows;
    state.reader->parse(state.item);
    try {
      state.reader->adopt(state.item);
      if (state.reader->has_errors()) state.reader->end();  // throws
    } catch (const ParseError&) {
      state.failure = std::current_exception();
    }
    state.take_notes();
    const std::size_t count = state.failure ? rows.rows_before_error.value_or(0) : rows.rows();
    if (count == 0 && state.failure) std::rethrow_exception(state.failure);
    if (count == 0) continue;
    state.rows_given += count;
    if (state.extras) state.extras({rows.ids, rows.is_bad});
    return view_of(rows, state.reader->with_sets(state.schema)).slice(0, count);
  }
  state.reader->end();
  return std::nullopt;
}

const Dataset& RowStream::sample() const {
  return state_->sample;
}
std::shared_ptr<const Schema> RowStream::schema() const {
  return state_->schema;
}
std::uint64_t RowStream::first_row() const {
  return state_->first_row;
}
const ReadNotes& RowStream::notes() const {
  return state_->notes;
}

ReadNotes map_rows(const std::string& path, const ReadOptions& options,
                   const std::function<double(const RowView&)>& score,
                   const std::function<void(const Dataset&, std::span<const double>)>& take) {
  const auto score_all = [&score](const Dataset& rows) {
    std::vector<double> scores(rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i) scores[i] = score(rows.row(i));
    return scores;
  };
  return map_blocks(path, options, score_all, take);
}

ReadNotes map_blocks(const std::string& name, const ReadOptions& options, const ScoreBlock& score,
                     const TakeBlock& take) {
  options.validate();
  if (!options.schema)
    throw InvalidOption("schema", "is required: a stream needs the features of a model");
  ThreadPool pool(threads_of(options));
  const std::vector<std::string> files = files_named(name);
  if (is_divided(files, options)) return map_divided(files, options, score, take, pool);
  const std::string& path = files.front();
  Opened opened = open_blocks(path, options);
  auto& blocks = opened.blocks;
  if (is_binary_data(blocks->peek(kBinaryMagic.size()))) {
    ReadNotes notes;
    const Dataset whole = open_binary_blocks(*blocks, path, options, pool, notes);
    map_slices(whole, score, take, pool);
    return notes;
  }

  TextReader reader(std::move(blocks), path, opened.reading, Reading::stream);
  map_text(reader, options, score, take, pool);
  reader.end();
  return reader.notes();
}

}  // namespace pegasos
