#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "base/archive.h"
#include "math/passes.h"
#include "pegasos/dist.h"

namespace pegasos {

ReadResult read_share(const std::string& path, const ReadOptions& options, Collective& ranks) {
  ReadOptions reading = options;
  reading.ranks = std::shared_ptr<Collective>(std::shared_ptr<void>(), &ranks);  // borrowed
  ReadResult read = read_dataset(path, reading);
  // Rows of a binary file have its schema already.
  if (!options.schema && read.notes.format != DataFormat::binary) {
    read.data = agree_on_schema(read.data, ranks);
  }
  return read;
}

void add_other_ranks(ReadNotes& notes, Collective& ranks) {
  if (ranks.size() == 1) return;
  const std::array counts = {&notes.text_bytes,      &notes.rows_with_qid, &notes.rows_reordered,
                             &notes.rows_unlabelled, &notes.unknown_words, &notes.unknown_features,
                             &notes.values_filled,   &notes.rows_bad};
  std::array<double, counts.size()> sums = {};
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = static_cast<double>(*counts[k]);
  ranks.sum(sums);
  for (std::size_t k = 0; k < sums.size(); ++k) *counts[k] = static_cast<std::uint64_t>(sums[k]);
  for (auto* first : {&notes.first_bad, &notes.first_unlabelled}) {
    ArchiveWriter writer;
    Diagnostic mine = first->value_or(Diagnostic{});
    bool any = first->has_value();
    writer(any, mine.line, mine.message);
    const auto all = ranks.gather(std::move(writer).bytes());
    first->reset();
    for (std::size_t rank = 0; rank < all.size() && !*first; ++rank) {
      ArchiveReader reader(all[rank]);
      reader(any, mine.line, mine.message);
      if (any) *first = mine;
    }
  }
}

double RankShares::skew() const {
  if (non_zeros.empty()) return 1.0;
  const double whole = std::accumulate(non_zeros.begin(), non_zeros.end(), 0.0);
  const auto most = static_cast<double>(*std::max_element(non_zeros.begin(), non_zeros.end()));
  return whole > 0 ? most * static_cast<double>(non_zeros.size()) / whole : 1.0;
}

std::uint64_t RankShares::rows_before(int rank) const {
  return std::accumulate(rows.begin(), rows.begin() + rank, std::uint64_t{0});
}

RankShares rank_shares(const Dataset& own, Collective& ranks) {
  struct Share {
    std::uint64_t rows;
    std::uint64_t non_zeros;
  };
  RankShares shares;
  for (const Share& one : gather_over_ranks(Share{own.rows(), own.non_zeros()}, ranks)) {
    shares.rows.push_back(one.rows);
    shares.non_zeros.push_back(one.non_zeros);
  }
  return shares;
}

}  // namespace pegasos
