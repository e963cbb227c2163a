#include "mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/did_you_mean.h"
#include "options.h"
#include "pegasos/read.h"
#include "reading.h"
#include "spelling.h"
#include "terminal.h"

namespace pegasos::cli {
namespace {

std::string see_help(const Command& command) {
  return fmt::format("see: {} --help", command.full_name());
}

bool has_flag(const std::string& flags, const std::string& flag) {
  const auto known = split(flags, ',');
  return std::find(known.begin(), known.end(), flag) != known.end();
}

// An option of training, typed for a command that reads data as a model says.
bool is_settled_by_model(const std::string& flag, const Command& command) {
  const auto& options = command.options();
  const bool reads_data = std::any_of(options.begin(), options.end(), [](const auto& option) {
    return has_flag(option->spelling(), "--delimiter");
  });
  if (!reads_data) return false;
  const auto& table = read_option_table();
  return std::any_of(table.begin(), table.end(), [&flag](const auto& entry) {
    return cli::is_settled_by_model(entry.info.name) && has_flag(flags_of(entry.info.name), flag);
  });
}

UsageError unknown_flag(const std::string& typed, const Command& command) {
  const std::string flag = typed.substr(0, typed.find('='));
  if (is_settled_by_model(flag, command)) {
    return UsageError(
        fmt::format("{} is an option of 'pegasos train': the model reads columns as they were read "
                    "when it was trained",
                    flag),
        fmt::format("remove it, or train another model with {}", flag));
  }
  std::vector<std::string> known;
  for (const auto& view : command.views()) {
    for (const auto& name : view.flags) {
      if (name.starts_with("--")) known.push_back(name);
    }
  }
  // "-json" is a long flag with one dash too few.
  const std::string meant = flag.starts_with("--") ? flag : "-" + flag;
  const std::string suggestion = flag.size() > 2 ? did_you_mean(meant, known) : "";
  return UsageError(fmt::format("unknown option '{}' for '{}'.{}", printable(flag),
                                command.full_name(), suggestion),
                    see_help(command));
}

UsageError surplus_argument(const std::string& typed, const Command& command) {
  return UsageError(fmt::format("unexpected argument '{}'", printable(typed)),
                    "usage: " + command.usage());
}

// The first argument that neither the root nor the chosen command takes.
std::optional<UsageError> leftover(const Misparse& misparse, const Command& root,
                                   const Command& command) {
  for (const auto& typed : misparse.left_by_root) {
    if (typed == "--") continue;
    return typed.size() > 1 && typed[0] == '-' ? unknown_flag(typed, root)
                                               : unknown_command(typed, root);
  }
  for (const auto& typed : misparse.left_by_command) {
    if (typed == "--") continue;
    return typed.size() > 1 && typed[0] == '-' ? unknown_flag(typed, command)
                                               : surplus_argument(typed, command);
  }
  return std::nullopt;
}

std::string values_of(const OptionView& view) {
  return view.words.empty() ? view.value : joined(view.words, ", ");
}

// An option that lacks its value, had to come and did not, or came twice.
std::string wrong_number(const std::string& message, const Command& command) {
  for (const auto& option : command.options()) {
    const OptionView& view = option->view();
    if (option->kind() == Option::Kind::value && option->count() > 1) {
      return fmt::format("{} was given {} times", view.name, option->count());
    }
    // CLI11 begins with the name of the option whose value did not come.
    if (!view.is_argument && message.starts_with(view.name + ":")) {
      return fmt::format("{} needs a value: {}", view.name, values_of(view));
    }
  }
  for (const auto& option : command.options()) {
    const OptionView& view = option->view();
    if (!view.required || option->count() > 0) continue;
    return fmt::format("{} is missing: {}", view.name, view.help);
  }
  return message;
}

}  // namespace

void refuse_old_habits(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] != "-h" || (arguments[i + 1] != "0" && arguments[i + 1] != "1")) continue;
    throw UsageError(
        "-h " + arguments[i + 1] + " is LIBSVM's option for shrinking",
        "remove it: the solvers always use shrinking; -h without a value shows the help");
  }
}

UsageError unknown_command(const std::string& typed, const Command& root) {
  const auto names = root.command_names();
  // What other programs call it.
  static const std::vector<std::pair<std::string_view, std::string_view>> elsewhere = {
      {"fit", "train"},           {"learn", "train"},
      {"svm-train", "train"},     {"test", "evaluate"},
      {"eval", "evaluate"},       {"score", "evaluate"},
      {"validate", "evaluate"},   {"classify", "predict"},
      {"svm-predict", "predict"}, {"infer", "predict"},
      {"cv", "train -v 5"},       {"crossval", "train -v 5"},
      {"grid", "tune"},           {"gridsearch", "tune"},
      {"search", "tune"},         {"info", "inspect"},
      {"show", "inspect"},        {"describe", "inspect"},
      {"scale", "train --scale"}, {"svm-scale", "train --scale"},
      {"check", "doctor"},        {"export", "convert"},
      {"import", "convert"}};
  for (const auto& [theirs, ours] : elsewhere) {
    if (typed != theirs) continue;
    return UsageError(fmt::format("unknown command '{}'; use 'pegasos {}'", typed, ours),
                      "commands: " + joined(names, ", "));
  }
  return UsageError(
      fmt::format("unknown command '{}'.{}", printable(typed), did_you_mean(typed, names)),
      "commands: " + joined(names, ", "));
}

UsageError explained(const Misparse& misparse, const Command& root, const Command& command) {
  if (auto found = leftover(misparse, root, command)) return *found;
  return UsageError(wrong_number(misparse.message, command), see_help(command));
}

}  // namespace pegasos::cli
