#include "help.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "exit_codes.h"
#include "options.h"
#include "pegasos/version.h"
#include "terminal.h"

namespace pegasos::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kHelpColumn = 22;

// A name in the left column, its explanation in the right one or, after a long name, below.
std::string entry(const std::string& name, const std::string& text) {
  const std::string left = "  " + name;
  std::string right = wrapped(text, kHelpColumn, kWidth);
  if (cells(left) + 2 <= kHelpColumn) return left + right.substr(cells(left));
  return left + "\n" + right;
}

std::string examples_of(const Command& command, const Style& style) {
  std::string text = style.bold("Examples") + "\n";
  for (const auto& example : command.examples()) {
    text += fmt::format("  {}\n{}", style.green(example.line), wrapped(example.effect, 6, kWidth));
  }
  return text + "\n";
}

std::string commands_of(const Command& command, const Style& style) {
  std::string text = style.bold("Commands") + "\n";
  for (const Command* one : command.commands()) text += entry(one->name(), one->summary());
  return text + "\n";
}

std::string options_of(const Command& command, const Style& style) {
  std::string text;
  const auto views = command.views();
  for (const auto& group : option_groups(views)) {
    text += style.bold(group) + "\n";
    for (const auto& view : views) {
      if (view.group == group) text += entry(signature(view), view.help);
    }
    text += "\n";
  }
  return text;
}

std::string exit_codes(const Style& style) {
  std::string text = style.bold("Exit codes") + "\n";
  for (const auto& [code, meaning] : kExitMeanings) {
    text += fmt::format("  {:<5}{}\n", code, meaning);
  }
  return text;
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string result;
  std::string line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && indent + cells(line) + 1 + cells(word) > width) {
      result += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += line.empty() ? word : " " + word;
  }
  return result + std::string(indent, ' ') + line + "\n";
}

std::string signature(const OptionView& view) {
  if (view.is_argument) return view.name;
  const std::string flags = joined(view.flags, ", ");
  return view.value.empty() ? flags : flags + " " + view.value;
}

std::vector<std::string> option_groups(const std::vector<OptionView>& views) {
  std::vector<std::string> groups;
  for (const auto& view : views) {
    if (std::find(groups.begin(), groups.end(), view.group) == groups.end()) {
      groups.push_back(view.group);
    }
  }
  // Arguments first, what every command has last, the rest as defined.
  const auto rank = [](const std::string& group) {
    return group == "Arguments" ? 0 : group == "Common" ? 2 : 1;
  };
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
  return groups;
}

std::string help_text(const Command& command, int fd) {
  const Style style(fd);
  std::string text = fmt::format("{}: {}\n\n", style.bold(command.full_name()), command.summary());
  text += examples_of(command, style);
  text += fmt::format("{}\n  {}\n\n", style.bold("Usage"), command.usage());
  if (!command.details().empty()) text += wrapped(command.details(), 0, kWidth) + "\n";
  const bool is_root = !command.commands().empty();
  if (is_root) text += commands_of(command, style);
  text += options_of(command, style);
  if (is_root) return text + exit_codes(style);
  text.pop_back();
  return text;
}

}  // namespace pegasos::cli
