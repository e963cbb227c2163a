// Reading whole files: blocks are parsed on all threads and appended in order to the final arrays.
#include "pegasos/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "base/cores.h"
#include "base/file.h"
#include "base/grow_buffer.h"
#include "base/residency.h"
#include "base/thread_pool.h"
#include "data/apply_schema.h"
#include "data/binary_format.h"
#include "data/byte_source.h"
#include "data/decode_text.h"
#include "data/divided_text.h"
#include "data/file_list.h"
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

  explicit Arrays(const std::shared_ptr<Residency>& residency)
      : offsets(residency),
        features(residency),
        values(residency),
        labels(residency),
        weights(residency) {
    offsets.push_back(0);
  }

  // share_read: about how much of the text has been read with these rows; 1 if that is unknown.
  void append(const RowBlock& rows, double share_read) {
    if (labels.size() + rows.rows() > std::numeric_limits<RowId>::max()) {
      throw Error(
          fmt::format("more than {} rows; split the file", std::numeric_limits<RowId>::max()));
    }
    make_room(offsets, rows.rows(), share_read);
    make_room(features, rows.features.size(), share_read);
    make_room(values, rows.values.size(), share_read);
    make_room(labels, rows.labels.size(), share_read);
    make_room(weights, rows.weights.size(), share_read);
    const std::uint64_t shift = offsets.back();
    const std::size_t first = offsets.size();
    offsets.append(rows.offsets.view().subspan(1));
    for (std::size_t i = first; i < offsets.size(); ++i) offsets[i] += shift;
    features.append(rows.features.view());
    values.append(rows.values.view());
    labels.append(rows.labels.view());
    weights.append(rows.weights.view());
  }

  // An array that has to grow takes the room that all rows will need: growing bit by bit moves it,
  // and touches pages that it then leaves behind. Room that is not written to costs no memory.
  template <typename T>
  static void make_room(GrowBuffer<T>& array, std::size_t more, double share_read) {
    constexpr double kMargin = 1.05;
    const std::size_t needed = array.size() + more;
    if (needed <= array.capacity() || !(share_read < 1.0)) return;
    try {
      array.reserve(static_cast<std::size_t>(kMargin * static_cast<double>(needed) / share_read));
    } catch (const std::bad_alloc&) {
      // A guess too high; what is needed may still be there.
    }
  }

  // Sparse to dense rows in place. The dense row i begins at i·d, which is never before offsets[i]
  // (a row holds at most d values), so going backwards no row is overwritten before it is moved.
  void make_dense(std::size_t columns) {
    const std::size_t rows = labels.size();
    values.resize_uninitialised(rows * columns);
    std::vector<float> row(columns);
    for (std::size_t i = rows; i-- > 0;) {
      Residency::visit(values.data() + i * columns, columns * sizeof(float),
                       Residency::Visits::in_order);
      std::fill(row.begin(), row.end(), 0.0F);
      for (std::uint64_t j = offsets[i]; j < offsets[i + 1]; ++j) row[features[j]] = values[j];
      std::memcpy(values.data() + i * columns, row.data(), columns * sizeof(float));
    }
    features = GrowBuffer<FeatureId>();
    offsets = GrowBuffer<std::uint64_t>();
    values.shrink_to_fit();
  }
};

// Whether dense rows would take less memory, those of all ranks together: they are all stored
// alike.
bool are_smaller_when_dense(const Arrays& arrays, std::size_t columns, Collective& ranks) {
  std::array<double, 2> size = {static_cast<double>(arrays.labels.size()),
                                static_cast<double>(arrays.values.size())};
  ranks.sum(size);
  for (const std::string& theirs :
       ranks.gather({reinterpret_cast<const char*>(&columns), sizeof columns})) {
    std::size_t more = 0;
    std::memcpy(&more, theirs.data(), sizeof more);
    columns = std::max(columns, more);
  }
  const double sparse_bytes = 8 * size[1] + 8 * size[0];
  return columns > 0 && size[0] * static_cast<double>(columns) <= std::floor(sparse_bytes / 4);
}

