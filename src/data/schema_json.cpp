#include "data/schema_json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "data/json_fields.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

using json_fields::json;

constexpr std::pair<DataFormat, const char*> kSources[] = {
    {DataFormat::svmlight, "svmlight"}, {DataFormat::csv, "csv"}, {DataFormat::binary, "binary"}};
constexpr std::pair<MissingValues, const char*> kMissing[] = {{MissingValues::refuse, "refuse"},
                                                              {MissingValues::zero, "zero"},
                                                              {MissingValues::mean, "mean"}};
constexpr std::pair<CsvColumn::Role, const char*> kRoles[] = {
    {CsvColumn::Role::number, "number"},
    {CsvColumn::Role::words, "words"},
    {CsvColumn::Role::label, "label"},
    {CsvColumn::Role::weight, "weight"},
    {CsvColumn::Role::ignored, "ignored"}};

template <typename Enum, std::size_t n>
std::string name_in(const std::pair<Enum, const char*> (&names)[n], Enum value) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  throw Error("a value without a name");
}

template <typename Enum, std::size_t n>
Enum value_in(const std::pair<Enum, const char*> (&names)[n], const json& object,
              const char* field) {
  const auto text = object.at(field).get<std::string>();
  for (const auto& [value, name] : names) {
    if (text == name) return value;
  }
  throw Error(std::string("unknown ") + field + " '" + text + "'");
}

bool ascend(const auto& values) {
  return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}

json column_to_json(const CsvColumn& column) {
  json result = {{"name", json_fields::text(column.name)}, {"role", name_in(kRoles, column.role)}};
  if (column.role == CsvColumn::Role::words) result["words"] = json_fields::texts(column.words);
  if (column.role == CsvColumn::Role::number) result["mean"] = column.mean;
  return result;
}

CsvColumn column_from_json(const json& value) {
  CsvColumn column;
  column.name = json_fields::text_of(value.at("name"));
  column.role = value_in(kRoles, value, "role");
  if (column.role == CsvColumn::Role::words) {
    column.words = json_fields::texts_of(value.at("words"));
    if (!ascend(column.words)) throw Error("the words of a column do not ascend");
  }
  if (column.role == CsvColumn::Role::number) {
    column.mean = json_fields::finite_number(value, "mean");
  }
  return column;
}

CsvLayout layout_from_json(const json& value) {
  CsvLayout layout;
  const auto delimiter = json_fields::text_of(value.at("delimiter"));
  if (delimiter.size() != 1) throw Error("impossible delimiter");
  layout.delimiter = delimiter[0];
  layout.has_header = value.at("has_header").get<bool>();
  layout.missing = value_in(kMissing, value, "missing");
  std::uint64_t next = 0;
  for (const json& entry : value.at("columns")) {
    CsvColumn column = column_from_json(entry);
    column.first_feature = static_cast<std::uint32_t>(next);
    if (column.role == CsvColumn::Role::number) next += 1;
    if (column.role == CsvColumn::Role::words) next += column.words.size();
    if (next > std::numeric_limits<std::uint32_t>::max()) throw Error("too many features");
    layout.columns.push_back(std::move(column));
  }
  return layout;
}

IndexMap index_map(std::uint32_t base, std::uint64_t count, std::vector<std::uint32_t> seen) {
  if (seen.empty()) {
    // The last index, base + count - 1, must be below 2^32.
    if (base + count > (std::uint64_t{1} << 32)) throw Error("impossible index range");
    return IndexMap::contiguous(base, count);
  }
  if (count != seen.size()) throw Error("the index map has another length than it should");
  if (seen.front() < base || !ascend(seen)) throw Error("the index map does not ascend");
  return IndexMap::of_seen(base, std::move(seen));
}

Schema checked_schema(const json& value, std::vector<std::uint32_t> seen) {
  Schema schema;
  schema.source = value_in(kSources, value, "source");
  const auto base = static_cast<std::uint32_t>(json_fields::whole_number(value, "index_base", 1));
  const auto count =
      json_fields::whole_number(value, "index_count", std::numeric_limits<std::int64_t>::max());
  schema.indices = index_map(base, count, std::move(seen));
  schema.label_words = json_fields::texts_of(value.at("label_words"));
  if (value.contains("multilabel")) schema.multilabel = value.at("multilabel").get<bool>();
  if (!ascend(schema.label_words)) throw Error("the label words do not ascend");
  if (value.contains("csv")) schema.csv = layout_from_json(value.at("csv"));
  schema.feature_names = json_fields::texts_of(value.at("feature_names"));
  if (!schema.feature_names.empty() && schema.feature_names.size() != schema.feature_count()) {
    throw Error("not as many names as features");
  }
  return schema;
}

}  // namespace

std::string schema_to_json(const Schema& schema) {
  json result = {{"source", name_in(kSources, schema.source)},
                 {"index_base", schema.indices.base()},
                 {"index_count", schema.indices.features()},
                 {"label_words", json_fields::texts(schema.label_words)},
                 {"feature_names", json_fields::texts(schema.feature_names)}};
  if (schema.multilabel) result["multilabel"] = true;
  if (schema.csv) {
    json columns = json::array();
    for (const auto& column : schema.csv->columns) columns.push_back(column_to_json(column));
    result["csv"] = {{"delimiter", json_fields::text(std::string(1, schema.csv->delimiter))},
                     {"has_header", schema.csv->has_header},
                     {"missing", name_in(kMissing, schema.csv->missing)},
                     {"columns", std::move(columns)}};
  }
  return result.dump();
}

Schema schema_from_json(std::string_view text, std::vector<std::uint32_t> seen) {
  try {
    return checked_schema(json::parse(text), std::move(seen));
  } catch (const json::exception& problem) {
    throw Error(std::string("the description of the columns is damaged: ") + problem.what());
  }
}

}  // namespace pegasos
