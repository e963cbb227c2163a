// Threads that wait for work, and the two ways work is given to them; with the other ranks of a run
// that is divided among processes (pegasos/collective.h), if there are any.
//
// Both promise what the rest of the house builds on: the number of threads changes how long a thing
// takes, never what comes out. for_each hands out independent tasks; ordered_pipeline runs a serial
// stage, a parallel stage and a serial stage again, the last in the order of the first.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "pegasos/collective.h"

namespace pegasos {

class ThreadPool {
 public:
  // `threads` workers in all, the calling thread included; at least 1. `ranks` must outlive this.
  explicit ThreadPool(int threads, Collective& ranks = alone());
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Sums over rows are sums over these ranks too.
  Collective& ranks() const { return ranks_; }
  bool is_alone() const { return ranks_.size() == 1; }

  // Calls task(i) for i in [0, count), each once, and returns when all are done. If tasks throw, no
  // further ones start and the exception of the lowest i that threw is rethrown. Where the pool is
  // cancelled meanwhile (see CancelScope), no further ones start and Cancelled is thrown.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& task);

  // Throws Cancelled if the pool is cancelled: for long work between calls of for_each.
  void throw_if_cancelled() const;

  // Calls job() once on every thread, the caller's too. job must not throw.
  void on_every_thread(const std::function<void()>& job);

 private:
  friend class CancelScope;
  void work();
  // Runs job() here and on the workers; on those that are in time, or on everybody.
  void share(const std::function<void()>& job, bool with_everybody);

  std::function<bool()> cancelled_;
  Collective& ranks_;
  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  const std::function<void()>* job_ = nullptr;
  std::atomic<std::uint64_t> round_ = 0;
  bool open_ = false;                     // more threads may still join
  std::atomic<std::size_t> started_ = 0;  // workers that took part in this round
  std::atomic<std::size_t> running_ = 0;  // and have not finished
  std::size_t sleepers_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> workers_;  // last: joins before the rest goes
};

// While it lives, for_each of the pool ends with Cancelled once `cancelled` says true; an empty
// function never does. It is called before every task, by several threads at once.
class CancelScope {
 public:
  CancelScope(ThreadPool& pool, std::function<bool()> cancelled) : pool_(pool) {
    std::swap(pool_.cancelled_, cancelled);
    before_ = std::move(cancelled);
  }
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;
  ~CancelScope() { std::swap(pool_.cancelled_, before_); }

 private:
  ThreadPool& pool_;
  std::function<bool()> before_;
};

// produce(item) fills an item and returns false at the end; one caller at a time.
// work(item) runs on all threads at once.
// consume(item) takes the items in the order they were produced; one caller at a time.
// An Item is made per thread and used again, so memory does not grow with the input. The first
// exception, in the order of production, stops the pipeline and is rethrown.
template <typename Item, typename Produce, typename Work, typename Consume>
void ordered_pipeline(ThreadPool& pool, Produce&& produce, Work&& work, Consume&& consume) {
  // Two locks: a thread that waits for input must not keep finished items from being consumed.
  std::mutex produce_mutex;
  std::uint64_t produced = 0;
  std::atomic<bool> ended = false;
  std::mutex turn_mutex;
  std::condition_variable turn_changed;
  std::uint64_t turn = 0;
  std::exception_ptr failure;

  pool.on_every_thread([&] {
    Item item;
    for (;;) {
      std::uint64_t ticket = 0;
      std::exception_ptr trouble;
      {
        const std::lock_guard lock(produce_mutex);
        if (ended) return;
        try {
          if (!produce(item)) {
            ended = true;
            return;
          }
        } catch (...) {
          trouble = std::current_exception();
          ended = true;
        }
        ticket = produced++;
      }
      if (!trouble) {
        try {
          work(item);
        } catch (...) {
          trouble = std::current_exception();
        }
      }
      std::unique_lock lock(turn_mutex);
      turn_changed.wait(lock, [&] { return turn == ticket; });
      if (!failure && !trouble) {
        lock.unlock();  // no other thread has this turn
        try {
          consume(item);
        } catch (...) {
          trouble = std::current_exception();
        }
        lock.lock();
      }
      if (trouble && !failure) {
        failure = trouble;
        ended = true;
      }
      ++turn;
      turn_changed.notify_all();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace pegasos
