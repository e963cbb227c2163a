// The doctor on small data with one trouble each, and on data without any.
#include "pegasos/doctor.h"

#include <gtest/gtest.h>

#include <string>

#include "pegasos/error.h"
#include "pegasos/feature_names.h"
#include "pegasos/read.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

Dataset data_of(const std::string& text, const ReadOptions& options = {}) {
  return read_dataset_from_memory(text, "data", options).data;
}

std::vector<std::string> names_of(const std::vector<Symptom>& symptoms) {
  std::vector<std::string> names;
  for (const auto& symptom : symptoms) names.push_back(name_of(symptom.kind));
  return names;
}

using Names = std::vector<std::string>;

TEST(Doctor, HealthyDataHasNothing) {
  EXPECT_TRUE(diagnose(data_of("1 1:1 2:3\n-1 1:2 2:1\n1 1:4 2:2\n")).empty());
}

TEST(Doctor, ScaleNamesTheLargeFeatures) {
  const auto found = diagnose(data_of("1 1:1 2:3 3:5e6\n-1 1:2 2:1 3:1e6\n"));
  ASSERT_EQ(names_of(found), Names{"scale"});
  EXPECT_EQ(found[0].severity, Severity::serious);
  EXPECT_EQ(found[0].count, 1U);
  EXPECT_EQ(found[0].of, 3U);
  EXPECT_EQ(found[0].examples, Names{"3 (up to 5e+06)"});
  EXPECT_EQ(found[0].remedy.settings, (std::vector<Setting>{{"scaling", "standard"}}));
  const auto slight = diagnose(data_of("1 1:1 2:3 3:500\n-1 1:2 2:1 3:100\n"));
  ASSERT_EQ(names_of(slight), Names{"scale"});
  EXPECT_EQ(slight[0].severity, Severity::slight);
}

TEST(Doctor, ConstantsAreColumnsNotIndicesThatNeverOccur) {
  const auto found = diagnose(data_of("1 1:1 2:7 9:1\n-1 1:2 2:7 9:2\n"));
  ASSERT_EQ(names_of(found), Names{"constant"});
  EXPECT_EQ(found[0].examples, Names{"2 (always 7)"});
  const auto table = diagnose(data_of("a,b,label\n1,0,1\n2,0,0\n"));
  ASSERT_EQ(names_of(table), Names{"constant"});
  EXPECT_EQ(table[0].examples, Names{"b (always 0)"});
}

TEST(Doctor, EqualRowsAndConflicts) {
  const auto found = diagnose(data_of("1 1:1\n1 2:3\n1 1:1\n-1 2:3\n-1 1:2\n"));
  ASSERT_EQ(names_of(found), (Names{"duplicate", "conflict"}));
  EXPECT_EQ(found[0].count, 2U);
  EXPECT_EQ(found[0].examples, (Names{"row 3 = row 1", "row 4 = row 2"}));
  EXPECT_EQ(found[1].count, 1U);
  EXPECT_EQ(found[1].of, 5U);
  EXPECT_EQ(found[1].examples, Names{"row 4 is -1, row 2 is 1"});
  EXPECT_EQ(found[1].finding, "1 of 5 rows is equal to an earlier row but labelled differently");
}

TEST(Doctor, NumbersToPredictDoNotConflict) {
  EXPECT_EQ(names_of(diagnose(data_of("1.5 1:1\n2.5 1:1\n3.5 1:2\n"))), Names{"duplicate"});
}

TEST(Doctor, RareClasses) {
  std::string text;
  for (int i = 1; i < 100; ++i) text += "-1 1:" + std::to_string(i) + "\n";
  EXPECT_EQ(names_of(diagnose(data_of(text + "1 1:0.5\n1 1:0.25\n"))), Names{});
  const auto found = diagnose(data_of(text + "1 1:0.5\n"));
  ASSERT_EQ(names_of(found), Names{"imbalance"});
  EXPECT_EQ(found[0].examples, Names{"1 (1 row)"});
}

TEST(Doctor, EmptyRows) {
  const auto found = diagnose(data_of("1 1:1\n-1\n-1\n1 1:2\n"));
  ASSERT_EQ(names_of(found), Names{"empty"});
  EXPECT_EQ(found[0].count, 2U);
  EXPECT_EQ(found[0].examples, (Names{"row 2", "row 3"}));
}

// The second row is the mean of the columns: zeros after scaling.
TEST(Doctor, MeanRowsOfScaledTablesAreNotEmpty) {
  ReadOptions options;
  options.table_scaling = TableScaling::standard;
  EXPECT_EQ(names_of(diagnose(data_of("a,b,y\n1,2,0\n3,4,1\n5,6,0\n", options))), Names{});
}

// Dense and sparse rows that say the same are equal.
TEST(Doctor, OverlapOfLayouts) {
  const Dataset data = data_of("1 1:1 2:2\n-1 1:3 2:1\n1 1:5 2:5\n");
  ReadOptions options;
  options.schema = data.shared_schema();
  options.keep_sparse = true;
  const Dataset test = data_of("-1 1:5 2:5\n1 1:9\n1\n", options);
  ASSERT_NE(data.is_dense(), test.is_dense());
  const auto found = diagnose(data, test);
  ASSERT_EQ(names_of(found), Names{"overlap"});
  EXPECT_EQ(found[0].count, 1U);
  EXPECT_EQ(found[0].of, 3U);
  EXPECT_EQ(found[0].examples, Names{"test row 1 = row 3"});
  EXPECT_THROW(diagnose(data, data_of("1 1:1\n")), InvalidOption);
}

TEST(Doctor, ExamplesAreLimitedAndThreadsChangeNothing) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "1 1:" + std::to_string(i % 5000 + 1) + " 2:1\n-1 2:2\n";
  const Dataset data = data_of(text);
  const auto one = diagnose(data, {.examples = 3, .threads = 1});
  const auto four = diagnose(data, {.examples = 3, .threads = 4});
  ASSERT_EQ(names_of(one), names_of(four));
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].finding, four[i].finding);
    EXPECT_EQ(one[i].examples, four[i].examples);
    EXPECT_LE(one[i].examples.size(), 3U);
  }
  EXPECT_EQ(one[0].count, 1U);  // scale comes first: feature 1 reaches 5000, feature 2 only 2
}

TEST(FeatureNames, NameTheFirstIndexFirst) {
  const testing::TemporaryFolder folder;
  const auto path = folder.file("names", "free\r\n  hello \nviagra\nextra");
  const auto names = read_feature_names(path);
  EXPECT_EQ(names, (Names{"free", "hello", "viagra", "extra"}));
  const Dataset data = data_of("1 1:1 3:1\n-1 2:1\n");
  const Dataset named = with_schema(data, with_feature_names(data.schema(), names));
  EXPECT_EQ(named.schema().feature_name(2), "viagra");
  // Indices that occur far apart: the name is that of the line, not of the place.
  Schema scattered;
  scattered.indices = IndexMap::of_seen(1, {2, 4});
  EXPECT_EQ(with_feature_names(scattered, names)->feature_name(1), "extra");
  EXPECT_THROW(with_feature_names(data.schema(), Names{"a", "b"}), InvalidOption);
  EXPECT_THROW(read_feature_names(folder.file("gap", "a\n\nb\n")), ParseError);
}

}  // namespace
}  // namespace pegasos
