// Reading data: a whole file into a Dataset, or any size block by block in constant memory.
//
// Text is LIBSVM/svmlight or CSV/TSV; either may be compressed with gzip, bzip2, xz or zstd, which
// is seen from the content. Our binary form is memory-mapped. "-" is standard input. Several text
// files are read as one where the path is a pattern with * or ?, or @ and the name of a file with
// their names, one on each line. The result does not depend on the number of threads. Bad data is a
// ParseError with the first several complaints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pegasos/collective.h"
#include "pegasos/dataset.h"
#include "pegasos/error.h"
#include "pegasos/option_table.h"
#include "pegasos/profile.h"
#include "pegasos/schema.h"

namespace pegasos {

struct ReadProgress {
  std::uint64_t bytes_read = 0;                   // of the file as it is stored, compressed or not
  std::optional<std::uint64_t> bytes_total = {};  // unknown for pipes
  std::uint64_t rows = 0;
};

// What a reader found out or decided, for a person to read.
struct ReadNotes {
  std::string compression = {};  // "", "gzip", "bzip2", "xz", "zstd"
  DataFormat format = DataFormat::svmlight;
  std::uint64_t text_bytes = 0;      // after decompression
  std::uint64_t rows_with_qid = 0;   // read and ignored
  std::uint64_t rows_reordered = 0;  // their indices were not ascending
  std::uint64_t rows_unlabelled = 0;
  std::uint64_t unknown_words = 0;     // CSV words the given schema does not have; ignored
  std::uint64_t unknown_features = 0;  // svmlight indices the given schema does not have; ignored
  std::uint64_t values_filled = 0;     // missing CSV cells that were filled
  std::uint64_t rows_bad = 0;          // that could not be read and were skipped or kept empty
  std::optional<Diagnostic> first_bad = {};         // the first of them
  std::optional<Diagnostic> first_unlabelled = {};  // the first row without a label
  std::string encoding = {};         // "" for UTF-8, else what the text was converted from
  bool matched_by_position = false;  // columns of a table, to those of the given schema
  std::vector<std::string> columns_extra = {};  // columns the given schema does not have; ignored
  std::vector<ColumnProfile> columns = {};      // of a table, in the order of the file
};

// What to do about a row that cannot be read.
enum class BadRows { refuse, skip, keep_empty };

// Offset and scale of the number columns of a table, fitted on the whole file in double precision.
//   standard   mean 0, variance 1        min_max   into [0, 1]        max_abs   into [-1, 1]
// Columns of zeros for the most part (nine cells in ten) are divided but not shifted.
enum class TableScaling { none, standard, min_max, max_abs };

std::string name_of(TableScaling scaling);  // "none", "standard", "minmax", "maxabs"
std::optional<TableScaling> table_scaling_of_name(const std::string& name);

// How text becomes features, see TextRules. Characters are counted by default where texts are
// short, up to 300 bytes on average: 3 to 5 of them.
struct TextOptions {
  std::uint32_t word_grams = 2;
  std::optional<std::uint32_t> char_from = {};  // both or none
  std::optional<std::uint32_t> char_to = {};
  std::uint32_t least_rows = 2;
  std::uint32_t hash_bits = 0;
};

// Cells that mean a missing value unless told otherwise, beside the empty one.
const std::vector<std::string>& usual_na();

// What comes with the rows of a block beside their values.
struct RowExtras {
  std::span<const std::string> ids;   // of id_column, or none
  std::span<const std::uint8_t> bad;  // 1 for a row that was kept empty; none: no row was
};

struct ReadOptions {
  // What the file is. Default: found out from its content.
  std::optional<DataFormat> format = {};

  // Threads to parse with, ≥ 1; 0: as many as the process may use.
  int threads = 0;

  // svmlight: does the first feature have index 0 or 1? Default: 0 if any index 0 occurs, else 1.
  std::optional<std::uint32_t> index_base = {};

  // CSV. Delimiter: found out. Header: found out. Columns are named by header or by number from 1.
  std::optional<char> delimiter = {};
  std::optional<bool> header = {};
  // Label: by default a column called label, target, class or y, else the last, or the first where
  // the last is text.
  std::string label_column = {};
  std::string weight_column = {};  // default: none
  std::string id_column = {};      // default: none; its cells name the rows of the result
  std::vector<std::string> ignored_columns = {};
  std::vector<std::string> words_columns = {};      // short for ColumnKind::category
  std::vector<ColumnChoice> column_kinds = {};      // instead of what a profile of the column says
  std::optional<MissingValues> missing = {};        // default: median
  std::optional<std::vector<std::string>> na = {};  // default: those of the schema, or usual_na()
  std::vector<std::string> also_na = {};            // besides them
  std::optional<char> decimal = {};  // '.' or ','; default: whatever the whole column agrees with
  // Of dates such as 03/04/2024, day_first or month_first; default: the one that all of the column
  // fits, and where both do, month_first with slashes and day_first otherwise.
  std::optional<DateOrder> date_order = {};
  std::optional<bool> quotes = {};  // false: quotes are plain characters. Default: found out in
                                    // tab-separated files, else true
  TableScaling table_scaling = TableScaling::none;
  TextOptions text = {};

