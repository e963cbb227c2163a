// train --stream: constant memory, the library's result, saved models after signals and bad rows,
// and what a stream refuses.
#include "pegasos/stream.h"

#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/pegasos_program.h"
#include "pegasos/model.h"
#include "pegasos/online.h"
#include "pegasos/read.h"

namespace pegasos::testing {
namespace {

std::string generated(const TemporaryFolder& folder, const std::string& rows,
                      const std::string& kind = "text") {
  const auto path = folder.path(kind + rows + ".svm");
  EXPECT_EXIT_CODE(
      0, pegasos({"generate", "--kind", kind, "--rows", rows, "--seed", "3", "-o", path, "-q"}));
  return path;
}

TEST(StreamCommand, HasTheResultOfTheLibrary) {
  const TemporaryFolder folder;
  const auto data = generated(folder, "3000");
  const auto piped = folder.path("piped.model");
  EXPECT_EXIT_CODE(0, pegasos({"train", "-", piped, "--stream"}, {.input = contents_of(data)}));
  const auto named = folder.path("named.model");
  const auto result = pegasos({"train", data, named, "--stream"});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_TRUE(contains(result.err, "no certificate")) << result.err;
  EXPECT_TRUE(contains(result.err, "2,") && contains(result.err, "since the last line"));
  EXPECT_TRUE(contents_of(piped) == contents_of(named)) << "how input is cut must not matter";
  const Streamed library = train_stream(data, {}, {});
  const auto& expected = std::get<LinearModel>(library.model);
  const auto found = std::get<LinearModel>(load_model(named));
  EXPECT_EQ(expected.w, found.w);
  EXPECT_EQ(expected.b, found.b);
  EXPECT_FALSE(found.certificate);
  ASSERT_TRUE(found.record.stream);
  EXPECT_EQ(found.record.stream->weight, 3000.0);
}

TEST(StreamCommand, IsTheOnlineLearnerOnTheWholeFile) {
  const TemporaryFolder folder;
  const auto data = generated(folder, "1500");
  const Streamed streamed = train_stream(data, {}, {.lambda = 1e-3});
  const auto rows = read_dataset(data).data;
  OnlineOptions options;
  options.classes = {-1.0, 1.0};
  options.lambda = 1e-3;
  const double counted = base_of(streamed.model).record.stream->counted;
  OnlineLearner learner(rows.shared_schema(), options, nullptr, counted - 1500.0);
  learner.learn(rows);
  const auto expected = std::get<LinearModel>(learner.model());
  const auto& found = std::get<LinearModel>(streamed.model);
  ASSERT_EQ(expected.w.size(), found.w.size());
  for (std::size_t j = 0; j < found.w.size(); ++j) EXPECT_NEAR(expected.w[j], found.w[j], 1e-9);
  EXPECT_NEAR(learner.progressive().mean_loss(), streamed.progress.progressive.mean_loss(), 1e-9);
  // Each row is predicted before it is learned from: what is counted is what a second learner, one
  // row behind, would have said.
  OnlineLearner behind(rows.shared_schema(), options, nullptr, counted - 1500.0);
  double wrong = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const Model before = behind.model();
    const double score = decisions(before, rows.slice(i, 1), 1).front();
    wrong += (score > 0.0 ? 1.0 : -1.0) == rows.label(i) ? 0.0 : 1.0;
    behind.learn(rows.slice(i, 1));
  }
  EXPECT_EQ(behind.progressive().error, wrong);
}

TEST(StreamCommand, NeedsNoMoreMemoryForMoreRows) {
  const TemporaryFolder folder;
  // The largest resident set, in KiB, of any process that was waited for so far.
  const auto peak_after = [&](const std::string& rows) {
    const std::string program = PEGASOS_PROGRAM;
    const auto result =
        run_program("/bin/bash",
                    {"-c", program + " generate --kind blobs --threads 1 --rows " + rows + " | " +
                               program + " train - m.model --stream -q"},
                    {.folder = folder.path("")});
    EXPECT_EXIT_CODE(0, result);
    rusage usage = {};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    return usage.ru_maxrss;
  };
  const long few = peak_after("20k");
  EXPECT_LT(peak_after("400k"), few + 4096);  // the rows would take 50 MB
}

TEST(StreamCommand, SigtermSavesAUsableModel) {
  const TemporaryFolder folder;
  const auto data = generated(folder, "3000");
  const auto model = folder.path("m.model");
  for (const int signal : {SIGTERM, SIGINT}) {
    const auto start = std::chrono::steady_clock::now();
    const auto result = pegasos({"train", "-", model, "--stream", "--sample", "10k"},
                                {.input = contents_of(data),
                                 .keep_input_open = true,
                                 .signal_when =
                                     [start] {
                                       return std::chrono::steady_clock::now() - start >
                                              std::chrono::milliseconds(700);
                                     },
                                 .signals = {signal},
                                 .timeout = std::chrono::seconds(20)});
    EXPECT_EXIT_CODE(128 + signal, result);
    EXPECT_TRUE(contains(result.err, "the model was saved")) << result.err;
    EXPECT_TRUE(contains(result.err, "--continue")) << result.err;
  }
  EXPECT_TRUE(base_of(load_model(model)).record.interrupted);
  const auto evaluated = pegasos({"evaluate", data, model, "--json"});
  EXPECT_EXIT_CODE(0, evaluated);
  EXPECT_GT(nlohmann::json::parse(evaluated.out)["accuracy"].get<double>(), 0.8);
}

TEST(StreamCommand, TwoSignalsOfOneTimeoutAreOneRequest) {
  const TemporaryFolder folder;
  const auto data = generated(folder, "3000");
  const auto result =
      run_program("/bin/bash",
                  {"-c", "(cat " + data + "; sleep 3) | timeout -s TERM 1 " + PEGASOS_PROGRAM +
                             " train - m.model --stream --sample 10k"},
                  {.folder = folder.path(""), .timeout = std::chrono::seconds(20)});
  EXPECT_TRUE(contains(result.err, "the model was saved")) << result.err;
}

TEST(StreamCommand, SavesEverySoOften) {
  const TemporaryFolder folder;
  const auto data = generated(folder, "3000");
  const auto model = folder.path("m.model");
  const auto result =
      pegasos({"train", "-", model, "--stream", "--sample", "10k", "--save-every", "0.1"},
              {.input = contents_of(data),
               .keep_input_open = true,
               .signal_when = [&] { return std::filesystem::exists(model); },
               .signals = {SIGKILL},
               .timeout = std::chrono::seconds(20)});
  EXPECT_FALSE(result.timed_out);
  EXPECT_NO_THROW(load_model(model));
}

TEST(StreamCommand, ContinuesWithNewRowsAndNewFeatures) {
  const TemporaryFolder folder;
  const auto data = contents_of(generated(folder, "1999")) + "1 60000:1\n";
  const std::size_t half = data.find('\n', data.size() / 2) + 1;
  const auto first = folder.file("a.svm", data.substr(0, half));
  const auto second = folder.file("b.svm", data.substr(half));
  const auto whole = folder.file("c.svm", data);
  const auto model = folder.path("m.model");
  EXPECT_EXIT_CODE(0, pegasos({"train", first, model, "--stream", "--sample", "10k"}));
  const std::uint64_t before = std::get<LinearModel>(load_model(model)).w.size();
  EXPECT_EXIT_CODE(0, pegasos({"train", second, model, "--stream", "--continue", model}));
  EXPECT_EXIT_CODE(
      0, pegasos({"train", whole, folder.path("w.model"), "--stream", "--sample", "10k"}));
  const auto parts = std::get<LinearModel>(load_model(model));
  const auto at_once = std::get<LinearModel>(load_model(folder.path("w.model")));
  EXPECT_GT(parts.w.size(), before);
  ASSERT_EQ(parts.w.size(), at_once.w.size());
  for (std::size_t j = 0; j < parts.w.size(); ++j) EXPECT_NEAR(parts.w[j], at_once.w[j], 1e-9);
  EXPECT_EQ(parts.record.rows, 2000U);
  EXPECT_NEAR(parts.record.stream->loss, at_once.record.stream->loss, 1e-6);
  // And a certified model goes on as well.
  EXPECT_EXIT_CODE(0, pegasos({"train", first, folder.path("b.model"), "-q"}));
  EXPECT_EXIT_CODE(0, pegasos({"train", second, folder.path("n.model"), "--stream", "--continue",
                               folder.path("b.model")}));
  EXPECT_FALSE(certificate_of(load_model(folder.path("n.model"))));
}

TEST(StreamCommand, ReportsABadRowWithItsLineAndKeepsTheRowsAbove) {
  const TemporaryFolder folder;
  const auto data = contents_of(generated(folder, "2000"));
  const auto bad = folder.file("bad.svm", data + "1 3:abc\n" + data);
  const auto model = folder.path("m.model");
  const auto result = pegasos({"train", bad, model, "--stream", "--sample", "10k"});
  EXPECT_EXIT_CODE(3, result);
  EXPECT_TRUE(contains(result.err, "bad.svm:2001:5: value 'abc'")) << result.err;
  EXPECT_TRUE(contains(result.err, "the model of the rows above was saved")) << result.err;
  EXPECT_EQ(base_of(load_model(model)).record.rows, 2000U);
  const auto skipped =
      pegasos({"train", bad, model, "--stream", "--sample", "10k", "--on-error", "skip"});
  EXPECT_EXIT_CODE(0, skipped);
  EXPECT_TRUE(contains(skipped.err, "1 row could not be read, the first at line 2001"))
      << skipped.err;
  EXPECT_EQ(base_of(load_model(model)).record.rows, 4000U);
}

TEST(StreamCommand, NamesALabelThatIsNoneOfTheClasses) {
  const TemporaryFolder folder;
  const auto data = contents_of(generated(folder, "1000")) + "7 3:1\n1 2:1\n";
  const auto path = folder.file("a.svm", data);
  const auto model = folder.path("m.model");
  const auto result = pegasos({"train", path, model, "--stream", "--sample", "10k"});
  EXPECT_EXIT_CODE(3, result);
  EXPECT_TRUE(contains(result.err, "row 1,001 has the label 7")) << result.err;
  EXPECT_EQ(base_of(load_model(model)).record.rows, 1000U);
  EXPECT_EXIT_CODE(
      0, pegasos({"train", path, model, "--stream", "--sample", "10k", "--on-error", "skip"}));
  EXPECT_EQ(base_of(load_model(model)).record.rows, 1001U);
  EXPECT_EXIT_CODE(0, pegasos({"train", path, model, "--stream", "--classes=-1,1,7"}));
  EXPECT_EQ(std::get<MulticlassModel>(load_model(model)).classes.size(), 3U);
}

// A stream may begin with many rows of one class, when it is sorted by label.
TEST(StreamCommand, OneLabelInTheSampleAsksForTheClasses) {
  const TemporaryFolder folder;
  const auto model = folder.path("m");
  std::string sorted;
  for (int i = 0; i < 200; ++i) sorted += "1 1:1 2:0.5\n";
  const auto refused = pegasos({"train", "-", model, "--stream"}, {.input = sorted});
  EXPECT_EXIT_CODE(2, refused);
  EXPECT_TRUE(contains(refused.err, "have only one label")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "--classes")) << refused.err;
  for (int i = 0; i < 200; ++i) sorted += "-1 2:1 3:1\n";
  EXPECT_EXIT_CODE(
      0, pegasos({"train", "-", model, "--stream", "--classes", "1,-1", "--sample", "100"},
                 {.input = sorted}));
  EXPECT_EQ("1\n-1\n", pegasos({"predict", "-", model}, {.input = "0 1:1\n0 3:1\n"}).out);
}

