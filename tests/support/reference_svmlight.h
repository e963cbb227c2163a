// A svmlight parser as slow and plain as possible, sharing no code with the real one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pegasos::testing {

struct Place {
  std::uint64_t line;
  std::uint64_t column;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct ReferenceRow {
  std::optional<std::string> word;        // a word label
  std::optional<std::string> set;         // several labels, in order, with commas between
  std::optional<double> number;           // a number label
  std::map<std::uint32_t, float> values;  // by index as written, zeros left out
};

struct ReferenceFile {
  std::vector<ReferenceRow> rows;
  std::vector<Place> errors;  // in the order of the file
  bool has_index_zero = false;
  std::uint32_t largest_index = 0;
};

ReferenceFile reference_svmlight(std::string text, std::optional<std::uint32_t> base);

// [+-] digits [. digits] [e [+-] digits] and nothing else.
bool reference_is_number(const std::string& token);

}  // namespace pegasos::testing
