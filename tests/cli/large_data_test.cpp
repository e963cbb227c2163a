// Data larger than --memory: trained from a cache within the limit, to the same tolerance; and what
// cannot be done is refused with the way out.
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/pegasos_program.h"
#include "pegasos/model.h"

namespace pegasos::testing {
namespace {

// 28 MB of text, 24 MB of rows.
std::string large_text(const TemporaryFolder& folder) {
  const auto path = folder.path("large.svm");
  EXPECT_EXIT_CODE(0, pegasos({"generate", "--kind", "text", "--rows", "40k", "--seed", "4", "-o",
                               path, "-q", "--threads", "1"}));
  return path;
}

// Of the program itself: a sanitizer's own memory is not counted.
long largest_child_megabytes() {
  if (kIsSanitized) return 0;
  rusage usage = {};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_maxrss / 1024;
}

double objective_in(const std::string& told) {
  return nlohmann::json::parse(told)["objective"].get<double>();
}

TEST(LargeData, IsTrainedFromACacheWithinTheLimit) {
  const TemporaryFolder folder;
  const auto data = large_text(folder);
  const auto model = folder.path("paged.model");
  const auto first = pegasos({"train", data, model, "--memory", "56M", "--json"});
  EXPECT_EXIT_CODE(0, first);
  EXPECT_TRUE(contains(first.err, "rows stay in") && contains(first.err, ".cache.pgd"))
      << first.err;
  EXPECT_LE(largest_child_megabytes(), 56);
  EXPECT_TRUE(std::filesystem::exists(data + ".cache.pgd"));
  // The certificate is one of all rows: a run in memory proves the same tolerance.
  const auto whole = pegasos({"train", data, folder.path("m.model"), "--json", "-q"});
  EXPECT_EXIT_CODE(0, whole);
  EXPECT_NEAR(objective_in(first.out), objective_in(whole.out), 1e-3 * objective_in(whole.out));
  EXPECT_TRUE(certificate_of(load_model(model))->within(1e-3));
  EXPECT_EXIT_CODE(0, pegasos({"verify", data, model, "-q"}));
  // Again, from the cache: the same bits.
  const auto again = folder.path("again.model");
  const auto second = pegasos({"train", data, again, "--memory", "56M", "-q"});
  EXPECT_EXIT_CODE(0, second);
  EXPECT_TRUE(std::get<LinearModel>(load_model(model)).w ==
              std::get<LinearModel>(load_model(again)).w);
  EXPECT_EQ(files_in(folder.path("")),
            (std::vector<std::string>{"again.model", "large.svm", "large.svm.cache.pgd", "m.model",
                                      "paged.model"}));
}

TEST(LargeData, EverySolverAndScalingWorksOnIt) {
  const TemporaryFolder folder;
  const auto data = large_text(folder);
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--solver", "pegasos", "--max-epochs", "2"},
        {"--solver", "newton", "--tol", "1e-2"},
        {"--scale", "maxabs", "--tol", "1e-2"}}) {
    std::vector<std::string> line = {"train", data, folder.path("a.model"), "--memory",
                                     "56M",   "-q", "--cache-dir",          folder.path("")};
    line.insert(line.end(), flags.begin(), flags.end());
    EXPECT_EXIT_CODE(0, pegasos(line)) << flags[1];
    line[2] = folder.path("b.model");
    line[4] = "2G";
    EXPECT_EXIT_CODE(0, pegasos(line)) << flags[1];
    const auto paged = certificate_of(load_model(folder.path("a.model")));
    const auto whole = certificate_of(load_model(folder.path("b.model")));
    ASSERT_TRUE(paged && whole);
    // Each bound holds for the other's weights; two epochs of Pegasos need not come closer.
    ASSERT_TRUE(paged->dual && whole->dual);
    EXPECT_LE(*paged->dual, whole->primal) << flags[1];
    EXPECT_LE(*whole->dual, paged->primal) << flags[1];
    if (flags[1] == "pegasos") continue;
    EXPECT_NEAR(paged->primal, whole->primal, 0.02 * whole->primal) << flags[1];
  }
}

// Folds are copies of the rows: they go into files without names.
TEST(LargeData, FoldsMapsAndProbabilitiesKeepToTheLimit) {
  const TemporaryFolder folder;
  const auto data = large_text(folder);
  const auto model = folder.path("a.model");
  EXPECT_EXIT_CODE(
      0, pegasos({"train", data, model, "--memory", "64M", "--probability", "--tol", "0.1", "-q"}));
  EXPECT_FALSE(base_of(load_model(model)).calibrations.empty());
  const auto mapped =
      pegasos({"train", data, model, "--memory", "64M", "--kernel", "rbf", "--gamma", "1",
               "--approx", "rff", "--components", "32", "--scale", "maxabs", "--json"});
  EXPECT_EXIT_CODE(0, mapped);
  const auto folds = pegasos({"train", data, "-v", "2", "--tol", "0.1", "--memory", "64M"});
  EXPECT_EXIT_CODE(0, folds);
  EXPECT_TRUE(contains(folds.err, "rows stay in")) << folds.err;
  const auto search = pegasos({"tune", data, "--lambdas", "1e-2,1e-3", "--holdout", "0.3",
                               "--memory", "64M", "--threads", "2"});
  EXPECT_EXIT_CODE(0, search);
  EXPECT_TRUE(contains(search.out, "--memory 67108864")) << search.out;
  EXPECT_LE(largest_child_megabytes(), 64);
  const auto whole = pegasos({"train", data, model, "--kernel", "rbf", "--gamma", "1", "--approx",
                              "rff", "--components", "32", "--scale", "maxabs", "--json", "-q"});
  EXPECT_NEAR(objective_in(mapped.out), objective_in(whole.out), 1e-3 * objective_in(whole.out));
  EXPECT_EQ(files_in(folder.path("")),
            (std::vector<std::string>{"a.model", "large.svm", "large.svm.cache.pgd"}));
}

