#include "data/json_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "data/decode_text.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

using Library = nlohmann::json;

constexpr std::size_t kSampleBytes = std::size_t{1} << 20;
// Deeper lines are refused: each level costs memory, and nobody writes such tables.
constexpr std::size_t kDeepest = 64;

enum class ValueKind { null, number, text };

// Hands over what is in one object: take(name, kind, text) for every value, those of objects inside
// it by names such as "user.age", lists as JSON in a text.
//
// It listens to the library's parser instead of using its tree: strangers' lines may nest a million
// brackets, which the tree writes recursively, or have a million names, which it looks up one by
// one; and the tree's destructor takes memory, which ends the process where there is none.
template <typename Take>
class Flattener {
 public:
  explicit Flattener(Take take) : take_(std::move(take)) {}

  // For the parser. Each returns whether to go on.
  bool null() { return value(ValueKind::null, "null"); }
  bool boolean(bool yes) { return value(ValueKind::text, yes ? "true" : "false"); }
  bool number_integer(std::int64_t number) { return of_number(number); }
  bool number_unsigned(std::uint64_t number) { return of_number(number); }
  bool number_float(double number, const std::string&) { return of_number(number); }
  bool string(std::string& text) {
    return value(ValueKind::text, inside_list_ > 0 ? quoted(text) : text);
  }
  bool binary(Library::binary_t&) { return false; }  // not in text
  bool key(std::string& name) {
    if (inside_list_ > 0) {
      separate();
      list_ += quoted(name) + ":";
      first_ = true;
    } else {
      name_ = name;
    }
    return true;
  }
  bool start_object(std::size_t) {
    if (++depth_ > kDeepest) return false;
    if (inside_list_ > 0) return open('{');
    prefixes_.push_back(prefix_.size());
    if (prefixes_.size() > 1) prefix_ += name_ + ".";
    return true;
  }
  bool end_object() {
    --depth_;
    if (inside_list_ > 0) return close('}');
    prefix_.resize(prefixes_.back());
    prefixes_.pop_back();
    return true;
  }
  bool start_array(std::size_t) {
    if (++depth_ > kDeepest || depth_ == 1) return false;
    return open('[');
  }
  bool end_array() {
    --depth_;
    return close(']');
  }
  template <typename Exception>
  bool parse_error(std::size_t, const std::string&, const Exception&) {
    return false;
  }

 private:
  static std::string quoted(const std::string& text) { return Library(text).dump(); }

  template <typename Number>
  bool of_number(Number number) {
    return value(ValueKind::number, Library(number).dump());
  }

  bool value(ValueKind kind, const std::string& text) {
    if (depth_ == 0) return false;  // a line is an object
    if (inside_list_ > 0) {
      separate();
      list_ += text;
    } else {
      take_(prefix_ + name_, kind, text);
    }
    return true;
  }

  // Of lists, which are written as they were.
  void separate() {
    if (!first_) list_ += ',';
    first_ = false;
  }
  bool open(char bracket) {
    if (inside_list_ > 0) separate();
    ++inside_list_;
    list_ += bracket;
    first_ = true;
    return true;
  }
  bool close(char bracket) {
    list_ += bracket;
    first_ = false;
    if (--inside_list_ == 0) {
      take_(prefix_ + name_, ValueKind::text, list_);
      list_.clear();
    }
    return true;
  }

  Take take_;
  std::size_t depth_ = 0;
  std::size_t inside_list_ = 0;        // brackets that are open in the list, itself included
  std::string prefix_;                 // "user." inside of user
  std::vector<std::size_t> prefixes_;  // lengths of the prefixes around
  std::string name_;
  std::string list_;
  bool first_ = true;  // no comma before what comes next
};

// False if the line is no JSON object, or nested too deeply.
template <typename Take>
bool each_value(std::string_view line, Take take) {
  Flattener<Take> flattener(std::move(take));
  return Library::sax_parse(line.begin(), line.end(), &flattener);
}

// A cell; one that is no number stands in quotes. Line ends become blanks, so that lines stay
// lines.
void append_cell(std::string& out, const std::string& text) {
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c == '\n' || c == '\r' || c == '\0' ? ' ' : c;
  }
  out += '"';
}

class JsonLines : public ConvertedSource {
 public:
  JsonLines(std::unique_ptr<ByteSource> from, std::string path, std::vector<std::string> columns)
      : ConvertedSource(std::move(from)),
        path_(std::move(path)),
        columns_(std::move(columns)),
        cells_(columns_.size()) {
    for (std::size_t j = 0; j < columns_.size(); ++j) place_.emplace(columns_[j], j);
  }

