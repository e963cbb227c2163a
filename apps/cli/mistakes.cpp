#include "mistakes.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "base/did_you_mean.h"
#include "options.h"
#include "terminal.h"

namespace pegasos::cli {
namespace {

std::string see_help(const Command& command) {
  return fmt::format("see: {} --help", command.full_name());
}

UsageError unknown_flag(const std::string& typed, const Command& command) {
  const std::string flag = typed.substr(0, typed.find('='));
  std::vector<std::string> known;
  for (const auto& view : command.views()) {
    for (const auto& name : view.flags) {
      if (name.starts_with("--")) known.push_back(name);
    }
  }
  // "-json" is a long flag with one dash too few.
  const std::string meant = flag.starts_with("--") ? flag : "-" + flag;
  const std::string suggestion = flag.size() > 2 ? did_you_mean(meant, known) : "";
  return UsageError(fmt::format("unknown option '{}' of '{}'.{}", printable(flag),
                                command.full_name(), suggestion),
                    see_help(command));
}

UsageError surplus_argument(const std::string& typed, const Command& command) {
  return UsageError(fmt::format("unexpected argument '{}'", printable(typed)),
                    "usage: " + command.usage());
}

// The first thing nobody wanted, in the root or the chosen command.
std::optional<UsageError> leftover(const Command& root) {
  const Command& command = root.parsed();
  for (const Command* asked : {&root, &command}) {
    for (const auto& typed : asked->remaining()) {
      if (typed == "--") continue;
      if (typed.size() > 1 && typed[0] == '-') return unknown_flag(typed, *asked);
      if (asked == &root) return unknown_command(typed, root);
      return surplus_argument(typed, *asked);
    }
  }
  return std::nullopt;
}

std::string values_of(const OptionView& view) {
  return view.words.empty() ? view.value : joined(view.words, ", ");
}

// An option that lacks its value, had to come and did not, or came twice.
std::string wrong_number(const CLI::ParseError& mistake, const Command& command) {
  const auto views = command.views();
  const auto options = command.get_options();
  const std::string text = mistake.what();
  for (std::size_t i = 0; i < options.size(); ++i) {
    const auto given = options[i]->results().size();
    if (!views[i].repeatable && given > 1 && !views[i].value.empty()) {
      return fmt::format("{} was given {} times", views[i].name, given);
    }
    // CLI11 begins with the name of the option whose value did not come.
    if (!views[i].is_argument && text.starts_with(views[i].name + ":")) {
      return fmt::format("{} needs a value: {}", views[i].name, values_of(views[i]));
    }
  }
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (!views[i].required || !options[i]->results().empty()) continue;
    return fmt::format("{} is missing: {}", views[i].name, views[i].help);
  }
  return text;
}

}  // namespace

UsageError unknown_command(const std::string& typed, const Command& root) {
  const auto names = root.command_names();
  return UsageError(
      fmt::format("unknown command '{}'.{}", printable(typed), did_you_mean(typed, names)),
      "the commands are: " + joined(names, ", "));
}

UsageError explained(const CLI::ParseError& mistake, const Command& root) {
  if (auto found = leftover(root)) return *found;
  const Command& command = root.parsed();
  return UsageError(wrong_number(mistake, command), see_help(command));
}

}  // namespace pegasos::cli
