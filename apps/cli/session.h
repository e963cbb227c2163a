// Settings that apply to every command.
#pragma once

#include <string>

namespace pegasos::cli {

struct Session {
  bool quiet = false;  // say nothing on standard error but errors
  bool json = false;   // standard output gets one JSON object, errors too
  int threads = 0;     // 0: as many as the process may use

  // As it would be typed again: "pegasos train a.svm".
  std::string command_line;

  // The file the command is about to make, for the words of an interruption; "-" is standard
  // output, "" means none.
  std::string output;
};

}  // namespace pegasos::cli
