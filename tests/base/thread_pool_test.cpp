#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pegasos/error.h"

namespace pegasos {
namespace {

// Makes some items slow, so that threads overtake each other.
void dawdle(std::size_t i) {
  if (i % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
}

class ThreadPoolTest : public ::testing::TestWithParam<int> {};

TEST_P(ThreadPoolTest, ForEachDoesEveryTaskOnce) {
  ThreadPool pool(GetParam());
  for (const std::size_t count : {0u, 1u, 2u, 3u, 100u, 1000u}) {
    std::vector<std::atomic<int>> done(count);
    pool.for_each(count, [&](std::size_t i) { ++done[i]; });
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(done[i], 1) << i << " of " << count;
  }
}

TEST_P(ThreadPoolTest, ForEachRethrowsTheLowestFailure) {
  ThreadPool pool(GetParam());
  for (int round = 0; round < 50; ++round) {
    std::set<std::size_t> failed;
    std::mutex mutex;
    try {
      pool.for_each(64, [&](std::size_t i) {
        if (i < 20) return;
        {
          const std::lock_guard lock(mutex);
          failed.insert(i);
        }
        throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), std::to_string(*failed.begin()));
      EXPECT_LE(failed.size(), static_cast<std::size_t>(pool.threads()));
    }
  }
}

TEST_P(ThreadPoolTest, WorksAgainAfterAFailure) {
  ThreadPool pool(GetParam());
  EXPECT_THROW(pool.for_each(10, [](std::size_t) { throw std::runtime_error("no"); }),
               std::runtime_error);
  std::atomic<int> done{0};
  pool.for_each(10, [&](std::size_t) { ++done; });
  EXPECT_EQ(done, 10);
}

TEST_P(ThreadPoolTest, ACancelledPoolStartsNoFurtherTask) {
  ThreadPool pool(GetParam());
  std::atomic<bool> cancelled = false;
  std::atomic<std::size_t> done = 0;
  {
    const CancelScope scope(pool, [&] { return cancelled.load(); });
    EXPECT_NO_THROW(pool.throw_if_cancelled());
    pool.for_each(100, [&](std::size_t) { ++done; });
    EXPECT_EQ(done, 100u);
    const auto few = [&](std::size_t i) {
      if (i == 3) cancelled = true;
      while (i > 3 && !cancelled) std::this_thread::yield();  // its thread may have to wait
      ++done;
    };
    EXPECT_THROW(pool.for_each(1000, few), Cancelled);
    EXPECT_LE(done, 104u + static_cast<std::size_t>(pool.threads()));
    EXPECT_THROW(pool.throw_if_cancelled(), Cancelled);
  }
  pool.for_each(10, [&](std::size_t) { ++done; });  // not any more
}

// Who waits for the task of another, as Cholesky's do, waits for one that runs.
TEST_P(ThreadPoolTest, CancellingLeavesNobodyWaiting) {
  for (int round = 0; round < 50; ++round) {
    ThreadPool pool(GetParam());
    std::atomic<std::size_t> asked = 0;
    std::vector<std::atomic<bool>> done(64);
    const CancelScope scope(pool, [&] { return ++asked > 20; });
    EXPECT_THROW(pool.for_each(64,
                               [&](std::size_t i) {
                                 while (i > 0 && !done[i - 1]) std::this_thread::yield();
                                 done[i] = true;
                               }),
                 Cancelled);
  }
}

TEST_P(ThreadPoolTest, OnEveryThreadRunsOnceOnEach) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.threads(), std::max(1, GetParam()));
  for (int round = 0; round < 100; ++round) {
    std::set<std::thread::id> ids;
    std::mutex mutex;
    pool.on_every_thread([&] {
      const std::lock_guard lock(mutex);
      EXPECT_TRUE(ids.insert(std::this_thread::get_id()).second);
    });
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(pool.threads()));
    EXPECT_TRUE(ids.contains(std::this_thread::get_id()));
  }
}

