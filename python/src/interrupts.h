// Long work beside a Python that stays awake.
//
// The work runs on a thread of its own without the GIL. The calling thread waits and lets Python
// handle signals every 20 ms, so that Ctrl-C is noticed whatever the work is doing. What a signal
// handler raises asks the work to stop; it is kept for the caller, who may first take what the work
// has to show.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace pegasos::python {

namespace py = pybind11;

class Interrupts {
 public:
  bool asked_to_stop() const { return stop_.load(std::memory_order_relaxed); }
  // An exception is to be raised: no time for more than what there is.
  bool in_a_hurry() const { return hurry_.load(std::memory_order_relaxed); }

  // Call it with the GIL, in a catch block or after a Python error was fetched.
  void keep(py::error_already_set& error) {
    if (!raised_) raised_ = error.value();
    stop_ = true;
    hurry_ = true;
  }
  void stop() { stop_ = true; }

  // The exception to raise in the end, or None.
  py::object raised() const { return raised_ ? *raised_ : py::none(); }
  bool has_raised() const { return raised_.has_value(); }

  // Runs the work and throws what it throws.
  template <typename Work>
  auto run(Work&& work) {
    using Result = decltype(work());
    std::optional<Result> result;
    std::exception_ptr error;
    {
      const py::gil_scoped_release release;
      std::mutex mutex;
      std::condition_variable changed;
      bool done = false;
      std::thread thread([&] {
        try {
          result.emplace(work());
        } catch (...) {
          error = std::current_exception();
        }
        const std::lock_guard lock(mutex);
        done = true;
        changed.notify_one();
      });
      std::unique_lock lock(mutex);
      while (!changed.wait_for(lock, std::chrono::milliseconds(20), [&] { return done; })) {
        lock.unlock();
        poll();
        lock.lock();
      }
      lock.unlock();
      thread.join();
    }
    if (error) std::rethrow_exception(error);
    return std::move(*result);
  }

 private:
  void poll() {
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() == 0) return;
    py::error_already_set error;
    keep(error);
  }

  std::atomic<bool> stop_ = false;
  std::atomic<bool> hurry_ = false;
  std::optional<py::object> raised_;
};

}  // namespace pegasos::python
