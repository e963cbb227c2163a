#include "command.h"

#include <algorithm>
#include <utility>

#include "options.h"

namespace pegasos::cli {
namespace {

std::vector<std::string> fixed_words(const std::string& type_name) {
  std::vector<std::string> words;
  for (const auto& part : split(type_name, '|')) {
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

}  // namespace

Option::Option(Kind kind, const std::string& flags, Assign assign, std::string help)
    : kind_(kind), spelling_(flags), assign_(std::move(assign)) {
  view_.is_argument = !flags.starts_with('-');
  if (!view_.is_argument) {
    view_.flags = split(flags, ',');
    // Short flags come first, however they were written down.
    std::stable_partition(view_.flags.begin(), view_.flags.end(),
                          [](const std::string& flag) { return !flag.starts_with("--"); });
  }
  view_.name = view_.is_argument ? in_capitals(flags) : view_.flags.back();
  view_.help = std::move(help);
  view_.group = view_.is_argument ? "Arguments" : "Options";
  view_.repeatable = kind == Kind::list;
  if (kind == Kind::value || kind == Kind::list) type_name("TEXT");
}

Option* Option::group(const std::string& name) {
  view_.group = name;
  return this;
}

Option* Option::type_name(const std::string& name) {
  view_.value = name;
  view_.words = fixed_words(name);
  view_.is_file = name == "FILE";
  if (view_.is_argument && !view_.words.empty()) view_.name = name;
  return this;
}

Option* Option::required() {
  view_.required = true;
  return this;
}

Option* Option::separator(char between) {
  separator_ = between;
  return this;
}

Command::Command(std::string name, std::string summary, const Command* parent)
    : name_(std::move(name)), summary_(std::move(summary)), parent_(parent) {
  add(Option::Kind::help, "-h,--help", nullptr, "Show this help")->group("Common");
}

Command& Command::describe(std::string text) {
  details_ = std::move(text);
  return *this;
}

Command& Command::example(std::string line, std::string effect) {
  examples_.push_back({std::move(line), std::move(effect)});
  return *this;
}

Command& Command::divides_rows() {
  divides_rows_ = true;
  return *this;
}

Command& Command::runs(std::function<int()> work) {
  work_ = std::move(work);
  return *this;
}

Option* Command::add(Option::Kind kind, const std::string& flags, Option::Assign assign,
                     const std::string& help) {
  options_.push_back(std::make_unique<Option>(kind, flags, std::move(assign), help));
  return options_.back().get();
}

Option* Command::add_option(const std::string& flags, std::string& text, const std::string& help) {
  return add(
      Option::Kind::value, flags,
      [&text](const std::vector<std::string>& values) { text = values.front(); }, help);
}

Option* Command::add_option(const std::string& flags, std::vector<std::string>& texts,
                            const std::string& help) {
  return add_list(
      flags, [&texts](const std::vector<std::string>& values) { texts = values; }, help);
}

Option* Command::add_option(const std::string& flags,
                            std::function<void(const std::string&)> assign,
                            const std::string& help) {
  return add(
      Option::Kind::value, flags,
      [assign = std::move(assign)](const std::vector<std::string>& values) {
        assign(values.front());
      },
      help);
}

Option* Command::add_list(const std::string& flags, Option::Assign assign,
                          const std::string& help) {
  return add(Option::Kind::list, flags, std::move(assign), help);
}

Option* Command::add_flag(const std::string& flags, bool& flag, const std::string& help) {
  return add_flag(
      flags, [&flag] { flag = true; }, help);
}

Option* Command::add_flag(const std::string& flags, std::function<void()> act,
                          const std::string& help) {
  return add(
      Option::Kind::flag, flags, [act = std::move(act)](const std::vector<std::string>&) { act(); },
      help);
}

Option* Command::add_version_flag(const std::string& flags, const std::string& help) {
  return add(Option::Kind::version, flags, nullptr, help);
}

void Command::add_command(const std::string& name, const std::string& summary, Define define) {
  commands_.push_back(std::make_unique<Command>(name, summary, this));
  Command& command = *commands_.back();
  command.define_ = [&command, define = std::move(define)] { define(command); };
}

std::string Command::full_name() const {
  return parent_ == nullptr ? name_ : parent_->full_name() + " " + name_;
}

std::string Command::usage() const {
  std::string line = full_name();
  if (!commands_.empty()) line += " COMMAND";
  for (const auto& view : views()) {
    if (!view.is_argument) continue;
    line += view.required ? " " + view.name : " [" + view.name + "]";
  }
  return line + " [options]";
}

bool Command::was_given(const std::string& flag) const {
  return std::any_of(options().begin(), options().end(), [&](const auto& option) {
    const auto& flags = option->view().flags;
    return option->count() > 0 && std::find(flags.begin(), flags.end(), flag) != flags.end();
  });
}

std::vector<OptionView> Command::views() const {
  std::vector<OptionView> all;
  for (const auto& option : options()) {
    if (!option->is_hidden()) all.push_back(option->view());
  }
  return all;
}

std::vector<const Command*> Command::commands() const {
  std::vector<const Command*> all;
  all.reserve(commands_.size());
  for (const auto& command : commands_) all.push_back(command.get());
  return all;
}

const Command* Command::find_command(const std::string& name) const {
  const auto found = std::find_if(commands_.begin(), commands_.end(),
                                  [&](const auto& one) { return one->name() == name; });
  return found == commands_.end() ? nullptr : found->get();
}

std::vector<std::string> Command::command_names() const {
  std::vector<std::string> names;
  names.reserve(commands_.size());
  for (const auto& one : commands_) names.push_back(one->name());
  return names;
}

}  // namespace pegasos::cli
