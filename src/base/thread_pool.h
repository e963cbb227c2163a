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

// Looks again and again for some tens of microseconds, about as long as waking a thread takes, and
// returns whether the condition came true. Passes over data follow one another that closely; a
// thread that slept in between would miss most of them. On a machine with other work to do, the
// core is offered to it now and then.
template <typename Condition>
bool look_out_for(Condition&& condition) {
  constexpr int kLooks = 1500;
  for (int look = 0; look < kLooks; ++look) {
    if (condition()) return true;
    if (look % 128 == 127) {
      std::this_thread::yield();
    } else {
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    }
  }
  return false;
}

// The three stages of ordered_pipeline, and who is at which.
template <typename Item, typename Produce, typename Work, typename Consume>
class OrderedPipeline {
 public:
  // A thread that finished early goes on with a second item instead of waiting for its turn.
  OrderedPipeline(int threads, Produce& produce, Work& work, Consume& consume)
      : slots_(threads > 1 ? 2 * static_cast<std::size_t>(threads) : 1),
        waiting_(slots_.size()),
        produce_(produce),
        work_(work),
        consume_(consume) {
    for (Slot& slot : slots_) free_.push_back(&slot);
  }

  // What every thread does: the next thing that can be done, until nothing is left.
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (Slot* const next = waiting_[turn_ % waiting_.size()]; next != nullptr && !consuming_) {
        finish(*next, lock);
      } else if (!ended_ && !producing_ && !free_.empty()) {
        begin(lock);
      } else if (ended_ && turn_ == produced_) {
        return;
      } else {
        wait_for_change(lock);
      }
    }
  }

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct Slot {
    Item item;
    std::exception_ptr trouble;
  };

  // Takes a free slot through the first two stages.
  void begin(std::unique_lock<std::mutex>& lock) {
    Slot& slot = *free_.back();
    free_.pop_back();
    slot.trouble = nullptr;
    producing_ = true;
    lock.unlock();
    bool more = true;
    const auto attempt = [&slot](auto&& stage) {
      try {
        stage();
      } catch (...) {
        slot.trouble = std::current_exception();
      }
    };
    attempt([&] { more = produce_(slot.item); });
    lock.lock();
    producing_ = false;
    ended_ = ended_ || !more || slot.trouble != nullptr;
    if (!more) {
      free_.push_back(&slot);
      return change();
    }
    const std::uint64_t ticket = produced_++;
    change();
    lock.unlock();
    if (!slot.trouble) attempt([&] { work_(slot.item); });
    lock.lock();
    waiting_[ticket % waiting_.size()] = &slot;
    change();
  }

  // The third stage, for the item whose turn it is. After a failure items are dropped.
  void finish(Slot& slot, std::unique_lock<std::mutex>& lock) {
    waiting_[turn_ % waiting_.size()] = nullptr;
    consuming_ = true;
    if (!failure_ && !slot.trouble) {
      lock.unlock();
      try {
        consume_(slot.item);
      } catch (...) {
        slot.trouble = std::current_exception();
      }
      lock.lock();
    }
    if (slot.trouble && !failure_) {
      failure_ = slot.trouble;
      ended_ = true;
    }
    consuming_ = false;
    free_.push_back(&slot);
    ++turn_;
    change();
  }

  void change() {
    changes_.fetch_add(1, std::memory_order_release);
    if (sleepers_ > 0) changed_.notify_all();
  }

  void wait_for_change(std::unique_lock<std::mutex>& lock) {
    const std::uint64_t seen = changes_.load(std::memory_order_relaxed);
    lock.unlock();
    const auto is_new = [&] { return changes_.load(std::memory_order_acquire) != seen; };
    const bool came = look_out_for(is_new);
    lock.lock();
    if (came) return;
    ++sleepers_;
    changed_.wait(lock, is_new);
    --sleepers_;
  }

  std::vector<Slot> slots_;
  std::vector<Slot*> free_;     // the last used first: it is in the caches
  std::vector<Slot*> waiting_;  // by ticket: worked on, and not consumed yet
  Produce& produce_;
  Work& work_;
  Consume& consume_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<std::uint64_t> changes_ = 0;
  std::size_t sleepers_ = 0;
  bool producing_ = false;
  bool consuming_ = false;
  bool ended_ = false;  // nothing more is produced
  std::uint64_t produced_ = 0;
  std::uint64_t turn_ = 0;  // the ticket that is consumed next
  std::exception_ptr failure_;
};

// produce(item) fills an item and returns false at the end; one caller at a time.
// work(item) runs on all threads at once.
// consume(item) takes the items in the order they were produced; one caller at a time.
// There are at most two items for each thread, which are used again, so memory does not grow with
// the input. A thread waits only where there is nothing at all to do: one that is kept by slow
// input does not keep others from consuming. The first exception, in the order of production, stops
// the pipeline and is rethrown.
template <typename Item, typename Produce, typename Work, typename Consume>
void ordered_pipeline(ThreadPool& pool, Produce&& produce, Work&& work, Consume&& consume) {
  OrderedPipeline<Item, Produce, Work, Consume> pipeline(pool.threads(), produce, work, consume);
  pool.on_every_thread([&pipeline] { pipeline.run(); });
  pipeline.rethrow_failure();
}

}  // namespace pegasos
