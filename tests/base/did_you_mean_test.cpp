#include "base/did_you_mean.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace pegasos {
namespace {

// The definition, by recursion over the last letters; slow and obvious.
std::size_t naive_distance(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const auto shorter = [](const std::string& text, std::size_t by = 1) {
    return text.substr(0, text.size() - by);
  };
  std::size_t best = std::min(naive_distance(shorter(a), b), naive_distance(a, shorter(b))) + 1;
  const std::size_t change = a.back() == b.back() ? 0 : 1;
  best = std::min(best, naive_distance(shorter(a), shorter(b)) + change);
  if (a.size() > 1 && b.size() > 1 && a.back() == b[b.size() - 2] && a[a.size() - 2] == b.back()) {
    best = std::min(best, naive_distance(shorter(a, 2), shorter(b, 2)) + 1);
  }
  return best;
}

rc::Gen<std::string> short_word() {
  return rc::gen::mapcat(rc::gen::inRange(0, 6), [](int length) {
    return rc::gen::container<std::string>(length, rc::gen::elementOf(std::string("abc")));
  });
}

RC_GTEST_PROP(EditDistance, IsTheNaiveOne, ()) {
  const auto a = *short_word();
  const auto b = *short_word();
  RC_ASSERT(edit_distance(a, b) == naive_distance(a, b));
}

TEST(EditDistance, KnowsTheUsualSlips) {
  EXPECT_EQ(edit_distance("lambda", "lambda"), 0u);
  EXPECT_EQ(edit_distance("LAMBDA", "lambda"), 0u);
  EXPECT_EQ(edit_distance("lamda", "lambda"), 1u);
  EXPECT_EQ(edit_distance("lambdaa", "lambda"), 1u);
  EXPECT_EQ(edit_distance("lanbda", "lambda"), 1u);
  EXPECT_EQ(edit_distance("labmda", "lambda"), 1u);
  EXPECT_EQ(edit_distance("Labmda", "lAMbda"), 1u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);  // optimal string alignment; full Damerau says 2
  EXPECT_EQ(edit_distance("", "seed"), 4u);
  EXPECT_EQ(edit_distance("seed", ""), 4u);
}

const std::vector<std::string> kNames = {"train", "predict", "evaluate", "verify", "tune", "seed"};

TEST(ClosestName, FindsTheSlip) {
  EXPECT_EQ(closest_name("trian", kNames), "train");
  EXPECT_EQ(closest_name("predcit", kNames), "predict");
  EXPECT_EQ(closest_name("evalute", kNames), "evaluate");
  EXPECT_EQ(closest_name("TUNE", kNames), "tune");
}

TEST(ClosestName, LeavesOtherWordsAlone) {
  EXPECT_EQ(closest_name("banana", kNames), "");
  EXPECT_EQ(closest_name("", kNames), "");
  EXPECT_EQ(closest_name("train", {}), "");
  // Distance 2 of 5 letters is more than a third.
  EXPECT_EQ(closest_name("trxxn", kNames), "");
}

TEST(ClosestName, SingleLettersAreNoSlipsOfEachOther) {
  const std::vector<std::string> letters = {"c", "g"};
  EXPECT_EQ(closest_name("x", letters), "");
  EXPECT_EQ(closest_name("", letters), "");
  EXPECT_EQ(closest_name("cc", letters), "c");
}

TEST(ClosestName, TiesGoToTheFirst) {
  const std::vector<std::string> names = {"bat", "cat", "at"};
  EXPECT_EQ(closest_name("rat", names), "bat");
}

TEST(DidYouMean, IsASentenceOrNothing) {
  EXPECT_EQ(did_you_mean("sede", kNames), " Did you mean 'seed'?");
  EXPECT_EQ(did_you_mean("quux", kNames), "");
}

}  // namespace
}  // namespace pegasos
