// What surrounds training, with rows divided among ranks: probabilities, searches, folds, a start
// from an earlier model, and checkpoints that another number of ranks resumes.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "pegasos/checkpoint.h"
#include "pegasos/dist.h"
#include "pegasos/error.h"
#include "pegasos/generate.h"
#include "pegasos/train.h"
#include "pegasos/tune.h"
#include "pegasos/verify.h"

namespace pegasos {
namespace {

// Calls run(rows of the rank, options of the rank) on every rank.
void on_shares(int count, const Dataset& data, const TrainOptions& options,
               const std::function<void(int, const Dataset&, const TrainOptions&)>& run) {
  run_ranks_as_threads(count, [&](Collective& ranks) {
    TrainOptions own = options;
    own.ranks = {&ranks, [](Collective*) {}};
    own.threads = 1;
    const std::size_t rows = data.rows();
    const auto place = [&](int rank) {
      return rows * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks.size());
    };
    const std::size_t begin = place(ranks.rank());
    run(ranks.rank(), data.slice(begin, place(ranks.rank() + 1) - begin), own);
  });
}

Dataset blobs_with_noise(int kinds, std::size_t rows) {
  GenerateOptions options;
  options.kind = GeneratedKind::blobs;
  options.rows = rows;
  options.features = 5;
  options.classes = kinds;
  options.seed = 11;
  options.label_noise = 0.1;
  return generate(options);
}

Dataset line_with_noise() {
  GenerateOptions options;
  options.kind = GeneratedKind::linear;
  options.rows = 300;
  options.features = 5;
  options.seed = 3;
  return generate(options);
}

void expect_verified(const Model& model, const Dataset& data) {
  std::visit([&](const auto& kind) { EXPECT_FALSE(verify(kind, data).refuted()); }, model);
}

TEST(LearningOnRanks, CalibratesTheSameProbabilitiesOnAllRanks) {
  for (const int kinds : {2, 3}) {
    const Dataset data = blobs_with_noise(kinds, 400);
    TrainOptions options;
    options.probabilities = CalibrationKind::platt;
    const Model alone = train(data, options).model;
    std::vector<Model> models(3);
    on_shares(3, data, options, [&](int rank, const Dataset& rows, const TrainOptions& own) {
      models[static_cast<std::size_t>(rank)] = train(rows, own).model;
    });
    for (const Model& model : models) EXPECT_EQ(model, models.front());
    const auto& found = base_of(models.front()).calibrations;
    const auto& expected = base_of(alone).calibrations;
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      for (const double score : {-2.0, -0.5, 0.0, 0.5, 2.0}) {
        EXPECT_NEAR(found[k].probability(score), expected[k].probability(score), 0.08) << kinds;
      }
    }
  }
}

TEST(LearningOnRanks, CrossValidatesOverAllRows) {
  for (const Dataset& data : {blobs_with_noise(2, 400), line_with_noise()}) {
    const CrossValidation expected = cross_validate(data, {}, 4);
    std::vector<CrossValidation> all(3);
    on_shares(3, data, {}, [&](int rank, const Dataset& rows, const TrainOptions& own) {
      all[static_cast<std::size_t>(rank)] = cross_validate(rows, own, 4);
    });
    for (const CrossValidation& found : all) {
      EXPECT_EQ(found.classifies, expected.classifies);
      EXPECT_NEAR(found.accuracy, expected.accuracy, 0.05);
      EXPECT_NEAR(found.mean_squared_error, expected.mean_squared_error,
                  0.3 * expected.mean_squared_error);
      EXPECT_EQ(found.accuracy, all.front().accuracy);
      EXPECT_EQ(found.squared_correlation, all.front().squared_correlation);
    }
  }
}

TEST(LearningOnRanks, SearchesTheGridOfOneProcess) {
  const Dataset data = blobs_with_noise(2, 300);
  for (const Score score : {Score::error, Score::f1, Score::auc}) {
    TuneOptions search;
    search.folds = 3;
    search.score = score;
    const TuneResult expected = tune(data, search);
    std::vector<TuneResult> all(2);
    on_shares(2, data, {}, [&](int rank, const Dataset& rows, const TrainOptions& own) {
      TuneOptions mine = search;
      mine.train = own;
      all[static_cast<std::size_t>(rank)] = tune(rows, mine);
    });
    ASSERT_EQ(all[0].points.size(), expected.points.size());
    EXPECT_EQ(all[0].chosen, all[1].chosen);
    for (std::size_t p = 0; p < expected.points.size(); ++p) {
      EXPECT_EQ(all[0].points[p].lambda, expected.points[p].lambda);
      EXPECT_EQ(all[0].points[p].mean, all[1].points[p].mean);
      EXPECT_NEAR(all[0].points[p].mean, expected.points[p].mean, 0.06);
    }
  }
}

