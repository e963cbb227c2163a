// pegasos report and --report: where the page goes and what is refused. What is on it is tested in
// a browser, by tests/report.
#include "cli/pegasos_program.h"

namespace pegasos::testing {
namespace {

class ReportCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    EXPECT_EXIT_CODE(0, pegasos({"generate", "--rows", "200", "-o", data_}));
    EXPECT_EXIT_CODE(0, pegasos({"train", data_, model_}));
  }

  const TemporaryFolder folder_;
  const std::string data_ = folder_.path("a.svm");
  const std::string model_ = folder_.path("a.model");
  const std::string page_ = folder_.path("a.html");
};

TEST_F(ReportCommand, WritesAPageAndSaysWhere) {
  const auto written = pegasos({"report", data_, model_, "-o", page_, "--json"});
  EXPECT_EXIT_CODE(0, written);
  EXPECT_TRUE(contains(written.err, "report       " + page_)) << written.err;
  EXPECT_TRUE(contains(written.out, "\"report\": \"" + page_)) << written.out;
  EXPECT_TRUE(contains(contents_of(page_), "<!doctype html>"));
  const auto streamed = pegasos({"report", data_, model_, "-o", "-"});
  EXPECT_EQ(contents_of(page_), streamed.out);
}

TEST_F(ReportCommand, RefusesWhatWouldLoseAFile) {
  const std::string before = contents_of(model_);
  EXPECT_EXIT_CODE(2, pegasos({"report", data_, model_, "-o", model_}));
  EXPECT_EXIT_CODE(2, pegasos({"report", data_, model_, "-o", data_}));
  EXPECT_EXIT_CODE(2, pegasos({"train", data_, model_, "--report", model_}));
  EXPECT_EXIT_CODE(2, pegasos({"train", data_, "-v", "3", "--report", page_}));
  EXPECT_EQ(contents_of(model_), before);
}

TEST_F(ReportCommand, SaysWhatIsMissing) {
  EXPECT_EXIT_CODE(2, pegasos({"report", data_}));
  EXPECT_EXIT_CODE(2, pegasos({"report", "-", model_, model_}));
  EXPECT_EXIT_CODE(5, pegasos({"report", data_, folder_.path("none.model")}));
  const auto unlabelled = pegasos({"report", "-", model_, "-o", page_}, {.input = "1:1\n2:1\n"});
  EXPECT_EXIT_CODE(3, unlabelled);
  EXPECT_TRUE(contains(unlabelled.err, "label")) << unlabelled.err;
}

}  // namespace
}  // namespace pegasos::testing
