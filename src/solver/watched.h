// The solver's side of a Watch: reports events, asks whether to stop, and remembers the answer.
#pragma once

#include "pegasos/watch.h"

namespace pegasos {

class Watched {
 public:
  // The watch must outlive this.
  explicit Watched(const Watch& watch) : watch_(watch) {}

  // `event` makes the event; it is called only if someone listens.
  template <typename Event>
  void tell(Event&& event) const {
    if (watch_.event) watch_.event(event());
  }

  // True from the first time that the watch says stop.
  bool asked_to_stop() {
    interrupted_ = interrupted_ || (watch_.stop && watch_.stop());
    return interrupted_;
  }

  bool interrupted() const { return interrupted_; }

  // What is left to do is to be left out: see Watch::hurry.
  bool hurried() const { return watch_.hurry && watch_.hurry(); }
  const std::function<bool()>& hurry() const { return watch_.hurry; }

 private:
  const Watch& watch_;
  bool interrupted_ = false;
};

}  // namespace pegasos
