// Program: the root command with every subcommand, from arguments to exit code.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "parser.h"
#include "session.h"

namespace pegasos::cli {

class Program {
 public:
  explicit Program(Session& session);

  // Throws UsageError, with the nearest name where something was mistyped.
  void parse(int argc, const char* const* argv);
  // What parse understood: a command, or help, or the version. Returns the exit code.
  int run() const;
  // Whether what is to run is for all ranks of a run that is divided among processes.
  bool divides_rows() const;

 private:
  Session& session_;
  Command root_;
  Parser::Answer answer_ = Parser::Answer::command;
  const Command* chosen_ = &root_;
};

}  // namespace pegasos::cli
