// Json: a tree to be written as JSON. The few readers of JSON include the library itself.
//
// It takes what nlohmann::ordered_json takes when a tree is made, and keeps the order of names, but
// its header costs next to nothing to compile; json_text.cpp has that library write the numbers and
// texts. A braced list whose elements are all {"name", value} makes an object, any other an
// array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace pegasos {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string,
                             Array, Object>;

  Json() = default;
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  template <typename Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  Json(Number number) : value_(widest(number)) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  template <typename Element>
  Json(const std::vector<Element>& elements) : value_(Array(elements.begin(), elements.end())) {}
  Json(std::initializer_list<Json> elements);

  static Json array() { return Json(Value(Array())); }
  static Json object() { return Json(Value(Object())); }

  // The value of this name, made if there is none; a null becomes an object.
  Json& operator[](std::string_view name);
  // A null becomes an array.
  void push_back(Json element);
  // Takes over every name of another object.
  void update(const Json& other);

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  bool empty() const;
  const Value& value() const { return value_; }

  // With two spaces for each level and a line end at the end, for people; or all in one line.
  // Bytes that are not UTF-8 become U+FFFD.
  std::string text() const;
  std::string one_line() const;

 private:
  explicit Json(Value value) : value_(std::move(value)) {}
  template <typename Number>
  static auto widest(Number number) {
    if constexpr (std::is_floating_point_v<Number>) {
      return static_cast<double>(number);
    } else if constexpr (std::is_signed_v<Number>) {
      return static_cast<std::int64_t>(number);
    } else {
      return static_cast<std::uint64_t>(number);
    }
  }

  Value value_ = nullptr;
};

}  // namespace pegasos
