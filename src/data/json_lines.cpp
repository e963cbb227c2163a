#include "data/json_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/decode_text.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSampleBytes = std::size_t{1} << 20;
constexpr int kDeepest = 64;

// Calls take(name, value) for everything in the object that is no object.
template <typename Take>
void each_value(const Json& object, const std::string& prefix, int depth, const Take& take) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_object() && depth < kDeepest) {
      each_value(value, prefix + name + ".", depth + 1, take);
    } else {
      take(prefix + name, value);
    }
  }
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

void append_value(std::string& out, const Json& value) {
  if (value.is_null()) return;
  if (value.is_string()) {
    append_cell(out, value.get_ref<const std::string&>());
  } else if (value.is_number()) {
    out += value.dump();
  } else {
    append_cell(out, value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
}

class JsonLines : public ConvertedSource {
 public:
  JsonLines(std::unique_ptr<ByteSource> from, std::string path, std::vector<std::string> columns)
      : ConvertedSource(std::move(from)), path_(std::move(path)), columns_(std::move(columns)) {
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
      const Json object = Json::parse(line.begin(), line.end(), nullptr, false);
      if (!object.is_object()) refuse();
      cells_.assign(columns_.size(), nullptr);
      each_value(object, "", 0, [&](const std::string& name, const Json& value) {
        const auto found = place_.find(name);
        if (found != place_.end()) cells_[found->second] = &value;
      });
      for (std::size_t j = 0; j < cells_.size(); ++j) {
        if (j > 0) out += ',';
        if (cells_[j] != nullptr) append_value(out, *cells_[j]);
      }
      // A record of one empty cell would be a blank line.
      if (cells_.size() == 1 && (cells_[0] == nullptr || cells_[0]->is_null())) out += "\"\"";
    }
    out += '\n';
  }

  [[noreturn]] void refuse() const {
    Diagnostic about;
    about.line = line_;
    about.message = "this line is not a JSON object";
    about.hint = "JSON Lines has one object on each line";
    throw ParseError(path_, {std::move(about)});
  }

  std::string path_;
  std::vector<std::string> columns_;
  std::unordered_map<std::string, std::size_t> place_;
  std::vector<const Json*> cells_;
  std::string rest_;
  std::uint64_t line_ = 0;
  bool begun_ = false;
};

std::vector<std::string> names_in(std::string_view text, bool whole) {
  std::vector<std::string> names;
  std::unordered_map<std::string, bool> seen;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos && !whole) break;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const Json object = Json::parse(line.begin(), line.end(), nullptr, false);
    if (!object.is_object()) continue;
    each_value(object, "", 0, [&](const std::string& name, const Json&) {
      if (seen.emplace(name, true).second) names.push_back(name);
    });
  }
  return names;
}

}  // namespace

bool looks_like_json_lines(std::string_view head, const ReadOptions& options) {
  if (options.format) return *options.format == DataFormat::json_lines;
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || head[begin] != '{') return false;
  const std::string_view line = head.substr(begin, head.find('\n', begin) - begin);
  return Json::parse(line.begin(), line.end(), nullptr, false).is_object();
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
