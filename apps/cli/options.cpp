#include "options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/did_you_mean.h"
#include "base/quantity_text.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

std::string long_name(const std::string& flags) {
  return flags.substr(flags.find_last_of(',') + 1);
}

}  // namespace

std::vector<std::string> split(const std::string& text, char between) {
  std::vector<std::string> parts(1);
  for (const char letter : text) {
    if (letter == between) {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const auto& word : words) text += text.empty() ? word : between + word;
  return text;
}

std::size_t find_choice(const std::string& flag, const std::string& text,
                        const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) {
    throw UsageError(fmt::format("{}: '{}' is not one of {}.{}", flag, printable(text),
                                 joined(words, ", "), did_you_mean(text, words)));
  }
  return static_cast<std::size_t>(found - words.begin());
}

Option* add_count(Command& command, const std::string& flags,
                  std::function<void(std::uint64_t)> assign, const std::string& help) {
  return command
      .add_option(
          flags,
          [assign = std::move(assign), name = long_name(flags)](const std::string& text) {
            const auto value = parse_count(text);
            if (!value) {
              throw UsageError(
                  fmt::format("{}: '{}' is not a whole number such as 1000, 200k or 1e6", name,
                              printable(text)));
            }
            assign(*value);
          },
          help)
      ->type_name("N");
}

Option* add_list(Command& command, const std::string& flags, std::vector<std::string>& names,
                 const std::string& type_name, const std::string& help) {
  return command.add_option(flags, names, help)->separator(',')->type_name(type_name);
}

Option* add_file(Command& command, const std::string& flags, std::string& path,
                 const std::string& help) {
  return command.add_option(flags, path, help)->type_name("FILE");
}

void add_quiet(Command& command, Session& session) {
  command.add_flag("-q,--quiet", session.quiet, "Print only errors")->group("Common");
}

void add_threads(Command& command, Session& session) {
  static constexpr std::uint64_t kMost = 1024;
  add_count(
      command, "--threads",
      [&session](std::uint64_t threads) {
        if (threads < 1 || threads > kMost) {
          throw UsageError(fmt::format("--threads: must be from 1 to {}", kMost));
        }
        session.threads = static_cast<int>(threads);
      },
      "Number of threads; by default all cores available to the process")
      ->group("Common");
}

void add_json(Command& command, Session& session) {
  command
      .add_flag("--json", session.json,
                "Write the result or the error as a JSON object to standard output")
      ->group("Common");
}

void add_seed(Command& command, std::uint64_t& seed) {
  add_count(
      command, "--seed", [&seed](std::uint64_t given) { seed = given; },
      "Random seed; the same seed gives the same result (1)");
}

}  // namespace pegasos::cli
