#include "table_options.h"

#include <fmt/format.h>

namespace pegasos::cli {

std::string help_of(const OptionInfo& info) {
  return info.default_text.empty() ? info.meaning
                                   : fmt::format("{} ({})", info.meaning, info.default_text);
}

UsageError usage_error_of(const InvalidOption& error) {
  // Who starts ranks does so with mpirun: there is no flag to name.
  if (error.field() == "ranks") return UsageError(error.message(), spelled(error.hint()));
  return UsageError(fmt::format("{}: {}", flag_of(error.field()), error.message()),
                    spelled(error.hint()));
}

Option* add_described(Command& command, const OptionInfo& info,
                      const std::function<void(const std::string&)>& assign) {
  const std::string flags = flags_of(info.name);
  if (info.kind == OptionKind::flag) {
    return command
        .add_flag(
            flags, [assign] { assign("yes"); }, help_of(info))
        ->group(info.group);
  }
  Option* option = nullptr;
  if (info.repeatable) {
    option = command.add_list(
        flags,
        [assign](const std::vector<std::string>& values) {
          for (const auto& value : values) assign(value);
        },
        help_of(info));
    if (info.values.ends_with(",...")) option->separator(',');
  } else {
    option = command.add_option(flags, assign, help_of(info));
  }
  return option->type_name(info.values)->group(info.group);
}

}  // namespace pegasos::cli
