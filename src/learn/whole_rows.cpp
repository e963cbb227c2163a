#include "learn/whole_rows.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cmath>
#include <memory>
#include <set>
#include <vector>

#include "math/passes.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// More kinds than this are numbers to predict, whatever else there is.
constexpr std::size_t kMostKinds = 1024;

struct Shard {
  std::uint64_t rows;
  std::uint64_t non_zeros;
  std::uint64_t features;
  std::uint64_t words;  // a hash of the label words
  bool labelled;
};

std::uint64_t hash_of_words(const Schema& schema) {
  std::string all;
  for (const std::string& word : schema.label_words) all += word + '\n';
  return XXH3_64bits(all.data(), all.size());
}

std::vector<double> kinds_of(const Dataset& data, Collective& ranks) {
  std::set<double> kinds;
  for (const double label : data.labels()) {
    if (!std::isnan(label)) kinds.insert(label);
    if (kinds.size() > kMostKinds) break;
  }
  const std::vector<double> mine(kinds.begin(), kinds.end());
  const auto all =
      ranks.gather({reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(double)});
  for (const std::string& part : all) {
    std::vector<double> theirs(part.size() / sizeof(double));
    std::memcpy(theirs.data(), part.data(), theirs.size() * sizeof(double));
    kinds.insert(theirs.begin(), theirs.end());
  }
  return {kinds.begin(), kinds.end()};
}

struct LabelRows {
  std::vector<double> labels;
  std::vector<std::uint64_t> offsets;
};

Dataset row_per_label(const Dataset& data, Collective& ranks) {
  const auto own = std::make_shared<LabelRows>();
  own->labels = kinds_of(data, ranks);
  own->offsets.assign(own->labels.size() + 1, 0);
  DatasetParts parts;
  parts.rows = own->labels.size();
  parts.features = data.features();
  parts.sparse = SparseMatrix{own->offsets, {}, {}};
  parts.labels = own->labels;
  parts.schema = data.shared_schema();
  parts.owner = own;
  return Dataset::from_parts(std::move(parts));
}

}  // namespace

WholeRows WholeRows::of(const Dataset& data, Collective& ranks) {
  WholeRows whole{data, data.rows(), data.non_zeros(), 0};
  if (ranks.size() == 1) return whole;
  const Shard mine{data.rows(), data.non_zeros(), data.features(), hash_of_words(data.schema()),
                   data.has_labels()};
  const std::vector<Shard> shards = gather_over_ranks(mine, ranks);
  const Shard& first = shards.front();
  whole.rows = whole.non_zeros = 0;
  for (std::size_t rank = 0; rank < shards.size(); ++rank) {
    const Shard& shard = shards[rank];
    if (shard.rows == 0) {
      throw Error(
          fmt::format("rank {} of {} has no rows; run with fewer ranks", rank, shards.size()));
    }
    if (shard.features != first.features || shard.words != first.words ||
        shard.labelled != first.labelled) {
      throw Error(
          fmt::format("rank {} has {} features, rank 0 has {}, or their labels differ; all "
                      "ranks must read their rows with one schema",
                      rank, shard.features, first.features));
    }
    whole.rows += shard.rows;
    whole.non_zeros += shard.non_zeros;
    if (static_cast<int>(rank) < ranks.rank()) whole.rows_before += shard.rows;
  }
  if (data.has_labels()) whole.labels = row_per_label(data, ranks);
  return whole;
}

}  // namespace pegasos
