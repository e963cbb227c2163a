#include "program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "commands/commands.h"
#include "exit_codes.h"
#include "help.h"
#include "mistakes.h"
#include "options.h"
#include "pegasos/version.h"
#include "probabilities.h"
#include "simd/target.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

// Everything behind "--" is an argument, however it looks.
bool contains_flag(const std::vector<std::string>& arguments, const std::string& flag) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::find(arguments.begin(), end, flag) != end;
}

// LIBLINEAR's "-w<label> weight" as "--class-weight label=weight": the flag is a different one for
// every label, which CLI11 cannot know beforehand.
void translate_class_weights(std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size() && arguments[i] != "--"; ++i) {
    if (!arguments[i].starts_with("-w") || arguments[i].size() == 2) continue;
    const std::string weight = arguments[i + 1];
    arguments[i + 1] = arguments[i].substr(2) + "=" + weight;
    arguments[i] = "--class-weight";
  }
}

}  // namespace

Program::Program(Session& session)
    : session_(session), root_("pegasos", "support vector machines from data file to proof") {
  root_.require_subcommand(0, 1);
  root_.set_version_flag("--version", pegasos::kVersion, "Show the version")->group("Common");
  add_quiet(root_, session_);
  add_threads(root_, session_);
  root_.example("pegasos generate --kind text --rows 20k -o train.svm",
                "Make a data set to try things on.");
  root_.example("pegasos inspect train.svm", "See what a data file holds.");
  root_.example("pegasos train train.svm", "Learn a model and prove how good it is.");
  root_.example("pegasos predict new.svm train.svm.model", "Use it.");
  root_.example("pegasos help train", "Read about one command.");
  root_.describe(
      "Data is LIBSVM/svmlight text, CSV, or the binary form; compressed or not; - is standard "
      "input or output. Results go to standard output, everything else to standard error.");
  for (const auto add_command : kCommands) add_command(*this);
}

Command& Program::add(const std::string& name, const std::string& summary) {
  auto command = std::make_shared<Command>(name, summary);
  root_.add_subcommand(command);
  return *command;
}

void Program::parse(int argc, const char* const* argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  translate_class_weights(arguments);
  complete_probability(arguments);
  try {
    understand(arguments);
  } catch (const UsageError&) {
    // Who asks for help gets it, whatever else is wrong with the line.
    if (!contains_flag(arguments, "--help") && !contains_flag(arguments, "-h")) {
      session_.json = session_.json || contains_flag(arguments, "--json");
      throw;
    }
    answer_ = Answer::help;
  }
}

void Program::understand(std::vector<std::string> arguments) {
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    root_.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    answer_ = Answer::help;
    return;
  } catch (const CLI::CallForVersion&) {
    answer_ = Answer::version;
    return;
  } catch (const CLI::ParseError& mistake) {
    throw explained(mistake, root_);
  }
  if (!root_.parsed().can_run())
    throw UsageError("a command is missing", help_text(root_, STDERR_FILENO));
}

int Program::run() const {
  switch (answer_) {
    case Answer::help:
      print(help_text(root_.parsed(), STDOUT_FILENO));
      return kDone;
    case Answer::version:
      print(fmt::format("pegasos {} ({})\n", pegasos::kVersion, simd::current_target()));
      return kDone;
    case Answer::command:
      break;
  }
  return root_.parsed().run();
}

}  // namespace pegasos::cli
