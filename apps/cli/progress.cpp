#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/quantity_text.h"
#include "signals.h"
#include "terminal.h"

namespace pegasos::cli {
namespace {

constexpr auto kPatience = std::chrono::milliseconds(300);
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr std::size_t kBarCells = 24;
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

Progress::Progress(const Session& session, const std::string& what, Unit unit)
    : what_(printable(what)),
      unit_(unit),
      shown_on_terminal_(!session.quiet && can_rewrite_lines(STDERR_FILENO)),
      next_draw_(start_ + kPatience) {}

Progress::~Progress() {
  if (drawn_) say_always(kClearLine);
}

bool Progress::update(std::uint64_t done, std::optional<std::uint64_t> total) {
  if (stop_requested()) return false;
  if (!shown_on_terminal_) return true;
  const auto now = Clock::now();
  if (now >= next_draw_) {
    draw(done, total, std::chrono::duration<double>(now - start_).count());
    next_draw_ = now + kInterval;
  }
  return true;
}

void Progress::show(const std::string& line) {
  const auto now = Clock::now();
  if (!shown_on_terminal_ || now < next_draw_) return;
  next_draw_ = now + kInterval;
  if (cells(line) >= terminal_columns(STDERR_FILENO)) return;
  say_always(kClearLine + line);
  drawn_ = true;
}

void Progress::draw(std::uint64_t done, std::optional<std::uint64_t> total, double seconds) {
  const double rate = static_cast<double>(done) / seconds;
  const std::string speed =
      unit_ == Unit::bytes ? in_bytes(rate) + "/s" : in_short(rate) + " rows/s";
  std::string tail;
  if (total && *total > 0 && done <= *total) {
    const double share = static_cast<double>(done) / static_cast<double>(*total);
    const std::string filled = bar(share, kBarCells);
    tail = fmt::format("  {}{}  {:3.0f} %  {}", filled, std::string(kBarCells - cells(filled), ' '),
                       share * 100.0, speed);
    if (done > 0) {
      tail += fmt::format("  {} left", in_time(static_cast<double>(*total - done) / rate));
    }
  } else {
    const auto amount = static_cast<double>(done);
    tail = fmt::format("  {}  {}",
                       unit_ == Unit::bytes ? in_bytes(amount) : in_short(amount) + " rows", speed);
  }
  // A line that wraps could not be rewritten: the name gives way first, then everything.
  const std::size_t columns = terminal_columns(STDERR_FILENO);
  std::string line = what_ + tail;
  if (cells(line) >= columns) line = tail.substr(2);
  if (cells(line) >= columns) return;
  say_always(kClearLine + line);
  drawn_ = true;
}

std::function<bool(const ReadProgress&)> Progress::watch_reading() {
  return [this](const ReadProgress& progress) {
    return update(progress.bytes_read, progress.bytes_total);
  };
}

std::function<bool(std::uint64_t)> Progress::watch_rows(std::uint64_t total) {
  return [this, total](std::uint64_t rows) { return update(rows, total); };
}

}  // namespace pegasos::cli
