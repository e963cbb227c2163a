// Command: a subcommand as help, man page, completion and the parser all see it.
//
// It is a CLI::App that also carries its examples and what to run. Nothing about a command is
// written down anywhere else, so the four cannot disagree.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace pegasos::cli {

struct Example {
  std::string line;    // as typed: "pegasos inspect train.svm"
  std::string effect;  // one sentence, what it does
};

// One option or argument, as the texts and scripts made from a Command need it.
//
// The type name of an option is the whole truth about its values: "svmlight|csv|CHAR" offers two
// words and something free; FILE is a file name; "" takes no value.
struct OptionView {
  std::vector<std::string> flags;  // "-q", "--quiet"; empty for an argument
  std::string name;                // of an argument: "DATA", or its words; else the last flag
  std::string value;               // the type name
  std::vector<std::string> words;  // the fixed words in it
  std::string help;
  std::string group;
  bool is_argument = false;
  bool is_file = false;
  bool required = false;
  bool repeatable = false;
};

class Command : public CLI::App {
 public:
  Command(std::string name, std::string summary);

  // Fluent, for the definition of a command.
  Command& describe(std::string text);
  Command& example(std::string line, std::string effect);
  // The int is the exit code.
  Command& runs(std::function<int()> work);

  const std::string& details() const { return details_; }
  const std::vector<Example>& examples() const { return examples_; }
  int run() const { return work_(); }
  bool can_run() const { return work_ != nullptr; }

  // "pegasos inspect"
  std::string full_name() const;
  // "pegasos inspect DATA [options]"
  std::string usage() const;

  std::vector<OptionView> views() const;
  std::vector<const Command*> commands() const;
  const Command* find_command(const std::string& name) const;
  std::vector<std::string> command_names() const;
  // The subcommand that was parsed, or this one.
  const Command& parsed() const;

 private:
  std::string details_;
  std::vector<Example> examples_;
  std::function<int()> work_;
};

}  // namespace pegasos::cli
