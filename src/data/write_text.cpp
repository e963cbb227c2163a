// Writing whole datasets as text: blocks of rows are formatted on all threads and written in order.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/atomic_file.h"
#include "base/cores.h"
#include "base/grow_buffer.h"
#include "base/thread_pool.h"
#include "data/row_text.h"
#include "pegasos/error.h"
#include "pegasos/write.h"

namespace pegasos {
namespace {

// Text a thread formats at a time, roughly: large enough that waiting for one's turn does not
// matter, small enough to stay in the cache until it is written.
constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
constexpr std::size_t kBytesPerValue = 12;

struct Block {
  std::size_t first = 0;
  Dataset rows;
  GrowBuffer<char> text;
};

// format(rows, first row, text) appends the lines of a block. A line has about bytes_per_row,
// besides its values.
template <typename Format>
void write_rows(const Dataset& data, const std::string& path, const WriteOptions& options,
                const GrowBuffer<char>& header, std::size_t bytes_per_row, Format&& format) {
  ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
  AtomicFile file(path);
  file.write(header.view());
  std::size_t next = 0;
  ordered_pipeline<Block>(
      pool,
      [&](Block& block) {
        if (next == data.rows()) return false;
        block.first = next;
        std::size_t bytes = 0;
        while (next < data.rows() && bytes < kBlockBytes) {
          bytes += bytes_per_row + kBytesPerValue * data.row(next++).values.size();
        }
        block.rows = data.slice(block.first, next - block.first);
        return true;
      },
      [&](Block& block) {
        block.text.clear();
        format(block.rows, block.first, block.text);
      },
      [&](Block& block) {
        file.write(block.text.view());
        if (options.watch && !options.watch(block.first + block.rows.rows())) throw Cancelled();
      });
  file.commit();
}

}  // namespace

void WriteOptions::validate() const {
  if (threads < 0 || threads > 1024) throw InvalidOption("threads", "must be from 0 to 1024");
}

void write_svmlight(const Dataset& data, const std::string& path, const WriteOptions& options) {
  options.validate();
  if (data.has_weights()) {
    throw Error("svmlight cannot store row weights; use CSV or the binary format instead");
  }
  SvmlightText text(data.schema(), data.features());
  text.keep_range_of(data);
  write_rows(data, path, options, {}, 4,
             [&text](const Dataset& rows, std::size_t first, GrowBuffer<char>& out) {
               text.append(rows, first, out);
             });
}

void write_csv(const Dataset& data, const std::string& path, const WriteOptions& options) {
  options.validate();
  if (data.features() > CsvText::kMostFeatures) {
    throw Error(
        fmt::format("CSV would need {} cells, one for every feature of every row; use svmlight or "
                    "the binary format instead",
                    data.features()));
  }
  const CsvText text(data.schema());
  GrowBuffer<char> header;
  CsvText::append_header(data, header);
  write_rows(
      data, path, options, header, 4 + 2 * data.features(),
      [&text](const Dataset& rows, std::size_t, GrowBuffer<char>& out) { text.append(rows, out); });
}

}  // namespace pegasos
