// Option tables: name, meaning, range and default of every option, in one place.
//
// The table of a struct is what its validate() checks, what a front end makes its flags or keywords
// and their documentation from, and what writes the settings that a model records. The tables
// themselves are declared in pegasos/options.h.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "pegasos/setting.h"

namespace pegasos {

enum class OptionKind {
  flag,    // yes or no
  word,    // one of several words
  number,  // a finite number
  count,   // a whole number, such as 1000, 200k or 1e6
  bytes,   // a size, such as 500M, 4G or 1048576
  text     // anything
};

struct OptionInfo {
  std::string name = {};     // of the field, unique in its table
  std::string group = {};    // a heading, such as "Stopping"
  std::string meaning = {};  // what it does, without the default
  OptionKind kind = OptionKind::number;
  // What it takes, "|" between: words in small letters, placeholders in capitals; "" for a flag.
  std::string values = {};
  std::string default_text = {};  // "0.001"; "" where there is none, or the meaning tells it
  bool repeatable = false;        // setting it again adds a value
};

template <typename Options>
struct OptionEntry {
  OptionInfo info = {};
  // From text. Throws InvalidOption for what is no value of this kind; ranges are left to `check`.
  std::function<void(Options&, const std::string&)> set = {};
  // The values it holds, each as text that `set` understands; none if it holds none.
  std::function<std::vector<std::string>(const Options&)> texts = {};
  // Throws InvalidOption if the value is out of range.
  std::function<void(const Options&)> check = {};
  // Whether it has any effect beside the other options; one that has none is not recorded.
  std::function<bool(const Options&)> matters = {};
};

template <typename Options>
using OptionTable = std::vector<OptionEntry<Options>>;

// The entry of this name, or null.
template <typename Options>
const OptionEntry<Options>* find_option(const OptionTable<Options>& table,
                                        const std::string& name) {
  for (const auto& entry : table) {
    if (entry.info.name == name) return &entry;
  }
  return nullptr;
}

// Throws InvalidOption for the first value that is out of its range.
template <typename Options>
void check_ranges(const OptionTable<Options>& table, const Options& options) {
  for (const auto& entry : table) {
    if (entry.check) entry.check(options);
  }
}

// Every option that holds a value and has an effect.
template <typename Options>
std::vector<Setting> settings_of(const OptionTable<Options>& table, const Options& options) {
  std::vector<Setting> settings;
  for (const auto& entry : table) {
    if (entry.matters && !entry.matters(options)) continue;
    for (auto& text : entry.texts(options)) settings.push_back({entry.info.name, std::move(text)});
  }
  return settings;
}

// The same, of those that differ from the defaults.
template <typename Options>
std::vector<Setting> changed_settings(const OptionTable<Options>& table, const Options& options) {
  std::vector<Setting> settings;
  const Options defaults;
  for (const auto& entry : table) {
    if (entry.matters && !entry.matters(options)) continue;
    auto texts = entry.texts(options);
    if (texts == entry.texts(defaults)) continue;
    for (auto& text : texts) settings.push_back({entry.info.name, std::move(text)});
  }
  return settings;
}

// The descriptions of all options in a table.
template <typename Options>
std::vector<OptionInfo> infos_of(const OptionTable<Options>& table) {
  std::vector<OptionInfo> infos;
  for (const auto& entry : table) infos.push_back(entry.info);
  return infos;
}

}  // namespace pegasos
