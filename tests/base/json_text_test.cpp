#include "base/json_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace pegasos {
namespace {

TEST(JsonText, KeepsTheOrderOfNamesAndTheKindOfNumbers) {
  Json json = {{"zeta", 1}, {"alpha", 1.0}, {"wide", std::numeric_limits<std::uint64_t>::max()}};
  json["low"] = std::numeric_limits<std::int64_t>::min();
  json["yes"] = true;
  json["nothing"] = nullptr;
  EXPECT_EQ(json.one_line(),
            R"({"zeta":1,"alpha":1.0,"wide":18446744073709551615,"low":-9223372036854775808,)"
            R"("yes":true,"nothing":null})");
}

TEST(JsonText, TellsObjectsFromArrays) {
  EXPECT_EQ(Json({{"a", 1}}).one_line(), R"({"a":1})");
  EXPECT_EQ(Json({1, 2}).one_line(), "[1,2]");
  EXPECT_EQ(Json({{1, 2}, {3, 4}}).one_line(), "[[1,2],[3,4]]");
  EXPECT_EQ(Json::array().one_line(), "[]");
  EXPECT_EQ(Json::object().one_line(), "{}");
  EXPECT_EQ(Json(std::vector<std::string>{"a", "b"}).one_line(), R"(["a","b"])");
}

TEST(JsonText, GrowsWhereItIsAsked) {
  Json json;
  EXPECT_TRUE(json.is_null());
  json["list"].push_back(1);
  json["list"].push_back({{"b", 2}});
  json["deep"]["er"] = "x";
  json.update({{"deep", 3}, {"new", 4}});
  EXPECT_EQ(json.one_line(), R"({"list":[1,{"b":2}],"deep":3,"new":4})");
}

TEST(JsonText, WritesWhatIsNoTextOrNumberHarmlessly) {
  EXPECT_EQ(Json("a\xff\n\"").one_line(), "\"a\xef\xbf\xbd\\n\\\"\"");
  EXPECT_EQ(Json(std::numeric_limits<double>::quiet_NaN()).one_line(), "null");
  EXPECT_EQ(Json({{"a", 1}}).text(), "{\n  \"a\": 1\n}\n");
  EXPECT_EQ(Json({{"a", {1, {{"b", Json::array()}}}}}).text(),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ]\n}\n");
}

}  // namespace
}  // namespace pegasos
