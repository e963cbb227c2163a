// --checkpoint and --resume as a user meets them. tests/campaigns/kill ends runs at random moments.
#include <csignal>

#include "cli/pegasos_program.h"

namespace pegasos::testing {
namespace {

std::vector<std::string> long_run(const TemporaryFolder& folder) {
  return {"train",
          folder.path("a.svm"),
          folder.path("a.model"),
          "--solver",
          "pegasos",
          "--tol",
          "0",
          "--max-epochs",
          "3M",
          "--checkpoint",
          folder.path("c"),
          "--checkpoint-every",
          "0"};
}

// A run that would take minutes, stopped when its first checkpoint is there.
RunResult stop_run(const TemporaryFolder& folder, int signal) {
  folder.file("a.svm", kSmallData);
  return pegasos(long_run(folder),
                 {.signal_when = [&] { return std::filesystem::exists(folder.path("c")); },
                  .signals = {signal}});
}

TEST(Checkpoint, ASignalSavesItAndSaysHowToGoOn) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder;
    const RunResult result = stop_run(folder, signal);
    EXPECT_EXIT_CODE(128 + signal, result);
    EXPECT_TRUE(contains(result.err, "the current model was saved")) << result.err;
    EXPECT_TRUE(contains(result.err, "c; to resume:\n  pegasos train " + folder.path("a.svm")))
        << result.err;
    EXPECT_TRUE(contains(result.err, "--checkpoint-every 0 --resume\n")) << result.err;
    EXPECT_EQ((std::vector<std::string>{"a.model", "a.svm", "c"}), files_in(folder.path("")));
  }
}

// Where there is no result yet, the checkpoint is all that was written, and is not called nothing.
TEST(Checkpoint, OfASearchIsNamedWhereNothingElseWasWritten) {
  const TemporaryFolder folder;
  const auto data = folder.file("a.svm", std::string(kSmallData) + kSmallData);
  const RunResult first =
      pegasos({"tune", data, "--solver", "pegasos", "--tol", "0", "--max-epochs", "300M",
               "--lambdas", "0.1,0.01", "--folds", "2", "--checkpoint", folder.path("c"),
               "--checkpoint-every", "0", "--json"},
              {.signal_when = [&] { return std::filesystem::exists(folder.path("c")); },
               .signals = {SIGINT}});
  EXPECT_EXIT_CODE(130, first);
  EXPECT_FALSE(contains(first.err, "no file was written")) << first.err;
  EXPECT_TRUE(contains(first.err, "only the checkpoint '" + folder.path("c") + "' was written"))
      << first.err;
  EXPECT_TRUE(contains(first.err, "to resume: pegasos tune " + data)) << first.err;
  EXPECT_TRUE(contains(first.err, "--checkpoint-every 0 --json --resume\n")) << first.err;
  EXPECT_TRUE(contains(first.out, "\"checkpoint\": \"" + folder.path("c"))) << first.out;
}

TEST(Checkpoint, OfAnotherRunIsRefusedByName) {
  const TemporaryFolder folder;
  stop_run(folder, SIGTERM);
  auto resume = long_run(folder);
  resume.push_back("--resume");
  auto other = resume;
  other.insert(other.end(), {"--lambda", "0.5"});
  const RunResult options = pegasos(other);
  EXPECT_EXIT_CODE(2, options);
  EXPECT_TRUE(contains(options.err, "different options")) << options.err;
  EXPECT_TRUE(contains(options.err, "this run uses --lambda 0.5")) << options.err;
  folder.file("a.svm", std::string(kSmallData) + "+1 1:7\n");
  const RunResult data = pegasos({"train", folder.path("a.svm"), folder.path("a.model"), "--lambda",
                                  "0.333", "--checkpoint", folder.path("c"), "--resume"});
  EXPECT_EXIT_CODE(2, data);
  folder.file("c", contents_of(folder.path("c")).substr(0, 300));
  const RunResult damaged = pegasos(resume);
  EXPECT_NE(damaged.exit_code, 0);
  EXPECT_TRUE(contains(damaged.err, "truncated")) << damaged.err;
}

TEST(Checkpoint, IsNotTakenForAnotherFile) {
  const TemporaryFolder folder;
  const auto data = folder.file("a.svm", kSmallData);
  const auto other = folder.file("notes.txt", "mine");
  const RunResult result = pegasos({"train", data, folder.path("m"), "--checkpoint", other});
  EXPECT_EXIT_CODE(2, result);
  EXPECT_EQ(contents_of(other), "mine");
  EXPECT_EXIT_CODE(2, pegasos({"train", data, folder.path("m"), "--checkpoint", data}));
}

TEST(Checkpoint, WithoutOneResumeBegins) {
  const TemporaryFolder folder;
  const auto data = folder.file("a.svm", kSmallData);
  const RunResult result = pegasos({"train", data, folder.path("m"), "--resume"});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_TRUE(contains(result.err, "there is no checkpoint")) << result.err;
  EXPECT_EQ((std::vector<std::string>{"a.svm", "m"}), files_in(folder.path("")));
}

// A full disk costs the checkpoint, not the run.
TEST(Checkpoint, ThatCannotBeWrittenEndsNothing) {
  const TemporaryFolder folder;
  const auto data = folder.file("a.svm", kSmallData);
  const RunResult result = pegasos({"train", data, folder.path("m"), "--checkpoint",
                                    folder.path("no/where/c"), "--checkpoint-every", "0"});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_TRUE(contains(result.err, "note: no checkpoint was written: ")) << result.err;
}

}  // namespace
}  // namespace pegasos::testing
