// The convergence of a run, drawn on a terminal while it goes on: train --live.
//
//   1.0 ┤⢇
//       │ ⠣⡀            objective above, dual bound below, both closing in on the optimum;
//   0.4 ┤  ⠈⠑⠢⠤⣀⣀⣀     the lemma's bound where Pegasos has one. Log axes.
//
// A cell holds 2 × 4 dots of braille, or one '*' where the locale is not UTF-8.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "session.h"

namespace pegasos::cli {

struct PlotLine {
  std::string name;
  char mark = '*';                                  // where there is no braille
  int colour = 34;                                  // of the terminal
  std::vector<std::pair<double, double>> points{};  // x, y > 0; others are left out
};

struct PlotSize {
  std::size_t columns = 80;
  std::size_t rows = 16;
};

// The lines of text, each shorter than columns; none before two points can be drawn.
std::vector<std::string> plot_as_text(const std::vector<PlotLine>& lines, const std::string& x_name,
                                      PlotSize size, bool braille, bool colour);

// Draws over its last drawing, ten times a second at most, and leaves the last one standing.
class LivePlot {
 public:
  // Only a terminal that can move its cursor is drawn on.
  explicit LivePlot(const Session& session);

  bool shown() const { return shown_; }
  bool is_due() const { return Clock::now() >= next_draw_; }
  // `last` draws whatever the time.
  void draw(const std::vector<PlotLine>& lines, bool last);

 private:
  using Clock = std::chrono::steady_clock;

  bool shown_;
  std::size_t drawn_rows_ = 0;
  Clock::time_point next_draw_ = Clock::now();
};

}  // namespace pegasos::cli