TEST(LargeData, ADamagedOrOutdatedCacheIsMadeAnew) {
  const TemporaryFolder folder;
  const auto data = large_text(folder);
  const auto cache = data + ".cache.pgd";
  const std::vector<std::string> line = {"train",    data,           folder.path("a.model"),
                                         "--memory", "56M",          "--solver",
                                         "pegasos",  "--max-epochs", "1"};
  EXPECT_EXIT_CODE(0, pegasos(line));
  std::string bytes = contents_of(cache);
  bytes[40] = static_cast<char>(bytes[40] ^ 1);  // in the table
  folder.file("large.svm.cache.pgd", bytes);
  EXPECT_EXIT_CODE(0, pegasos(line));
  bytes = contents_of(cache);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);  // in the rows
  folder.file("large.svm.cache.pgd", bytes);
  const auto damaged = pegasos(line);
  EXPECT_EXIT_CODE(3, damaged);
  EXPECT_TRUE(contains(damaged.err, "is damaged")) << damaged.err;
  EXPECT_TRUE(contains(damaged.err, "rm ")) << damaged.err;
  folder.file("large.svm", contents_of(data) + "1 1:1\n");
  EXPECT_EXIT_CODE(0, pegasos(line));
  EXPECT_EQ(base_of(load_model(folder.path("a.model"))).record.rows, 40'001U);
}

TEST(LargeData, PipesGoThroughFilesWithoutNames) {
  const TemporaryFolder folder;
  const auto data = large_text(folder);
  const auto result = pegasos({"train", "-", "a.model", "--memory", "56M", "--tol", "1e-2"},
                              {.input = contents_of(data), .folder = folder.path("")});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_TRUE(contains(result.err, "rows stay in the file")) << result.err;
  EXPECT_EQ(files_in(folder.path("")), (std::vector<std::string>{"a.model", "large.svm"}));
}

// A disk that is full while rows are put into files: a limit for files stands for it.
TEST(LargeData, ADiskThatIsFullEndsInAMessage) {
  const TemporaryFolder folder;
  const auto data = large_text(folder);
  const auto small = folder.file("small.svm", "1 1:1\n-1 2:1\n");
  EXPECT_EXIT_CODE(0, pegasos({"train", small, folder.path("a.model"), "-q"}));
  const std::string old = contents_of(folder.path("a.model"));
  for (const bool piped : {true, false}) {
    const auto result = pegasos({"train", piped ? "-" : data, "a.model", "--memory", "56M"},
                                {.input = piped ? contents_of(data) : "",
                                 .folder = folder.path(""),
                                 .file_size_limit = std::uint64_t{4} << 20});
    EXPECT_EXIT_CODE(5, result);
    EXPECT_TRUE(contains(result.err, piped ? "not enough disk space" : "cannot be cached"))
        << result.err;
    EXPECT_TRUE(contains(result.err, "--cache-dir")) << result.err;
    EXPECT_EQ(contents_of(folder.path("a.model")), old);
    EXPECT_EQ(files_in(folder.path("")),
              (std::vector<std::string>{"a.model", "large.svm", "small.svm"}));
  }
}

TEST(LargeData, InterruptedWhileTheCacheIsMadeLeavesNothing) {
  const TemporaryFolder folder;
  const auto data = large_text(folder);
  const auto start = std::chrono::steady_clock::now();
  const auto result = pegasos({"train", data, folder.path("a.model"), "--memory", "56M"},
                              {.signal_when =
                                   [start] {
                                     return std::chrono::steady_clock::now() - start >
                                            std::chrono::milliseconds(kIsSanitized ? 600 : 60);
                                   },
                               .signals = {SIGINT}});
  if (result.exit_code == 0) return;  // it was done before
  EXPECT_EXIT_CODE(130, result);
  for (const auto& name : files_in(folder.path(""))) EXPECT_FALSE(name.ends_with(".tmp")) << name;
}

TEST(LargeData, WhatCannotFitIsRefusedWithTheWayOut) {
  const TemporaryFolder folder;
  const auto data = large_text(folder);
  const auto model = folder.path("a.model");
  const auto tight = pegasos({"train", data, model, "--memory", "30M"});
  EXPECT_EXIT_CODE(1, tight);
  EXPECT_TRUE(contains(tight.err, "learn from a stream")) << tight.err;
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--kernel", "rbf"}, {"--multiclass", "joint"}}) {
    std::vector<std::string> line = {"train", data, model, "--memory", "56M"};
    line.insert(line.end(), flags.begin(), flags.end());
    const auto refused = pegasos(line);
    EXPECT_EXIT_CODE(2, refused) << flags[0];
    EXPECT_TRUE(contains(refused.err, "larger than the limit")) << refused.err;
  }
  EXPECT_FALSE(std::filesystem::exists(data + ".cache.pgd"));  // nobody would use it
  const auto folderless =
      pegasos({"train", data, model, "--memory", "56M", "--cache-dir", folder.path("none")});
  EXPECT_EXIT_CODE(2, folderless);
  EXPECT_FALSE(std::filesystem::exists(model));
}

}  // namespace
}  // namespace pegasos::testing
