// The environment variables that the program reads.
#pragma once

#include <array>
#include <string_view>

namespace pegasos::cli {

struct EnvironmentVariable {
  std::string_view name;
  std::string_view effect;
};

// In the words of the man page.
inline constexpr std::array<EnvironmentVariable, 2> kEnvironment = {{
    {"NO_COLOR", "If set and not empty, output is not coloured."},
    {"PEGASOS_SIMD",
     "The vector instruction set to use, for tests and comparisons: scalar, ssse3, sse4, avx2, "
     "avx512. The best supported one by default."},
}};

// Chooses the vector instructions PEGASOS_SIMD names. Throws UsageError with the usable ones.
void obey_environment();

}  // namespace pegasos::cli
