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

struct Block {
  std::uint64_t first = 0;
  std::size_t count = 0;
  GeneratedRows rows;
  GrowBuffer<char> text;
};

bool is_sparse(GeneratedKind kind) {
  return kind == GeneratedKind::text;
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

}  // namespace

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
