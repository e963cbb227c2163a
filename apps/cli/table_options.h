// Options of a command from a table of the library: flag, type, help and group are made from what
// the table says; a wrong value is a UsageError that names the flag.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "pegasos/error.h"
#include "pegasos/option_table.h"
#include "spelling.h"
#include "usage_error.h"

namespace pegasos::cli {

// The meaning, with the default in brackets behind it.
std::string help_of(const OptionInfo& info);
// The library's complaint in the words of the command line.
UsageError usage_error_of(const InvalidOption& error);
// Declares the option; `assign` gets every value that is given for it.
Option* add_described(Command& command, const OptionInfo& info,
                      const std::function<void(const std::string&)>& assign);

template <typename Options>
Option* add_entry(Command& command, const OptionEntry<Options>& entry, Options& options) {
  return add_described(command, entry.info, [&entry, &options](const std::string& text) {
    try {
      entry.set(options, text);
    } catch (const InvalidOption& error) {
      throw usage_error_of(error);
    }
  });
}

// Every option of the table but those left out.
template <typename Options>
void add_table(Command& command, const OptionTable<Options>& table, Options& options,
               const std::vector<std::string>& left_out = {}) {
  for (const auto& entry : table) {
    bool wanted = true;
    for (const auto& name : left_out) wanted = wanted && name != entry.info.name;
    if (wanted) add_entry(command, entry, options);
  }
}

}  // namespace pegasos::cli
