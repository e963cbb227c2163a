// Checkpoints: a run of any kind that is stopped anywhere and resumed ends with the same model, and
// a checkpoint of another run, or a damaged one, is refused.
#include "pegasos/checkpoint.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "pegasos/error.h"
#include "pegasos/generate.h"
#include "pegasos/train.h"
#include "pegasos/tune.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

using testing::TemporaryFolder;

Dataset generated(int classes, std::size_t rows = 200) {
  GenerateOptions options;
  options.kind = GeneratedKind::blobs;
  options.rows = rows;
  options.features = 5;
  options.classes = static_cast<std::size_t>(classes);
  options.seed = 7;
  return generate(options);
}

std::string file_of(const Checkpoint& checkpoint) {
  const TemporaryFolder folder;
  save_checkpoint(checkpoint, folder.path("c"));
  return testing::contents_of(folder.path("c"));
}

// Every checkpoint of a run that saves one at every event.
std::vector<Checkpoint> checkpoints_of(const std::function<void(const CheckpointWatch&)>& run) {
  std::vector<Checkpoint> all;
  run({.save = [&](const Checkpoint& one) { all.push_back(one); }, .seconds = 0});
  return all;
}

// Resumes from some of them, through their files.
void for_some(const std::vector<Checkpoint>& all,
              const std::function<void(std::shared_ptr<const Checkpoint>)>& resume) {
  ASSERT_FALSE(all.empty());
  for (std::size_t k = 0; k < all.size(); k += 1 + all.size() / 6) {
    const std::string bytes = file_of(all[k]);
    resume(std::make_shared<const Checkpoint>(load_checkpoint_from_memory(bytes, "memory")));
  }
}

struct Kind {
  std::string name;
  int classes = 2;
  std::function<void(TrainOptions&)> change = {};
};

void PrintTo(const Kind& kind, std::ostream* out) {
  *out << kind.name;
}

class EveryKind : public ::testing::TestWithParam<Kind> {};

TEST_P(EveryKind, ResumesToTheSameModel) {
  const Dataset data = generated(GetParam().classes);
  TrainOptions options;
  options.solver.tolerance = 1e-5;
  options.threads = 2;
  GetParam().change(options);
  const Trained whole = train(data, options);
  const auto all = checkpoints_of([&](const CheckpointWatch& watch) {
    const Trained saved = train(data, options, {.checkpoint = watch});
    EXPECT_EQ(saved.model, whole.model);
  });
  for_some(all, [&](const auto& checkpoint) {
    TrainOptions resumed = options;
    resumed.resume = checkpoint;
    const Trained trained = train(data, resumed);
    EXPECT_EQ(trained.model, whole.model);
    EXPECT_EQ(trained.duals, whole.duals);
    EXPECT_EQ(trained.trace.size(), whole.trace.size());
    EXPECT_GE(trained.seconds, checkpoint->seconds);
  });
  // It does go on: the last checkpoint leaves little to do.
  TrainOptions resumed = options;
  resumed.resume = std::make_shared<const Checkpoint>(all.back());
  std::size_t events = 0;
  train(data, resumed, {.event = [&](const TrainingEvent& event) {
          events += event.report.phase == TrainingPhase::training ? 1 : 0;
        }});
  EXPECT_LE(events, 1U + (GetParam().classes > 2 ? 1U : 0U));
}

void as_kernel(TrainOptions& options) {
  options.kernel.emplace();
  options.gamma_rule = GammaRule::scale;
}

INSTANTIATE_TEST_SUITE_P(
    Checkpoints, EveryKind,
    ::testing::Values(Kind{"newton", 2, [](TrainOptions&) {}},
                      Kind{"sdca", 2, [](TrainOptions& o) { o.solver.kind = Solver::sdca; }},
                      Kind{"pegasos", 2,
                           [](TrainOptions& o) {
                             o.solver.kind = Solver::pegasos;
                             o.solver.pegasos.average = Average::suffix;
                           }},
                      Kind{"free_bias", 2, [](TrainOptions& o) { o.bias = Bias::unregularised; }},
                      Kind{"mapped", 2,
                           [](TrainOptions& o) {
                             as_kernel(o);
                             o.approximation = Approximation::rff;
                             o.components = 24;
                           }},
                      Kind{"kernel", 2, [](TrainOptions& o) { as_kernel(o); }},
                      Kind{"kernel_pegasos", 2,
                           [](TrainOptions& o) {
                             as_kernel(o);
                             o.solver.kind = Solver::pegasos;
                           }},
                      Kind{"classes", 3, [](TrainOptions& o) { o.solver.kind = Solver::sdca; }},
                      Kind{"scaled_classes", 3,
                           [](TrainOptions& o) { o.scaling = ScalingKind::standard; }},
                      Kind{"kernel_classes", 3, [](TrainOptions& o) { as_kernel(o); }},
                      Kind{"joint", 3, [](TrainOptions& o) { o.strategy = Strategy::joint; }},
                      Kind{"lambda_auto", 2, [](TrainOptions& o) { o.tune_lambda = true; }},
                      Kind{"probabilities", 2,
                           [](TrainOptions& o) {
                             o.solver.kind = Solver::sdca;
                             o.probabilities = CalibrationKind::platt;
                           }}),
    [](const auto& kind) { return kind.param.name; });

