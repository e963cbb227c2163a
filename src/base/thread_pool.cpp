#include "base/thread_pool.h"

#include <atomic>
#include <new>
#include <system_error>

#include "base/residency.h"
#include "pegasos/error.h"

namespace pegasos {

ThreadPool::ThreadPool(int threads, Collective& ranks) : ranks_(ranks) {
  // A system that is out of threads, or of memory for them, makes us slower, not wrong. Nothing may
  // leave this constructor once a worker runs: without the destructor it would never be told to
  // stop.
  try {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
}

ThreadPool::~ThreadPool() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  start_.notify_all();
}

void ThreadPool::work() {
  std::uint64_t seen = 0;
  for (;;) {
    look_out_for([&] { return round_.load(std::memory_order_acquire) != seen; });
    std::unique_lock lock(mutex_);
    ++sleepers_;
    start_.wait(lock, [&] { return stopping_ || round_ != seen; });
    --sleepers_;
    if (stopping_) return;
    seen = round_;
    if (!open_) continue;  // too late for that one
    ++started_;
    ++running_;
    const auto* job = job_;
    lock.unlock();
    (*job)();
    lock.lock();
    if (--running_ == 0) done_.notify_one();
  }
}

void ThreadPool::share(const std::function<void()>& job, bool with_everybody) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    started_ = 0;
    open_ = true;
    round_.store(round_ + 1, std::memory_order_release);
    wake = sleepers_ > 0;
  }
  if (wake) start_.notify_all();
  job();
  {
    const std::lock_guard lock(mutex_);
    if (!with_everybody) open_ = false;
  }
  const std::size_t starters = with_everybody ? workers_.size() : 0;
  look_out_for([&] { return running_ == 0 && started_ >= starters; });
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return running_ == 0 && started_ >= starters; });
  open_ = false;
}

void ThreadPool::on_every_thread(const std::function<void()>& job) {
  share(job, true);
}

void ThreadPool::for_each(std::size_t count, const std::function<void(std::size_t)>& task) {
  std::atomic<std::size_t> next{0};
  std::mutex failure_mutex;
  std::size_t failed_at = count;
  std::exception_ptr failure;
  std::atomic<bool> cancelled = false;
  const auto job = [&] {
    for (;;) {
      // Asked before a task is taken: who waits for the task of another may rely on it to run.
      if (cancelled_ && next.load(std::memory_order_relaxed) < count && cancelled_()) {
        cancelled = true;
        next.store(count, std::memory_order_relaxed);
        return;
      }
      const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= count) return;
      try {
        task(i);
        Residency::relieve();
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (i < failed_at) {
          failed_at = i;
          failure = std::current_exception();
        }
        next.store(count, std::memory_order_relaxed);
      }
    }
  };
  if (count > 1 && threads() > 1) {
    share(job, false);
  } else {
    job();
  }
  if (failure) std::rethrow_exception(failure);
  if (cancelled) throw Cancelled();
}

void ThreadPool::throw_if_cancelled() const {
  if (cancelled_ && cancelled_()) throw Cancelled();
}

}  // namespace pegasos
