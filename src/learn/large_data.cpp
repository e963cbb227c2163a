// Whether rows are read into memory or left in a file; see pegasos/large_data.h.
#include "pegasos/large_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/cores.h"
#include "base/memory.h"
#include "base/option_builder.h"
#include "base/quantity_text.h"
#include "base/residency.h"
#include "data/binary_format.h"
#include "data/byte_source.h"
#include "data/data_cache.h"
#include "data/file_list.h"
#include "learn/resolve.h"
#include "pegasos/error.h"
#include "pegasos/tune.h"
#include "solver/newton_direction.h"

namespace pegasos {
namespace {

// Of what is free, so much is planned with.
constexpr double kShareOfFree = 0.9;
// Bytes of rows for each byte of text, plain and compressed: what is expected, not a bound.
constexpr double kRowsPerText = 1.2;
constexpr double kRowsPerCompressed = 8.0;
// The program itself, its buffers for reading, and threads.
constexpr std::uint64_t kProgram = std::uint64_t{24} << 20;
// Less than this in memory at a time is not worth trying.
constexpr std::uint64_t kLeastResident = std::uint64_t{8} << 20;
// Of what is left for rows, the share for those in memory; the rest is for a sample to begin with.
constexpr double kResidentShare = 0.75;
// Rows of less than this part of the limit need no plan.
constexpr std::uint64_t kSmallPart = 16;
// Vectors of one double for each row, and for each feature, that a solver and its certificate keep.
constexpr std::uint64_t kVectorsOfRows = 24;
constexpr std::uint64_t kVectorsOfFeatures = 24;
// Copies of a Newton matrix: its own, its factor, and sums of parts.
constexpr std::uint64_t kMatrices = 10;

std::string size_in_words(std::uint64_t bytes) {
  return in_bytes(static_cast<double>(bytes));
}

// Thrown while reading into memory, when there turns out to be more than expected.
struct TooLarge {};

// The rows as they are, scaled and mapped, and their copies for folds. As they are, all folds of a
// search share two copies (folds.h).
std::uint64_t rows_in_all(const Dataset& data, const TrainOptions& options, std::size_t copies) {
  const std::uint64_t inputs = data.memory_bytes();
  std::size_t converted = copies;
  if (options.probabilities) {
    copies += 2;
    ++converted;
  }
  if (options.tune_lambda) {
    copies += 2;
    converted += TuneOptions{}.folds;
  }
  std::uint64_t all = inputs * (1 + copies);
  if (options.scaling) all += data.non_zeros() * sizeof(float) * (1 + converted);
  if (options.approximation) {
    all += std::uint64_t{data.rows()} * options.components * sizeof(float) * (1 + converted);
  }
  return all;
}

// What training keeps beside the rows.
std::uint64_t working_memory(const Dataset& data, const TrainOptions& options) {
  const std::uint64_t rows = data.rows();
  const std::uint64_t features = options.approximation ? options.components : data.features();
  std::uint64_t classifiers = 1;
  if (data.has_labels() && has_many_classes(data, options)) {
    const std::set<double> kinds(data.labels().begin(), data.labels().end());
    classifiers = kinds.size();
  }
  const auto threads =
      static_cast<std::uint64_t>(options.threads > 0 ? options.threads : available_cores());
  const std::uint64_t at_once = std::min(classifiers, threads);
  const bool is_dense = data.is_dense() || options.approximation;
  const std::uint64_t non_zeros = is_dense ? rows * features : data.non_zeros();
  const std::uint64_t matrix =
      has_small_matrix(features, non_zeros) ? kMatrices * features * features * sizeof(double) : 0;
  const std::uint64_t of_one =
      sizeof(double) * (kVectorsOfRows * rows + kVectorsOfFeatures * features) + matrix;
  std::uint64_t map = 0;
  if (options.approximation) {
    const FeatureMapOptions wanted{.approximation = *options.approximation,
                                   .kernel = *options.kernel,
                                   .components = options.components};
    map = sizeof(double) * static_cast<std::uint64_t>(wanted.numbers(data.features()));
  }
  return at_once * of_one + sizeof(double) * classifiers * (rows + features) + map;
}

class PlannedReading {
 public:
  PlannedReading(std::string path, const ReadOptions& reading, const TrainOptions& training,
                 const MemoryOptions& memory)
      : path_(std::move(path)), reading_(reading), training_(training), memory_(memory) {
    plan_.limit = memory.limit;
    if (plan_.limit == 0) {
      const std::uint64_t available = available_memory();
      const auto free = static_cast<double>(available + resident_memory());
      plan_.limit = available > 0 ? static_cast<std::uint64_t>(kShareOfFree * free) : 0;
    }
  }

