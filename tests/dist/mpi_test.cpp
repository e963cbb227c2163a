// The program under a real mpirun: ranks agree, files come from rank 0, errors name their rank, and
// a rank that dies takes the job with it. Skipped where MPI is not installed.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <thread>
#include <vector>

#include "pegasos/generate.h"
#include "pegasos/model.h"
#include "pegasos/write.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

using testing::RunOptions;
using testing::RunResult;

std::string first_of(std::initializer_list<const char*> paths) {
  for (const char* path : paths) {
    if (std::filesystem::exists(path)) return path;
  }
  return "";
}

// An MPI: its launcher and our library for it.
struct Installed {
  std::string name;
  std::string launcher;
};

std::vector<Installed> installed() {
  const auto has = [](const char* library) {
    return std::filesystem::exists(std::filesystem::path(PEGASOS_PROGRAM).parent_path() / library);
  };
  std::vector<Installed> found;
  const std::string usual =
      first_of({"/usr/bin/mpirun.openmpi", "/usr/bin/mpirun", "/usr/local/bin/mpirun"});
  if (!usual.empty() && has("libpegasos_mpi.so")) found.push_back({"usual", usual});
  const std::string mpich = first_of({"/usr/bin/mpirun.mpich"});
  if (!mpich.empty() && has("libpegasos_mpich.so")) found.push_back({"mpich", mpich});
  if (found.empty()) found.push_back({"none", ""});
  return found;
}

class Mpi : public ::testing::TestWithParam<Installed> {
 protected:
  void SetUp() override {
    if (GetParam().launcher.empty()) {
      GTEST_SKIP() << "no MPI here: scripts/setup mpi, and build again";
    }
  }

  RunResult on_ranks(int ranks, std::vector<std::string> arguments, RunOptions options = {}) {
    std::vector<std::string> line;
    if (is_open_mpi()) line = {"--allow-run-as-root", "--oversubscribe", "--bind-to", "none"};
    line.insert(line.end(), {"-n", std::to_string(ranks), PEGASOS_PROGRAM});
    line.insert(line.end(), arguments.begin(), arguments.end());
    options.folder = folder_.path("");
    if (testing::kIsSanitized) {  // what the MPI leaks and how it locks is not ours
      options.environment["ASAN_OPTIONS"] = "detect_leaks=0";
      options.environment["TSAN_OPTIONS"] = "detect_deadlocks=0 ignore_noninstrumented_modules=1";
    }
    return testing::run_program(GetParam().launcher, line, options);
  }
  bool is_open_mpi() const {
    const auto said = testing::run_program(GetParam().launcher, {"--version"});
    return said.out.find("Open MPI") != std::string::npos ||
           said.out.find("OpenRTE") != std::string::npos;
  }

  std::string text(std::size_t rows) {
    GenerateOptions options;
    options.kind = GeneratedKind::text;
    options.rows = rows;
    options.features = 3000;
    options.seed = 9;
    const std::string path = folder_.path("text.svm");
    write_svmlight(generate(options), path);
    return path;
  }

  testing::TemporaryFolder folder_;
};

TEST_P(Mpi, RanksTrainOneModelThatVerifiesOnOneMachine) {
  const std::string data = text(800);
  for (const char* solver : {"newton", "sdca"}) {
    for (const int ranks : {1, 2, 4}) {
      const auto trained =
          on_ranks(ranks, {"train", data, "ranks.model", "--solver", solver, "--bias", "none",
                           "--tol", "1e-3", "--keep-dual", "--strict"});
      ASSERT_EQ(trained.exit_code, 0) << ranks << solver << trained.err;
      EXPECT_EQ(trained.out, "");
      const auto proof =
          testing::run_program(PEGASOS_PROGRAM, {"verify", data, folder_.path("ranks.model")});
      EXPECT_EQ(proof.exit_code, 0) << proof.err;
    }
  }
}

TEST_P(Mpi, TheSameRanksGiveTheSameBits) {
  const std::string data = text(500);
  ASSERT_EQ(on_ranks(2, {"train", data, "one.model"}).exit_code, 0);
  ASSERT_EQ(on_ranks(2, {"train", data, "two.model"}).exit_code, 0);
  EXPECT_EQ(testing::contents_of(folder_.path("one.model")),
            testing::contents_of(folder_.path("two.model")));
}

TEST_P(Mpi, RanksDivideTablesAndCompressedFiles) {
  std::string table = "age,city,label\n";
  for (int i = 0; i < 300; ++i) {
    table += (i % 9 == 0 ? "" : std::to_string(i * 7 % 50)) + (i % 4 == 0 ? ",Rome" : ",Bern");
    table += i * 7 % 50 + i % 4 > 25 ? ",old\n" : ",young\n";
  }
  folder_.file("table-1.csv", table);
  folder_.file("table-2.csv", table);
  for (const char* name : {"table-1.csv", "table-2.csv"}) {
    ASSERT_EQ(testing::run_program("/usr/bin/gzip", {"-k", folder_.path(name)}).exit_code, 0);
  }
  for (const char* data : {"table-1.csv", "table-*.csv", "table-*.csv.gz", "table-1.csv.gz"}) {
    const auto trained = on_ranks(2, {"train", data, "table.model", "--keep-dual", "--strict"});
    ASSERT_EQ(trained.exit_code, 0) << data << trained.err;
    EXPECT_NE(trained.err.find("times the mean"), std::string::npos) << trained.err;
    EXPECT_NE(trained.err.find("per step or epoch"), std::string::npos) << trained.err;
    RunOptions here;
    here.folder = folder_.path("");
    const auto proof = testing::run_program(PEGASOS_PROGRAM, {"verify", data, "table.model"}, here);
    EXPECT_EQ(proof.exit_code, 0) << data << proof.err << proof.out;
  }
  const auto unnamed = on_ranks(2, {"train", "table-*.csv"});
  EXPECT_EQ(unnamed.exit_code, 2) << unnamed.err;
  EXPECT_NE(unnamed.err.find("needs a model name"), std::string::npos) << unnamed.err;
}

