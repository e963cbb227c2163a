#include "completion_script.h"

#include <fmt/format.h>

#include "options.h"

namespace pegasos::cli {
namespace {

// help and man take the name of another command.
std::vector<std::string> words_of(const OptionView& view, const Command& root) {
  return view.value == "COMMAND" ? root.command_names() : view.words;
}

std::string replace_all(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// ── bash ────────────────────────────────────────────────────────────────────────────────────────
//
// `command` is the first word that is not a flag; three questions follow: is the word before a flag
// that wants a value, is a flag being typed, or is it an argument?

std::string bash_values(const Command& command, const std::string& name) {
  std::string cases;
  for (const auto& view : command.views()) {
    if (view.is_argument || view.value.empty()) continue;
    std::string patterns;
    for (const auto& flag : view.flags) {
      patterns += fmt::format("{}{}:{}", patterns.empty() ? "" : "|", name, flag);
    }
    const std::string answer =
        view.is_file
            ? "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))"
            : fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))", joined(view.words, " "));
    cases += fmt::format("    {}) {}; return ;;\n", patterns, answer);
  }
  return cases;
}

std::string bash_flags(const Command& command, const std::string& name) {
  std::vector<std::string> flags;
  for (const auto& view : command.views()) {
    flags.insert(flags.end(), view.flags.begin(), view.flags.end());
  }
  return fmt::format("      {}) words='{}' ;;\n", name, joined(flags, " "));
}

std::string bash_arguments(const Command& command, const Command& root, const std::string& name) {
  if (&command == &root) {
    return fmt::format("      {}) words='{}' ;;\n", name, joined(root.command_names(), " "));
  }
  for (const auto& view : command.views()) {
    if (!view.is_argument) continue;
    if (view.is_file) return fmt::format("      {}) files=yes ;;\n", name);
    return fmt::format("      {}) words='{}' ;;\n", name, joined(words_of(view, root), " "));
  }
  return "";
}

std::string bash_script(const Command& root) {
  std::string values = bash_values(root, "");
  std::string flags = bash_flags(root, "''");
  std::string arguments = bash_arguments(root, root, "''");
  for (const Command* command : root.commands()) {
    values += bash_values(*command, command->name());
    flags += bash_flags(*command, command->name());
    arguments += bash_arguments(*command, root, command->name());
  }
  std::vector<std::string> with_value;  // flags before the command whose value is not the command
  for (const auto& view : root.views()) {
    if (!view.value.empty()) {
      with_value.insert(with_value.end(), view.flags.begin(), view.flags.end());
    }
  }
  return "# bash completion of pegasos. To use it: source <(pegasos completion bash)\n"
         "_pegasos() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command='' words='' files='' i\n"
         "  # --flag=value arrives as three words.\n"
         "  if [[ $cur == '=' ]]; then cur=''\n"
         "  elif [[ $prev == '=' && COMP_CWORD -ge 2 ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; "
         "fi\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case ${COMP_WORDS[i]} in\n"
         "      " +
         joined(with_value, "|") +
         ") ((i++)) ;;\n"
         "      -*) ;;\n"
         "      *) command=${COMP_WORDS[i]}; break ;;\n"
         "    esac\n"
         "  done\n"
         "  COMPREPLY=()\n"
         "  case \"$command:$prev\" in\n" +
         replace_all(values, "    :", "    ':'") +
         "  esac\n"
         "  if [[ $cur == -?* || $cur == '-' ]]; then\n"
         "    case \"$command\" in\n" +
         flags +
         "    esac\n"
         "  else\n"
         "    case \"$command\" in\n" +
         arguments +
         "    esac\n"
         "  fi\n"
         "  if [[ $files ]]; then compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))\n"
         "  else COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")); fi\n"
         "}\n"
         "complete -F _pegasos pegasos\n";
}

// ── zsh ─────────────────────────────────────────────────────────────────────────────────────────

