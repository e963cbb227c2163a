// Settings that apply to every command.
#pragma once

#include <memory>
#include <string>

#include "pegasos/dist.h"

namespace pegasos::cli {

struct Session {
  bool quiet = false;  // say nothing on standard error but errors
  bool json = false;   // standard output gets one JSON object, errors too
  int threads = 0;     // 0: as many as the process may use

  // As it would be typed again: "pegasos train a.svm".
  std::string command_line;

  // Where rows are divided among processes: the others. Null: this one has all of them.
  std::shared_ptr<MpiCollective> ranks = nullptr;
  bool writes_files() const { return !ranks || ranks->rank() == 0; }

  // The file the command is about to make, for the words of an interruption; "-" is standard
  // output, "" means none.
  std::string output;
};

}  // namespace pegasos::cli
