// The two streams and what may be sent to them.
//
// Standard output is data, standard error is talk. Colour and cursor movements go to a terminal
// only, and NO_COLOR (no-color.org) or TERM=dumb keep them away from there too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "session.h"

namespace pegasos::cli {

// All of it, at once. Throws IoError, so that a full disk behind `> file` is never exit code 0.
void print(std::string_view text);

// To standard error, unless the session is quiet. Errors in writing are ignored.
void say(const Session& session, std::string_view text);
void say_always(std::string_view text);

bool is_terminal(int fd);
bool wants_colour(int fd);
// A terminal that can rewrite a line.
bool can_rewrite_lines(int fd);
// Width of the terminal, 80 where there is none.
std::size_t terminal_columns(int fd);

// Characters beyond ASCII can be shown.
bool speaks_utf8();

// Words in bold or colour, or as they are.
class Style {
 public:
  explicit Style(int fd) : on_(wants_colour(fd)) {}
  std::string bold(std::string_view text) const { return wrapped("1", text); }
  std::string red(std::string_view text) const { return wrapped("1;31", text); }
  std::string green(std::string_view text) const { return wrapped("1;32", text); }
  std::string dim(std::string_view text) const { return wrapped("2", text); }

 private:
  std::string wrapped(std::string_view code, std::string_view text) const;
  bool on_;
};

// A bar of `share` (0 … 1) of `width` cells; "###" where the locale is not UTF-8.
std::string bar(double share, std::size_t width);

// Names and messages as they may be shown: control bytes, which could move the cursor or worse,
// become \xNN.
std::string printable(std::string_view text);

// Terminal cells a UTF-8 text takes, one a character.
std::size_t cells(std::string_view text);

}  // namespace pegasos::cli
