// Rows divided among ranks: every solver and bias reaches the certificate of the undivided problem,
// all ranks have the same model, and one rank is the serial program bit for bit. The independent
// truth is a verification of the model on all rows in one process.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pegasos/dist.h"
#include "pegasos/error.h"
#include "pegasos/generate.h"
#include "pegasos/train.h"
#include "pegasos/verify.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

std::shared_ptr<Collective> borrowed(Collective& ranks) {
  return {&ranks, [](Collective*) {}};
}

// Uneven shares: the first rank has the most.
Dataset share_of(const Dataset& data, const Collective& ranks) {
  const auto parts = static_cast<std::size_t>(ranks.size() * (ranks.size() + 1) / 2);
  std::size_t begin = 0;
  for (int rank = 0;; ++rank) {
    const std::size_t weight = static_cast<std::size_t>(ranks.size() - rank);
    const bool last = rank + 1 == ranks.size();
    const std::size_t count = last ? data.rows() - begin : data.rows() * weight / parts;
    if (rank == ranks.rank()) return data.slice(begin, count);
    begin += count;
  }
}

// The models of all ranks.
std::vector<Model> trained_on_ranks(int count, const Dataset& data, TrainOptions options) {
  std::vector<Model> models(static_cast<std::size_t>(count));
  run_ranks_as_threads(count, [&](Collective& ranks) {
    TrainOptions own = options;
    own.ranks = borrowed(ranks);
    own.threads = 1;
    models[static_cast<std::size_t>(ranks.rank())] = train(share_of(data, ranks), own).model;
  });
  return models;
}

Dataset classes(std::size_t kinds, std::size_t rows = 300) {
  GenerateOptions options;
  options.kind = GeneratedKind::blobs;
  options.rows = rows;
  options.features = 6;
  options.classes = static_cast<int>(kinds);
  options.seed = 4;
  return generate(options);
}

Dataset numbers() {
  GenerateOptions options;
  options.kind = GeneratedKind::linear;
  options.rows = 300;
  options.features = 6;
  options.seed = 4;
  return generate(options);
}

struct Case {
  Solver solver;
  Loss loss;
  Bias bias;
};

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  std::string name =
      name_of(info.param.solver) + "_" + name_of(info.param.loss) + "_" + name_of(info.param.bias);
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

class Divided : public ::testing::TestWithParam<Case> {};

