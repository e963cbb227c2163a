#include "terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "base/file.h"

namespace pegasos::cli {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

// The environment says so; setlocale is never called, so numbers stay the same everywhere.
bool speaks_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = environment(name);
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

void print(std::string_view text) {
  write_fully(STDOUT_FILENO, {text.data(), text.size()}, "standard output");
}

void say_always(std::string_view text) {
  while (!text.empty()) {
    const auto n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void say(const Session& session, std::string_view text) {
  if (!session.quiet) say_always(text);
}

bool is_terminal(int fd) {
  return ::isatty(fd) == 1;
}

bool can_rewrite_lines(int fd) {
  return is_terminal(fd) && environment("TERM") != "dumb";
}

bool wants_colour(int fd) {
  return can_rewrite_lines(fd) && environment("NO_COLOR").empty();
}

std::size_t terminal_columns(int fd) {
  winsize size = {};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string Style::wrapped(std::string_view code, std::string_view text) const {
  return on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string bar(double share, std::size_t width) {
  const double filled = std::clamp(share, 0.0, 1.0) * static_cast<double>(width);
  std::string drawn;
  if (!speaks_utf8()) {
    drawn.assign(static_cast<std::size_t>(std::lround(filled)), '#');
    return drawn;
  }
  // Eighths of a cell, from one to seven.
  static constexpr std::array<const char*, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<std::size_t>(std::lround(filled * 8));
  for (std::size_t i = 0; i < eighths / 8; ++i) drawn += "█";
  return drawn + kParts[eighths % 8];
}

std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  return shown;
}

std::size_t cells(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;  // not a continuation byte
  }));
}

}  // namespace pegasos::cli
