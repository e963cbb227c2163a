#include "simd/target.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "simd/kernel_table.h"

namespace pegasos::simd {
namespace {

// Best first. What a target needs is what Highway lets the compiler use for it.
constexpr std::array<std::pair<Target, const char*>, 5> kTargets = {{{Target::avx512, "avx512"},
                                                                     {Target::avx2, "avx2"},
                                                                     {Target::sse4, "sse4"},
                                                                     {Target::ssse3, "ssse3"},
                                                                     {Target::scalar, "scalar"}}};

bool processor_has(Target target) {
#if defined(__x86_64__)
  const bool ssse3 = __builtin_cpu_supports("ssse3");
  const bool sse4 = ssse3 && __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
                    __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("aes");
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  switch (target) {
    case Target::avx512:
      return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd");
    case Target::avx2:
      return avx2;
    case Target::sse4:
      return sse4;
    case Target::ssse3:
      return ssse3;
    case Target::scalar:
      break;
  }
  return true;
#else
  return target == Target::scalar;
#endif
}

Target best_target() {
  const auto* best = std::find_if(kTargets.begin(), kTargets.end(),
                                  [](const auto& entry) { return processor_has(entry.first); });
  return best->first;
}

std::atomic<Target>& chosen() {
  static std::atomic<Target> target = best_target();
  return target;
}

}  // namespace

Target target_in_use() noexcept {
  return chosen().load(std::memory_order_relaxed);
}

const KernelTable& kernels() noexcept {
  return kernels_of(target_in_use());
}

std::vector<std::string> usable_targets() {
  std::vector<std::string> names;
  for (const auto& [target, name] : kTargets) {
    if (processor_has(target)) names.emplace_back(name);
  }
  return names;
}

bool force_target(const std::string& name) {
  for (const auto& [target, known] : kTargets) {
    if (name != known || !processor_has(target)) continue;
    chosen() = target;
    return true;
  }
  return false;
}

std::string current_target() {
  for (const auto& [target, name] : kTargets) {
    if (chosen() == target) return name;
  }
  return "scalar";
}

}  // namespace pegasos::simd
