// Options that do not go together, or stand in unusual places, are heeded or refused, never
// ignored.
#include "cli/pegasos_program.h"

namespace pegasos::testing {
namespace {

class Combinations : public ::testing::Test {
 protected:
  void SetUp() override {
    EXPECT_EXIT_CODE(0, pegasos({"generate", "--kind", "blobs", "--rows", "120", "-o", data_}));
  }

  const TemporaryFolder folder_;
  const std::string data_ = folder_.path("a.svm");
  const std::string model_ = folder_.path("a.model");
};

TEST_F(Combinations, ClassWeightsStandAnywhere) {
  EXPECT_EXIT_CODE(0, pegasos({"train", data_, model_, "-w1", "3"}));
  const std::string last = contents_of(model_);
  EXPECT_EXIT_CODE(0, pegasos({"train", "-w1", "3", data_, model_}));
  EXPECT_EQ(contents_of(model_), last);
  EXPECT_EXIT_CODE(0, pegasos({"train", data_, "-w1", "3", model_}));
  EXPECT_EQ(contents_of(model_), last);
}

TEST_F(Combinations, OptionsForTablesAreRefusedElsewhere) {
  for (const char* flag : {"--label", "--weight-column", "--ignore"}) {
    const auto refused = pegasos({"train", data_, model_, flag, "x"});
    EXPECT_EXIT_CODE(2, refused);
    EXPECT_TRUE(contains(refused.err, "is for CSV")) << refused.err;
  }
}

TEST_F(Combinations, ABiasOfTheStartIsLeftBehindWhereThereIsNone) {
  EXPECT_EXIT_CODE(0, pegasos({"train", data_, model_}));
  EXPECT_EXIT_CODE(0, pegasos({"train", data_, folder_.path("b.model"), "--bias", "none",
                               "--warm-start", model_}));
  EXPECT_EXIT_CODE(0, pegasos({"verify", data_, folder_.path("b.model")}));
}

TEST_F(Combinations, RowsWithSeveralLabelsAreMeasuredAndNotHalved) {
  const std::string sets =
      folder_.file("sets.svm", "1,2 1:1\n2 2:1\n1 1:2\n3 3:1\n1,3 1:1 3:1\n3 3:2\n");
  EXPECT_EXIT_CODE(2, pegasos({"train", sets, model_, "--positive", "1"}));
  EXPECT_EXIT_CODE(2, pegasos({"train", sets, model_, "--probability"}));
  EXPECT_EXIT_CODE(0, pegasos({"train", sets, model_, "-c", "100"}));
  const auto measured = pegasos({"evaluate", sets, model_});
  EXPECT_EXIT_CODE(0, measured);
  EXPECT_TRUE(contains(measured.out, "exact match")) << measured.out;
  EXPECT_TRUE(contains(measured.out, "100.00 %")) << measured.out;
}

TEST_F(Combinations, LabelsWithBlanksAreToldApartByTabs) {
  const std::string table =
      folder_.file("fish.csv",
                   "kind,x\ngreat fish,1\ncat,5\ngreat fish,2\ncat,6\ngreat fish,1.5\n"
                   "cat,5.5\ngreat fish,0.5\ncat,4.5\ngreat fish,1.1\ncat,5.1\n");
  EXPECT_EXIT_CODE(0, pegasos({"train", table, model_, "--label", "kind", "--probability"}));
  const auto said = pegasos({"predict", table, model_, "--probabilities"});
  EXPECT_TRUE(contains(said.out, "labels\tgreat fish\tcat\n")) << said.out;
  EXPECT_TRUE(contains(said.out, "\ncat\t")) << said.out;
}

}  // namespace
}  // namespace pegasos::testing
