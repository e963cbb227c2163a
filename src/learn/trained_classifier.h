// One of several binary classifiers: what its training tells the watcher and what it leaves behind.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "pegasos/multiclass_model.h"
#include "pegasos/watch.h"
#include "solver/state.h"

namespace pegasos {

// Tells the watcher about all classifiers, from whichever thread they are on, one at a time.
class Announcer {
 public:
  Announcer(const Watch& watch, std::size_t count) : watch_(watch), count_(count) {}

  Watch watch_for(std::size_t index, const std::string& name) {
    Watch watch;
    watch.stop = watch_.stop;
    watch.hurry = watch_.hurry;
    if (!watch_.event) return watch;
    watch.event = [this, index, name](const TrainingEvent& told) {
      const std::lock_guard lock(mutex_);
      TrainingEvent event = told;
      event.report.classifier = {index, count_, finished_, name};
      watch_.event(event);
    };
    return watch;
  }
  const std::function<bool()>& hurry() const { return watch_.hurry; }
  void finished() {
    const std::lock_guard lock(mutex_);
    ++finished_;
  }

 private:
  const Watch& watch_;
  std::size_t count_;
  std::size_t finished_ = 0;
  std::mutex mutex_;
};

// What one classifier's training leaves behind.
struct TrainedClassifier {
  Classifier classifier = {};
  std::vector<double> duals = {};
  std::vector<double> w = {};             // of a linear one
  std::vector<double> coefficients = {};  // of a kernel machine, one for each of its rows
  SupportCounts support = {};             // likewise
  TrainingReport report = {};
  Solver chosen = Solver::automatic;  // for a linear one
  std::string reason = {};            // likewise
  bool interrupted = false;

  template <typename Archive>
  void archive(Archive& a) {
    a(classifier.b, classifier.rows, classifier.epochs, classifier.steps, classifier.certificate,
      duals, w, coefficients, support.rows, support.bounded, support.norm, report, chosen, reason);
  }
};

inline std::string bytes_of(TrainedClassifier& classifier) {
  ArchiveWriter writer;
  writer(classifier);
  return std::move(writer).bytes();
}

}  // namespace pegasos
