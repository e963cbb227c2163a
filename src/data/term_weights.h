// Counts of terms to their values; see TextRules.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/schema.h"

namespace pegasos {

// 1 + ln((1 + rows) / (1 + rows with the term)) of every term.
std::vector<double> term_rarities(const TextColumn& text);

// The terms of one cell, by final feature ids, of which the first of the column is `first`: their
// counts become values of a unit row, which may take their place.
void weigh_terms(std::span<const double> rarities, FeatureId first,
                 std::span<const FeatureId> features, std::span<const float> counts, float* values);

}  // namespace pegasos
