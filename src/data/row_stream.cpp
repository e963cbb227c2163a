// Streaming: one block of rows after the other, in constant memory.
#include <algorithm>
#include <utility>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "data/binary_format.h"
#include "data/byte_source.h"
#include "data/line_blocks.h"
#include "data/text_reader.h"
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

  // Binary: slices of the mapped file.
  std::optional<Dataset> whole;
};

namespace {

constexpr std::size_t kRowsOfBinary = 4096;

Dataset view_of(const RowBlock& rows, std::shared_ptr<const Schema> schema) {
  DatasetParts parts;
  parts.rows = rows.rows();
  parts.features = std::size_t{1} << 32;  // ids are as written, or those of the schema
  parts.sparse = SparseMatrix{rows.offsets.view(), rows.features.view(), rows.values.view()};
  parts.labels = rows.labels.view();
  parts.weights = rows.weights.view();
  parts.schema = std::move(schema);
  return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
}

}  // namespace

RowStream::RowStream(const std::string& path, const ReadOptions& options)
    : state_(std::make_unique<State>()) {
  options.validate();
  state_->schema = options.schema ? options.schema : std::make_shared<const Schema>();
  auto blocks =
      std::make_unique<LineBlocks>(decompressed(open_file(path), path, options.max_decompressed));
  if (is_binary_data(blocks->peek(kBinaryMagic.size()))) {
    ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
    const bool mappable = path != "-" && blocks->source().compression().empty() &&
                          blocks->source().stored_bytes_total().has_value();
    state_->whole =
        mappable ? open_binary(path, pool) : open_binary_from(blocks->rest(), path, pool);
    state_->notes.format = DataFormat::binary;
    return;
  }
  state_->reader = std::make_unique<TextReader>(std::move(blocks), path, options, Reading::stream);
}

RowStream::RowStream(RowStream&&) noexcept = default;
RowStream::~RowStream() = default;

std::optional<Dataset> RowStream::next() {
  State& state = *state_;
  state.first_row = state.rows_given;
  if (state.whole) {
    const std::size_t count =
        std::min(kRowsOfBinary, state.whole->rows() - static_cast<std::size_t>(state.first_row));
    if (count == 0) return std::nullopt;
    state.rows_given += count;
    return state.whole->slice(static_cast<std::size_t>(state.first_row), count);
  }
  while (state.reader->take(state.item)) {
    state.reader->parse(state.item);
    state.reader->adopt(state.item);
    state.notes = state.reader->notes();
    if (state.reader->has_errors() || state.item.rows.rows() == 0) continue;
    state.rows_given += state.item.rows.rows();
    return view_of(state.item.rows, state.schema);
  }
  state.reader->end();
  return std::nullopt;
}

std::uint64_t RowStream::first_row() const {
  return state_->first_row;
}
const ReadNotes& RowStream::notes() const {
  return state_->notes;
}

}  // namespace pegasos
