// Every subcommand, in the order help lists them.
//
// To add one: write commands/<name>.cpp with `void define_<name>(Command&, Session&)`, which gives
// it options, examples and work, and add its line here.
#pragma once

#include <array>

namespace pegasos::cli {

class Command;
struct Session;

#define PEGASOS_COMMANDS(COMMAND)                                          \
  COMMAND(train, "train a model")                                          \
  COMMAND(predict, "predict labels with a model")                          \
  COMMAND(evaluate, "measure how well a model predicts labelled rows")     \
  COMMAND(verify, "verify the certificate of a model")                     \
  COMMAND(tune, "choose lambda and kernel parameters by cross-validation") \
  COMMAND(inspect, "summarise a data file or a model")                     \
  COMMAND(explain, "show which features determine the score of each row")  \
  COMMAND(doctor, "check data for common problems")                        \
  COMMAND(report, "write an HTML report about a model")                    \
  COMMAND(convert, "write data or a model in another format")              \
  COMMAND(generate, "generate synthetic data")                             \
  COMMAND(completion, "write a completion script for a shell")             \
  COMMAND(man, "print a manual page")                                      \
  COMMAND(help, "show help for a command")

#define PEGASOS_DECLARE(name, summary) void define_##name(Command& command, Session& session);
PEGASOS_COMMANDS(PEGASOS_DECLARE)
#undef PEGASOS_DECLARE

struct CommandEntry {
  const char* name;
  const char* summary;
  void (*define)(Command& command, Session& session);
};

#define PEGASOS_LIST(name, summary) CommandEntry{#name, summary, define_##name},
inline constexpr std::array kCommands = {PEGASOS_COMMANDS(PEGASOS_LIST)};
#undef PEGASOS_LIST
#undef PEGASOS_COMMANDS

}  // namespace pegasos::cli