// Stopped by the caller rather than killed: what the last call of save got is enough.
TEST(Checkpoints, TheLastOneOfAStoppedRunIsResumed) {
  const Dataset data = generated(3);
  TrainOptions options;
  options.solver.kind = Solver::sdca;
  options.solver.tolerance = 1e-7;
  options.threads = 2;
  const Trained whole = train(data, options);
  for (const std::size_t events : {0U, 1U, 5U, 12U}) {
    std::atomic<std::size_t> seen = 0;  // any thread may ask to stop
    std::shared_ptr<const Checkpoint> last;
    Watch watch;
    watch.event = [&](const TrainingEvent&) { ++seen; };
    watch.stop = [&] { return seen >= events; };
    watch.checkpoint.save = [&](const Checkpoint& one) {
      last = std::make_shared<const Checkpoint>(one);
    };
    EXPECT_EQ(train(data, options, watch).ending, Ending::stopped_by_caller);
    ASSERT_NE(last, nullptr);
    TrainOptions resumed = options;
    resumed.resume = last;
    EXPECT_EQ(train(data, resumed).model, whole.model);
  }
}

// What a solver does once it is told to stop is no part of the run: a warm-up may be cut short.
TEST(Checkpoints, StoppedAtAnyQuestionTheyResume) {
  const Dataset data = generated(3, 600);
  for (const Solver solver : {Solver::automatic, Solver::sdca, Solver::pegasos}) {
    TrainOptions options;
    options.solver.kind = solver;
    options.solver.tolerance = 1e-6;
    options.threads = 1;
    const Trained whole = train(data, options);
    for (const std::size_t questions : {1U, 2U, 3U, 5U, 8U, 13U, 30U}) {
      std::size_t asked = 0;
      std::shared_ptr<const Checkpoint> last;
      Watch watch;
      watch.stop = [&] { return ++asked >= questions; };
      watch.checkpoint = {
          .save = [&](const Checkpoint& one) { last = std::make_shared<const Checkpoint>(one); },
          .seconds = 0};
      train(data, options, watch);
      if (last == nullptr) continue;
      TrainOptions resumed = options;
      resumed.resume = last;
      EXPECT_EQ(train(data, resumed).model, whole.model) << name_of(solver) << " " << questions;
    }
  }
}

TEST(Checkpoints, TuningResumes) {
  const Dataset data = generated(2);
  TuneOptions options;
  options.train.threads = 2;
  options.train.kernel.emplace();
  options.gammas = {0.05, 0.2};
  options.cs = {0.1, 1, 10};
  options.folds = 3;
  const TuneResult whole = tune(data, options);
  const auto all = checkpoints_of(
      [&](const CheckpointWatch& watch) { tune(data, options, {.checkpoint = watch}); });
  for_some(all, [&](const auto& checkpoint) {
    TuneOptions resumed = options;
    resumed.train.resume = checkpoint;
    std::size_t fits = 0;
    const TuneResult found = tune(
        data, resumed, {.progress = [&](const TuneProgress& progress) { fits = progress.fits; }});
    ASSERT_EQ(found.points.size(), whole.points.size());
    EXPECT_EQ(found.chosen, whole.chosen);
    for (std::size_t p = 0; p < whole.points.size(); ++p) {
      EXPECT_EQ(found.points[p].scores, whole.points[p].scores);
      EXPECT_EQ(found.points[p].gap, whole.points[p].gap);
    }
    EXPECT_TRUE(fits == 0 || fits == 18) << fits;
  });
}

TEST(Checkpoints, WideSearchesResume) {
  const Dataset data = generated(2);
  TuneOptions options;
  options.train.threads = 2;
  options.search = SearchKind::wide;
  options.cs = {0.1, 1};
  options.folds = 2;
  const TuneResult whole = tune(data, options);
  const auto all = checkpoints_of(
      [&](const CheckpointWatch& watch) { tune(data, options, {.checkpoint = watch}); });
  for_some(all, [&](const auto& checkpoint) {
    TuneOptions resumed = options;
    resumed.train.resume = checkpoint;
    const TuneResult found = tune(data, resumed);
    ASSERT_EQ(found.points.size(), whole.points.size());
    EXPECT_EQ(found.chosen, whole.chosen);
    for (std::size_t p = 0; p < whole.points.size(); ++p) {
      EXPECT_EQ(found.points[p].scores, whole.points[p].scores);
      EXPECT_EQ(found.points[p].scaling, whole.points[p].scaling);
    }
    resumed.keep_scaling = true;
    EXPECT_THROW(tune(data, resumed), InvalidOption);
  });
}

