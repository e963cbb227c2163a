#include "man_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "environment.h"
#include "exit_codes.h"
#include "help.h"
#include "pegasos/version.h"

namespace pegasos::cli {
namespace {

// Text that roff prints as it stands: no escapes, no requests, hyphens that can be copied.
std::string roff(std::string_view text) {
  std::string safe;
  if (text.starts_with('.') || text.starts_with('\'')) safe += "\\&";
  for (const char c : text) {
    switch (c) {
      case '\\':
        safe += "\\e";
        break;
      case '-':
        safe += "\\-";
        break;
      case '~':
        safe += "\\(ti";
        break;
      case '^':
        safe += "\\(ha";
        break;
      case '\'':
        safe += "\\(aq";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string page_name(const Command& command) {
  std::string name = command.full_name();
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

// Flags bold, value italic.
std::string roff_signature(const OptionView& view) {
  if (view.is_argument) return fmt::format("\\fI{}\\fR", roff(view.name));
  std::string text;
  for (const auto& flag : view.flags) {
    text += fmt::format("{}\\fB{}\\fR", text.empty() ? "" : ", ", roff(flag));
  }
  return view.value.empty() ? text : fmt::format("{} \\fI{}\\fR", text, roff(view.value));
}

std::string item(const std::string& tag, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", tag, roff(text));
}

std::string options_of(const Command& command) {
  std::string page = ".SH OPTIONS\n";
  const auto views = command.views();
  for (const auto& group : option_groups(views)) {
    page += fmt::format(".SS {}\n", roff(group));
    for (const auto& view : views) {
      if (view.group == group) page += item(roff_signature(view), view.help);
    }
  }
  return page;
}

std::string commands_of(const Command& command) {
  std::string page = ".SH COMMANDS\n";
  for (const Command* one : command.commands()) {
    page += item("\\fB" + roff(one->name()) + "\\fR", one->summary());
  }
  return page;
}

std::string examples_of(const Command& command) {
  std::string page = ".SH EXAMPLES\n";
  for (const auto& example : command.examples()) {
    page += fmt::format(".PP\n{}\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", roff(example.effect),
                        roff(example.line));
  }
  return page;
}

std::string outcomes() {
  std::string page = ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : kExitMeanings) page += item(fmt::format("{}", code), meaning);
  page += ".SH ENVIRONMENT\n";
  for (const auto& [name, effect] : kEnvironment) page += item(roff(name), effect);
  return page;
}

std::string see_also(const Command& command) {
  std::string page = ".SH SEE ALSO\n";
  if (command.commands().empty()) return page + ".BR pegasos (1)\n";
  const auto all = command.commands();
  for (const Command* one : all) {
    page += fmt::format(".BR {} (1){}\n", roff(page_name(*one)), one == all.back() ? "" : ",");
  }
  return page;
}

}  // namespace

std::string man_page(const Command& command) {
  std::string title = page_name(command);
  std::transform(title.begin(), title.end(), title.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  std::string page = fmt::format(".TH {} 1 \"\" \"pegasos {}\" \"User Commands\"\n", roff(title),
                                 pegasos::kVersion);
  page += fmt::format(".SH NAME\n{} \\- {}\n", roff(page_name(command)), roff(command.summary()));
  page += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR{}\n", roff(command.full_name()),
                      roff(command.usage().substr(command.full_name().size())));
  if (!command.details().empty()) {
    page += fmt::format(".SH DESCRIPTION\n{}\n", roff(command.details()));
  }
  page += examples_of(command);
  if (!command.commands().empty()) page += commands_of(command);
  return page + options_of(command) + outcomes() + see_also(command);
}

}  // namespace pegasos::cli