  // Rows that cannot be read. Skipped and kept ones are counted in the notes.
  BadRows bad_rows = BadRows::refuse;

  // Read with the schema of a model instead of learning one. CSV columns are matched by header
  // name, so their order may differ and the label may be absent.
  std::shared_ptr<const Schema> schema = {};

  // Where rows are divided among ranks: read only the share of this one, see dist.h. Tables are
  // understood together; the features of svmlight files are not yet those of all ranks
  // (agree_on_schema). Null: all rows.
  std::shared_ptr<Collective> ranks = {};

  // Keep sparse rows sparse even where dense rows would be smaller.
  bool keep_sparse = false;

  // Largest size a compressed file may unpack to, in bytes. Default: 1 GiB or 200 times its own
  // size, whichever is more; ordinary text stays far below that, bombs do not.
  std::optional<std::uint64_t> max_decompressed = {};

  // Longest line, or record of a table, in bytes, ≥ 2^18. A longer one is refused before it is all
  // in memory: the file is hardly text with one row per line.
  std::uint64_t max_line = std::uint64_t{64} << 20;

  // Complaints to collect before giving up, ≥ 1.
  std::size_t max_errors = 8;

  // Where set, rows are put into files instead of memory; see large_data.h, which sets it.
  std::shared_ptr<Residency> residency = {};

  // Called now and then, from one thread at a time; return false to stop with Cancelled.
  std::function<bool(const ReadProgress&)> watch = {};

  // Pipes: called about ten times a second while there is nothing to read, from the thread that
  // reads; return false to stop with Cancelled.
  std::function<bool()> idle = {};

  // Streams: called before each block is handed out.
  std::function<void(const RowExtras&)> extras = {};

  void validate() const;  // throws InvalidOption
};

// Name, meaning, range and default of every option that can be written as text.
const OptionTable<ReadOptions>& read_option_table();

struct ReadResult {
  Dataset data;
  ReadNotes notes;
};

// The whole file.
ReadResult read_dataset(const std::string& path, const ReadOptions& options = {});

// The same from bytes in memory; `name` stands in messages.
ReadResult read_dataset_from_memory(std::span<const char> bytes, const std::string& name,
                                    const ReadOptions& options = {});

// A file of any size, a block of rows at a time, in constant memory. Each block is a Dataset that
// is valid until the next one is asked for. Before a row that cannot be read the rows above it are
// handed out; then next() throws. Standard input that is slow to come is not waited for: whole
// lines are handed on as they arrive.
//
// With options.schema, features are those of the schema. Without, there is no whole file to number
// features by: svmlight ids are the indices as written, CSV words are numbered after all columns in
// order of first appearance.
class RowStream {
 public:
  RowStream(const std::string& path, const ReadOptions& options);
  RowStream(RowStream&&) noexcept;
  ~RowStream();

  // A stream that finds out by itself what a whole file would tell: its first bytes, up to so many,
  // are read as a file (and handed out again with the rest). Columns, categories, vocabularies and
  // scales of a table are those of this sample; later words are ignored and counted. Where labels
  // are words, the label words of the schema are those of the sample and `labels`; others get
  // numbers behind these. Indices of svmlight files are not limited: the features of a block are
  // 2^32, less the index base.
  static RowStream sampled(const std::string& path, ReadOptions options, std::size_t sample_bytes,
                           const std::vector<std::string>& labels = {});

  // The rows of the sample; none of a stream without one.
  const Dataset& sample() const;
  // What the features and labels of the blocks mean.
  std::shared_ptr<const Schema> schema() const;

  // The next block, or nothing at the end.
  std::optional<Dataset> next();

  // The place of the first row of the current block, from 0.
  std::uint64_t first_row() const;
  const ReadNotes& notes() const;

 private:
  struct State;
  explicit RowStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A number for every row of a file of any size, computed on all threads in constant memory: `score`
// sees the features of a row, `take` gets the blocks with their scores in the order of the file.
// options.schema says what the features are and must be given. Standard input that is slow to come
// is not waited for: whole lines are handed on as they arrive.
//
// map_blocks is the same for scores that are computed for a block of rows at a time, which many
// threads do at once, each for a block of its own.
ReadNotes map_blocks(const std::string& path, const ReadOptions& options,
                     const std::function<std::vector<double>(const Dataset&)>& score,
                     const std::function<void(const Dataset&, std::span<const double>)>& take);
ReadNotes map_rows(const std::string& path, const ReadOptions& options,
                   const std::function<double(const RowView&)>& score,
                   const std::function<void(const Dataset&, std::span<const double>)>& take);

}  // namespace pegasos
