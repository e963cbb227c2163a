#include "base/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pegasos {
namespace {

using Library = nlohmann::ordered_json;

Library converted(const Json& json) {
  return std::visit(
      [](const auto& value) -> Library {
        using Held = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Held, Json::Array>) {
          Library array = Library::array();
          for (const Json& element : value) array.push_back(converted(element));
          return array;
        } else if constexpr (std::is_same_v<Held, Json::Object>) {
          Library object = Library::object();
          for (const auto& [name, element] : value) object[name] = converted(element);
          return object;
        } else {
          return value;
        }
      },
      json.value());
}

bool names_a_value(const Json& element) {
  const auto* pair = std::get_if<Json::Array>(&element.value());
  return pair != nullptr && pair->size() == 2 &&
         std::holds_alternative<std::string>(pair->front().value());
}

}  // namespace

Json::Json(std::initializer_list<Json> elements) {
  if (!std::all_of(elements.begin(), elements.end(), names_a_value)) {
    value_ = Array(elements);
    return;
  }
  Object object;
  for (const Json& element : elements) {
    const auto& pair = std::get<Array>(element.value_);
    object.emplace_back(std::get<std::string>(pair[0].value_), pair[1]);
  }
  value_ = std::move(object);
}

Json& Json::operator[](std::string_view name) {
  if (is_null()) value_ = Object();
  auto& object = std::get<Object>(value_);
  const auto found = std::find_if(object.begin(), object.end(),
                                  [name](const auto& entry) { return entry.first == name; });
  if (found != object.end()) return found->second;
  return object.emplace_back(std::string(name), nullptr).second;
}

void Json::push_back(Json element) {
  if (is_null()) value_ = Array();
  std::get<Array>(value_).push_back(std::move(element));
}

void Json::update(const Json& other) {
  for (const auto& [name, element] : std::get<Object>(other.value_)) (*this)[name] = element;
}

bool Json::empty() const {
  if (const auto* array = std::get_if<Array>(&value_)) return array->empty();
  if (const auto* object = std::get_if<Object>(&value_)) return object->empty();
  return is_null();
}

std::string Json::text() const {
  return converted(*this).dump(2, ' ', false, Library::error_handler_t::replace) + "\n";
}

std::string Json::one_line() const {
  return converted(*this).dump(-1, ' ', false, Library::error_handler_t::replace);
}

}  // namespace pegasos