TEST(LearningOnRanks, ChoosesLambdaBeforeTraining) {
  const Dataset data = blobs_with_noise(2, 300);
  TrainOptions options;
  options.tune_lambda = true;
  std::vector<Trained> all(2);
  on_shares(2, data, options, [&](int rank, const Dataset& rows, const TrainOptions& own) {
    all[static_cast<std::size_t>(rank)] = train(rows, own);
  });
  EXPECT_EQ(all[0].model, all[1].model);
  ASSERT_TRUE(all[0].search);
  EXPECT_EQ(base_of(all[0].model).lambda, all[0].search->points[all[0].search->chosen].lambda);
}

TEST(LearningOnRanks, LearnsLogarithmsOfTargets) {
  GenerateOptions made;
  made.kind = GeneratedKind::linear;
  made.rows = 120;
  made.features = 3;
  const Dataset plain = generate(made);
  std::vector<double> targets;
  for (std::size_t i = 0; i < plain.rows(); ++i)
    targets.push_back(i == 100 ? 0.0 : 1.0 + double(i));
  DatasetParts parts;
  parts.rows = plain.rows();
  parts.features = plain.features();
  std::vector<float> values;
  for (std::size_t i = 0; i < plain.rows(); ++i) {
    for (std::size_t k = 0; k < parts.features; ++k) {
      values.push_back(static_cast<float>(static_cast<double>(i) * 0.01));
    }
  }
  parts.dense = DenseMatrix{values, parts.features};
  parts.labels = targets;
  parts.schema = plain.shared_schema();
  const Dataset data = Dataset::from_parts(std::move(parts));
  TrainOptions options;
  options.task = Task::regression;
  options.target = TargetTransform::log;
  on_shares(2, data, options, [&](int, const Dataset& rows, const TrainOptions& own) {
    // Only the second rank has a zero, but both learn log(1 + y).
    const Model model = train(rows, own).model;
    EXPECT_EQ(single_output(model)->transform, TargetTransform::log1p);
  });
}

TEST(LearningOnRanks, ContinuesWithTheDualsOfItsOwnRows) {
  for (const int kinds : {2, 3}) {
    const Dataset data = blobs_with_noise(kinds, 300);
    TrainOptions options;
    options.keep_duals = true;
    options.solver.tolerance = 1e-6;
    const Model before = train(data.slice(0, 250), options).model;
    options.start = std::make_shared<const Model>(before);
    on_shares(3, data, options, [&](int rank, const Dataset& rows, const TrainOptions& own) {
      const Trained trained = train(rows, own);
      EXPECT_TRUE(certificate_of(trained.model)->within(1e-6));
      EXPECT_FALSE(trained.started_from.empty());
      if (rank == 0) expect_verified(trained.model, data);
    });
  }
}

TEST(LearningOnRanks, ResumesOnAnotherNumberOfRanks) {
  for (const int kinds : {2, 3}) {
    const Dataset data = blobs_with_noise(kinds, 400);
    TrainOptions options;
    options.solver.tolerance = 1e-9;
    Checkpoint last;
    Watch watch;
    watch.checkpoint.save = [&](const Checkpoint& now) { last = now; };
    watch.checkpoint.seconds = 0;
    on_shares(3, data, options,
              [&](int, const Dataset& rows, const TrainOptions& own) { train(rows, own, watch); });
    ASSERT_FALSE(last.parts.empty());
    options.resume = std::make_shared<const Checkpoint>(last);
    const auto goes_on = [&](const Trained& trained) {
      EXPECT_TRUE(certificate_of(trained.model)->within(1e-9));
      expect_verified(trained.model, data);
      EXPECT_GE(trained.seconds, last.seconds);
    };
    for (const int count : {2, 4}) {
      on_shares(count, data, options, [&](int rank, const Dataset& rows, const TrainOptions& own) {
        const Trained trained = train(rows, own);
        if (rank == 0) goes_on(trained);
      });
    }
    goes_on(train(data, options));
    // Other data is another run.
    EXPECT_THROW(
        on_shares(2, data.slice(0, 300), options,
                  [&](int, const Dataset& rows, const TrainOptions& own) { train(rows, own); }),
        InvalidOption);
  }
}

}  // namespace
}  // namespace pegasos
