// The solver's side of a Watch: reports events, asks whether to stop, and remembers the answer.
// Where rows are divided among ranks they stop together: one that is asked to is enough.
#pragma once

#include "pegasos/collective.h"
#include "pegasos/watch.h"

namespace pegasos {

class Watched {
 public:
  // Both must outlive this.
  explicit Watched(const Watch& watch, Collective& ranks = alone())
      : watch_(watch), ranks_(ranks) {}

  // `event` makes the event; it is called only if someone listens.
  template <typename Event>
  void tell(Event&& event) const {
    if (watch_.event) watch_.event(event());
  }

  // True from the first time that the watch says stop. All ranks ask at the same moment, and get
  // the same answer.
  bool asked_to_stop() {
    double ask = asked_here() ? 1.0 : 0.0;
    ranks_.sum({&ask, 1});
    interrupted_ = ask > 0.0;
    return interrupted_;
  }

  // The same of this rank alone, for loops over its own rows: those end early, and what follows is
  // up to asked_to_stop.
  bool asked_here() {
    asked_here_ = asked_here_ || (watch_.stop && watch_.stop());
    return asked_here_;
  }

  bool interrupted() const { return interrupted_; }

  // What is left to do is to be left out: see Watch::hurry.
  bool hurried() const { return watch_.hurry && watch_.hurry(); }
  const std::function<bool()>& hurry() const { return watch_.hurry; }

 private:
  const Watch& watch_;
  Collective& ranks_;
  bool asked_here_ = false;
  bool interrupted_ = false;
};

}  // namespace pegasos
