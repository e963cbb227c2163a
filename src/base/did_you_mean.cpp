#include "base/did_you_mean.h"

#include <algorithm>
#include <vector>

namespace pegasos {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table: the swap of neighbours looks two rows back.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string closest_name(std::string_view typed, std::span<const std::string> candidates) {
  std::size_t best = std::max<std::size_t>(1, typed.size() / 3) + 1;
  std::string name;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(typed, candidate);
    // Two names that have no letter in common are no slip, however short.
    if (distance < best && distance < std::max(typed.size(), candidate.size())) {
      best = distance;
      name = candidate;
    }
  }
  return name;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> candidates) {
  const std::string name = closest_name(typed, candidates);
  return name.empty() ? "" : " Did you mean '" + name + "'?";
}

}  // namespace pegasos
