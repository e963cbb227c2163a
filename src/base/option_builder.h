// How the entries of option tables are made: from a member of the struct, its range or words.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/did_you_mean.h"
#include "base/quantity_text.h"
#include "pegasos/error.h"
#include "pegasos/option_table.h"

namespace pegasos::option {

// A range of finite numbers, with the sentence that states it.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool without_ends = false;
  std::string rule = {};

  bool holds(double value) const {
    if (!std::isfinite(value)) return false;
    return without_ends ? value > least && value < most : value >= least && value <= most;
  }
};

inline Range more_than(double bound) {
  return {
      .least = bound, .without_ends = true, .rule = fmt::format("must be greater than {}", bound)};
}
inline Range at_least(double bound) {
  return {.least = bound,
          .rule = bound == 0 ? "must be 0 or more" : fmt::format("must be at least {}", bound)};
}
inline Range from_to(double least, double most) {
  return {.least = least, .most = most, .rule = fmt::format("must be from {} to {}", least, most)};
}
inline Range between(double least, double most) {
  return {.least = least,
          .most = most,
          .without_ends = true,
          .rule = fmt::format("must be between {} and {}", least, most)};
}
inline Range finite() {
  return {.rule = "must be a finite number"};
}

template <typename T>
struct Held {
  using Type = T;
};
template <typename T>
struct Held<std::optional<T>> {
  using Type = T;
};

// What a plain or an optional member holds.
template <typename T>
const T* held(const T& value) {
  return &value;
}
template <typename T>
const T* held(const std::optional<T>& value) {
  return value ? &*value : nullptr;
}

[[noreturn]] inline void refuse(const OptionInfo& info, const std::string& text,
                                const std::string& expected) {
  throw InvalidOption(info.name, fmt::format("'{}' is not {}", text, expected));
}

inline double number_in(const OptionInfo& info, const std::string& text) {
  const auto number = parse_real(text);
  if (!number) refuse(info, text, "a number");
  return *number;
}

template <typename Whole>
Whole count_in(const OptionInfo& info, const std::string& text) {
  const bool bytes = info.kind == OptionKind::bytes;
  const auto count = bytes ? parse_size(text) : parse_count(text);
  if (!count) {
    refuse(
        info, text,
        bytes ? "a size such as 500M, 4G or 1048576" : "a whole number such as 1000, 200k or 1e6");
  }
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<Whole>::max());
  if (*count > kMost) throw InvalidOption(info.name, fmt::format("must be at most {}", kMost));
  return static_cast<Whole>(*count);
}

// For memory and caches: a number alone is often meant as megabytes. "400B" is what it says.
template <typename Options>
OptionEntry<Options> with_unit(OptionEntry<Options> entry) {
  entry.set = [set = std::move(entry.set), name = entry.info.name](Options& options,
                                                                   const std::string& text) {
    constexpr std::uint64_t kLeast = 1 << 16;
    const auto plain = parse_count(text);
    const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
    if (digits && plain && *plain > 0 && *plain < kLeast) {
      throw InvalidOption(name, fmt::format("{0} is {0} bytes; write {0}M for megabytes", text));
    }
    set(options, text);
  };
  return entry;
}

inline void require(const OptionInfo& info, const Range& range, double value) {
  if (!range.holds(value)) throw InvalidOption(info.name, range.rule);
}

// A number, a count or a size; plain or optional.
template <typename Options, typename Member>
OptionEntry<Options> number(OptionInfo info, Member Options::*member, const Range& range) {
  using Value = typename Held<Member>::Type;
  if constexpr (!std::is_floating_point_v<Value>) {
    if (info.kind == OptionKind::number) info.kind = OptionKind::count;
  }
  if (info.values.empty()) {
    info.values = info.kind == OptionKind::number  ? "X"
                  : info.kind == OptionKind::bytes ? "SIZE"
                                                   : "N";
  }
  OptionEntry<Options> entry;
  entry.set = [info, member](Options& options, const std::string& text) {
    if constexpr (std::is_floating_point_v<Value>) {
      options.*member = number_in(info, text);
    } else {
      options.*member = count_in<Value>(info, text);
    }
  };
  entry.texts = [member](const Options& options) -> std::vector<std::string> {
    const Value* value = held(options.*member);
    if (value == nullptr) return {};
    return {fmt::format("{}", *value)};
  };
  entry.check = [info, member, range](const Options& options) {
    const Value* value = held(options.*member);
    if (value != nullptr) require(info, range, static_cast<double>(*value));
  };
  entry.info = std::move(info);
  return entry;
}

template <typename Value>
using Words = std::vector<std::pair<std::string, Value>>;

// Words that name_of() gives for these values.
template <typename Value>
Words<Value> named(std::initializer_list<Value> values) {
  Words<Value> words;
  for (const Value value : values) words.emplace_back(name_of(value), value);
  return words;
}

// The value of a word. Throws InvalidOption with all words and the nearest.
template <typename Value>
const Value& value_of_word(const OptionInfo& info, const Words<Value>& words,
                           const std::string& text) {
  std::vector<std::string> names;
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    names.push_back(word);
  }
  throw InvalidOption(info.name, fmt::format("'{}' is not one of {}.{}", text,
                                             fmt::join(names, ", "), did_you_mean(text, names)));
}

