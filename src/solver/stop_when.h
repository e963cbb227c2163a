// A watch that also ends a run when a report is good enough, and distinguishes that from the
// caller's request to stop.
#pragma once

#include <functional>
#include <utility>

#include "pegasos/watch.h"

namespace pegasos {

class StopWhen {
 public:
  using Enough = std::function<bool(const TrainingReport&)>;

  // The caller's watch must outlive this.
  StopWhen(const Watch& caller, Enough enough) : caller_(caller), enough_(std::move(enough)) {}
  StopWhen(const StopWhen&) = delete;
  StopWhen& operator=(const StopWhen&) = delete;

  // What the solver gets; refers to this object.
  Watch watch() {
    return {.event =
                [this](const TrainingEvent& event) {
                  if (caller_.event) caller_.event(event);
                  done_ = enough_(event.report);
                },
            .stop = [this] { return done_ || stopped_by_caller(); },
            .hurry = caller_.hurry};
  }

  bool done() const { return done_; }
  // The caller said stop before enough was done.
  bool interrupted() const { return interrupted_; }

 private:
  bool stopped_by_caller() {
    interrupted_ = interrupted_ || (caller_.stop && caller_.stop());
    return interrupted_;
  }

  const Watch& caller_;
  Enough enough_;
  bool done_ = false;
  bool interrupted_ = false;
};

}  // namespace pegasos
