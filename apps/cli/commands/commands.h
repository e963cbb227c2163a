// Every subcommand, in the order help lists them.
//
// To add one: write commands/<name>.cpp with `void add_<name>(Program& program)`, which calls
// program.add(...), gives it options, examples and work, and add its line here.
#pragma once

#include <array>

namespace pegasos::cli {

class Program;

#define PEGASOS_COMMANDS(COMMAND) \
  COMMAND(train)                  \
  COMMAND(predict)                \
  COMMAND(evaluate)               \
  COMMAND(verify)                 \
  COMMAND(tune)                   \
  COMMAND(inspect)                \
  COMMAND(explain)                \
  COMMAND(doctor)                 \
  COMMAND(report)                 \
  COMMAND(convert)                \
  COMMAND(generate)               \
  COMMAND(completion)             \
  COMMAND(man)                    \
  COMMAND(help)

#define PEGASOS_DECLARE(name) void add_##name(Program& program);
PEGASOS_COMMANDS(PEGASOS_DECLARE)
#undef PEGASOS_DECLARE

#define PEGASOS_LIST(name) add_##name,
inline constexpr std::array kCommands = {PEGASOS_COMMANDS(PEGASOS_LIST)};
#undef PEGASOS_LIST
#undef PEGASOS_COMMANDS

}  // namespace pegasos::cli
