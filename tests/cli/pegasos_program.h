// The built program, for black-box tests.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/run_program.h"
#include "support/temporary_folder.h"

namespace pegasos::testing {

inline RunResult pegasos(const std::vector<std::string>& arguments,
                         const RunOptions& options = {}) {
  return run_program(PEGASOS_PROGRAM, arguments, options);
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& one : std::filesystem::directory_iterator(folder)) {
    names.push_back(one.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// gtest shows both streams when this fails.
#define EXPECT_EXIT_CODE(expected, result)                                               \
  EXPECT_EQ(expected, (result).exit_code)                                                \
      << "signal " << (result).signal << (result).timed_out << "\nout: " << (result).out \
      << "\nerr: " << (result).err

inline const char* const kSmallData = "+1 1:0.5 3:2\n-1 2:1 3:-4 # note\n+1 1:1\n";

}  // namespace pegasos::testing