TEST(Checkpoints, CrossValidationResumes) {
  const Dataset data = generated(3);
  TrainOptions options;
  options.threads = 2;
  options.tune_lambda = true;
  const CrossValidation whole = cross_validate(data, options, 4);
  const auto all = checkpoints_of(
      [&](const CheckpointWatch& watch) { cross_validate(data, options, 4, {}, watch); });
  for_some(all, [&](const auto& checkpoint) {
    TrainOptions resumed = options;
    resumed.resume = checkpoint;
    const CrossValidation found = cross_validate(data, resumed, 4);
    EXPECT_EQ(found.predicted, whole.predicted);
    EXPECT_EQ(found.accuracy, whole.accuracy);
    EXPECT_EQ(found.gap, whole.gap);
  });
}

std::string refusal(const Dataset& data, const TrainOptions& options, const Checkpoint& from) {
  TrainOptions resumed = options;
  resumed.resume = std::make_shared<const Checkpoint>(from);
  try {
    train(data, resumed);
  } catch (const InvalidOption& refused) {
    EXPECT_EQ(refused.field(), "resume");
    return refused.message() + "; " + refused.hint().in_words();
  }
  return "";
}

TEST(Checkpoints, OfAnotherRunAreRefusedByName) {
  const Dataset data = generated(2);
  TrainOptions options;
  options.lambda = 0.01;
  const auto all = checkpoints_of(
      [&](const CheckpointWatch& watch) { train(data, options, {.checkpoint = watch}); });
  const Checkpoint& mine = all.front();
  EXPECT_EQ(refusal(data, options, mine), "");
  EXPECT_NE(refusal(generated(2, 201), options, mine).find("different data"), std::string::npos);
  Checkpoint older = mine;
  older.version = "0.0.1";
  EXPECT_NE(refusal(data, options, older).find("version 0.0.1"), std::string::npos);
  Checkpoint tuned = mine;
  tuned.work = "tune";
  EXPECT_NE(refusal(data, options, tuned).find("to tune"), std::string::npos);
  TrainOptions other = options;
  other.lambda = 0.02;
  EXPECT_NE(refusal(data, other, mine).find("lambda=0.01, this run uses lambda=0.02"),
            std::string::npos)
      << refusal(data, other, mine);
  other = options;
  other.keep_duals = true;
  EXPECT_NE(refusal(data, other, mine).find("did not use keep_duals"), std::string::npos);
  other = options;
  other.max_seconds = 1000;  // a limit, not a part of the problem
  other.threads = 2;
  EXPECT_EQ(refusal(data, other, mine), "");
}

TEST(Checkpoints, DamageIsRefused) {
  const Dataset data = generated(3, 12);
  const auto all =
      checkpoints_of([&](const CheckpointWatch& watch) { train(data, {}, {.checkpoint = watch}); });
  const std::string bytes = file_of(all.back());
  EXPECT_EQ(load_checkpoint_from_memory(bytes, "c"), all.back());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    EXPECT_THROW(load_checkpoint_from_memory(bytes.substr(0, at), "c"), CorruptFile) << at;
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      EXPECT_THROW(load_checkpoint_from_memory(damaged, "c"), CorruptFile) << at << " " << bit;
    }
  }
  EXPECT_THROW(load_checkpoint_from_memory(bytes + "x", "c"), CorruptFile);
}

// Parts with bytes that are no results: refused, never followed.
TEST(Checkpoints, StrangePartsAreRefused) {
  const Dataset data = generated(3, 60);
  TrainOptions options;
  options.solver.kind = Solver::sdca;
  const auto all = checkpoints_of(
      [&](const CheckpointWatch& watch) { train(data, options, {.checkpoint = watch}); });
  for (const auto& [name, bytes] : all.back().parts) {
    for (const std::string& strange :
         {std::string(), std::string("x"), bytes + "x", std::string(bytes.size(), '\xff'),
          bytes.substr(0, bytes.size() / 2)}) {
      if (strange.empty() && name.ends_with("/state")) continue;  // no state: from the beginning
      Checkpoint from = all.back();
      from.parts[name] = strange;
      TrainOptions resumed = options;
      resumed.resume = std::make_shared<const Checkpoint>(from);
      EXPECT_THROW(train(data, resumed), InvalidOption) << name << " " << strange.size();
    }
  }
}

}  // namespace
}  // namespace pegasos