  std::string form() const override { return "json-lines"; }

 protected:
  void convert(std::string_view piece, bool last, std::string& out) override {
    if (!begun_) {
      begun_ = true;
      for (std::size_t j = 0; j < columns_.size(); ++j) {
        if (j > 0) out += ',';
        append_cell(out, columns_[j]);
      }
      out += '\n';
    }
    rest_ += piece;
    std::size_t begin = 0;
    for (std::size_t end = rest_.find('\n', begin); end != std::string::npos;
         end = rest_.find('\n', begin)) {
      convert_line(std::string_view(rest_).substr(begin, end - begin), out);
      begin = end + 1;
    }
    if (last && begin < rest_.size()) {
      convert_line(std::string_view(rest_).substr(begin), out);
      begin = rest_.size();
    }
    rest_.erase(0, begin);
  }

 private:
  void convert_line(std::string_view line, std::string& out) {
    ++line_;
    const bool blank = line.find_first_not_of(" \t\r") == std::string_view::npos;
    if (!blank) {
      for (std::string& cell : cells_) cell.clear();
      const bool whole =
          each_value(line, [&](const std::string& name, ValueKind kind, const std::string& text) {
            const auto found = place_.find(name);
            if (found != place_.end()) set_cell(cells_[found->second], kind, text);
          });
      if (!whole) refuse();
      for (std::size_t j = 0; j < cells_.size(); ++j) {
        if (j > 0) out += ',';
        out += cells_[j];
      }
      // A record of one empty cell would be a blank line.
      if (cells_.size() == 1 && cells_[0].empty()) out += "\"\"";
    }
    out += '\n';
  }

  // The last of several values with one name counts.
  static void set_cell(std::string& cell, ValueKind kind, const std::string& text) {
    cell.clear();
    if (kind == ValueKind::number) cell = text;
    if (kind == ValueKind::text) append_cell(cell, text);
  }

  [[noreturn]] void refuse() const {
    Diagnostic about;
    about.line = line_;
    about.message =
        fmt::format("this is not a JSON object, or is nested deeper than {} levels", kDeepest);
    about.hint = "JSON Lines has one object on each line";
    throw ParseError(path_, {std::move(about)});
  }

  std::string path_;
  std::vector<std::string> columns_;
  std::unordered_map<std::string, std::size_t> place_;
  std::vector<std::string> cells_;
  std::string rest_;
  std::uint64_t line_ = 0;
  bool begun_ = false;
};

std::vector<std::string> names_in(std::string_view text, bool whole) {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos && !whole) break;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    std::vector<std::string> of_line;
    const bool is_object = each_value(line, [&](const std::string& name, ValueKind,
                                                const std::string&) { of_line.push_back(name); });
    if (!is_object) continue;
    for (std::string& name : of_line) {
      if (seen.insert(name).second) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace

bool looks_like_json_lines(std::string_view head, const ReadOptions& options) {
  if (options.format) return *options.format == DataFormat::json_lines;
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || head[begin] != '{') return false;
  const std::size_t end = head.find('\n', begin);
  const std::string_view line = head.substr(begin, end - begin);
  if (each_value(line, [](const std::string&, ValueKind, const std::string&) {})) return true;
  // A line that is longer than what was looked at: judged by how it begins, {"name":
  const std::size_t name = line.find_first_not_of(" \t\r", 1);
  return end == std::string_view::npos && name != std::string_view::npos && line[name] == '"' &&
         line.find("\":") != std::string_view::npos;
}

std::unique_ptr<ByteSource> csv_from_json_lines(std::unique_ptr<ByteSource> source,
                                                const std::string& path, const ReadOptions& options,
                                                bool eager) {
  std::vector<std::string> names;
  if (options.schema && options.schema->csv) {
    for (const auto& column : options.schema->csv->columns) names.push_back(column.name);
    for (const auto* asked : {&options.label_column, &options.weight_column, &options.id_column}) {
      if (!asked->empty() && std::find(names.begin(), names.end(), *asked) == names.end()) {
        names.push_back(*asked);
      }
    }
  } else {
    std::string head(kSampleBytes, '\0');
    head.resize(eager ? source->read_some(head) : source->read(head));
    names = names_in(head, head.size() < kSampleBytes);
    source = std::make_unique<PutBackSource>(std::move(head), std::move(source));
  }
  if (names.empty()) {
    Diagnostic about;
    about.message = "no line of the file is a non-empty JSON object";
    throw ParseError(path, {std::move(about)});
  }
  return std::make_unique<JsonLines>(std::move(source), path, std::move(names));
}

}  // namespace pegasos
