// pegasos help COMMAND: the same as pegasos COMMAND --help.
#include "help.h"

#include <unistd.h>

#include <memory>

#include "command.h"
#include "commands/commands.h"
#include "exit_codes.h"
#include "mistakes.h"
#include "session.h"
#include "terminal.h"

namespace pegasos::cli {

void define_help(Command& command, Session&) {
  const auto name = std::make_shared<std::string>();
  command.example("pegasos help convert", "The same as: pegasos convert --help");
  command.add_option("command", *name, "The command; without it, an overview")
      ->type_name("COMMAND");
  command.runs([&root = command.parent(), name] {
    if (name->empty()) {
      print(help_text(root, STDOUT_FILENO));
      return kDone;
    }
    const Command* const wanted = root.find_command(*name);
    if (wanted == nullptr) throw unknown_command(*name, root);
    print(help_text(*wanted, STDOUT_FILENO));
    return kDone;
  });
}

}  // namespace pegasos::cli
