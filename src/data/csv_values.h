// The features and values of the rows of a block of CSV text, stored as the cells are read.
//
// A cell takes one byte at least, the character that ends it, and gives two values at most: a
// number and that it is missing. A date of eight bytes gives five. So room for twice the bytes of
// the text is enough for all but text cells, which ask for more, and storing a value needs no
// check.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "data/csv_layout.h"
#include "data/number_scale.h"
#include "data/row_block.h"

namespace pegasos {

class CsvValues {
 public:
  CsvValues(RowBlock& rows, std::size_t text_bytes) : rows_(rows) { reserve(2 * text_bytes + 2); }

  std::size_t stored() const { return stored_; }
  std::span<FeatureId> features_from(std::size_t begin) const {
    return {features_ + begin, stored_ - begin};
  }
  std::span<float> values_from(std::size_t begin) const {
    return {values_ + begin, stored_ - begin};
  }

  void store(FeatureId feature, float value) {
    features_[stored_] = feature;
    values_[stored_] = value;
    ++stored_;
  }

  // With a schema the final value, else what it will be made from. Zeros are stored where they will
  // be something else.
  void store_number(const CsvTarget& target, FeatureId feature, float value,
                    const ColumnScale& scale) {
    store_filled(target, feature, target.is_scaled ? scaled(value, scale) : value);
  }
  // A value that is final; NaN, to be filled later, is not zero.
  void store_filled(const CsvTarget& target, FeatureId feature, float value) {
    features_[stored_] = feature;
    values_[stored_] = value;
    stored_ += value != 0.0F || target.keeps_zeros ? 1 : 0;
  }

  // Room for so many terms, and for what follows in so many bytes of text.
  void make_room(std::size_t terms, std::size_t text_bytes) {
    const std::size_t room = stored_ + terms + 2 * text_bytes + 2;
    if (room <= rows_.features.capacity()) return;
    keep_stored();
    reserve(room + room / 2);
  }

  // Keeps so many values that were written behind the last one.
  void take(std::size_t count) { stored_ += count; }

  // Forgets the values behind the last whole row.
  void drop_row() { stored_ = static_cast<std::size_t>(rows_.offsets.back()); }

  // Hands the values over to the block.
  void keep_stored() {
    rows_.features.resize_uninitialised(stored_);
    rows_.values.resize_uninitialised(stored_);
  }

  // Adds the numbers of the last row to the block's sums. `complete` tells that no cell is missing.
  void add_up_row(const CsvPlan& plan, bool complete) const {
    const auto fixed = static_cast<FeatureId>(rows_.sums.size());
    RowBlock::NumberSums* const sums = rows_.sums.data();
    const auto begin = static_cast<std::size_t>(rows_.offsets.back());
    if (!plan.needs_spread && complete) {  // without scaling the sums will do
      for (std::size_t e = begin; e < stored_; ++e) {
        if (features_[e] < fixed) sums[features_[e]].sum += static_cast<double>(values_[e]);
      }
      return;
    }
    for (std::size_t e = begin; e < stored_; ++e) {
      const FeatureId f = features_[e];
      if (f >= fixed || std::isnan(values_[e])) continue;
      // Exact numbers are stored less their centre already.
      const double origin = f < plan.targets.size() ? plan.targets[f].scale[0].origin : 0.0;
      sums[f].add(static_cast<double>(values_[e]) + origin - plan.centres[f]);
    }
  }

 private:
  void reserve(std::size_t room) {
    rows_.features.reserve(room);
    rows_.values.reserve(room);
    features_ = rows_.features.data();
    values_ = rows_.values.data();
  }

  RowBlock& rows_;
  FeatureId* features_ = nullptr;
  float* values_ = nullptr;
  std::size_t stored_ = 0;
};

}  // namespace pegasos
