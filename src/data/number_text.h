// Numbers to decimal text: the fewest digits that read back to the same bits. Counterpart of
// number_parser.h.
//
// Whole numbers have no point and no exponent ("1", never "1.0"); zero keeps its sign. Each
// function writes at `out`, where kLongestNumber bytes must be free, and returns the end of the
// text.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pegasos {

constexpr std::size_t kLongestNumber = 32;

char* write_number(char* out, std::uint32_t number);
char* write_number(char* out, float number);   // finite
char* write_number(char* out, double number);  // finite

// The nearest number with six significant decimal digits; below 1e-16 that is zero. As a float or a
// double it is then written with these digits, because either type tells all of them apart.
double round_to_six_digits(double number);

}  // namespace pegasos
