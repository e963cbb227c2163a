// Fields of JSON objects in our own files, read strictly. The library converts numbers as C does:
// -1 becomes 2^32-1, 1e300 becomes anything. Here a field has its type and range or is refused.
//
// Every function throws Error, or an exception of the JSON library, with a sentence.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pegasos/error.h"

namespace pegasos::json_fields {

using nlohmann::json;

inline std::uint64_t whole_number(const json& object, const char* name, std::uint64_t most) {
  const json& value = object.at(name);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
    throw Error(std::string("'") + name + "' is not a whole number in range");
  }
  return value.get<std::uint64_t>();
}

inline double finite_number(const json& object, const char* name) {
  const json& value = object.at(name);
  if (!value.is_number() || !std::isfinite(value.get<double>())) {
    throw Error(std::string("'") + name + "' is not a finite number");
  }
  return value.get<double>();
}

// Names and words come from users' files and may be any bytes, but a JSON string must be UTF-8.
// Other bytes are kept as {"bytes": "…"} with a character from U+0000 to U+00FF for each.
inline json text(const std::string& bytes) {
  if (std::all_of(bytes.begin(), bytes.end(), [](char c) { return c >= 0; })) return bytes;
  try {
    json plain = bytes;
    static_cast<void>(plain.dump());
    return plain;
  } catch (const json::type_error&) {
    std::string widened;
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x80) {
        widened += c;
      } else {
        widened += static_cast<char>(0xc0 | (byte >> 6));
        widened += static_cast<char>(0x80 | (byte & 0x3f));
      }
    }
    return json::object({{"bytes", widened}});
  }
}

inline std::string text_of(const json& value) {
  if (!value.is_object()) return value.get<std::string>();
  const auto widened = value.at("bytes").get<std::string>();
  std::string bytes;
  for (std::size_t i = 0; i < widened.size(); ++i) {
    const auto lead = static_cast<unsigned char>(widened[i]);
    if (lead < 0x80) {
      bytes += widened[i];
    } else if ((lead == 0xc2 || lead == 0xc3) && i + 1 < widened.size()) {
      const auto tail = static_cast<unsigned char>(widened[++i]);
      bytes += static_cast<char>((lead << 6) | (tail & 0x3f));
    } else {
      throw Error("a name contains an invalid escape");
    }
  }
  return bytes;
}

inline json texts(const std::vector<std::string>& list) {
  json array = json::array();
  for (const auto& entry : list) array.push_back(text(entry));
  return array;
}

inline std::vector<std::string> texts_of(const json& array) {
  if (!array.is_array()) throw Error("a list of names is not an array");
  std::vector<std::string> list;
  list.reserve(array.size());
  for (const auto& entry : array) list.push_back(text_of(entry));
  return list;
}

}  // namespace pegasos::json_fields
