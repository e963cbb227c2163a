#include "data/json_array.h"

#include <cstdint>
#include <utility>

#include "data/decode_text.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Only finds where objects begin and end; what is in them is for the reader of lines.
class JsonArray : public ConvertedSource {
 public:
  JsonArray(std::unique_ptr<ByteSource> from, std::string path)
      : ConvertedSource(std::move(from)), path_(std::move(path)) {}

 protected:
  void convert(std::string_view piece, bool last, std::string& out) override {
    for (const char c : piece) {
      if (depth_ > 0) {
        take_inside(c, out);
      } else {
        take_between(c, out);
      }
      if (c == '\n') ++line_;
    }
    if (last && where_ != Where::behind) {
      refuse("the JSON array is not closed; the file may be cut off",
             "get the whole file, or end it with a bracket: ]");
    }
  }

 private:
  enum class Where { before, first, element, comma, behind };

  void take_between(char c, std::string& out) {
    if (kBlanks.find(c) != std::string_view::npos) return;
    if (where_ == Where::before) {
      if (c == '[') where_ = Where::first;
      return;  // else a byte order mark
    }
    if (c == ']' && (where_ == Where::first || where_ == Where::comma)) {
      where_ = Where::behind;
    } else if (c == ',' && where_ == Where::comma) {
      where_ = Where::element;
    } else if (c == '{' && (where_ == Where::first || where_ == Where::element)) {
      for (; line_written_ < line_; ++line_written_) out += '\n';
      depth_ = 1;
      out += c;
    } else {
      refuse(where_ == Where::behind  ? "there is text behind the JSON array"
             : where_ == Where::comma ? "there is no comma between the objects of the JSON array"
                                      : "this element of the JSON array is not an object",
             "only an array of objects is a table: [{\"age\": 31}, {\"age\": 25}]");
    }
  }

  void take_inside(char c, std::string& out) {
    out += c == '\n' || c == '\r' ? ' ' : c;
    if (in_text_) {
      if (escaped_) {
        escaped_ = false;
      } else {
        escaped_ = c == '\\';
        in_text_ = c != '"';
      }
      return;
    }
    in_text_ = c == '"';
    if (c == '{' || c == '[') ++depth_;
    if (c != '}' && c != ']') return;
    if (--depth_ > 0) return;
    out += '\n';
    ++line_written_;
    where_ = Where::comma;
  }

  [[noreturn]] void refuse(std::string message, std::string hint) const {
    Diagnostic about;
    about.line = line_;
    about.message = std::move(message);
    about.hint = std::move(hint);
    throw ParseError(path_, {std::move(about)});
  }

  std::string path_;
  Where where_ = Where::before;
  std::uint64_t line_ = 1;
  std::uint64_t line_written_ = 1;
  std::uint64_t depth_ = 0;  // of brackets in the object
  bool in_text_ = false;
  bool escaped_ = false;
};

}  // namespace

bool looks_like_json_array(std::string_view head) {
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  const std::size_t bracket = head.find_first_not_of(kBlanks);
  if (bracket == std::string_view::npos || head[bracket] != '[') return false;
  const std::size_t next = head.find_first_not_of(kBlanks, bracket + 1);
  if (next == std::string_view::npos) return true;
  return head[next] == '{' || head[next] == ']';
}

std::unique_ptr<ByteSource> lines_from_json_array(std::unique_ptr<ByteSource> source,
                                                  const std::string& path) {
  return std::make_unique<JsonArray>(std::move(source), path);
}

}  // namespace pegasos
