#include "base/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pegasos {
namespace {

using Library = nlohmann::ordered_json;

// Numbers and texts are written by the library. Trees are not handed to it: its destructor takes
// memory, and where there is none that ends the program.
class Writer {
 public:
  explicit Writer(std::size_t indent) : indent_(indent) {}

  void write(const Json& json) {
    std::visit([this](const auto& value) { write_value(value); }, json.value());
  }
  std::string text() && { return std::move(text_); }

 private:
  template <typename Leaf>
  void write_value(const Leaf& value) {
    text_ += Library(value).dump(-1, ' ', false, Library::error_handler_t::replace);
  }
  void write_value(const Json::Array& array) {
    write_all('[', array, ']', [this](const Json& element) { write(element); });
  }
  void write_value(const Json::Object& object) {
    write_all('{', object, '}', [this](const auto& entry) {
      write_value(entry.first);
      text_ += indent_ > 0 ? ": " : ":";
      write(entry.second);
    });
  }
  template <typename Elements, typename Write>
  void write_all(char open, const Elements& elements, char close, Write&& write_one) {
    text_ += open;
    ++depth_;
    bool first = true;
    for (const auto& element : elements) {
      if (!first) text_ += ',';
      first = false;
      new_line();
      write_one(element);
    }
    --depth_;
    if (!first) new_line();
    text_ += close;
  }
  void new_line() {
    if (indent_ > 0) text_.append(1, '\n').append(depth_ * indent_, ' ');
  }

  std::size_t indent_;
  std::size_t depth_ = 0;
  std::string text_;
};

std::string written(const Json& json, std::size_t indent) {
  Writer writer(indent);
  writer.write(json);
  return std::move(writer).text();
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
  return written(*this, 2) + "\n";
}

std::string Json::one_line() const {
  return written(*this, 0);
}

}  // namespace pegasos
