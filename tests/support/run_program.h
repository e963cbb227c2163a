// Runs a program as a user would: arguments, standard input, environment, perhaps a terminal;
// then signals; and looks at what came out.
//
// The environment is made from scratch (PATH, TERM=xterm, LC_ALL=C, HOME=/nonexistent), so a test
// does not depend on who runs it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pegasos::testing {

// Under a sanitizer programs start slowly and need several times the memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

struct RunOptions {
  std::string input = {};
  bool keep_input_open = false;  // no end of file after the input
  std::map<std::string, std::string> environment = {};
  std::string folder = {};           // to run in; default: this process's
  std::string standard_output = {};  // a file to open for it; default: captured
  bool read_output = true;           // false: a pipe that nobody reads until the program ends

  // What is a pseudo-terminal instead of a pipe. With `both`, everything is in out.
  enum class Terminal { none, standard_error, both } terminal = Terminal::none;
  unsigned short columns = 80;  // of the terminal

  std::optional<std::uint64_t> file_size_limit = {};  // RLIMIT_FSIZE

  // Once this holds (it is asked every few milliseconds), the signals are sent, 100 ms apart.
  std::function<bool()> signal_when = {};
  std::vector<int> signals = {};

  std::chrono::milliseconds timeout{60'000};
};

struct RunResult {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;
  bool timed_out = false;
  std::string out;
  std::string err;
};

RunResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                      const RunOptions& options = {});

}  // namespace pegasos::testing
