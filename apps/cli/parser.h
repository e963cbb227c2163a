// From the words of a command line to assigned options, by way of CLI11.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command.h"

namespace pegasos::cli {

class Parser {
 public:
  enum class Answer { command, help, version };

  explicit Parser(const Command& root);
  ~Parser();
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // Hands the values to the options and counts them. Throws UsageError, with the nearest name where
  // something was mistyped.
  Answer parse(std::vector<std::string> arguments);
  // The subcommand on the line, or the root; also after a parse that threw.
  const Command& chosen() const;

 private:
  struct Apps;
  std::unique_ptr<Apps> apps_;
};

}  // namespace pegasos::cli
