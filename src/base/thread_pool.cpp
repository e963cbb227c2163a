#include "base/thread_pool.h"

#include <atomic>
#include <new>
#include <system_error>

namespace pegasos {

ThreadPool::ThreadPool(int threads) {
  // A system that is out of threads, or of memory for them, makes us slower, not wrong. Nothing may
  // leave this constructor once a worker runs: without the destructor nobody would tell it to stop.
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
  std::unique_lock lock(mutex_);
  for (;;) {
    start_.wait(lock, [&] { return stopping_ || round_ != seen; });
    if (stopping_) return;
    seen = round_;
    const auto* job = job_;
    lock.unlock();
    (*job)();
    lock.lock();
    if (--running_ == 0) done_.notify_one();
  }
}

void ThreadPool::on_every_thread(const std::function<void()>& job) {
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    running_ = workers_.size();
    ++round_;
  }
  start_.notify_all();
  job();
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return running_ == 0; });
}

void ThreadPool::for_each(std::size_t count, const std::function<void(std::size_t)>& task) {
  std::atomic<std::size_t> next{0};
  std::mutex failure_mutex;
  std::size_t failed_at = count;
  std::exception_ptr failure;
  const auto job = [&] {
    for (;;) {
      const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= count) return;
      try {
        task(i);
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
    on_every_thread(job);
  } else {
    job();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace pegasos
