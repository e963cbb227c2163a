// Helpers to add options with clear error messages.
//
// For what is the command line's own; options of the library come from its tables, see
// table_options.h. Values are converted here rather than by CLI11: independent of the locale, with
// 200k, and with "did you mean" for words. A wrong value is a UsageError that names the flag.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "session.h"

namespace pegasos::cli {

template <typename Value>
using Choices = std::vector<std::pair<std::string, Value>>;

// The place of `text` among `words`, or a UsageError with the list and the nearest of them.
std::size_t find_choice(const std::string& flag, const std::string& text,
                        const std::vector<std::string>& words);
std::vector<std::string> split(const std::string& text, char between);
std::string joined(const std::vector<std::string>& words, const std::string& between);

// One of several words. `assign` gets the value that stands for it.
template <typename Value, typename Assign>
Option* add_choice(Command& command, const std::string& flags, const Choices<Value>& choices,
                   Assign assign, const std::string& help) {
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  // An argument is called by its name in capitals, an option by its long flag.
  const std::string name = flags.substr(flags.find_last_of(',') + 1);
  return command
      .add_option(
          flags,
          [=](const std::string& text) { assign(choices[find_choice(name, text, words)].second); },
          help)
      ->type_name(joined(words, "|"));
}

// Whole numbers such as 200k, handed to `assign`.
Option* add_count(Command& command, const std::string& flags,
                  std::function<void(std::uint64_t)> assign, const std::string& help);

// Names, given several times or with commas between.
Option* add_list(Command& command, const std::string& flags, std::vector<std::string>& names,
                 const std::string& type_name, const std::string& help);

// A file, as an argument (name without a dash) or an option.
Option* add_file(Command& command, const std::string& flags, std::string& path,
                 const std::string& help);

// The options that mean the same in every command that has them.
void add_quiet(Command& command, Session& session);
void add_threads(Command& command, Session& session);
void add_json(Command& command, Session& session);
void add_seed(Command& command, std::uint64_t& seed);

}  // namespace pegasos::cli
