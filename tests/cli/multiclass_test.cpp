// Many classes on the command line.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/pegasos_program.h"

namespace pegasos::testing {
namespace {

using nlohmann::json;

class Multiclass : public ::testing::Test {
 protected:
  Multiclass() {
    run({"generate", "--kind", "blobs", "--classes", "4", "--rows", "300", "--features", "5",
         "--seed", "3", "-o", path("data.svm")});
  }
  std::string path(const std::string& name) const { return folder_.path(name); }
  RunResult run(const std::vector<std::string>& arguments, int expected = 0) const {
    const RunResult result = pegasos(arguments, {});
    EXPECT_EXIT_CODE(expected, result);
    return result;
  }
  TemporaryFolder folder_;
};

TEST_F(Multiclass, TrainsPredictsEvaluatesInspectsAndVerifiesWithoutAFlag) {
  const auto trained = run({"train", path("data.svm"), path("m"), "--keep-dual"});
  EXPECT_TRUE(contains(trained.err, "4 classes (1, 2, 3, 4), one against the rest")) << trained.err;
  EXPECT_TRUE(contains(trained.err, "--multiclass ovr"));
  EXPECT_TRUE(contains(run({"predict", path("data.svm"), path("m"), path("out")}).err, "accuracy"));
  EXPECT_TRUE(contains(run({"evaluate", path("data.svm"), path("m")}).out, "true \\ predicted"));
  EXPECT_TRUE(contains(run({"inspect", path("m"), "--json"}).out, "worst_relative_gap"));
  EXPECT_TRUE(
      contains(run({"verify", path("data.svm"), path("m")}).out, "proven: all 4 classifiers"));
  // Where it is done, there is little to do.
  const auto steps = [&](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"train", path("data.svm"), path("n"), "--solver", "sdca", "--json", "-q"});
    return json::parse(run(std::move(more)).out)["training"]["steps"].get<int>();
  };
  EXPECT_LT(4 * steps({"--warm-start", path("m")}), steps({}));
  run({"train", path("data.svm"), path("t"), "--trace", path("trace")});
  const std::string trace = contents_of(path("trace"));
  EXPECT_TRUE(trace.starts_with("classifier,epoch,")) << trace;
  for (const char* of_class : {"\n1,", "\n2,", "\n3,", "\n4,"})
    EXPECT_TRUE(contains(trace, of_class));
}

TEST_F(Multiclass, BecomesAModelOfTheOtherProgramsAndBack) {
  run({"train", path("data.svm"), path("m")});
  run({"convert", path("m"), path("m.liblinear")});
  run({"predict", path("data.svm"), path("m"), path("a")});
  run({"predict", path("data.svm"), path("m.liblinear"), path("b")});
  EXPECT_EQ(contents_of(path("a")), contents_of(path("b")));
  run({"train", path("data.svm"), path("k"), "--kernel", "rbf", "--bias", "unregularised"});
  run({"convert", path("k"), path("k.libsvm")});
  run({"predict", path("data.svm"), path("k"), path("a")});
  run({"predict", path("data.svm"), path("k.libsvm"), path("b")});
  EXPECT_EQ(contents_of(path("a")), contents_of(path("b")));
}

TEST_F(Multiclass, WeightsOfClassesAreWrittenAsInLiblinear) {
  const auto one = run({"train", path("data.svm"), path("a"), "-w2", "3", "-w4", "0.5"});
  EXPECT_TRUE(contains(one.err, "--class-weight 2=3 --class-weight 4=0.5")) << one.err;
  run({"train", path("data.svm"), path("b"), "--balanced"});
  run({"train", path("data.svm"), path("b"), "-w9", "3"}, 2);
  std::string weights;
  for (int i = 0; i < 300; ++i) weights += i % 2 == 0 ? "1\n" : "2.5\n";
  folder_.file("weights", weights);
  run({"train", path("data.svm"), path("c"), "--weights", path("weights")});
  EXPECT_TRUE(contains(
      run({"verify", path("data.svm"), path("c"), "--weights", path("weights")}).out, "proven"));
  run({"verify", path("data.svm"), path("c")}, 6);
}

TEST_F(Multiclass, RowsWithSeveralLabelsArePredictedAsSuch) {
  folder_.file("sets", "1,3 1:1 3:1\n2 2:1\n4:1\n1 1:1\n3 3:1\n4:2\n");
  run({"train", path("sets"), path("m"), "-c", "100"});
  folder_.file("new", "1,2 1:1 2:1\n4:1\n3,1 3:1 1:1\n");
  const auto said = run({"predict", path("new"), path("m")});
  EXPECT_EQ("1,2\n\n1,3\n", said.out);
  EXPECT_TRUE(contains(said.err, "3 of 3")) << said.err;
}

}  // namespace
}  // namespace pegasos::testing
