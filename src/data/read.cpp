// Reading whole files: blocks are parsed on all threads and appended in order to the final arrays.
#include "pegasos/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/cores.h"
#include "base/grow_buffer.h"
#include "base/thread_pool.h"
#include "data/apply_schema.h"
#include "data/binary_format.h"
#include "data/byte_source.h"
#include "data/decode_text.h"
#include "data/line_blocks.h"
#include "data/text_format.h"
#include "data/text_reader.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// The growing arrays of a file being read, and later the owner of the Dataset over them.
struct Arrays {
  GrowBuffer<std::uint64_t> offsets;
  GrowBuffer<FeatureId> features;
  GrowBuffer<float> values;
  GrowBuffer<double> labels;
  GrowBuffer<double> weights;

  Arrays() { offsets.push_back(0); }

  void append(const RowBlock& rows) {
    if (labels.size() + rows.rows() > std::numeric_limits<RowId>::max()) {
      throw Error(
          fmt::format("more than {} rows; split the file", std::numeric_limits<RowId>::max()));
    }
    const std::uint64_t shift = offsets.back();
    const std::size_t first = offsets.size();
    offsets.append(rows.offsets.view().subspan(1));
    for (std::size_t i = first; i < offsets.size(); ++i) offsets[i] += shift;
    features.append(rows.features.view());
    values.append(rows.values.view());
    labels.append(rows.labels.view());
    weights.append(rows.weights.view());
  }

  bool smaller_when_dense(std::uint64_t columns) const {
    const std::uint64_t rows = labels.size();
    const std::uint64_t sparse_bytes = 8 * values.size() + 8 * rows;
    return columns > 0 && rows * columns <= sparse_bytes / 4;
  }

  // Sparse to dense rows in place. The dense row i begins at i·d, which is never before offsets[i]
  // (a row holds at most d values), so going backwards no row is overwritten before it is moved.
  void make_dense(std::size_t columns) {
    const std::size_t rows = labels.size();
    values.resize_uninitialised(rows * columns);
    std::vector<float> row(columns);
    for (std::size_t i = rows; i-- > 0;) {
      std::fill(row.begin(), row.end(), 0.0F);
      for (std::uint64_t j = offsets[i]; j < offsets[i + 1]; ++j) row[features[j]] = values[j];
      std::memcpy(values.data() + i * columns, row.data(), columns * sizeof(float));
    }
    features = GrowBuffer<FeatureId>();
    offsets = GrowBuffer<std::uint64_t>();
    values.shrink_to_fit();
  }
};

Dataset dataset_over(std::shared_ptr<Arrays> arrays, std::size_t columns, Schema schema,
                     bool keep_sparse) {
  DatasetParts parts;
  parts.rows = arrays->labels.size();
  parts.features = columns;
  parts.labels = arrays->labels.view();
  parts.weights = arrays->weights.view();
  if (!keep_sparse && arrays->smaller_when_dense(columns)) {
    arrays->make_dense(columns);
    parts.dense = DenseMatrix{arrays->values.view(), columns};
  } else {
    parts.sparse =
        SparseMatrix{arrays->offsets.view(), arrays->features.view(), arrays->values.view()};
  }
  parts.schema = std::make_shared<const Schema>(std::move(schema));
  parts.owner = std::move(arrays);
  return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
}

ReadResult read_text(std::unique_ptr<LineBlocks> blocks, const std::string& path,
                     const ReadOptions& options, ThreadPool& pool) {
  TextReader reader(std::move(blocks), path, options, Reading::whole);
  auto arrays = std::make_shared<Arrays>();
  ordered_pipeline<TextReader::Item>(
      pool, [&](TextReader::Item& item) { return reader.take(item); },
      [&](TextReader::Item& item) { reader.parse(item); },
      [&](TextReader::Item& item) {
        reader.adopt(item);
        // After a complaint the rest is only read to find more of them.
        if (reader.has_errors()) {
          *arrays = Arrays();
        } else {
          arrays->append(item.rows);
        }
      });
  reader.end();
  Schema schema = reader.finish({{arrays->offsets.data(), arrays->offsets.size()},
                                 {arrays->features.data(), arrays->features.size()},
                                 {arrays->values.data(), arrays->values.size()},
                                 {arrays->labels.data(), arrays->labels.size()}},
                                pool);
  arrays->features.resize_uninitialised(static_cast<std::size_t>(arrays->offsets.back()));
  arrays->values.resize_uninitialised(static_cast<std::size_t>(arrays->offsets.back()));
  const std::size_t columns = static_cast<std::size_t>(schema.feature_count());
  return {dataset_over(std::move(arrays), columns, std::move(schema), options.keep_sparse),
          reader.notes()};
}

ReadResult in_schema(Dataset data, const ReadOptions& options, ReadNotes notes) {
  if (options.schema) data = apply_schema(data, options.schema, notes);
  return {std::move(data), std::move(notes)};
}

ReadResult read_any(std::unique_ptr<ByteSource> stored, const std::string& path,
                    const ReadOptions& options) {
  options.validate();
  ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
  auto blocks = std::make_unique<LineBlocks>(
      decoded(decompressed(std::move(stored), path, options.max_decompressed), path, options));
  if (!is_binary_data(blocks->peek(kBinaryMagic.size()))) {
    return read_text(std::move(blocks), path, options, pool);
  }
  // A binary file that cannot be mapped (a pipe, a compressed one): all of it into memory.
  ReadNotes notes;
  notes.format = DataFormat::binary;
  notes.compression = blocks->source().compression();
  return in_schema(open_binary_from(blocks->rest(), path, pool), options, notes);
}

}  // namespace

const std::vector<std::string>& usual_na() {
  static const std::vector<std::string> words = {
      "NA",   "N/A",  "n/a",  "na",   "#N/A", "<NA>", "NaN", "nan", "NAN", "-nan",  "NULL",
      "null", "Null", "None", "none", "nil",  "?",    "-",   "--",  ".",   "#NULL!"};
  return words;
}

ReadResult read_dataset(const std::string& path, const ReadOptions& options) {
  auto file = open_file(path);
  if (path != "-" && file->stored_bytes_total()) {
    char magic[kBinaryMagic.size()];
    const std::size_t n = file->read(magic);
    if (is_binary_data({magic, n})) {
      options.validate();
      ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
      ReadNotes notes;
      notes.format = DataFormat::binary;
      return in_schema(open_binary(path, pool), options, notes);
    }
    file = open_file(path);
  }
  return read_any(std::move(file), path, options);
}

std::vector<ColumnProfile> profile_columns(const std::string& path, const ReadOptions& options) {
  options.validate();
  LineBlocks blocks(
      decoded(decompressed(open_file(path), path, options.max_decompressed), path, options));
  const std::string_view head = blocks.peek(std::size_t{1} << 16);
  if (head.empty() || is_binary_data(head)) return {};
  ReadOptions reading = options;
  if (blocks.source().form() == "json-lines") {
    reading.format = DataFormat::csv;
    reading.delimiter = ',';
    reading.header = reading.quotes = true;
  }
  if (reading.format.value_or(detect_text_format(head)) != DataFormat::csv) return {};
  try {
    return profile_csv(reading, blocks, path);
  } catch (const ParseError&) {
    return {};  // not even the first record can be read
  }
}

ReadResult read_dataset_from_memory(std::span<const char> bytes, const std::string& name,
                                    const ReadOptions& options) {
  return read_any(open_memory(bytes), name, options);
}

}  // namespace pegasos
