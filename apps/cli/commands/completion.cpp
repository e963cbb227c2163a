// pegasos completion: scripts that let a shell complete commands, flags, words and files.
#include <memory>

#include "command.h"
#include "commands/commands.h"
#include "completion_script.h"
#include "exit_codes.h"
#include "options.h"
#include "session.h"
#include "terminal.h"

namespace pegasos::cli {

void define_completion(Command& command, Session&) {
  const auto shell = std::make_shared<Shell>();
  command.example("source <(pegasos completion bash)", "Enable completion in this shell.");
  command.example("pegasos completion bash > ~/.local/share/bash-completion/completions/pegasos",
                  "Enable completion in every new bash.");
  command.example("pegasos completion fish > ~/.config/fish/completions/pegasos.fish",
                  "The same for fish.");
  add_choice<Shell>(
      command, "shell", {{"bash", Shell::bash}, {"zsh", Shell::zsh}, {"fish", Shell::fish}},
      [shell](Shell chosen) { *shell = chosen; }, "The shell")
      ->required();
  command.runs([&root = command.parent(), shell] {
    print(completion_script(root, *shell));
    return kDone;
  });
}

}  // namespace pegasos::cli