TEST(StreamCommand, HashesTextAndIgnoresCategoriesNotInTheSample) {
  const TemporaryFolder folder;
  std::ostringstream table;
  table << "label,city,text\n";
  for (int i = 0; i < 400; ++i) {
    const bool spam = i % 3 == 0;
    table << (spam ? "spam" : "ham") << ',' << (i < 300 ? (i % 2 == 0 ? "Rome" : "Oslo") : "Lima")
          << ',' << (spam ? "win a prize now call " : "see you at home for dinner ") << "word"
          << i % 50 << '\n';
  }
  const auto path = folder.file("a.csv", table.str());
  const auto model = folder.path("m.model");
  const auto result = pegasos({"train", path, model, "--stream", "--sample", "8k", "--column",
                               "text=text", "--hash-bits", "10"});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_TRUE(contains(result.err, "100 words not seen in training (ignored)")) << result.err;
  const auto schema = base_of(load_model(model)).schema;
  EXPECT_EQ(schema->csv->columns[2].features(), 1024U);
  const auto predicted = pegasos({"predict", path, model});
  EXPECT_EXIT_CODE(0, predicted);
  EXPECT_EQ(predicted.out.substr(0, 12), "spam\nham\nham");
}

TEST(StreamCommand, RefusesWhatAStreamCannotDo) {
  const TemporaryFolder folder;
  const auto data = generated(folder, "200");
  const std::vector<std::vector<std::string>> refused = {{"-c", "1"},
                                                         {"--kernel", "rbf"},
                                                         {"--test", data},
                                                         {"-v", "5"},
                                                         {"--scale", "standard"},
                                                         {"--balanced"},
                                                         {"--solver", "newton"},
                                                         {"--classes", "1,2,x"},
                                                         {"--lambda", "auto"},
                                                         {"--bias", "exact"},
                                                         {"--resume"}};
  for (const auto& flags : refused) {
    std::vector<std::string> line = {"train", data, folder.path("m.model"), "--stream"};
    line.insert(line.end(), flags.begin(), flags.end());
    EXPECT_EXIT_CODE(2, pegasos(line)) << flags.front();
  }
  EXPECT_EXIT_CODE(2, pegasos({"train", data, folder.path("m.model"), "--save-every", "3"}));
  EXPECT_FALSE(std::filesystem::exists(folder.path("m.model")));
}

}  // namespace
}  // namespace pegasos::testing