  PlannedRead read() {
    if (plan_.limit == 0) return in_memory(read_dataset(path_, reading_));
    const auto files = files_named(path_);
    const bool one_file = files.size() == 1 && files.front() != "-" &&
                          std::filesystem::is_regular_file(files.front());
    if (!one_file) {
      // A pipe cannot be read again. Where a limit was asked for, its rows go to files at once.
      if (memory_.limit == 0 || files.size() > 1) return in_memory(read_dataset(path_, reading_));
      return spooled();
    }
    path_ = files.front();
    if (expected() + kProgram <= plan_.limit) {
      try {
        PlannedRead planned = in_memory(read_guarded());
        if (fits()) return planned;
      } catch (const TooLarge&) {
        // Once more, the other way.
      }
    }
    return from_file();
  }

 private:
  std::uint64_t expected() const {
    const auto size = static_cast<double>(std::filesystem::file_size(path_));
    if (file_begins_with(kBinaryMagic, path_)) return static_cast<std::uint64_t>(size);
    const auto source = decompressed(open_file(path_), path_, reading_.max_decompressed);
    const double factor = source->compression().empty() ? kRowsPerText : kRowsPerCompressed;
    return static_cast<std::uint64_t>(factor * size);
  }

  ReadResult read_guarded() const {
    ReadOptions guarded = reading_;
    guarded.watch = [this](const ReadProgress& progress) {
      if (resident_memory() > plan_.limit) throw TooLarge();
      return !reading_.watch || reading_.watch(progress);
    };
    return read_dataset(path_, guarded);
  }

  // All rows are in memory. What training needs beside them is only computed where it may matter.
  PlannedRead in_memory(ReadResult read) {
    plan_.rows = rows_of(read.data);
    if (memory_.limit > 0 || plan_.rows > plan_.limit / kSmallPart) {
      plan_.others = working_memory(read.data, training_);
    }
    return {std::move(read), plan_};
  }

  std::uint64_t rows_of(const Dataset& data) const {
    return rows_in_all(data, training_, memory_.copies);
  }

  bool fits() const { return plan_.rows + plan_.others + kProgram <= plan_.limit; }

  std::string folder() const {
    if (!memory_.cache_folder.empty()) return memory_.cache_folder;
    if (path_ == "-") return ".";
    const auto parent = std::filesystem::path(path_).parent_path().string();
    return parent.empty() ? "." : parent;
  }

  // While rows are put into files; half of it is used before pages go, see base/residency.h.
  std::shared_ptr<Residency> residency_for_reading() const {
    return std::make_shared<Residency>(std::max(kLeastResident, plan_.limit / 4), folder());
  }

  // How much of the rows may be in memory. Throws where that is too little.
  std::uint64_t resident_for(const Dataset& data) {
    plan_.rows = rows_of(data);
    plan_.others = working_memory(data, training_);
    const std::uint64_t taken = plan_.others + kProgram;
    const auto left =
        plan_.limit > taken
            ? static_cast<std::uint64_t>(kResidentShare * static_cast<double>(plan_.limit - taken))
            : 0;
    if (left >= kLeastResident) return left;
    const std::string enough = size_in_words(taken + 2 * kLeastResident);
    throw Error(fmt::format(
        "{} and {} need {} for dual variables and weights even if rows stay in a file, but the "
        "limit is {}; {}",
        counted(data.rows(), "row"), counted(data.features(), "feature"),
        size_in_words(plan_.others), size_in_words(plan_.limit),
        training_.approximation
            ? fmt::format("use fewer components, or allow {} of memory", enough)
            : fmt::format("allow {} of memory, or learn from a stream, which keeps weights alone",
                          enough)));
  }

  PlannedRead spooled() {
    ReadOptions own = reading_;
    own.residency = residency_for_reading();
    ReadResult read = read_dataset(path_, own);
    refuse_what_cannot_fit(training_, read.data);
    resident_for(read.data);
    plan_.resident = own.residency->bytes();
    return {std::move(read), plan_};
  }

