// The search: chains of models, one for each path and fold, taken forward by all threads.
//
// A chain walks its path from strong to weak, each model beginning from the duals of the one
// before. Threads always take the chain that is least far, so that points become complete one after
// the other, whenever the search ends, and no thread waits for the slowest fold of a point. What a
// model is depends on its chain alone: the number of threads changes no bit.
#include "learn/tune_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "base/archive.h"
#include "base/cores.h"
#include "base/memory.h"
#include "base/run_clock.h"
#include "base/thread_pool.h"
#include "learn/fit.h"
#include "learn/folds.h"
#include "learn/performance.h"
#include "learn/resolve.h"
#include "learn/training_job.h"
#include "learn/tune_choice.h"
#include "learn/tune_grid.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

struct Chain {
  std::size_t first_point = 0;
  std::size_t end_point = 0;
  FoldId fold = 0;

  std::size_t next = 0;  // the point to be fitted
  bool busy = false;
  TrainOptions options = {};  // for the rows as they are here: scaled, mapped
  FoldSplit rows = {};
  std::vector<Fitted> walked = {};  // the last two models
  bool prepared = false;
  std::vector<Performance> found = {};  // of the points so far
  std::vector<double> gaps = {};        // likewise

  bool finished() const { return next == end_point; }
};

// What an interrupted search needs to go on with a chain.
void archive(auto& a, Chain& chain) {
  std::uint64_t points = chain.found.size();
  std::uint64_t models = chain.walked.size();
  a(points, models);
  if (points > chain.end_point - chain.first_point || models > 2) throw Error("too many models");
  chain.found.resize(points);
  chain.gaps.resize(points);
  chain.walked.resize(models);
  for (Performance& one : chain.found) a(one.value, one.standard_error);
  for (double& gap : chain.gaps) a(gap);
  for (Fitted& fitted : chain.walked) {
    std::uint64_t classifiers = fitted.duals.size();
    a(fitted.lambda, classifiers);
    if (classifiers > (std::uint64_t{1} << 32)) throw Error("too many classifiers");
    fitted.duals.resize(classifiers);
    for (auto& duals : fitted.duals) a(duals);
  }
}

void check_classes(const TrainOptions& train, const Dataset& data) {
  if (train.task == Task::regression || data.schema().multilabel) return;
  if (ranks_of(train).size() > 1) return;  // others may have more
  std::map<double, std::size_t> counts;
  for (const double label : data.labels()) {
    if (!std::isnan(label)) ++counts[label];
  }
  for (const auto& [label, rows] : counts) {
    if (rows > 1 || counts.size() > 2) continue;
    throw UnusableData(
        fmt::format("only one row has the label {}; cross-validation needs at least two",
                    data.schema().label_text(label)));
  }
}

// Scales and maps once what a chain's models all see alike.
void prepare(Chain& chain, const FoldedRows& all) {
  TrainOptions& options = chain.options;
  chain.rows = all.split(chain.fold);
  const auto convert = [&chain](const auto& fitted) {
    chain.rows = {fitted(chain.rows.train), fitted(chain.rows.held_out)};
  };
  if (options.scaling) {
    const Scaling scaling = fit_scaling(chain.rows.train, *options.scaling, ranks_of(options));
    convert([&](const Dataset& rows) { return apply(scaling, rows); });
    options.scaling.reset();
  }
  if (options.approximation) {
    const FeatureMap map = FeatureMap::fit(
        chain.rows.train,
        {*options.approximation, *options.kernel, options.components, options.solver.pegasos.seed});
    convert([&](const Dataset& rows) { return map.apply(rows, options.threads); });
    options.bias = options.bias.value_or(Bias::none);
    options.approximation.reset();
    options.kernel.reset();
  }
}

class Search {
 public:
  Search(const Dataset& data, const TuneOptions& options, const TuneWatch& watch,
         const RunPart& part)
      : data_(data), options_(options), watch_(watch), part_(part) {
    options_.train = with_task(options.train, data);
    check_classes(options_.train, data);
    classifies_ = options_.train.task != Task::regression;
    options_.train.solver.tolerance = options.tolerance;
    score_ = options.score.value_or(classifies_ ? Score::error : Score::mae);
    const Dealing dealing = classifies_ ? Dealing::stratified : Dealing::plain;
    const std::uint64_t seed = options_.train.solver.pegasos.seed;
    const std::vector<FoldId> folds =
        options.holdout ? deal_holdout(data.labels(), *options.holdout, dealing, seed)
                        : deal_folds(data.labels(), options.folds, dealing, seed);
    fold_count_ = options.holdout ? 1 : options.folds;
    points_ = points_of(options_, scaled_rows(options_.train.scaling, data, ranks()).rows);
    make_chains();
    for (std::size_t k = 0; k < chains_.size(); ++k) restore(k);
    for (std::size_t p = 0; p < points_.size(); ++p) {
      if (complete(p)) take_complete(p);
    }
    folded_rows_.emplace(data, folds, fold_count_);
  }

