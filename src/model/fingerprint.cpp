// The fingerprint of data: one number for what the rows say, however they are stored.
//
// A row is hashed as label, weight, count, and the (id, value) pairs that are not zero. Blocks of
// rows are hashed on their own, so that the work can be split, and the result is the hash of the
// label words followed by the block hashes. Zero has one sign, a missing label one NaN.
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "pegasos/error.h"
#include "pegasos/model.h"

namespace pegasos {
namespace {

constexpr std::size_t kRowsInABlock = 4096;

class Hash {
 public:
  Hash() : state_(XXH3_createState(), &XXH3_freeState) {
    if (!state_) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
  }
  void add(const void* bytes, std::size_t size) { XXH3_64bits_update(state_.get(), bytes, size); }
  void add(std::uint64_t value) { add(&value, sizeof value); }
  std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

std::uint64_t canonical_bits(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
}

std::uint64_t block_hash(const Dataset& data, std::size_t begin, std::size_t end) {
  Hash hash;
  std::vector<std::uint64_t> words;
  for (std::size_t i = begin; i < end; ++i) {
    const RowView row = data.row(i);
    const double label =
        data.has_labels() ? data.label(i) : std::numeric_limits<double>::quiet_NaN();
    words.assign({canonical_bits(label), canonical_bits(data.weight(i)), 0});
    for (std::size_t j = 0; j < row.values.size(); ++j) {
      if (row.values[j] == 0) continue;
      const std::uint64_t id = row.dense ? j : row.ids[j];
      words.push_back(id << 32 | std::bit_cast<std::uint32_t>(row.values[j]));
    }
    words[2] = words.size() - 3;
    hash.add(words.data(), words.size() * sizeof(std::uint64_t));
  }
  return hash.value();
}

}  // namespace

std::uint64_t fingerprint(const Dataset& data, int threads) {
  if (threads < 0) throw InvalidOption("threads", "must be 0 or more");
  const std::size_t blocks = (data.rows() + kRowsInABlock - 1) / kRowsInABlock;
  std::vector<std::uint64_t> hashes(blocks);
  const int wanted = threads > 0 ? threads : available_cores();
  ThreadPool pool(
      static_cast<int>(std::clamp<std::size_t>(blocks, 1, static_cast<std::size_t>(wanted))));
  pool.for_each(blocks, [&](std::size_t block) {
    const std::size_t begin = block * kRowsInABlock;
    hashes[block] = block_hash(data, begin, std::min(begin + kRowsInABlock, data.rows()));
  });

  Hash all;
  all.add(data.rows());
  if (data.rows() > 0) {
    for (const auto& word : data.schema().label_words) {
      all.add(word.size());
      all.add(word.data(), word.size());
    }
  }
  all.add(hashes.data(), hashes.size() * sizeof(std::uint64_t));
  return all.value();
}

}  // namespace pegasos