std::string zsh_text(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"}) {
    text = replace_all(text, special, std::string("\\") + special);
  }
  return replace_all(text, "'", "'\\''");
}

std::string zsh_action(const OptionView& view, const Command& root) {
  if (view.is_file) return "_files";
  const auto words = words_of(view, root);
  return words.empty() ? " " : "(" + joined(words, " ") + ")";
}

std::string zsh_specs(const Command& command, const Command& root) {
  std::string specs;
  for (const auto& view : command.views()) {
    const std::string value = fmt::format(":{}:{}", zsh_text(view.value), zsh_action(view, root));
    if (view.is_argument) {
      specs += fmt::format(" \\\n        '{}{}'", view.required ? "" : ":", value);
      continue;
    }
    for (const auto& flag : view.flags) {
      specs += fmt::format(" \\\n        '{}{}[{}]{}'", view.repeatable ? "*" : "", flag,
                           zsh_text(view.help), view.value.empty() ? "" : value);
    }
  }
  return specs;
}

std::string zsh_script(const Command& root) {
  std::string names;
  std::string cases;
  for (const Command* command : root.commands()) {
    names += fmt::format("        '{}:{}'\n", command->name(), zsh_text(command->summary()));
    cases += fmt::format("      {})\n        _arguments{}\n        ;;\n", command->name(),
                         zsh_specs(*command, root));
  }
  return "#compdef pegasos\n"
         "# zsh completion of pegasos. To use it: source <(pegasos completion zsh)\n"
         "_pegasos() {\n"
         "  local state line\n"
         "  local -a commands\n"
         "  _arguments -C" +
         zsh_specs(root, root) +
         " \\\n        '1:command:->command' '*::argument:->argument'\n"
         "  case $state in\n"
         "  command)\n"
         "    commands=(\n" +
         names +
         "    )\n"
         "    _describe command commands\n"
         "    ;;\n"
         "  argument)\n"
         "    case $line[1] in\n" +
         cases +
         "    esac\n"
         "    ;;\n"
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _pegasos ]]; then _pegasos; else compdef _pegasos pegasos; fi\n";
}

// ── fish ────────────────────────────────────────────────────────────────────────────────────────

std::string fish_text(std::string text) {
  return replace_all(replace_all(std::move(text), "\\", "\\\\"), "'", "\\'");
}

std::string fish_lines(const Command& command, const Command& root, const std::string& condition) {
  std::string lines;
  for (const auto& view : command.views()) {
    std::string line = fmt::format("complete -c pegasos -n '{}'", condition);
    for (const auto& flag : view.flags) {
      line += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
    }
    const auto words = words_of(view, root);
    if (view.is_file) {
      line += view.is_argument ? " -F" : " -r -F";
    } else if (!view.value.empty()) {
      line += view.is_argument ? " -f" : " -x";
      if (!words.empty()) line += fmt::format(" -a '{}'", joined(words, " "));
    }
    if (!view.is_argument) line += fmt::format(" -d '{}'", fish_text(view.help));
    lines += line + "\n";
  }
  return lines;
}

std::string fish_script(const Command& root) {
  std::string script =
      "# fish completion of pegasos. To use it: pegasos completion fish | source\n"
      "complete -c pegasos -f\n" +
      fish_lines(root, root, "__fish_use_subcommand");
  for (const Command* command : root.commands()) {
    script += fmt::format("complete -c pegasos -n '__fish_use_subcommand' -a {} -d '{}'\n",
                          command->name(), fish_text(command->summary()));
    script += fish_lines(*command, root, "__fish_seen_subcommand_from " + command->name());
  }
  return script;
}

}  // namespace

std::string completion_script(const Command& root, Shell shell) {
  switch (shell) {
    case Shell::bash:
      return bash_script(root);
    case Shell::zsh:
      return zsh_script(root);
    case Shell::fish:
      return fish_script(root);
  }
  return "";
}

}  // namespace pegasos::cli
