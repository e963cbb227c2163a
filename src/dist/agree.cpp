// One schema for rows that ranks have read on their own: the features and label words of all of
// them, numbered as by one process that has read everything.
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "data/apply_schema.h"
#include "data/schema_json.h"
#include "math/passes.h"
#include "pegasos/dist.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

template <typename T>
std::vector<std::vector<T>> gather_vectors(const std::vector<T>& mine, Collective& ranks) {
  std::vector<std::vector<T>> all;
  for (const std::string& part :
       ranks.gather({reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(T)})) {
    all.emplace_back(part.size() / sizeof(T));
    if (!part.empty()) std::memcpy(all.back().data(), part.data(), part.size());
  }
  return all;
}

// The indices as written that occur in the rows of this rank, ascending.
std::vector<std::uint32_t> indices_in(const Dataset& data) {
  const IndexMap& indices = data.schema().indices;
  if (!indices.is_contiguous()) return indices.seen();
  std::vector<bool> occurs(data.features());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const RowView row = data.row(i);
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      if (row.values[k] != 0.0F) occurs[row.dense ? k : row.ids[k]] = true;
    }
  }
  std::vector<std::uint32_t> written;
  for (std::uint32_t id = 0; id < occurs.size(); ++id) {
    if (occurs[id]) written.push_back(indices.index_of(id));
  }
  return written;
}

IndexMap indices_of_all(const Dataset& own, Collective& ranks) {
  struct Range {
    std::uint32_t base;
    std::uint64_t end;  // one more than the largest index; the base where there is none
    std::uint64_t non_zeros;
  };
  const IndexMap& mine = own.schema().indices;
  const std::uint64_t end =
      mine.is_contiguous() ? mine.base() + mine.features() : std::uint64_t{mine.seen().back()} + 1;
  const auto all = gather_over_ranks(Range{mine.base(), end, own.non_zeros()}, ranks);
  std::uint32_t base = mine.base();
  std::uint64_t last = 0;
  std::uint64_t non_zeros = 0;
  for (const Range& range : all) {
    base = std::min(base, range.base);
    last = std::max(last, range.end);
    non_zeros += range.non_zeros;
  }
  const std::uint64_t span = last > base ? last - base : 0;
  if (IndexMap::is_worth_its_range(span, non_zeros)) return IndexMap::contiguous(base, span);
  std::vector<std::uint32_t> seen;
  for (const auto& theirs : gather_vectors(indices_in(own), ranks)) {
    std::vector<std::uint32_t> merged;
    std::set_union(seen.begin(), seen.end(), theirs.begin(), theirs.end(),
                   std::back_inserter(merged));
    seen = std::move(merged);
  }
  return IndexMap::of_seen(base, std::move(seen));
}

std::vector<std::string> words_of_all(const Schema& own, Collective& ranks) {
  std::string mine;
  for (const std::string& word : own.label_words) mine += word + '\n';
  std::set<std::string> words;
  for (const std::string& part : ranks.gather(mine)) {
    for (std::size_t begin = 0; begin < part.size();) {
      const std::size_t end = part.find('\n', begin);
      words.insert(part.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return {words.begin(), words.end()};
}

}  // namespace

Dataset agree_on_schema(const Dataset& own, Collective& ranks) {
  if (ranks.size() == 1) return own;
  const Schema& mine = own.schema();
  // Columns of a table, and names: they cannot be put together, only be the same.
  Schema rest = mine;
  rest.indices = {};
  rest.label_words.clear();
  const bool fixed = mine.csv.has_value() || !mine.feature_names.empty();
  const std::string text = schema_to_json(fixed ? mine : rest);
  const auto hashes = gather_over_ranks(XXH3_64bits(text.data(), text.size()), ranks);
  if (std::any_of(hashes.begin(), hashes.end(), [&](auto hash) { return hash != hashes[0]; })) {
    throw UnusableData("the ranks' rows are of different kinds: columns, names or sets of labels");
  }
  if (fixed) return own;
  auto schema = std::make_shared<Schema>(mine);
  schema->indices = indices_of_all(own, ranks);
  schema->label_words = words_of_all(mine, ranks);
  ReadNotes notes;
  return apply_schema(own, std::move(schema), notes);
}

}  // namespace pegasos