TEST_P(Mpi, PredictionsAndMetricsAreThoseOfOneProcess) {
  const std::string data = text(700);
  const std::string few = folder_.file("few.svm", "1 1:1\n-1 2:1\n1 3:1\n");
  RunOptions here;
  here.folder = folder_.path("");
  const auto alone = [&](std::vector<std::string> line) {
    return testing::run_program(PEGASOS_PROGRAM, line, here);
  };
  ASSERT_EQ(alone({"train", data, "p.model", "--probability"}).exit_code, 0);
  const std::vector<std::vector<std::string>> lines = {
      {"predict", data, "p.model"},
      {"predict", data, "p.model", "--to", "jsonl"},
      {"predict", data, "p.model", "--probabilities"},
      {"predict", few, "p.model", "--scores"},
      {"evaluate", data, "p.model", "--json"},
      {"evaluate", data, "p.model", "--best-threshold", "f1"}};
  for (const auto& line : lines) {
    const auto expected = alone(line);
    ASSERT_EQ(expected.exit_code, 0) << expected.err;
    for (const int ranks : {2, 4}) {
      const auto found = on_ranks(ranks, line);
      EXPECT_EQ(found.exit_code, 0) << found.err;
      EXPECT_EQ(found.out, expected.out) << line[0];
      EXPECT_EQ(found.err, expected.err) << line[0];
    }
  }
  ASSERT_EQ(on_ranks(3, {"predict", data, "p.model", "labels.txt"}).exit_code, 0);
  EXPECT_EQ(testing::contents_of(folder_.path("labels.txt")), alone(lines[0]).out);
}

TEST_P(Mpi, RefusalsNameNoFlagThatIsNotThere) {
  const auto refused = on_ranks(2, {"train", text(50), "no.model", "--kernel", "rbf"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("kernel machines are trained in one process"), std::string::npos);
  EXPECT_EQ(refused.err.find("--ranks"), std::string::npos) << refused.err;
}

TEST_P(Mpi, BadDataOfARankIsNamed) {
  std::string lines;
  for (int i = 0; i < 60; ++i) lines += i % 2 == 0 ? "+1 1:1\n" : "-1 2:1\n";
  const std::string data = folder_.file("bad.svm", lines + "+1 1:abc\n");
  const auto result = on_ranks(3, {"train", data, "bad.model"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_NE(result.err.find("bad.svm:61:6"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("rank 2"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder_.path("bad.model")));
}

TEST_P(Mpi, OtherCommandsRunOnce) {
  const std::string data = text(50);
  const auto result = on_ranks(2, {"inspect", data});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("50"), std::string::npos);
  EXPECT_EQ(result.out.find("rows"), result.out.rfind("rows")) << result.out;
}

TEST_P(Mpi, ADeadRankEndsTheJob) {
  const std::string data = text(3000);
  RunOptions options;
  options.timeout = std::chrono::seconds(30);
  // Kills the last of the processes that train this model, once it has begun.
  const std::string kill = "sleep 1; kill -9 $(pgrep -f '^" PEGASOS_PROGRAM " train .*" +
                           folder_.path("dead.model") + "' | tail -n 1)";
  std::thread killer([&] {
    for (int i = 0; i < 10 && std::system((kill + " 2>/dev/null").c_str()) != 0; ++i) {
    }
  });
  std::vector<std::string> line = {"train",
                                   data,
                                   folder_.path("dead.model"),
                                   "--solver",
                                   "sdca",
                                   "--tol",
                                   "1e-15",
                                   "--max-epochs",
                                   "1000000",
                                   "--checkpoint",
                                   "dead.checkpoint",
                                   "--checkpoint-every",
                                   "0"};
  const auto result = on_ranks(2, line, options);
  killer.join();
  EXPECT_FALSE(result.timed_out);
  EXPECT_NE(result.exit_code, 0);
  // What it had is not lost: three ranks go on.
  line.insert(line.end(), {"--resume", "--max-time", "0.5"});
  const auto resumed = on_ranks(3, line);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("resuming from"), std::string::npos) << resumed.err;
}

TEST_P(Mpi, SearchesAndFoldsAreToldOnce) {
  const std::string data = text(200);
  const auto folds = on_ranks(2, {"train", data, "-v", "3"});
  EXPECT_EQ(folds.exit_code, 0) << folds.err;
  EXPECT_EQ(folds.out.find("Cross Validation Accuracy"), 0U);
  EXPECT_EQ(folds.out.find("Cross", 1), std::string::npos);
  const auto tuned =
      on_ranks(2, {"tune", data, "--cs", "0.1,1", "--folds", "3", "--train", "tuned.model"});
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_NE(tuned.out.find("chosen"), std::string::npos) << tuned.out;
  EXPECT_EQ(tuned.out.find("chosen"), tuned.out.rfind("chosen"));
  EXPECT_TRUE(std::filesystem::exists(folder_.path("tuned.model")));
  const auto page = on_ranks(2, {"train", data, "a.model", "--report", "a.html"});
  EXPECT_EQ(page.exit_code, 2);
  EXPECT_NE(page.err.find("pegasos report"), std::string::npos) << page.err;
}

INSTANTIATE_TEST_SUITE_P(With, Mpi, ::testing::ValuesIn(installed()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace pegasos