struct Item {
  std::size_t number = 0;
  std::size_t square = 0;
};

// Runs the numbers below `count` through a pipeline whose stages fail where told to.
std::vector<std::size_t> squares(ThreadPool& pool, std::size_t count,
                                 const std::set<std::string>& failures = {}) {
  const auto maybe_fail = [&failures](const char* stage, std::size_t i) {
    const std::string place = stage + std::to_string(i);
    if (failures.contains(place)) throw std::runtime_error(place);
  };
  std::vector<std::size_t> out;
  std::size_t next = 0;
  std::atomic<int> producing{0};
  std::atomic<int> consuming{0};
  ordered_pipeline<Item>(
      pool,
      [&](Item& item) {
        EXPECT_EQ(producing++, 0) << "two produce at a time";
        const std::size_t i = next++;
        --producing;
        maybe_fail("produce", i);
        item.number = i;
        return i < count;
      },
      [&](Item& item) {
        dawdle(item.number);
        maybe_fail("work", item.number);
        item.square = item.number * item.number;
      },
      [&](Item& item) {
        EXPECT_EQ(consuming++, 0) << "two consume at a time";
        EXPECT_EQ(item.square, item.number * item.number);
        out.push_back(item.number);
        --consuming;
        maybe_fail("consume", item.number);
      });
  return out;
}

TEST_P(ThreadPoolTest, PipelineKeepsTheOrder) {
  ThreadPool pool(GetParam());
  for (const std::size_t count : {0u, 1u, 5u, 500u}) {
    std::vector<std::size_t> expected(count);
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    EXPECT_EQ(squares(pool, count), expected);
  }
}

TEST_P(ThreadPoolTest, PipelineRethrowsTheFirstFailureInOrder) {
  ThreadPool pool(GetParam());
  const auto failure = [&pool](const std::set<std::string>& failures) -> std::string {
    try {
      squares(pool, 100, failures);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  };
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(failure({"work14", "work15", "work16"}), "work14");  // 14 is slow, 15 fails before it
    EXPECT_EQ(failure({"work0", "work1"}), "work0");
    EXPECT_EQ(failure({"produce3"}), "produce3");
    EXPECT_EQ(failure({"work7", "produce8"}), "work7");
    EXPECT_EQ(failure({"consume7", "work8", "produce9"}), "consume7");
    EXPECT_EQ(failure({"consume99"}), "consume99");
    EXPECT_EQ(failure({"produce100"}), "produce100");
    EXPECT_EQ(failure({}), "none");
  }
}

TEST_P(ThreadPoolTest, PipelineConsumesNothingAfterAFailure) {
  ThreadPool pool(GetParam());
  std::vector<std::size_t> consumed;
  std::size_t next = 0;
  const auto run = [&] {
    ordered_pipeline<Item>(
        pool,
        [&](Item& item) {
          item.number = next++;
          return true;  // endless, but for the failure
        },
        [](Item& item) {
          dawdle(item.number);
          if (item.number == 21) throw std::runtime_error("21");
        },
        [&](Item& item) { consumed.push_back(item.number); });
  };
  EXPECT_THROW(run(), std::runtime_error);
  ASSERT_EQ(consumed.size(), 21u);
  EXPECT_EQ(consumed.back(), 20u);
}

// Memory stays constant because no more items exist than two for each thread.
TEST_P(ThreadPoolTest, PipelineReusesItems) {
  ThreadPool pool(GetParam());
  std::mutex mutex;
  std::set<const Item*> items;
  std::size_t next = 0;
  ordered_pipeline<Item>(
      pool, [&](Item&) { return next++ < 1000; },
      [&](Item& item) {
        const std::lock_guard lock(mutex);
        items.insert(&item);
      },
      [](Item&) {});
  EXPECT_LE(items.size(), 2 * static_cast<std::size_t>(pool.threads()));
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolTest, ::testing::Values(-1, 0, 1, 2, 3, 8, 33));

}  // namespace
}  // namespace pegasos