  TuneResult run() {
    const int threads = options_.train.threads > 0 ? options_.train.threads : available_cores();
    const auto chains = static_cast<int>(std::min<std::size_t>(chains_.size(), 1024));
    // Ranks take the same chains at the same time, with all their threads; and rows that are larger
    // than memory are not brought in for several chains at once.
    const int workers = ranks().size() > 1 || data_.is_paged() ? 1 : std::min(threads, chains);
    const std::uint64_t cache =
        options_.train.cache_bytes > 0 ? options_.train.cache_bytes : available_memory() / 2;
    for (Chain& chain : chains_) {
      chain.options.threads = threads / workers;
      chain.options.cache_bytes = cache / static_cast<unsigned>(workers);
    }
    ThreadPool pool(workers);
    pool.on_every_thread([this] { work(); });
    if (failure_) std::rethrow_exception(failure_);
    return result();
  }

 private:
  void make_chains() {
    for (std::size_t first = 0; first < points_.size();) {
      std::size_t end = first;
      while (end < points_.size() && points_[end].path == points_[first].path) ++end;
      for (FoldId fold = 0; fold < fold_count_; ++fold) {
        Chain chain;
        chain.first_point = chain.next = first;
        chain.end_point = end;
        chain.fold = fold;
        chain.options = options_at(options_, points_[first]);
        chains_.push_back(std::move(chain));
      }
      first = end;
    }
    scores_.assign(points_.size(), std::vector<std::optional<Performance>>(fold_count_));
  }

  RunPart part_of(const Chain& chain) const {
    return part_.inner("chain " + std::to_string(&chain - chains_.data()));
  }

  // The points that an earlier run has scored.
  void restore(std::size_t k) {
    Chain& chain = chains_[k];
    const auto bytes = part_of(chain).find();
    if (!bytes) return;
    read_part(*bytes, [&](ArchiveReader& reader) { archive(reader, chain); });
    for (std::size_t j = 0; j < chain.found.size(); ++j) {
      scores_[chain.next][chain.fold] = chain.found[j];
      points_[chain.next].gap = std::max(points_[chain.next].gap, chain.gaps[j]);
      ++chain.next;
      ++fits_;
    }
  }

  void keep(Chain& chain) {
    if (!part_.is_kept()) return;
    ArchiveWriter writer;
    archive(writer, chain);
    part_of(chain).keep(std::move(writer).bytes());
  }

  bool out_of_time() const { return clock_.is_over(options_.train.max_seconds); }
  bool stopped() const { return watch_.interrupted && watch_.interrupted(); }
  bool interrupted() const { return stopped() || out_of_time(); }
  Collective& ranks() const { return ranks_of(options_.train); }
  bool any_rank(bool here) const {
    double there = here ? 1.0 : 0.0;
    ranks().sum({&there, 1});
    return there > 0.0;
  }

