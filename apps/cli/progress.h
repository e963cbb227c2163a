// How far long work has come, on one line of a terminal that rewrites itself.
//
//   reading train.svm  ██████████▌          43 %  210 MB/s  3 s left
//
// Nothing appears in the first 0.3 s, on anything but a terminal, or under --quiet. Destruction
// clears the line. The same object tells the work to stop after Ctrl-C, shown or not.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "pegasos/read.h"
#include "session.h"

namespace pegasos::cli {

class Progress {
 public:
  enum class Unit { bytes, rows };

  Progress(const Session& session, const std::string& what, Unit unit);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  // False when the work should stop. From one thread at a time.
  bool update(std::uint64_t done, std::optional<std::uint64_t> total);

  // A line of the work's own instead of a bar.
  void show(const std::string& line);

  // The shapes in which the library's options take a watcher. They refer to this object.
  std::function<bool(const ReadProgress&)> watch_reading();
  std::function<bool(std::uint64_t)> watch_rows(std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;

  void draw(std::uint64_t done, std::optional<std::uint64_t> total, double seconds);

  std::string what_;
  Unit unit_;
  bool shown_on_terminal_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_draw_;
};

}  // namespace pegasos::cli