  PlannedRead from_file() {
    ThreadPool pool(reading_.threads > 0 ? reading_.threads : available_cores());
    ReadNotes notes;
    if (file_begins_with(kBinaryMagic, path_)) {
      plan_.cache_found = true;
      notes.format = DataFormat::binary;
      return finish(path_, notes, pool);
    }
    const std::uint64_t key = cache_key(path_, reading_);
    plan_.cache = cache_path(path_, memory_.cache_folder, key);
    const auto open = [&] { return open_cache(plan_.cache, key, residency_for_reading(), pool); };
    plan_.cache_found = open().has_value();
    if (!plan_.cache_found) {
      notes = make_cache(key);
      if (!open()) throw Error("the data or its cache changed while it was being read");
    }
    return finish(plan_.cache, notes, pool);
  }

  ReadNotes make_cache(std::uint64_t key) {
    try {
      ReadOptions own = reading_;
      own.residency = residency_for_reading();
      const ReadResult read = read_dataset(path_, own);
      plan_.rows = rows_of(read.data);
      plan_.others = working_memory(read.data, training_);
      // What will be refused is refused before the cache is written.
      if (!fits()) {
        refuse_what_cannot_fit(training_, read.data);
        resident_for(read.data);
      }
      ReadProgress done;
      done.bytes_read = std::filesystem::file_size(path_);
      done.bytes_total = done.bytes_read;
      done.rows = read.data.rows();
      write_binary_cache(read.data, key, plan_.cache, [&] {
        if (reading_.watch && !reading_.watch(done)) throw Cancelled();
      });
      return read.notes;
    } catch (const IoError& problem) {
      if (problem.path() == path_) throw;
      throw IoError("the rows are larger than the memory limit, and cannot be cached in",
                    problem.path(), problem.error_number());
    }
  }

  // The rows of a binary file, mapped: all in memory if they fit after all, or as they are visited.
  PlannedRead finish(const std::string& binary, ReadNotes notes, ThreadPool& pool) {
    PagedBinary opened = open_binary_paged(binary, residency_for_reading(), pool);
    const Schema& schema = opened.data.schema();
    if (binary != path_) {
      notes.format = schema.csv ? DataFormat::csv : DataFormat::svmlight;
    }
    plan_.rows = rows_of(opened.data);
    plan_.others = working_memory(opened.data, training_);
    if (fits()) return {{open_binary(binary, pool), std::move(notes)}, plan_};
    plan_.resident = resident_for(opened.data);
    opened = {};  // its pages must be gone when the new limit begins to count
    opened = open_binary_paged(binary, std::make_shared<Residency>(plan_.resident, folder()), pool);
    opened.check(pool);
    return {{std::move(opened.data), std::move(notes)}, plan_};
  }

  std::string path_;
  const ReadOptions& reading_;
  const TrainOptions& training_;
  const MemoryOptions& memory_;
  MemoryPlan plan_;
};

OptionTable<MemoryOptions> make_table() {
  OptionInfo limit{.name = "memory",
                   .group = "Memory",
                   .meaning =
                       "Memory for the whole run; data that is larger stays in a file. By "
                       "default what the machine and its control group leave"};
  limit.kind = OptionKind::bytes;
  auto of_limit = option::with_unit(
      option::number(std::move(limit), &MemoryOptions::limit, option::at_least(0)));
  of_limit.info.default_text.clear();
  return {std::move(of_limit),
          option::text({.name = "cache_dir",
                        .group = "Memory",
                        .meaning = "Folder for the binary form of data larger than memory; by "
                                   "default that of the data",
                        .values = "FOLDER"},
                       &MemoryOptions::cache_folder)};
}

}  // namespace

const OptionTable<MemoryOptions>& memory_option_table() {
  static const auto table = make_table();
  return table;
}

void MemoryOptions::validate() const {
  check_ranges(memory_option_table(), *this);
  if (!cache_folder.empty() && !std::filesystem::is_directory(cache_folder)) {
    throw InvalidOption("cache_dir", fmt::format("'{}' is not a folder", cache_folder));
  }
}

std::string MemoryPlan::in_words() const {
  const std::string needs =
      fmt::format("{} of rows, {} for training; the limit is {}", size_in_words(rows),
                  size_in_words(others), limit > 0 ? size_in_words(limit) : "not known");
  if (resident == 0) return needs + ": all in memory";
  return fmt::format("{}: rows stay in {}, {} of them in memory at a time", needs,
                     cache.empty() ? "the file" : cache, size_in_words(resident));
}

PlannedRead read_for_training(const std::string& path, const ReadOptions& reading,
                              const TrainOptions& training, const MemoryOptions& memory) {
  memory.validate();
  return PlannedReading(path, reading, training, memory).read();
}

}  // namespace pegasos
