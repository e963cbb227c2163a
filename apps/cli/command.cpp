#include "command.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace pegasos::cli {
namespace {

std::vector<std::string> fixed_words(const std::string& type_name) {
  std::vector<std::string> words;
  for (const auto& part : CLI::detail::split(type_name, '|')) {
    const bool is_placeholder = part.empty() || (part[0] >= 'A' && part[0] <= 'Z');
    if (!is_placeholder) words.push_back(part);
  }
  return words;
}

std::string in_capitals(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return name;
}

OptionView view_of(const CLI::Option& option) {
  OptionView view;
  for (const auto& name : option.get_snames()) view.flags.push_back("-" + name);
  for (const auto& name : option.get_lnames()) view.flags.push_back("--" + name);
  view.is_argument = option.get_positional() && view.flags.empty();
  if (view.is_argument || option.get_items_expected_max() > 0) view.value = option.get_type_name();
  view.words = fixed_words(view.value);
  view.name = !view.is_argument    ? view.flags.back()
              : view.words.empty() ? in_capitals(option.get_name(true))
                                   : view.value;
  view.is_file = view.value == "FILE";
  view.help = option.get_description();
  view.group = view.is_argument ? "Arguments" : option.get_group();
  view.required = option.get_required();
  view.repeatable = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  return view;
}

}  // namespace

Command::Command(std::string name, std::string summary)
    : CLI::App(std::move(summary), std::move(name)) {
  set_help_flag("-h,--help", "Show this help")->group("Common");
}

Command& Command::describe(std::string text) {
  details_ = std::move(text);
  return *this;
}

Command& Command::example(std::string line, std::string effect) {
  examples_.push_back({std::move(line), std::move(effect)});
  return *this;
}

Command& Command::runs(std::function<int()> work) {
  work_ = std::move(work);
  return *this;
}

std::string Command::full_name() const {
  return get_parent() == nullptr ? get_name() : get_parent()->get_name() + " " + get_name();
}

std::string Command::usage() const {
  std::string line = full_name();
  if (!commands().empty()) line += " COMMAND";
  for (const auto& view : views()) {
    if (!view.is_argument) continue;
    line += view.required ? " " + view.name : " [" + view.name + "]";
  }
  return line + " [options]";
}

std::vector<OptionView> Command::views() const {
  std::vector<OptionView> all;
  for (const CLI::Option* option : get_options()) {
    if (!option->get_group().empty()) all.push_back(view_of(*option));  // no group: not shown
  }
  return all;
}

std::vector<const Command*> Command::commands() const {
  std::vector<const Command*> all;
  // Every subcommand was added by Program::add, as a Command.
  for (const CLI::App* sub : get_subcommands(nullptr)) {
    all.push_back(static_cast<const Command*>(sub));
  }
  return all;
}

const Command* Command::find_command(const std::string& name) const {
  const auto all = commands();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Command* one) { return one->get_name() == name; });
  return found == all.end() ? nullptr : *found;
}

std::vector<std::string> Command::command_names() const {
  std::vector<std::string> names;
  for (const Command* one : commands()) names.push_back(one->get_name());
  return names;
}

const Command& Command::parsed() const {
  const auto chosen = get_subcommands();
  return chosen.empty() ? *this : static_cast<const Command&>(*chosen.front());
}

}  // namespace pegasos::cli
