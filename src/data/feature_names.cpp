#include "pegasos/feature_names.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

std::string whole_file(const std::string& path) {
  const FileDescriptor file = open_for_reading(path);
  std::string text;
  std::array<char, 65536> block;
  for (;;) {
    const std::size_t bytes = read_some(file.value(), block, path);
    if (bytes == 0) return text;
    text.append(block.data(), bytes);
  }
}

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

std::vector<std::string> read_feature_names(const std::string& path) {
  const std::string text = whole_file(path);
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const auto name = trimmed(std::string_view(text).substr(begin, end - begin));
    if (name.empty()) {
      Diagnostic empty;
      empty.line = names.size() + 1;
      empty.message = "empty feature name";
      empty.hint = "each line names one feature; use its index if there is no better name";
      throw ParseError(path, {std::move(empty)});
    }
    names.emplace_back(name);
    begin = end + 1;
  }
  return names;
}

std::shared_ptr<const Schema> with_feature_names(const Schema& schema,
                                                 std::span<const std::string> names) {
  const std::uint64_t features = schema.feature_count();
  const auto place_of = [&schema](std::uint32_t id) -> std::uint64_t {
    return schema.csv ? id : schema.indices.index_of(id) - schema.indices.base();
  };
  const std::uint64_t needed =
      features == 0 ? 0 : place_of(static_cast<std::uint32_t>(features - 1)) + 1;
  if (names.size() < needed) {
    throw InvalidOption("feature_names",
                        fmt::format("{} names for {} features", names.size(), needed));
  }
  auto named = std::make_shared<Schema>(schema);
  named->feature_names.clear();
  for (std::uint32_t id = 0; id < features; ++id) {
    named->feature_names.push_back(names[place_of(id)]);
  }
  return named;
}

Dataset with_schema(const Dataset& data, std::shared_ptr<const Schema> schema) {
  if (schema->feature_count() != data.features()) {
    throw InvalidOption("schema", "has a different number of features");
  }
  DatasetParts parts = data.parts();
  parts.schema = std::move(schema);
  return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
}

}  // namespace pegasos
