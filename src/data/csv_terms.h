// The cells of text columns: their terms, counted, as features of a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "data/csv_layout.h"
#include "data/csv_values.h"
#include "data/csv_words.h"
#include "data/text_terms.h"
#include "data/word_table.h"

namespace pegasos {

class CsvTerms {
 public:
  // New terms are added to `words`, values to `values`; terms that are hashed are listed in `rows`.
  CsvTerms(const CsvPlan& plan, CsvWords& words, CsvValues& values, RowBlock& rows)
      : plan_(plan), words_(words), values_(values), rows_(rows) {}

  // Terms with how often they occur; with a schema their final values. So many bytes of the block
  // are still to be read.
  void store(std::string_view text, std::size_t column, std::size_t bytes_left);

  // Lists every hashed term of the block once.
  void finish();

 private:
  void find_terms(std::string_view text, const CsvTarget& target);
  void store_sorted(const CsvTarget& target);
  TermIndex& index_of(const CsvTarget& target);

  const CsvPlan& plan_;
  CsvWords& words_;
  CsvValues& values_;
  RowBlock& rows_;
  std::optional<TermMaker> terms_;
  std::size_t terms_of_ = 0;  // the column
  WordBatch batch_;
  std::vector<std::uint32_t> hashes_;
  std::vector<FeatureId> found_;
};

}  // namespace pegasos
