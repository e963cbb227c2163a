// The time since a run began, and what is left of its limit.
#pragma once

#include <chrono>
#include <optional>

namespace pegasos {

class RunClock {
 public:
  RunClock() = default;
  // A run that goes on after so many seconds.
  explicit RunClock(double seconds_before) : before_(seconds_before) {}

  double seconds() const {
    return before_ +
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  bool is_over(std::optional<double> most_seconds) const {
    return most_seconds && seconds() >= *most_seconds;
  }

 private:
  double before_ = 0.0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace pegasos
