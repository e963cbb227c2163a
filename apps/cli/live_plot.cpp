#include "live_plot.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "terminal.h"

namespace pegasos::cli {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr std::size_t kLabelColumns = 9;
constexpr std::size_t kLeastColumns = 30;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = 0.0;

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // Where a value lies between the ends, on a log axis.
  double place(double value) const { return std::log(value / low) / std::log(high / low); }
  double value_at(double place) const { return low * std::pow(high / low, place); }
};

bool drawable(const std::pair<double, double>& point) {
  return point.first > 0 && point.second > 0 && std::isfinite(point.first) &&
         std::isfinite(point.second);
}

// Dots, and of each cell the line that was there last.
class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows, bool braille)
      : columns_(columns),
        rows_(rows),
        braille_(braille),
        dots_(columns * rows, 0),
        owner_(columns * rows, -1) {}

  std::size_t width() const { return columns_ * (braille_ ? 2 : 1); }
  std::size_t height() const { return rows_ * (braille_ ? 4 : 1); }

  // From the bottom left.
  void dot(std::size_t x, std::size_t y, int line) {
    const std::size_t from_top = height() - 1 - y;
    const std::size_t cell =
        (braille_ ? from_top / 4 : from_top) * columns_ + (braille_ ? x / 2 : x);
    // The bits of a braille cell, by column and row (Unicode 10.0, U+2800).
    constexpr unsigned kBits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    dots_[cell] |= braille_ ? kBits[x % 2][from_top % 4] : 1U;
    owner_[cell] = line;
  }

  std::string row(std::size_t r, const std::vector<PlotLine>& lines, bool colour) const {
    std::string text;
    for (std::size_t c = 0; c < columns_; ++c) {
      const unsigned dots = dots_[r * columns_ + c];
      if (dots == 0) {
        text += ' ';
        continue;
      }
      const PlotLine& line = lines[static_cast<std::size_t>(owner_[r * columns_ + c])];
      if (colour) text += fmt::format("\x1b[{}m", line.colour);
      if (braille_) {
        text += static_cast<char>(0xe2);
        text += static_cast<char>(0xa0 | (dots >> 6));
        text += static_cast<char>(0x80 | (dots & 0x3f));
      } else {
        text += line.mark;
      }
      if (colour) text += "\x1b[0m";
    }
    return text;
  }

 private:
  std::size_t columns_;
  std::size_t rows_;
  bool braille_;
  std::vector<unsigned> dots_;
  std::vector<int> owner_;
};

// Straight between neighbouring points.
void draw_line(Canvas& canvas, const PlotLine& line, int number, const Range& x, const Range& y) {
  const auto right = static_cast<double>(canvas.width() - 1);
  const auto top = static_cast<double>(canvas.height() - 1);
  bool first = true;
  double last_x = 0;
  double last_y = 0;
  for (const auto& point : line.points) {
    if (!drawable(point)) continue;
    const double to_x = x.place(point.first) * right;
    const double to_y = y.place(point.second) * top;
    if (first) std::tie(last_x, last_y) = std::pair(to_x, to_y);
    const long steps = std::max(
        1L, std::lround(std::ceil(std::max(std::abs(to_x - last_x), std::abs(to_y - last_y)))));
    for (long step = 0; step <= steps; ++step) {
      const double share = static_cast<double>(step) / static_cast<double>(steps);
      canvas.dot(static_cast<std::size_t>(std::lround(last_x + share * (to_x - last_x))),
                 static_cast<std::size_t>(std::lround(last_y + share * (to_y - last_y))), number);
    }
    std::tie(last_x, last_y) = std::pair(to_x, to_y);
    first = false;
  }
}

// As many rows as it takes: one that the terminal wraps would not be drawn over.
std::vector<std::string> legend(const std::vector<PlotLine>& lines, const std::string& x_name,
                                std::size_t columns, bool braille, bool colour) {
  constexpr std::size_t kBetween = 3;
  const std::string indent(kLabelColumns + 2, ' ');
  std::vector<std::string> rows = {indent + x_name};
  std::size_t used = rows[0].size();
  for (const PlotLine& line : lines) {
    const std::string mark = braille ? "\u2501" : std::string(1, line.mark);
    const std::size_t width = 2 + line.name.size();
    if (used + kBetween + width < columns) {
      rows.back() += std::string(kBetween, ' ');
      used += kBetween + width;
    } else {
      rows.push_back(indent);
      used = indent.size() + width;
    }
    rows.back() += colour ? fmt::format("\x1b[{}m{}\x1b[0m {}", line.colour, mark, line.name)
                          : fmt::format("{} {}", mark, line.name);
  }
  return rows;
}

}  // namespace

std::vector<std::string> plot_as_text(const std::vector<PlotLine>& lines, const std::string& x_name,
                                      PlotSize size, bool braille, bool colour) {
  Range x;
  Range y;
  for (const PlotLine& line : lines) {
    for (const auto& point : line.points) {
      if (!drawable(point)) continue;
      x.include(point.first);
      y.include(point.second);
    }
  }
  if (!(x.high > x.low) || size.columns < kLeastColumns) return {};
  if (!(y.high > y.low)) y = {y.low / 2, y.high * 2};
  Canvas canvas(size.columns - kLabelColumns - 3, size.rows, braille);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    draw_line(canvas, lines[k], static_cast<int>(k), x, y);
  }
  std::vector<std::string> text;
  const std::string axis = braille ? "\u2502" : "|";
  const std::string tick = braille ? "\u2524" : "+";
  for (std::size_t r = 0; r < size.rows; ++r) {
    const bool labelled = r == 0 || r + 1 == size.rows || r == size.rows / 2;
    const double place =
        1.0 - static_cast<double>(r) / static_cast<double>(std::max<std::size_t>(1, size.rows - 1));
    const std::string label = labelled ? fmt::format("{:.3g}", y.value_at(place)) : "";
    text.push_back(fmt::format("{:>{}} {}", label, kLabelColumns, labelled ? tick : axis) +
                   canvas.row(r, lines, colour));
  }
  const std::string left = fmt::format("{:.3g}", x.low);
  const std::string right = fmt::format("{:.3g}", x.high);
  const std::size_t between =
      size.columns - kLabelColumns - 3 - std::min(size.columns / 2, left.size() + right.size());
  text.push_back(std::string(kLabelColumns + 2, ' ') + left + std::string(between, ' ') + right);
  const auto names = legend(lines, x_name, size.columns, braille, colour);
  text.insert(text.end(), names.begin(), names.end());
  return text;
}

LivePlot::LivePlot(const Session& session)
    : shown_(!session.quiet && can_rewrite_lines(STDERR_FILENO)) {}

void LivePlot::draw(const std::vector<PlotLine>& lines, bool last) {
  const auto now = Clock::now();
  if (!shown_ || (!last && now < next_draw_)) return;
  next_draw_ = now + kInterval;
  // Without colours lines differ by their marks, which the finer dots do not have.
  const bool colour = wants_colour(STDERR_FILENO);
  const auto rows = plot_as_text(lines, "seconds", {terminal_columns(STDERR_FILENO), 16},
                                 colour && speaks_utf8(), colour);
  if (rows.empty()) return;
  std::string text;
  if (drawn_rows_ > 0) text += fmt::format("\x1b[{}A", drawn_rows_);
  for (const auto& row : rows) text += "\r\x1b[K" + row + "\n";
  say_always(text);
  drawn_rows_ = rows.size();
}

}  // namespace pegasos::cli