Dataset dataset_over(std::shared_ptr<Arrays> arrays, std::size_t columns, Schema schema, bool dense,
                     const ReadOptions& options) {
  DatasetParts parts;
  parts.residency = options.residency;
  parts.rows = arrays->labels.size();
  parts.features = columns;
  parts.labels = arrays->labels.view();
  parts.weights = arrays->weights.view();
  if (dense) {
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

// How much of the text has been read with so many bytes of it, or 1 if its length is unknown: in
// pipes, and in compressed files.
double share_read(std::uint64_t bytes, const TextReader& reader, const TextReader::Item& item) {
  if (!reader.notes().compression.empty()) return 1.0;
  const std::uint64_t all = item.progress.bytes_total.value_or(bytes);
  return bytes < all ? static_cast<double>(bytes) / static_cast<double>(all) : 1.0;
}

ReadResult read_rows(TextReader& reader, const ReadOptions& options, ThreadPool& pool) {
  auto arrays = std::make_shared<Arrays>(options.residency);
  const int threads = reader.threads_for(pool.threads());
  std::optional<ThreadPool> fewer;
  if (threads < pool.threads()) fewer.emplace(threads);
  std::uint64_t bytes = 0;
  ordered_pipeline<TextReader::Item>(
      fewer ? *fewer : pool, [&](TextReader::Item& item) { return reader.take(item); },
      [&](TextReader::Item& item) { reader.parse(item); },
      [&](TextReader::Item& item) {
        reader.adopt(item);
        // After a complaint the rest is only read to find more of them.
        if (reader.has_errors()) {
          *arrays = Arrays(options.residency);
        } else {
          bytes += item.text.size;
          arrays->append(item.rows, options.residency ? 1.0 : share_read(bytes, reader, item));
        }
      });
  // Of a file in shares some rank may have none.
  reader.end(pool.is_alone() ? TextReader::NoRows::refused : TextReader::NoRows::fine);
  Schema schema = reader.finish({{arrays->offsets.data(), arrays->offsets.size()},
                                 {arrays->features.data(), arrays->features.size()},
                                 {arrays->values.data(), arrays->values.size()},
                                 {arrays->labels.data(), arrays->labels.size()}},
                                pool);
  arrays->features.resize_uninitialised(static_cast<std::size_t>(arrays->offsets.back()));
  arrays->values.resize_uninitialised(static_cast<std::size_t>(arrays->offsets.back()));
  const std::size_t columns = static_cast<std::size_t>(schema.feature_count());
  const bool dense = !options.keep_sparse && are_smaller_when_dense(*arrays, columns, pool.ranks());
  return {dataset_over(std::move(arrays), columns, std::move(schema), dense, options),
          reader.notes()};
}

// One text file or several, or the share of them that this rank reads.
ReadResult read_divided(const std::vector<std::string>& files, const ReadOptions& options) {
  options.validate();
  refuse_what_cannot_be_divided(files);
  Collective& ranks = ranks_of(options);
  ThreadPool pool(options.threads > 0 ? options.threads : available_cores(), ranks);
  if (!file_begins_with(kBinaryMagic, files.front())) {
    DividedText text(files, options, Reading::whole);
    ReadResult read =
        text.read([&](TextReader& reader) { return read_rows(reader, options, pool); });
    text.locate(read.notes);
    return read;
  }
  ReadOptions whole = options;
  whole.ranks.reset();
  ReadResult read = read_dataset(files.front(), whole);
  const auto begin =
      static_cast<std::size_t>(share_begin(read.data.rows(), ranks.rank(), ranks.size()));
  const auto end =
      static_cast<std::size_t>(share_begin(read.data.rows(), ranks.rank() + 1, ranks.size()));
  read.data = read.data.slice(begin, end - begin);
  return read;
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
    TextReader reader(std::move(blocks), path, options, Reading::whole);
    return read_rows(reader, options, pool);
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

ReadResult read_dataset(const std::string& name, const ReadOptions& options) {
  const std::vector<std::string> files = files_named(name);
  if (is_divided(files, options)) return read_divided(files, options);
  const std::string& path = files.front();
  auto file = open_file(path, options.idle);
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

std::vector<ColumnProfile> profile_columns(const std::string& name, const ReadOptions& options) {
  options.validate();
  const std::string path = files_named(name).front();
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
