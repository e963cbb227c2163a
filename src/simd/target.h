// Which vector instructions are used.
//
// The best the processor has, found at run time. The programs let the environment variable
// PEGASOS_SIMD name another one, for tests and for comparing machines; "scalar" is the baseline
// that every x86-64 or arm64 processor has.
#pragma once

#include <string>
#include <vector>

namespace pegasos::simd {

// Names usable on this processor, best first, e.g. {"avx2", "sse4", "ssse3", "scalar"}.
std::vector<std::string> usable_targets();

// The one in use.
std::string current_target();

// Uses another from now on; false if this processor does not have it. Not while threads compute.
bool force_target(const std::string& name);

}  // namespace pegasos::simd