  // The idle chain that is least far; waits while all unfinished ones are busy. Null at the end.
  Chain* claim() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (ended_) return nullptr;
      Chain* least = nullptr;
      bool any = false;
      for (Chain& chain : chains_) {
        if (chain.finished()) continue;
        any = true;
        if (!chain.busy && (least == nullptr || chain.next < least->next)) least = &chain;
      }
      if (!any) return nullptr;
      if (least != nullptr) {
        least->busy = true;
        return least;
      }
      released_.wait(lock);
    }
  }

  void release(Chain& chain) {
    const std::lock_guard lock(mutex_);
    chain.busy = false;
    released_.notify_all();
  }

  void end(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (!failure_) failure_ = std::move(failure);
  }

  void work() {
    while (Chain* chain = claim()) {
      try {
        if (!advance(*chain)) end(nullptr);
      } catch (...) {
        end(std::current_exception());
      }
      release(*chain);
    }
  }

  // One point further. False when interrupted.
  bool advance(Chain& chain) {
    if (any_rank(interrupted())) return false;
    if (!chain.prepared) prepare(chain, *folded_rows_);
    chain.prepared = true;
    TrainOptions options = chain.options;
    const TunePoint& point = points_[chain.next];
    options.lambda.reset();
    options.c.reset();
    (point.by_c ? options.c : options.lambda) = point.by_c ? point.c : point.lambda;
    const RunPart part = part_of(chain).inner("point " + std::to_string(chain.next));
    Fitted fitted = fit(
        chain.rows.train, options, chain.walked, [this] { return interrupted(); }, part);
    if (any_rank(fitted.interrupted || interrupted())) return false;
    const Performance found =
        performance(fitted.model, chain.rows.held_out, score_, options.threads, ranks());
    const double gap = fitted.gap;
    if (chain.walked.size() == 2) chain.walked.erase(chain.walked.begin());
    chain.walked.push_back(std::move(fitted));
    chain.found.push_back(found);
    chain.gaps.push_back(gap);
    if (chain.next + 1 == chain.end_point) chain.walked.clear();
    keep(chain);
    record(chain, found, gap);
    return true;
  }

  void record(Chain& chain, const Performance& found, double gap) {
    const std::lock_guard lock(mutex_);
    TunePoint& point = points_[chain.next];
    scores_[chain.next][chain.fold] = found;
    point.gap = std::max(point.gap, gap);
    ++chain.next;
    if (chain.finished()) {
      chain.rows = {};
      chain.walked.clear();
    }
    ++fits_;
    if (!complete(chain.next - 1)) {
      tell();
      return;
    }
    take_complete(chain.next - 1);
    tell();
  }

  void take_complete(std::size_t p) {
    summarise_point(p);
    ++complete_points_;
    if (!best_ || is_better(score_, points_[p], points_[*best_])) best_ = p;
  }

  void tell() const {
    if (!watch_.progress) return;
    TuneProgress progress;
    progress.score = score_;
    progress.fits = fits_;
    progress.fits_planned = points_.size() * fold_count_;
    progress.points = complete_points_;
    progress.best = best_ ? &points_[*best_] : nullptr;
    watch_.progress(progress);
  }

  bool complete(std::size_t p) const {
    return std::all_of(scores_[p].begin(), scores_[p].end(),
                       [](const auto& found) { return found.has_value(); });
  }

  void summarise_point(std::size_t p) {
    TunePoint& point = points_[p];
    double total = 0;
    for (const auto& found : scores_[p]) {
      point.scores.push_back(found->value);
      total += found->value;
    }
    const auto k = static_cast<double>(fold_count_);
    point.mean = total / k;
    if (fold_count_ == 1) {
      point.standard_error = scores_[p].front()->standard_error;
      return;
    }
    double squares = 0;
    for (const double value : point.scores) squares += (value - point.mean) * (value - point.mean);
    point.standard_error = std::sqrt(squares / (k - 1.0) / k);
  }

  TuneResult result() {
    TuneResult result;
    result.score = score_;
    result.planned = points_.size();
    result.interrupted = ended_;
    for (std::size_t p = 0; p < points_.size(); ++p) {
      if (!complete(p)) continue;
      result.points.push_back(points_[p]);
    }
    if (result.points.empty()) return result;
    choose(options_.choice, result);
    return result;
  }

  const Dataset& data_;
  TuneOptions options_;
  const TuneWatch& watch_;
  RunPart part_;
  RunClock clock_;
  bool classifies_ = true;
  Score score_ = Score::error;
  std::size_t fold_count_ = 1;
  std::optional<FoldedRows> folded_rows_;
  std::vector<TunePoint> points_;
  std::vector<Chain> chains_;

  std::mutex mutex_;  // guards the following, and each chain's next and busy
  std::condition_variable released_;
  std::vector<std::vector<std::optional<Performance>>> scores_;  // by point and fold
  std::size_t fits_ = 0;
  std::size_t complete_points_ = 0;
  std::optional<std::size_t> best_;
  bool ended_ = false;
  std::exception_ptr failure_;
};

}  // namespace

TuneResult search_grid(const Dataset& data, const TuneOptions& options, const TuneWatch& watch,
                       const RunPart& part) {
  return Search(data, options, watch, part).run();
}

}  // namespace pegasos
