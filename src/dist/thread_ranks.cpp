// Ranks as threads of one process: they meet at a barrier, and the last to arrive does the work.
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "pegasos/dist.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// Thrown on the ranks that cannot go on because another has failed.
class OtherRankFailed : public Error {
 public:
  OtherRankFailed() : Error("another rank has failed") {}
};

// Where ranks meet. The sum is made in the order of the ranks, whoever comes first.
class MeetingPlace {
 public:
  explicit MeetingPlace(int ranks)
      : ranks_(static_cast<std::size_t>(ranks)), values_(ranks_), bytes_(ranks_) {}

  void sum(std::size_t rank, std::span<double> values) {
    values_[rank] = values;
    meet([this] {
      sums_.assign(values_[0].begin(), values_[0].end());
      for (std::size_t other = 1; other < ranks_; ++other) {
        if (values_[other].size() != sums_.size())
          throw Error("the ranks sum vectors of different lengths");
        for (std::size_t j = 0; j < sums_.size(); ++j) sums_[j] += values_[other][j];
      }
    });
    std::copy(sums_.begin(), sums_.end(), values.begin());
    meet([] {});  // nobody changes the sums before all have them
  }

  std::vector<std::string> gather(std::size_t rank, std::string_view bytes) {
    bytes_[rank] = bytes;
    meet([] {});
    std::vector<std::string> all = bytes_;
    meet([] {});
    return all;
  }

  // A rank has left: nobody may wait for it.
  void leave(bool failed) {
    const std::lock_guard lock(mutex_);
    gone_ = gone_ || failed;
    changed_.notify_all();
  }

 private:
  template <typename Work>
  void meet(Work&& work) {
    std::unique_lock lock(mutex_);
    if (gone_) throw OtherRankFailed();
    if (++waiting_ == ranks_) {
      waiting_ = 0;
      ++round_;
      changed_.notify_all();
      work();
      return;
    }
    const std::uint64_t round = round_;
    changed_.wait(lock, [&] { return round_ != round || gone_; });
    if (round_ == round) throw OtherRankFailed();
  }

  std::size_t ranks_;
  std::vector<std::span<double>> values_;
  std::vector<std::string> bytes_;
  std::vector<double> sums_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t waiting_ = 0;
  std::uint64_t round_ = 0;
  bool gone_ = false;
};

class ThreadRank final : public Collective {
 public:
  ThreadRank(MeetingPlace& place, int rank, int size) : place_(place), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void sum(std::span<double> values) override { place_.sum(index(), values); }
  std::vector<std::string> gather(std::string_view bytes) override {
    return place_.gather(index(), bytes);
  }
  void broadcast(std::string& bytes) override { bytes = place_.gather(index(), bytes).front(); }

 private:
  std::size_t index() const { return static_cast<std::size_t>(rank_); }

  MeetingPlace& place_;
  int rank_;
  int size_;
};

}  // namespace

void run_ranks_as_threads(int ranks, const std::function<void(Collective&)>& run) {
  if (ranks < 1) throw InvalidOption("ranks", "must be at least 1");
  MeetingPlace place(ranks);
  std::vector<std::exception_ptr> own(static_cast<std::size_t>(ranks));
  std::vector<std::exception_ptr> followed(static_cast<std::size_t>(ranks));
  {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        const auto index = static_cast<std::size_t>(rank);
        ThreadRank collective(place, rank, ranks);
        try {
          run(collective);
          place.leave(false);
        } catch (const OtherRankFailed&) {
          followed[index] = std::current_exception();
          place.leave(true);
        } catch (...) {
          own[index] = std::current_exception();
          place.leave(true);
        }
      });
    }
  }
  for (const auto* failures : {&own, &followed}) {
    for (const std::exception_ptr& failure : *failures) {
      if (failure) std::rethrow_exception(failure);
    }
  }
}

}  // namespace pegasos
