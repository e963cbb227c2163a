// The long arrays of a schema in JSON: words of a vocabulary, and in how many rows each occurs.
//
// Vocabularies have a hundred thousand terms, for which a value of the JSON library each would take
// a tenth of a training run, and most of the time it takes to load a model. So the library writes a
// mark in the place of a long array, which is put there afterwards, and reads a number in its
// place, after the array was taken out of the text.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/json_fields.h"
#include "pegasos/error.h"

namespace pegasos {

// For writing.
class LongArrays {
 public:
  explicit LongArrays(bool apart) : apart_(apart) {}

  json_fields::json texts(const std::vector<std::string>& list) {
    if (!apart_ || list.size() < kLong) return json_fields::texts(list);
    return keep(list, [](std::string& out, const std::string& text) {
      const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
        return c >= ' ' && c != '"' && c != '\\' && c != 0x7f;
      });
      out += plain ? '"' + text + '"' : json_fields::text(text).dump();
    });
  }
  json_fields::json numbers(const std::vector<std::uint32_t>& list) {
    if (!apart_ || list.size() < kLong) return list;
    return keep(list,
                [](std::string& out, std::uint32_t number) { out += std::to_string(number); });
  }

  // The text with the arrays in it; none if some name in it looks like a mark.
  std::optional<std::string> joined(const std::string& text) const {
    std::string result;
    std::size_t from = 0;
    for (std::size_t k = 0; k <= arrays_.size(); ++k) {
      const std::size_t mark = text.find(kWrittenMark, from);
      const bool expected = k < arrays_.size();
      if ((mark != std::string::npos) != expected) return std::nullopt;
      result.append(text, from, mark == std::string::npos ? mark : mark - from);
      if (!expected) return result;
      const std::size_t digits = mark + kWrittenMark.size();
      const std::size_t end = text.find('"', digits);
      result += arrays_[std::stoul(text.substr(digits, end - digits))];
      from = end + 1;
    }
    return result;
  }

 private:
  static constexpr std::size_t kLong = 256;
  static constexpr const char* kMark = "\001array ";
  static constexpr std::string_view kWrittenMark = "\"\\u0001array ";

  template <typename Value, typename Write>
  json_fields::json keep(const std::vector<Value>& list, const Write& write) {
    std::string out = "[";
    for (const Value& value : list) {
      if (out.size() > 1) out += ',';
      write(out, value);
    }
    arrays_.push_back(out + "]");
    return kMark + std::to_string(arrays_.size() - 1);
  }

  bool apart_;
  std::vector<std::string> arrays_;
};

// For reading.
class LiftedArrays {
 public:
  // The text with a number in the place of every array of words or of counts that it can read.
  std::string lift(std::string_view text) {
    std::string result;
    std::size_t from = 0;
    while (true) {
      const std::size_t bracket = text.find("\":[", from);
      if (bracket == std::string_view::npos) break;
      const std::string_view before = text.substr(0, bracket);
      const char* p = text.data() + bracket + 3;
      const char* const end = text.data() + text.size();
      std::optional<std::size_t> number;
      if (before.ends_with("\"words")) {
        number = lifted(texts_, read_texts(p, end));
      } else if (before.ends_with("\"term_rows")) {
        number = lifted(numbers_, read_numbers(p, end));
      }
      const std::size_t stop = bracket + (number ? 2 : 3);
      result.append(text, from, stop - from);
      if (number) result += std::to_string(*number);
      from = number ? static_cast<std::size_t>(p - text.data()) : stop;
    }
    return result.append(text, from);
  }

  // What was lifted, or the array itself.
  std::vector<std::string> texts(const json_fields::json& value) const {
    if (const auto* found = lifted_as(texts_, value)) return *found;
    return json_fields::texts_of(value);
  }
  std::vector<std::uint32_t> numbers(const json_fields::json& value) const {
    if (const auto* found = lifted_as(numbers_, value)) return *found;
    std::vector<std::uint32_t> list;
    for (const json_fields::json& entry : value) {
      if (!entry.is_number_unsigned()) throw Error("the rows of a term are not a whole number");
      list.push_back(entry.get<std::uint32_t>());
    }
    return list;
  }

 private:
  template <typename List>
  static std::optional<std::size_t> lifted(std::vector<List>& lists, std::optional<List> list) {
    if (!list) return std::nullopt;
    lists.push_back(*std::move(list));
    return lists.size() - 1;
  }
  template <typename List>
  static const List* lifted_as(const std::vector<List>& lists, const json_fields::json& value) {
    if (!value.is_number_unsigned()) return nullptr;
    const auto number = value.get<std::size_t>();
    return number < lists.size() ? &lists[number] : nullptr;
  }

  // The end of an element: true behind a comma or the bracket that closes the array.
  static bool go_on(const char*& p, const char* end, bool& closed) {
    if (p == end || (*p != ',' && *p != ']')) return false;
    closed = *p++ == ']';
    return true;
  }

  // From behind the bracket on. None if something else than strings is there, such as words that
  // are not UTF-8; p is then anywhere.
  static std::optional<std::vector<std::string>> read_texts(const char*& p, const char* end) {
    std::vector<std::string> list;
    for (bool closed = false; !closed;) {
      if (p == end || *p != '"') return std::nullopt;
      const char* q = p + 1;
      while (q != end && *q >= ' ' && *q != '"' && *q != '\\') ++q;
      if (q != end && *q == '"') {
        list.emplace_back(p + 1, q);
      } else {  // an escape, or beyond ASCII: for who knows
        while (q != end && *q != '"') q += *q == '\\' && q + 1 != end ? 2 : 1;
        if (q == end) return std::nullopt;
        list.push_back(json_fields::json::parse(p, q + 1).get<std::string>());
      }
      p = q + 1;
      if (!go_on(p, end, closed)) return std::nullopt;
    }
    return list;
  }

  static std::optional<std::vector<std::uint32_t>> read_numbers(const char*& p, const char* end) {
    std::vector<std::uint32_t> list;
    for (bool closed = false; !closed;) {
      std::uint32_t number = 0;
      const auto [stop, problem] = std::from_chars(p, end, number);
      if (problem != std::errc()) return std::nullopt;
      list.push_back(number);
      p = stop;
      if (!go_on(p, end, closed)) return std::nullopt;
    }
    return list;
  }

  std::vector<std::vector<std::string>> texts_;
  std::vector<std::vector<std::uint32_t>> numbers_;
};

}  // namespace pegasos
