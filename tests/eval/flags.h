// std::vector<bool> has no span.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

namespace pegasos::testing {

struct Flags {
  explicit Flags(const std::vector<int>& values)
      : flags(std::make_unique<bool[]>(values.size())), size(values.size()) {
    std::transform(values.begin(), values.end(), flags.get(), [](int v) { return v != 0; });
  }
  std::span<const bool> view() const { return {flags.get(), size}; }
  std::unique_ptr<bool[]> flags;
  std::size_t size;
};

}  // namespace pegasos::testing
