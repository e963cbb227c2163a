// The exit codes. Scripts depend on them: they never change.
#pragma once

#include <array>
#include <string_view>

namespace pegasos::cli {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,
  kUsage = 2,
  kBadData = 3,
  kBadModel = 4,
  kIoTrouble = 5,
  kNotProven = 6,
};

struct ExitMeaning {
  int code;
  std::string_view meaning;
};

// In the words of help and man page.
inline constexpr std::array<ExitMeaning, 9> kExitMeanings = {{
    {0, "done"},
    {1, "run-time failure, for example out of memory"},
    {2, "usage error"},
    {3, "invalid data; the message names file, line and column"},
    {4, "invalid model file"},
    {5, "a file cannot be opened, read or written, or the disk is full"},
    {6,
     "not proven: the tolerance was not reached with --strict, or verify rejects the certificate"},
    {130, "stopped by Ctrl-C (SIGINT)"},
    {143, "stopped by SIGTERM"},
}};

}  // namespace pegasos::cli
