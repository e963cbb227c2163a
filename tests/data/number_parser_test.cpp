// Decimal text to float and double: the same bits as the C library, for all text it accepts.
#include "data/number_parser.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/random.h"

namespace pegasos {
namespace {

const std::string kPadding(64, '\0');

// The fast path where it answers, else the general one.
bool parse(const std::string& text, float& out) {
  const std::string padded = text + "\n" + kPadding;
  const char* after = parse_float_fast(padded.data(), out);
  NumberProblem problem = NumberProblem::none;
  if (after == nullptr) {
    after = parse_number(padded.data(), padded.data() + text.size() + 1, out, problem);
  }
  return after == padded.data() + text.size();
}

::testing::AssertionResult same_as_strtof(const std::string& text) {
  float ours = 0.0F;
  if (!parse(text, ours)) return ::testing::AssertionFailure() << "refused " << text;
  const float theirs = std::strtof(text.c_str(), nullptr);
  if (std::bit_cast<std::uint32_t>(ours) != std::bit_cast<std::uint32_t>(theirs)) {
    return ::testing::AssertionFailure() << text << " gave " << ours << ", not " << theirs;
  }
  return ::testing::AssertionSuccess();
}

TEST(NumberParser, MatchesTheLibraryOnChosenText) {
  for (const char* text : {"0",
                           "-0",
                           "+0",
                           "1",
                           "-1",
                           "7.",
                           ".5",
                           "0.1",
                           "0.3",
                           "1e0",
                           "1e-0",
                           "1E+5",
                           "9999999",
                           "16777216",
                           "16777217",
                           "16777219",
                           "0.000001",
                           "123456.789",
                           "3.4028234e38",
                           "1.17549435e-38",
                           "1e-45",
                           "1.4e-45",
                           "7e-46",
                           "1e-300",
                           "2.2250738585072014e-308",
                           "00012.50",
                           "1.5e-00007",
                           "8388608.5",
                           "8388609.5",
                           "0.50000002980232238769531250",
                           "0.5000000298023224",
                           "1.0000000596046448",
                           "12345678.9",
                           "0.12345678901234567890123",
                           "99999999.99999999"}) {
    EXPECT_TRUE(same_as_strtof(text));
  }
}

TEST(NumberParser, MatchesTheLibraryOnRandomDecimals) {
  Random random(7, 0);
  for (int i = 0; i < 300000; ++i) {
    std::string text = random.below(2) == 0 ? "-" : "";
    const auto whole = random.below(10);
    const auto tenths = random.below(18);
    for (std::uint64_t j = 0; j < whole; ++j) text += static_cast<char>('0' + random.below(10));
    if (tenths > 0) text += '.';
    for (std::uint64_t j = 0; j < tenths; ++j) text += static_cast<char>('0' + random.below(10));
    if (whole + tenths == 0) text += '0';
    if (random.below(3) == 0) {
      text += "e" + std::to_string(static_cast<int>(random.below(70)) - 45);
    }
    if (std::isinf(std::strtof(text.c_str(), nullptr))) continue;
    ASSERT_TRUE(same_as_strtof(text));
  }
}

// Doubles that lie exactly between two floats are where rounding twice goes wrong.
TEST(NumberParser, RoundsOnceNearHalfwayPoints) {
  Random random(8, 0);
  for (int i = 0; i < 100000; ++i) {
    const auto bits = static_cast<std::uint32_t>(0x3f000000 + random.below(0x02000000));
    const double low = std::bit_cast<float>(bits);
    const double high = std::bit_cast<float>(bits + 1);
    const double half = (low + high) / 2;
    char text[64];
    for (const int digits : {10, 15, 17, 20, 26}) {
      std::snprintf(text, sizeof text, "%.*f", digits, half);
      ASSERT_TRUE(same_as_strtof(text));
    }
  }
}

TEST(NumberParser, RefusesWhatIsNotANumber) {
  for (const char* text :
       {"",         "+",    "-",     ".",     "-.",
        "e5",       "abc",  "0x1p3", "1e",    "1e+",
        "--1",      "+-1",  "1.2.3", "1,5",   "1_0",
        " 1",       "1 ",   "nan",   "inf",   "-inf",
        "Infinity", "1e39", "-1e39", "1e400", "340282356779733661637539395458142568448"}) {
    float value = 0.0F;
    EXPECT_FALSE(parse(text, value)) << text;
  }
}

TEST(NumberParser, SaysWhatIsWrong) {
  const auto problem_of = [](const std::string& text) {
    const std::string padded = text + "\n" + kPadding;
    float value = 0.0F;
    NumberProblem problem = NumberProblem::none;
    parse_number(padded.data(), padded.data() + text.size() + 1, value, problem);
    return problem;
  };
  EXPECT_EQ(problem_of("NaN"), NumberProblem::not_finite);
  EXPECT_EQ(problem_of("-INF"), NumberProblem::not_finite);
  EXPECT_EQ(problem_of("1e39"), NumberProblem::too_large);
  EXPECT_EQ(problem_of("x"), NumberProblem::not_a_number);
  EXPECT_EQ(problem_of("1e-60"), NumberProblem::none);
}

TEST(NumberParser, ReadsEveryFloatItIsShownInFull) {
  EXPECT_TRUE(rc::check("%.9g round trip", [](std::uint32_t bits) {
    const float value = std::bit_cast<float>(bits);
    RC_PRE(std::isfinite(value));
    char text[64];
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
    float back = 0.0F;
    RC_ASSERT(parse(text, back));
    RC_ASSERT(std::bit_cast<std::uint32_t>(back) == bits);
  }));
}

}  // namespace
}  // namespace pegasos
