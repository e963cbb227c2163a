// The version of the library, as in CHANGELOG.md.
#pragma once

namespace pegasos {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace pegasos
