// Datasets of arrays that come from elsewhere: borrowed where their types are ours, else converted.
#include <fmt/format.h>

#include <limits>
#include <type_traits>

#include "pegasos/dataset.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// What a Dataset owns of its arrays, and what keeps the others alive.
struct Owned {
  std::vector<std::uint64_t> offsets = {};
  std::vector<FeatureId> features = {};
  std::vector<float> values = {};
  std::vector<double> labels = {};
  std::vector<double> weights = {};
  std::shared_ptr<const void> others = {};
};

// The array in our type: in place if it is to be borrowed and its numbers are of that type, else a
// copy in `owned`. Signed numbers of the same size are in place, too: negative ones become too
// large, and are found when the contents are checked.
template <typename Ours, typename Theirs>
std::span<const Ours> taken(std::span<const Theirs> theirs, std::vector<Ours>& owned,
                            Dataset::Arrays arrays, const char* name) {
  constexpr bool kInPlace =
      std::is_same_v<Ours, Theirs> || (std::is_integral_v<Ours> && sizeof(Ours) == sizeof(Theirs));
  if constexpr (kInPlace) {
    const std::span<const Ours> ours(reinterpret_cast<const Ours*>(theirs.data()), theirs.size());
    if (arrays == Dataset::Arrays::borrow) return ours;
    owned.assign(ours.begin(), ours.end());
  } else {
    owned.reserve(theirs.size());
    for (const Theirs value : theirs) {
      if constexpr (std::is_integral_v<Ours>) {
        const bool fits =
            value >= 0 && (sizeof(Ours) > sizeof(Theirs) ||
                           static_cast<std::uint64_t>(value) <= std::numeric_limits<Ours>::max());
        if (!fits) throw InvalidOption(name, fmt::format("{} is out of range", value));
      }
      owned.push_back(static_cast<Ours>(value));
    }
  }
  return owned;
}

template <typename Ours, typename... Theirs>
std::span<const Ours> taken(const std::variant<std::span<const Theirs>...>& theirs,
                            std::vector<Ours>& owned, Dataset::Arrays arrays, const char* name) {
  return std::visit([&](const auto& array) { return taken(array, owned, arrays, name); }, theirs);
}

DatasetParts parts_with(const RowFacts& facts, const std::shared_ptr<Owned>& owned,
                        Dataset::Arrays arrays) {
  owned->others = facts.owner;
  DatasetParts parts;
  parts.labels = taken(facts.labels, owned->labels, arrays, "labels");
  parts.weights = taken(facts.weights, owned->weights, arrays, "weights");
  parts.schema = facts.schema;
  parts.owner = owned;
  return parts;
}

}  // namespace

Dataset Dataset::from_dense(const FloatArray& values, std::size_t rows, std::size_t features,
                            const RowFacts& facts, Arrays arrays) {
  const auto owned = std::make_shared<Owned>();
  DatasetParts parts = parts_with(facts, owned, arrays);
  const auto numbers = taken(values, owned->values, arrays, "values");
  const bool fits = features == 0
                        ? numbers.empty()
                        : numbers.size() % features == 0 && numbers.size() / features == rows;
  if (!fits) {
    throw InvalidOption("values", fmt::format("{} given for {} rows of {} features", numbers.size(),
                                              rows, features));
  }
  parts.rows = rows;
  parts.features = features;
  parts.dense = DenseMatrix{numbers, features};
  return from_parts(std::move(parts));
}

Dataset Dataset::from_csr(const CsrArrays& matrix, std::size_t features, const RowFacts& facts,
                          Arrays arrays) {
  const auto owned = std::make_shared<Owned>();
  DatasetParts parts = parts_with(facts, owned, arrays);
  SparseMatrix sparse;
  sparse.offsets = taken(matrix.offsets, owned->offsets, arrays, "offsets");
  sparse.features = taken(matrix.features, owned->features, arrays, "features");
  sparse.values = taken(matrix.values, owned->values, arrays, "values");
  if (sparse.offsets.empty()) {
    throw InvalidOption("offsets", "there must be one more than rows");
  }
  parts.rows = sparse.offsets.size() - 1;
  parts.features = features;
  parts.sparse = sparse;
  return from_parts(std::move(parts));
}

}  // namespace pegasos
