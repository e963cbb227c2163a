// Generated data, as a Dataset or straight to a file: blocks of rows are made on all threads and
// taken in order.
#include "pegasos/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/atomic_file.h"
#include "base/cores.h"
#include "base/thread_pool.h"
#include "data/row_maker.h"
#include "data/row_text.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// About this many values make a block, which is some 256 KB of text.
constexpr std::size_t kBlockValues = std::size_t{1} << 14;

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 62;
// The vocabulary is a table in memory, 17 bytes a word.
constexpr std::uint32_t kMostWords = std::uint32_t{1} << 26;
constexpr double kMostNoise = 1e6;  // beyond, values would leave the range of a float

struct Block {
  std::uint64_t first = 0;
  std::size_t count = 0;
  GeneratedRows rows;
  GrowBuffer<char> text;
};

bool is_sparse(GeneratedKind kind) {
  return kind == GeneratedKind::text;
}

bool is_regression(GeneratedKind kind) {
  return kind == GeneratedKind::linear || kind == GeneratedKind::friedman;
}

std::uint32_t fewest_features(GeneratedKind kind) {
  switch (kind) {
    case GeneratedKind::moons:
    case GeneratedKind::xor_squares:
      return 2;
    case GeneratedKind::friedman:
      return 5;
    default:
      return 1;
  }
}

std::unique_ptr<RowMaker> make_rows(const GenerateOptions& options) {
  return is_sparse(options.kind) ? make_text_rows(options) : make_dense_rows(options);
}

std::vector<std::string> numbered_names(std::uint32_t features) {
  std::vector<std::string> names;
  names.reserve(features);
  for (std::uint32_t j = 1; j <= features; ++j) names.push_back(fmt::format("x{}", j));
  return names;
}

std::shared_ptr<const Schema> schema_of(const GenerateOptions& options) {
  auto schema = std::make_shared<Schema>();
  schema->indices = IndexMap::contiguous(1, features_of(options));
  if (!is_sparse(options.kind)) schema->feature_names = numbered_names(features_of(options));
  return schema;
}

// Makes all rows in blocks; `work` sees them in parallel, `consume` in order.
template <typename Work, typename Consume>
void for_each_block(const GenerateOptions& options, int threads, Work&& work, Consume&& consume) {
  if (threads < 0 || threads > 1024) throw InvalidOption("threads", "must be from 0 to 1024");
  const auto maker = make_rows(options);
  const double row_values =
      is_sparse(options.kind) ? options.words_per_row : static_cast<double>(features_of(options));
  const auto block_rows =
      static_cast<std::size_t>(std::max(1.0, static_cast<double>(kBlockValues) / row_values));
  ThreadPool pool(threads > 0 ? threads : available_cores());
  std::uint64_t next = 0;
  ordered_pipeline<Block>(
      pool,
      [&](Block& block) {
        if (next == options.rows) return false;
        block.first = next;
        block.count =
            static_cast<std::size_t>(std::min<std::uint64_t>(block_rows, options.rows - next));
        next += block.count;
        return true;
      },
      [&](Block& block) {
        block.rows.clear();
        maker->append(block.first, block.count, block.rows);
        work(block);
      },
      consume);
}

void check_for_kind(const GenerateOptions& options) {
  const bool text = is_sparse(options.kind);
  const std::uint32_t features = features_of(options);
  if (features < fewest_features(options.kind)) {
    throw InvalidOption("features",
                        fmt::format("this kind needs at least {}", fewest_features(options.kind)));
  }
  const std::uint64_t most = text ? kMostWords : CsvText::kMostFeatures;
  if (features > most) {
    throw InvalidOption("features", fmt::format("this kind has at most {}", most));
  }
  if (text && options.words_per_row > features) {
    throw InvalidOption("words_per_row",
                        fmt::format("{} distinct words per row of only {} features",
                                    options.words_per_row, features));
  }
  if (text && options.noise) {
    throw InvalidOption("noise", "not used for text; use label_noise");
  }
  if (options.classes != 2 && !text && options.kind != GeneratedKind::blobs) {
    throw InvalidOption("classes",
                        "only text and blobs can have a number of classes other than two");
  }
  if (is_regression(options.kind) && options.positive_share) {
    throw InvalidOption("positive_share", "regression data has no classes");
  }
  if (is_regression(options.kind) && options.label_noise > 0) {
    throw InvalidOption("label_noise", "regression data has no classes; use noise");
  }
}

}  // namespace

void GenerateOptions::validate() const {
  if (rows < 1 || rows > kMostRows) throw InvalidOption("rows", "must be from 1 to 2^62");
  if (features && *features < 1) throw InvalidOption("features", "must be at least 1");
  if (!(words_per_row >= 1) || std::isinf(words_per_row)) {
    throw InvalidOption("words_per_row", "must be at least 1");
  }
  if (classes < 2 || classes > 1000) throw InvalidOption("classes", "must be from 2 to 1000");
  if (positive_share && !(*positive_share > 0 && *positive_share < 1)) {
    throw InvalidOption("positive_share", "must be above 0 and below 1");
  }
  if (!(label_noise >= 0 && label_noise < 1)) {
    throw InvalidOption("label_noise", "must be at least 0 and below 1");
  }
  if (noise && !(*noise >= 0 && *noise <= kMostNoise)) {
    throw InvalidOption("noise", "must be from 0 to 1000000");
  }
  check_for_kind(*this);
}

Dataset generate(const GenerateOptions& options, int threads) {
  options.validate();
  if (options.rows > std::numeric_limits<RowId>::max()) {
    throw InvalidOption("rows", fmt::format("at most {} fit in memory; generate a file instead",
                                            std::numeric_limits<RowId>::max()));
  }
  auto all = std::make_shared<GeneratedRows>();
  all->clear();
  for_each_block(
      options, threads, [](Block&) {},
      [&all](Block& block) {
        const std::uint64_t shift = all->features.size();
        for (const std::uint64_t offset : block.rows.offsets.view().subspan(1)) {
          all->offsets.push_back(offset + shift);
        }
        all->labels.append(block.rows.labels.view());
        all->features.append(block.rows.features.view());
        all->values.append(block.rows.values.view());
      });
  return all->view(features_of(options), schema_of(options), all);
}

void generate_to_file(const GenerateOptions& options, GeneratedFormat format,
                      const std::string& path, int threads,
                      const std::function<bool(std::uint64_t rows)>& watch) {
  options.validate();
  const std::uint32_t features = features_of(options);
  const bool csv = format == GeneratedFormat::csv;
  if (csv && features > CsvText::kMostFeatures) {
    throw InvalidOption("features", fmt::format("at most {} for CSV", CsvText::kMostFeatures));
  }
  const auto schema = schema_of(options);
  SvmlightText svmlight_text(*schema, features);
  svmlight_text.keep_last_feature();
  const CsvText csv_text(*schema);

  AtomicFile file(path);
  if (csv) {
    GrowBuffer<char> header;
    CsvText::append_header(numbered_names(features), /*weights=*/false, header);
    file.write(header.view());
  }
  for_each_block(
      options, threads,
      [&](Block& block) {
        block.text.clear();
        const Dataset rows = block.rows.view(features, schema);
        if (csv) {
          csv_text.append(rows, block.text);
        } else {
          svmlight_text.append(rows, block.first, block.text);
        }
      },
      [&](Block& block) {
        file.write(block.text.view());
        if (watch && !watch(block.first + block.count)) throw Cancelled();
      });
  file.commit();
}

}  // namespace pegasos
