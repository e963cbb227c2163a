#include "data/number_text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace pegasos {
namespace {

template <typename Number>
std::string text_of(Number number) {
  char text[kLongestNumber];
  char* const end = write_number(text, number);
  EXPECT_LE(end - text, static_cast<std::ptrdiff_t>(kLongestNumber));
  return {text, end};
}

std::size_t digits_in(const std::string& text) {
  std::string mantissa = text.substr(0, text.find('e'));
  std::erase_if(mantissa, [](char c) { return c < '0' || c > '9'; });
  mantissa.erase(0, mantissa.find_first_not_of('0'));
  while (!mantissa.empty() && mantissa.back() == '0') mantissa.pop_back();
  return mantissa.size();
}

// The C library's answer: the smallest precision that reads back.
std::size_t fewest_digits(double number, bool single) {
  for (int precision = 1;; ++precision) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*e", precision - 1, number);
    const bool same = single ? std::strtof(text, nullptr) == static_cast<float>(number)
                             : std::strtod(text, nullptr) == number;
    if (same) return digits_in(text);
  }
}

TEST(NumberText, WholeNumbersArePlain) {
  EXPECT_EQ(text_of(0.0F), "0");
  EXPECT_EQ(text_of(-0.0F), "-0");
  EXPECT_EQ(text_of(1.0F), "1");
  EXPECT_EQ(text_of(-1.0), "-1");
  EXPECT_EQ(text_of(9.0), "9");
  EXPECT_EQ(text_of(10.0F), "10");
  EXPECT_EQ(text_of(-12345.0), "-12345");
  EXPECT_EQ(text_of(999999.0F), "999999");
  EXPECT_EQ(text_of(1000000.0F), "1000000");
  EXPECT_EQ(text_of(16777216.0F), "16777216");
  EXPECT_EQ(text_of(0u), "0");
  EXPECT_EQ(text_of(7u), "7");
  EXPECT_EQ(text_of(10u), "10");
  EXPECT_EQ(text_of(4294967295u), "4294967295");
}

TEST(NumberText, FractionsAreShortest) {
  EXPECT_EQ(text_of(0.1F), "0.1");
  EXPECT_EQ(text_of(0.1), "0.1");
  EXPECT_EQ(text_of(-2.5F), "-2.5");
  EXPECT_EQ(text_of(3.14159274F), "3.1415927");
  EXPECT_EQ(text_of(1e-5F), "1e-05");
  EXPECT_EQ(text_of(FLT_MAX), "3.4028235e+38");
  EXPECT_EQ(text_of(FLT_TRUE_MIN), "1e-45");
  EXPECT_EQ(text_of(DBL_MAX), "1.7976931348623157e+308");
}

RC_GTEST_PROP(NumberText, FloatsReadBackWithTheFewestDigits, ()) {
  const auto pattern = *rc::gen::inRange<std::uint32_t>(0, 0x7f800000);
  const auto number = std::bit_cast<float>(pattern);
  const std::string text = text_of(number);
  RC_ASSERT(std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr)) == pattern);
  RC_ASSERT(text_of(-number) == "-" + text);
  if (number != 0) RC_ASSERT(digits_in(text) <= fewest_digits(double{number}, true));
}

RC_GTEST_PROP(NumberText, DoublesReadBackWithTheFewestDigits, ()) {
  const auto pattern = *rc::gen::inRange<std::uint64_t>(0, 0x7ff0000000000000);
  const auto number = std::bit_cast<double>(pattern);
  const std::string text = text_of(number);
  RC_ASSERT(std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)) == pattern);
  if (number != 0) RC_ASSERT(digits_in(text) <= fewest_digits(number, false));
}

RC_GTEST_PROP(NumberText, SixDigitsAreThoseOfTheLibrary, ()) {
  // Mantissas with more digits than six, away from ties, over the whole range it takes.
  const double mantissa = 1 + *rc::gen::inRange(0, 1'000'000'000) * 0.9e-8 + 0.37e-9;
  const double number = mantissa * std::pow(10.0, *rc::gen::inRange(-15, 21));
  char text[64];
  std::snprintf(text, sizeof text, "%.5e", number);
  const double expected = std::strtod(text, nullptr);
  RC_ASSERT(round_to_six_digits(number) == expected);
  RC_ASSERT(round_to_six_digits(-number) == -expected);
  RC_ASSERT(round_to_six_digits(expected) == expected);
  RC_ASSERT(digits_in(text_of(static_cast<float>(expected))) <= 6u);
}

TEST(NumberText, SixDigitsAtTheEdges) {
  EXPECT_EQ(round_to_six_digits(0.0), 0.0);
  EXPECT_EQ(round_to_six_digits(1e-17), 0.0);
  EXPECT_EQ(round_to_six_digits(-1e-300), 0.0);
  EXPECT_EQ(round_to_six_digits(1e-16), 1e-16);
  EXPECT_EQ(round_to_six_digits(999999.6), 1e6);
  EXPECT_EQ(round_to_six_digits(0.9999996), 1.0);
  EXPECT_EQ(round_to_six_digits(1000.0), 1000.0);
  EXPECT_EQ(round_to_six_digits(1234567.0), 1234570.0);
  EXPECT_EQ(round_to_six_digits(9.99999e21), 9.99999e21);
}

}  // namespace
}  // namespace pegasos
