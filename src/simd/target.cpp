#include "simd/target.h"

#include <hwy/targets.h>

#include <cstdint>
#include <utility>

namespace pegasos::simd {
namespace {

// Our names for what Highway may dispatch to; the baseline is called scalar whatever it contains.
const std::vector<std::pair<std::int64_t, std::string>>& named_targets() {
  static const std::vector<std::pair<std::int64_t, std::string>> names = {
#if HWY_ARCH_X86
    {HWY_AVX3_DL, "avx512-icelake"},
    {HWY_AVX3, "avx512"},
    {HWY_AVX2, "avx2"},
    {HWY_SSE4, "sse4"},
    {HWY_SSSE3, "ssse3"},
#endif
    {HWY_STATIC_TARGET, "scalar"}
  };
  return names;
}

}  // namespace

std::vector<std::string> usable_targets() {
  hwy::SetSupportedTargetsForTest(0);
  const std::int64_t supported = hwy::SupportedTargets();
  std::vector<std::string> names;
  for (const auto& [bit, name] : named_targets()) {
    if ((supported & bit) != 0 || bit == HWY_STATIC_TARGET) names.push_back(name);
  }
  return names;
}

bool force_target(const std::string& name) {
  for (const auto& usable : usable_targets()) {
    if (usable != name) continue;
    for (const auto& [bit, known] : named_targets()) {
      if (known == name) hwy::SetSupportedTargetsForTest(bit);
    }
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return true;
  }
  return false;
}

std::string current_target() {
  const std::int64_t chosen = hwy::SupportedTargets();
  for (const auto& [bit, name] : named_targets()) {
    if ((chosen & bit) != 0) return name;
  }
  return "scalar";
}

}  // namespace pegasos::simd