TEST_P(Divided, ReachesTheCertificateOfAllRows) {
  const auto [solver, loss, bias] = GetParam();
  const Dataset data = is_classification(loss) ? classes(2) : numbers();
  TrainOptions options;
  options.loss = loss;
  options.bias = bias;
  options.c = 0.05;
  options.keep_duals = true;
  options.solver.kind = solver;
  options.solver.tolerance = solver == Solver::pegasos ? 0.3 : 1e-4;
  options.solver.pegasos.batch = 10;
  options.solver.max_epochs = solver == Solver::pegasos ? 40 : 2000;
  const auto best = train(data, [&] {
    TrainOptions exact = options;
    exact.solver = {};
    exact.solver.tolerance = 1e-6;
    return exact;
  }());
  const double optimum = *certificate_of(best.model)->dual;
  for (const int count : {2, 3}) {
    const auto models = trained_on_ranks(count, data, options);
    for (const Model& model : models) EXPECT_EQ(model, models.front());
    const Certificate claimed = *certificate_of(models.front());
    EXPECT_TRUE(claimed.within(options.solver.tolerance))
        << count << " ranks: " << claimed.primal << " > " << *claimed.dual;
    EXPECT_GE(claimed.primal, optimum);
    EXPECT_LE(*claimed.dual, certificate_of(best.model)->primal);
    // The kept duals are in the order of all rows: they prove the same bound on one machine.
    const auto proof = verify(std::get<LinearModel>(models.front()), data);
    EXPECT_TRUE(proof.same_data);
    EXPECT_TRUE(proof.duals_kept);
    EXPECT_EQ(proof.finding, Finding::holds) << count << " ranks";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ranks, Divided,
    ::testing::Values(Case{Solver::newton, Loss::hinge, Bias::regularised},
                      Case{Solver::newton, Loss::hinge, Bias::unregularised},
                      Case{Solver::newton, Loss::logistic, Bias::none},
                      Case{Solver::newton, Loss::epsilon_insensitive, Bias::unregularised},
                      Case{Solver::sdca, Loss::hinge, Bias::regularised},
                      Case{Solver::sdca, Loss::hinge, Bias::unregularised},
                      Case{Solver::sdca, Loss::squared_hinge, Bias::none},
                      Case{Solver::sdca, Loss::logistic, Bias::regularised},
                      Case{Solver::sdca, Loss::huber, Bias::none},
                      Case{Solver::sdca, Loss::squared_epsilon_insensitive, Bias::regularised},
                      Case{Solver::pegasos, Loss::hinge, Bias::regularised},
                      Case{Solver::pegasos, Loss::hinge, Bias::exact},
                      Case{Solver::pegasos, Loss::squared_hinge, Bias::none}),
    name_of_case);

TEST(Ranks, OneIsTheSerialProgramBitForBit) {
  for (const Solver solver : {Solver::newton, Solver::sdca, Solver::pegasos}) {
    TrainOptions options;
    options.solver.kind = solver;
    options.threads = 1;
    const Dataset data = classes(2);
    EXPECT_EQ(trained_on_ranks(1, data, options).front(), train(data, options).model);
  }
}

TEST(Ranks, TrainClassesWeightsAndScalesOfAllRows) {
  const Dataset data = classes(3);
  TrainOptions options;
  options.balanced = true;
  options.scaling = ScalingKind::standard;
  options.solver.tolerance = 1e-5;
  const Model serial = train(data, options).model;
  const auto models = trained_on_ranks(3, data, options);
  EXPECT_EQ(models[0], models[2]);
  const auto& many = std::get<MulticlassModel>(models[0]);
  const auto& other = std::get<MulticlassModel>(serial);
  EXPECT_EQ(many.classes, other.classes);
  EXPECT_EQ(many.label_weights.size(), other.label_weights.size());
  EXPECT_EQ(many.record.data_fingerprint, other.record.data_fingerprint);
  for (std::size_t j = 0; j < data.features(); ++j) {
    EXPECT_NEAR(many.scaling->factor[j], other.scaling->factor[j], 1e-12);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(many.classifiers[k].certificate->primal, other.classifiers[k].certificate->primal,
                2e-5 * other.classifiers[k].certificate->primal);
  }
}

TEST(Ranks, AClassThatOneRankLacksIsAClass) {
  // All rows of the second class are in the last share.
  const std::string text = "-1 1:1\n-1 1:2\n-1 2:1\n-1 1:3\n-1 2:2\n+1 3:1\n+1 3:2\n";
  const Dataset data = read_dataset_from_memory(text, "memory").data;
  const auto models = trained_on_ranks(2, data, {});
  EXPECT_EQ(std::get<LinearModel>(models[1]).labels->positive, 1.0);
}

TEST(Ranks, StopTogetherWhenOneIsAsked) {
  const Dataset data = classes(2);
  std::vector<Ending> endings(3);
  run_ranks_as_threads(3, [&](Collective& ranks) {
    TrainOptions options;
    options.ranks = borrowed(ranks);
    options.threads = 1;
    options.solver.kind = Solver::sdca;
    options.solver.tolerance = 0.0;
    options.solver.max_epochs = 100000;
    int events = 0;
    Watch watch;
    watch.event = [&](const TrainingEvent&) { ++events; };
    watch.stop = [&] { return ranks.rank() == 1 && events > 2; };
    endings[static_cast<std::size_t>(ranks.rank())] =
        train(share_of(data, ranks), options, watch).ending;
  });
  for (const Ending ending : endings) EXPECT_EQ(ending, Ending::stopped_by_caller);
}

// Rounds of dual ascent, which the joint step keeps from growing with the ranks, with or without a
// bias that all of them would correct at once.
TEST(Ranks, TakeAboutAsManyDualRoundsHoweverManyTheyAre) {
  GenerateOptions text;
  text.kind = GeneratedKind::text;
  text.rows = 1500;
  text.features = 3000;
  text.seed = 5;
  text.label_noise = 0.1;
  const Dataset data = generate(text);
  for (const Bias bias : {Bias::none, Bias::regularised, Bias::unregularised}) {
    TrainOptions options;
    options.bias = bias;
    options.solver.kind = Solver::sdca;
    const auto rounds_on = [&](int count) {
      const auto models = trained_on_ranks(count, data, options);
      EXPECT_TRUE(certificate_of(models.front())->within(1e-3));
      return static_cast<double>(base_of(models.front()).record.epochs);
    };
    const double on_two = rounds_on(2);
    EXPECT_LE(on_two, 120) << name_of(bias);
    EXPECT_LE(rounds_on(8), 2.0 * on_two) << name_of(bias);
  }
}

TEST(Ranks, RefuseWhatTheyCannotDoTogether) {
  const auto refused = [](const Dataset& data, const TrainOptions& options) {
    try {
      trained_on_ranks(2, data, options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  TrainOptions kernel;
  kernel.kernel.emplace();
  EXPECT_NE(refused(classes(2), kernel).find("approximation"), std::string::npos);
  EXPECT_NE(refused(classes(2, 1), {}).find("no rows"), std::string::npos);
}

TEST(Ranks, OneThatFailsEndsAll) {
  try {
    run_ranks_as_threads(3, [](Collective& ranks) {
      if (ranks.rank() == 2) throw Error("rank 2 has had enough");
      double one = 1;
      for (int i = 0; i < 100; ++i) ranks.sum({&one, 1});
    });
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "rank 2 has had enough");
  }
}

TEST(Collective, FromFunctions) {
  const auto one = make_collective(
      1, 2,
      {.sum =
           [](std::span<double> values) {
             for (double& v : values) v *= 2;
           },
       .gather =
           [](std::string_view bytes) { return std::vector<std::string>(2, std::string(bytes)); },
       .broadcast = [](std::string& bytes) { bytes = "all"; }});
  double value = 3;
  one->sum({&value, 1});
  EXPECT_EQ(value, 6);
  EXPECT_EQ(one->gather("x").size(), 2U);
  EXPECT_THROW(make_collective(2, 2, {}), InvalidOption);
  EXPECT_THROW(make_collective(0, 2, {}), InvalidOption);
}

}  // namespace
}  // namespace pegasos
