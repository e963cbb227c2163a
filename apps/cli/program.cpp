#include "program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "commands/commands.h"
#include "exit_codes.h"
#include "help.h"
#include "mistakes.h"
#include "options.h"
#include "output_file.h"
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
    : session_(session), root_("pegasos", "train, certify and evaluate support vector machines") {
  root_.add_version_flag("--version", "Show the version")->group("Common");
  add_quiet(root_, session_);
  add_threads(root_, session_);
  root_.example("pegasos generate --kind text --rows 20k -o train.svm",
                "Generate a data set to experiment with.");
  root_.example("pegasos inspect train.svm", "Summarise a data file.");
  root_.example("pegasos train train.svm",
                "Train a model, with a proof of how close it is to the optimum.");
  root_.example("pegasos predict new.svm train.svm.model", "Predict with it.");
  root_.example("pegasos help train", "Show the options of a command.");
  root_.describe(
      "Data files are LIBSVM/svmlight text, CSV, JSON Lines or the binary format, optionally "
      "compressed; - is standard input or output. Results go to standard output, messages to "
      "standard error.");
  for (const CommandEntry& entry : kCommands) {
    root_.add_command(
        entry.name, entry.summary,
        [define = entry.define, &session](Command& command) { define(command, session); });
  }
}

void Program::parse(int argc, const char* const* argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  session_.command_line = "pegasos";
  for (const auto& word : arguments) session_.command_line += " " + shell_word(word);
  translate_class_weights(arguments);
  complete_probability(arguments);
  refuse_old_habits(arguments);
  Parser parser(root_);
  try {
    answer_ = parser.parse(arguments);
    chosen_ = &parser.chosen();
    if (answer_ == Parser::Answer::command && !chosen_->can_run()) {
      throw UsageError("no command given", help_text(root_, STDERR_FILENO));
    }
  } catch (const UsageError&) {
    // Who asks for help gets it, whatever else is wrong with the line.
    if (!contains_flag(arguments, "--help") && !contains_flag(arguments, "-h")) {
      session_.json = session_.json || contains_flag(arguments, "--json");
      throw;
    }
    answer_ = Parser::Answer::help;
    chosen_ = &parser.chosen();
  }
}

bool Program::divides_rows() const {
  return answer_ == Parser::Answer::command && chosen_->can_divide_rows();
}

int Program::run() const {
  switch (answer_) {
    case Parser::Answer::help:
      print(help_text(*chosen_, STDOUT_FILENO));
      return kDone;
    case Parser::Answer::version:
      print(fmt::format("pegasos {} ({})\n", pegasos::kVersion, simd::current_target()));
      return kDone;
    case Parser::Answer::command:
      break;
  }
  return chosen_->run();
}

}  // namespace pegasos::cli
