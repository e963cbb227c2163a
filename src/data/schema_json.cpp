#include "data/schema_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "pegasos/error.h"

namespace pegasos {
namespace {

using nlohmann::json;

NLOHMANN_JSON_SERIALIZE_ENUM(DataFormat, {{DataFormat::svmlight, "svmlight"},
                                          {DataFormat::csv, "csv"},
                                          {DataFormat::binary, "binary"}})
NLOHMANN_JSON_SERIALIZE_ENUM(MissingValues, {{MissingValues::refuse, "refuse"},
                                             {MissingValues::zero, "zero"},
                                             {MissingValues::mean, "mean"}})

constexpr std::pair<CsvColumn::Role, const char*> kRoles[] = {
    {CsvColumn::Role::number, "number"},
    {CsvColumn::Role::words, "words"},
    {CsvColumn::Role::label, "label"},
    {CsvColumn::Role::weight, "weight"},
    {CsvColumn::Role::ignored, "ignored"}};

json column_to_json(const CsvColumn& column) {
  json result = {{"name", column.name}};
  for (const auto& [role, name] : kRoles) {
    if (column.role == role) result["role"] = name;
  }
  if (column.role == CsvColumn::Role::words) result["words"] = column.words;
  if (column.role == CsvColumn::Role::number) result["mean"] = column.mean;
  return result;
}

CsvColumn column_from_json(const json& value) {
  CsvColumn column;
  column.name = value.at("name").get<std::string>();
  const auto role_name = value.at("role").get<std::string>();
  bool known = false;
  for (const auto& [role, name] : kRoles) {
    if (role_name != name) continue;
    column.role = role;
    known = true;
  }
  if (!known) throw Error("unknown column role '" + role_name + "'");
  if (column.role == CsvColumn::Role::words) {
    column.words = value.at("words").get<std::vector<std::string>>();
  }
  if (column.role == CsvColumn::Role::number) column.mean = value.at("mean").get<double>();
  return column;
}

}  // namespace

std::string schema_to_json(const Schema& schema) {
  json result = {{"source", schema.source},
                 {"index_base", schema.indices.base()},
                 {"index_count", schema.indices.features()},
                 {"label_words", schema.label_words},
                 {"feature_names", schema.feature_names}};
  if (schema.csv) {
    json columns = json::array();
    for (const auto& column : schema.csv->columns) columns.push_back(column_to_json(column));
    result["csv"] = {{"delimiter", std::string(1, schema.csv->delimiter)},
                     {"has_header", schema.csv->has_header},
                     {"missing", schema.csv->missing},
                     {"columns", std::move(columns)}};
  }
  // Names come from users' files and need not be valid UTF-8.
  return result.dump(-1, ' ', false, json::error_handler_t::replace);
}

Schema schema_from_json(std::string_view text, std::vector<std::uint32_t> seen) {
  try {
    const json value = json::parse(text);
    Schema schema;
    schema.source = value.at("source").get<DataFormat>();
    const auto base = value.at("index_base").get<std::uint32_t>();
    const auto count = value.at("index_count").get<std::uint64_t>();
    if (base > 1 || count > (std::uint64_t{1} << 32)) throw Error("impossible index range");
    schema.indices =
        seen.empty() ? IndexMap::contiguous(base, count) : IndexMap::of_seen(base, std::move(seen));
    schema.label_words = value.at("label_words").get<std::vector<std::string>>();
    schema.feature_names = value.at("feature_names").get<std::vector<std::string>>();
    if (value.contains("csv")) {
      const json& from = value.at("csv");
      CsvLayout layout;
      const auto delimiter = from.at("delimiter").get<std::string>();
      if (delimiter.size() != 1) throw Error("impossible delimiter");
      layout.delimiter = delimiter[0];
      layout.has_header = from.at("has_header").get<bool>();
      layout.missing = from.at("missing").get<MissingValues>();
      std::uint32_t next = 0;
      for (const json& entry : from.at("columns")) {
        CsvColumn column = column_from_json(entry);
        column.first_feature = next;
        if (column.role == CsvColumn::Role::number) next += 1;
        if (column.role == CsvColumn::Role::words) {
          next += static_cast<std::uint32_t>(column.words.size());
        }
        layout.columns.push_back(std::move(column));
      }
      schema.csv = std::move(layout);
    }
    return schema;
  } catch (const json::exception& problem) {
    throw Error(std::string("the description of the columns is damaged: ") + problem.what());
  }
}

}  // namespace pegasos
