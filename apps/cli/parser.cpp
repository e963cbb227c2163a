#include "parser.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "mistakes.h"

namespace pegasos::cli {
namespace {

using Pairs = std::vector<std::pair<Option*, CLI::Option*>>;

CLI::Option* add_to(CLI::App& app, Option& option) {
  const std::string& flags = option.spelling();
  const auto assign = [&option](const std::vector<std::string>& values) { option.assign(values); };
  switch (option.kind()) {
    case Option::Kind::help:
      return app.set_help_flag(flags, "");
    case Option::Kind::version:
      return app.set_version_flag(flags, std::string());
    case Option::Kind::flag:
      return app.add_flag_callback(flags, [assign] { assign({}); });
    case Option::Kind::value: {
      CLI::Option* const single = app.add_option_function<std::string>(
          flags, [assign](const std::string& value) { assign({value}); });
      // A flag that is repeated means its last value.
      return option.view().is_argument ? single : single->take_last();
    }
    case Option::Kind::list:
      break;
  }
  CLI::Option* const list = app.add_option_function<std::vector<std::string>>(flags, assign);
  if (option.separator() != '\0') list->delimiter(option.separator());
  // One value each time, or the option would swallow the arguments behind it.
  if (!option.view().is_argument) list->take_all()->allow_extra_args(false);
  return list;
}

// "--tol", "--tol=1e-4"; "-c", "-c1", and "-qc" for a letter.
bool may_name(const std::string& word, const std::string& flag) {
  if (flag.starts_with("--")) return word.starts_with(flag);
  return word.starts_with('-') && !word.starts_with("--") && word.find(flag[1]) != word.npos;
}

bool may_be_on(const std::vector<std::string>& line, const OptionView& option) {
  return option.is_argument ||
         std::any_of(option.flags.begin(), option.flags.end(), [&](const std::string& flag) {
           return std::any_of(line.begin(), line.end(),
                              [&](const std::string& word) { return may_name(word, flag); });
         });
}

// CLI11 compares a new option with all before, so it gets only those that may be on the line.
void fill(CLI::App& app, const Command& command, const std::vector<std::string>& line,
          Pairs& pairs) {
  app.set_help_flag();
  for (const auto& option : command.options()) {
    if (!may_be_on(line, option->view())) continue;
    CLI::Option* const twin = add_to(app, *option);
    twin->required(option->view().required);
    pairs.emplace_back(option.get(), twin);
  }
}

}  // namespace

struct Parser::Apps {
  explicit Apps(const Command& the_root)
      : root(the_root), app(the_root.summary(), the_root.name()) {
    app.require_subcommand(0, 1);
    for (const Command* command : root.commands()) {
      app.add_subcommand(command->name(), command->summary())->set_help_flag();
    }
  }

  // Only a command that is named can be chosen.
  void fill_for(const std::vector<std::string>& arguments) {
    fill(app, root, arguments, pairs);
    for (const Command* command : root.commands()) {
      if (std::find(arguments.begin(), arguments.end(), command->name()) == arguments.end()) {
        continue;
      }
      fill(*app.get_subcommand(command->name()), *command, arguments, pairs);
    }
  }

  const Command& chosen() const {
    const auto found = app.get_subcommands();
    return found.empty() ? root : *root.find_command(found.front()->get_name());
  }

  void count_values() const {
    for (const auto& [option, twin] : pairs) option->set_count(twin->results().size());
  }

  // Arguments that neither the root nor the chosen command takes.
  std::vector<std::string> left_by(const Command& command) const {
    return &command == &root ? app.remaining() : app.get_subcommands().front()->remaining();
  }

  const Command& root;
  CLI::App app;
  Pairs pairs;
};

Parser::Parser(const Command& root) : apps_(std::make_unique<Apps>(root)) {}
Parser::~Parser() = default;

const Command& Parser::chosen() const {
  return apps_->chosen();
}

Parser::Answer Parser::parse(std::vector<std::string> arguments) {
  try {
    apps_->fill_for(arguments);
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    apps_->app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return Answer::help;
  } catch (const CLI::CallForVersion&) {
    return Answer::version;
  } catch (const CLI::ParseError& mistake) {
    apps_->count_values();
    const Command& command = chosen();
    throw explained({.message = mistake.what(),
                     .left_by_root = apps_->left_by(apps_->root),
                     .left_by_command = apps_->left_by(command)},
                    apps_->root, command);
  }
  apps_->count_values();
  return Answer::command;
}

}  // namespace pegasos::cli
