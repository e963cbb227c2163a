// pegasos man: a manual page in roff, made from the same definition as the help.
#include <memory>

#include "command.h"
#include "commands/commands.h"
#include "exit_codes.h"
#include "man_page.h"
#include "mistakes.h"
#include "session.h"
#include "terminal.h"

namespace pegasos::cli {

void define_man(Command& command, Session&) {
  const auto name = std::make_shared<std::string>();
  command.example("pegasos man inspect | man -l -", "Read the manual page for a command.");
  command.example("pegasos man > ~/.local/share/man/man1/pegasos.1",
                  "Install the manual page of the program.");
  command.add_option("command", *name, "The command; without it, the whole program")
      ->type_name("COMMAND");
  command.runs([&root = command.parent(), name] {
    const Command* const wanted = name->empty() ? &root : root.find_command(*name);
    if (wanted == nullptr) throw unknown_command(*name, root);
    print(man_page(*wanted));
    return kDone;
  });
}

}  // namespace pegasos::cli
