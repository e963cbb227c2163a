// A JSON array of objects, as many programs export tables, in front of the reader of JSON Lines.
//
//   [ {"age": 31, "city": "Rome"},
//     {"age": 25, "city": "Oslo"} ]
//
// Every object becomes one line, at the line where it begins, so that messages name the right one;
// objects that share a line count as lines of their own.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "data/byte_source.h"

namespace pegasos {

// Whether the text begins with a bracket, and then with an object as far as there is more.
bool looks_like_json_array(std::string_view head);

// Throws ParseError for what is no array of objects, when it comes to it.
std::unique_ptr<ByteSource> lines_from_json_array(std::unique_ptr<ByteSource> source,
                                                  const std::string& path);

}  // namespace pegasos
