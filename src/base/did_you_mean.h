// The closest match to a misspelt name.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pegasos {

// Insertions, deletions, substitutions and swaps of neighbours that turn a into b, letter case
// ignored (optimal string alignment distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `typed` if it is near enough to be a slip of the finger (a third of its
// letters at most), or "". Ties go to the first.
std::string closest_name(std::string_view typed, std::span<const std::string> candidates);

// " Did you mean 'x'?", or "" when nothing is close.
std::string did_you_mean(std::string_view typed, std::span<const std::string> candidates);

}  // namespace pegasos