// One of several words; plain or optional. Where several words mean the same, the first is written.
template <typename Options, typename Member, typename Value>
OptionEntry<Options> word(OptionInfo info, Member Options::*member, const Words<Value>& words) {
  info.kind = OptionKind::word;
  for (const auto& [name, value] : words) info.values += (info.values.empty() ? "" : "|") + name;
  OptionEntry<Options> entry;
  entry.set = [info, member, words](Options& options, const std::string& text) {
    options.*member = value_of_word(info, words, text);
  };
  entry.texts = [member, words](const Options& options) -> std::vector<std::string> {
    for (const auto& [name, value] : words) {
      if (options.*member == value) return {name};
    }
    return {};
  };
  entry.info = std::move(info);
  return entry;
}

// A flag holds "yes", or nothing.
template <typename Options>
OptionEntry<Options> flag(OptionInfo info, bool Options::*member) {
  info.kind = OptionKind::flag;
  OptionEntry<Options> entry;
  entry.set = [info, member](Options& options, const std::string& text) {
    options.*member = value_of_word<bool>(info, {{"yes", true}, {"no", false}}, text);
  };
  entry.texts = [member](const Options& options) {
    return options.*member ? std::vector<std::string>{"yes"} : std::vector<std::string>{};
  };
  entry.info = std::move(info);
  return entry;
}

// Any text, plain (where "" is none) or optional.
template <typename Options, typename Member>
OptionEntry<Options> text(OptionInfo info, Member Options::*member) {
  info.kind = OptionKind::text;
  OptionEntry<Options> entry;
  entry.set = [member](Options& options, const std::string& value) { options.*member = value; };
  entry.texts = [member](const Options& options) -> std::vector<std::string> {
    const std::string* value = held(options.*member);
    if (value == nullptr || value->empty()) return {};
    return {*value};
  };
  entry.info = std::move(info);
  return entry;
}

// Several texts, each set on its own.
template <typename Options>
OptionEntry<Options> texts(OptionInfo info, std::vector<std::string> Options::*member) {
  info.kind = OptionKind::text;
  info.repeatable = true;
  OptionEntry<Options> entry;
  entry.set = [member](Options& options, const std::string& value) {
    (options.*member).push_back(value);
  };
  entry.texts = [member](const Options& options) { return options.*member; };
  entry.info = std::move(info);
  return entry;
}

// Several numbers or counts, each set on its own.
template <typename Options, typename Value>
OptionEntry<Options> numbers(OptionInfo info, std::vector<Value> Options::*member,
                             const Range& range) {
  info.kind = std::is_floating_point_v<Value> ? OptionKind::number : OptionKind::count;
  info.repeatable = true;
  OptionEntry<Options> entry;
  entry.set = [info, member](Options& options, const std::string& value) {
    if constexpr (std::is_floating_point_v<Value>) {
      (options.*member).push_back(number_in(info, value));
    } else {
      (options.*member).push_back(count_in<Value>(info, value));
    }
  };
  entry.texts = [member](const Options& options) {
    std::vector<std::string> all;
    for (const Value& value : options.*member) all.push_back(fmt::format("{}", value));
    return all;
  };
  entry.check = [info, member, range](const Options& options) {
    for (const Value& value : options.*member) require(info, range, static_cast<double>(value));
  };
  entry.info = std::move(info);
  return entry;
}

// An entry that has an effect, and is checked, only then.
template <typename Options, typename Condition>
OptionEntry<Options> only_if(Condition condition, OptionEntry<Options> entry) {
  entry.matters = condition;
  if (entry.check) {
    entry.check = [condition, check = std::move(entry.check)](const Options& options) {
      if (condition(options)) check(options);
    };
  }
  return entry;
}

// The default of every option that does not state one, read off a default-made struct.
template <typename Options>
OptionTable<Options> with_defaults(OptionTable<Options> table) {
  const Options defaults;
  for (auto& entry : table) {
    if (!entry.info.default_text.empty() || entry.info.kind == OptionKind::flag) continue;
    const auto texts = entry.texts(defaults);
    if (!texts.empty()) entry.info.default_text = texts.front();
  }
  return table;
}

// The table of a member as entries of the table of the whole. `part` gives the member; `find` gives
// it for reading, or null where there is none.
template <typename Whole, typename Part, typename Get, typename Find>
void append(OptionTable<Whole>& table, const OptionTable<Part>& part_table, Get part, Find find) {
  for (const OptionEntry<Part>& one : part_table) {
    OptionEntry<Whole> entry;
    entry.info = one.info;
    entry.set = [set = one.set, part](Whole& whole, const std::string& text) {
      set(part(whole), text);
    };
    entry.texts = [texts = one.texts, find](const Whole& whole) {
      const Part* found = find(whole);
      return found == nullptr ? std::vector<std::string>{} : texts(*found);
    };
    if (one.check) {
      entry.check = [check = one.check, find](const Whole& whole) {
        if (const Part* found = find(whole)) check(*found);
      };
    }
    if (one.matters) {
      entry.matters = [matters = one.matters, find](const Whole& whole) {
        const Part* found = find(whole);
        return found != nullptr && matters(*found);
      };
    }
    table.push_back(std::move(entry));
  }
}

}  // namespace pegasos::option
