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
    {1, "failed while running, for example out of memory"},
    {2, "the command line is wrong"},
    {3, "the data cannot be read as data; file, line and column are named"},
    {4, "the model file cannot be trusted"},
    {5, "a file cannot be opened, read or written, or the disk is full"},
    {6, "not proven: --strict and the tolerance was not reached, or verify refutes a claim"},
    {130, "stopped by Ctrl-C (SIGINT)"},
    {143, "stopped by SIGTERM"},
}};

}  // namespace pegasos::cli
