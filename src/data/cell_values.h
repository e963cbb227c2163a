// Cells that are numbers or dates in the ways people write them.
//
//   decorated number = [sign] [currency] digits { group digits } [decimal digits] [exponent]
//                      [%] [currency], blanks between the parts allowed
//
// The decimal sign is a point or a comma, as the column's style says; between groups of three
// digits stand commas or points (whichever is not the decimal sign), blanks or apostrophes. A
// percent sign is dropped: 10 % is 10.
//
//   date = year - month - day | day . month . year | month / day / year      with - / . between
//        | day month year | month day, year             with the month's name, or three letters of
//        it
//          [ (T | blank) hours : minutes [ : seconds [ . fraction ] ] [AM | PM] [Z | ±hh[:]mm] ]
#pragma once

#include <cstdint>
#include <string_view>

#include "pegasos/schema.h"

namespace pegasos {

// False if the cell is no finite number of this style.
bool read_decorated(std::string_view text, NumberStyle style, double& out);

struct DateTime {
  double seconds = 0.0;  // since 1970-01-01 00:00, in UTC where the cell names an offset
  std::int32_t year = 1970;
  std::uint32_t month = 1;    // 1 … 12
  std::uint32_t weekday = 0;  // 0 … 6, from Monday
  std::uint32_t hour = 0;     // 0 … 23, as written
  bool has_time = false;

  double days() const { return seconds / 86400.0; }
};

// False if the cell is no date in this order.
bool read_date(std::string_view text, DateOrder order, DateTime& out);

}  // namespace pegasos
