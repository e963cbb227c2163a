#include "data/schema_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "data/json_fields.h"
#include "data/long_arrays.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

using json_fields::json;

constexpr std::pair<DataFormat, const char*> kSources[] = {{DataFormat::svmlight, "svmlight"},
                                                           {DataFormat::csv, "csv"},
                                                           {DataFormat::binary, "binary"},
                                                           {DataFormat::json_lines, "json-lines"}};
constexpr std::pair<MissingValues, const char*> kMissing[] = {{MissingValues::refuse, "refuse"},
                                                              {MissingValues::zero, "zero"},
                                                              {MissingValues::mean, "mean"},
                                                              {MissingValues::median, "median"}};
constexpr std::pair<CsvColumn::Role, const char*> kRoles[] = {
    {CsvColumn::Role::number, "number"},   {CsvColumn::Role::words, "words"},
    {CsvColumn::Role::label, "label"},     {CsvColumn::Role::weight, "weight"},
    {CsvColumn::Role::ignored, "ignored"}, {CsvColumn::Role::text, "text"},
    {CsvColumn::Role::date, "date"}};
constexpr std::pair<NumberStyle, const char*> kStyles[] = {
    {NumberStyle::plain, "plain"},
    {NumberStyle::decorated_point, "decorated-point"},
    {NumberStyle::decorated_comma, "decorated-comma"}};
constexpr std::pair<DateOrder, const char*> kOrders[] = {{DateOrder::year_first, "year-first"},
                                                         {DateOrder::day_first, "day-first"},
                                                         {DateOrder::month_first, "month-first"}};

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

json text_to_json(const CsvColumn& column, LongArrays& arrays) {
  const TextRules& rules = column.text.rules;
  return {{"word_grams", rules.word_grams},
          {"char_from", rules.char_from},
          {"char_to", rules.char_to},
          {"least_rows", rules.least_rows},
          {"hash_bits", rules.hash_bits},
          {"rows", column.text.rows},
          {"term_rows", arrays.numbers(column.text.term_rows)}};
}

void text_from_json(const json& value, const LiftedArrays& arrays, CsvColumn& column) {
  TextRules& rules = column.text.rules;
  const auto small = [&value](const char* field, std::uint64_t most) {
    return static_cast<std::uint32_t>(json_fields::whole_number(value, field, most));
  };
  rules.word_grams = small("word_grams", TextRules::kMostWords);
  rules.char_from = small("char_from", TextRules::kMostChars);
  rules.char_to = small("char_to", TextRules::kMostChars);
  rules.least_rows = small("least_rows", std::numeric_limits<std::uint32_t>::max());
  rules.hash_bits = small("hash_bits", TextRules::kMostHashBits);
  rules.validate();
  column.text.rows = json_fields::whole_number(value, "rows", std::uint64_t{1} << 53);
  column.text.term_rows = arrays.numbers(value.at("term_rows"));
  const std::uint64_t terms =
      rules.hash_bits > 0 ? std::uint64_t{1} << rules.hash_bits : column.words.size();
  if (column.text.term_rows.size() != terms) throw Error("the numbers of terms and counts differ");
}

json column_to_json(const CsvColumn& column, LongArrays& arrays) {
  using Role = CsvColumn::Role;
  json result = {{"name", json_fields::text(column.name)}, {"role", name_in(kRoles, column.role)}};
  if (column.role == Role::words || column.role == Role::text) {
    result["words"] = arrays.texts(column.words);
  }
  if (column.role == Role::number) {
    result["mean"] = column.mean;
    result["median"] = column.median;
  }
  if (column.style != NumberStyle::plain) result["style"] = name_in(kStyles, column.style);
  if (column.role == Role::date) {
    result["order"] = name_in(kOrders, column.date_order);
    result["has_time"] = column.has_time;
  }
  if (column.role == Role::text) result["text"] = text_to_json(column, arrays);
  if (column.missing_feature) result["missing_feature"] = true;
  for (const auto& scale : column.scales) {
    result["scales"].push_back({scale.origin, scale.shift, scale.factor});
  }
  return result;
}

std::vector<ColumnScale> scales_from_json(const json& value) {
  std::vector<ColumnScale> scales;
  for (const json& entry : value) {
    double numbers[3] = {};
    for (std::size_t k = 0; k < 3; ++k) {
      const json& number = entry.at(k);
      if (!number.is_number() || !std::isfinite(number.get<double>())) {
        throw Error("the scale of a column is not finite");
      }
      numbers[k] = number.get<double>();
    }
    scales.push_back({numbers[0], numbers[1], numbers[2]});
  }
  return scales;
}

CsvColumn column_from_json(const json& value, const LiftedArrays& arrays) {
  using Role = CsvColumn::Role;
  CsvColumn column;
  column.name = json_fields::text_of(value.at("name"));
  column.role = value_in(kRoles, value, "role");
  if (column.role == Role::words || column.role == Role::text) {
    column.words = arrays.texts(value.at("words"));
    if (!ascend(column.words)) throw Error("the words of a column are not in ascending order");
  }
  if (column.role == Role::number) {
    column.mean = json_fields::finite_number(value, "mean");
    if (value.contains("median")) column.median = json_fields::finite_number(value, "median");
  }
  if (value.contains("style") && (column.role == Role::number || column.role == Role::label)) {
    column.style = value_in(kStyles, value, "style");
  }
  if (column.role == Role::date) {
    column.date_order = value_in(kOrders, value, "order");
    column.has_time = value.at("has_time").get<bool>();
  }
  if (column.role == Role::text) text_from_json(value.at("text"), arrays, column);
  if (value.contains("missing_feature")) {
    column.missing_feature = value.at("missing_feature").get<bool>();
  }
  if (value.contains("scales")) column.scales = scales_from_json(value.at("scales"));
  if (!column.scales.empty() && column.scales.size() != column.numbers()) {
    throw Error("the numbers of scales and numeric columns differ");
  }
  return column;
}

CsvLayout layout_from_json(const json& value, const LiftedArrays& arrays) {
  CsvLayout layout;
  const auto delimiter = json_fields::text_of(value.at("delimiter"));
  if (delimiter.size() != 1) throw Error("invalid delimiter");
  layout.delimiter = delimiter[0];
  layout.has_header = value.at("has_header").get<bool>();
  layout.missing = value_in(kMissing, value, "missing");
  if (value.contains("quotes")) layout.quotes = value.at("quotes").get<bool>();
  if (value.contains("na")) layout.na = json_fields::texts_of(value.at("na"));
  std::uint64_t next = 0;
  for (const json& entry : value.at("columns")) {
    CsvColumn column = column_from_json(entry, arrays);
    column.first_feature = static_cast<std::uint32_t>(next);
    next += column.features();
    if (next > std::numeric_limits<std::uint32_t>::max()) throw Error("too many features");
    layout.columns.push_back(std::move(column));
  }
  return layout;
}

IndexMap index_map(std::uint32_t base, std::uint64_t count, std::vector<std::uint32_t> seen) {
  if (seen.empty()) {
    // The last index, base + count - 1, must be below 2^32.
    if (base + count > (std::uint64_t{1} << 32)) throw Error("invalid index range");
    return IndexMap::contiguous(base, count);
  }
  if (count != seen.size()) throw Error("the index map has the wrong length");
  if (seen.front() < base || !ascend(seen)) throw Error("the index map is not in ascending order");
  return IndexMap::of_seen(base, std::move(seen));
}

Schema checked_schema(const json& value, const LiftedArrays& arrays,
                      std::vector<std::uint32_t> seen) {
  Schema schema;
  schema.source = value_in(kSources, value, "source");
  const auto base = static_cast<std::uint32_t>(json_fields::whole_number(value, "index_base", 1));
  const auto count =
      json_fields::whole_number(value, "index_count", std::numeric_limits<std::int64_t>::max());
  schema.indices = index_map(base, count, std::move(seen));
  schema.label_words = json_fields::texts_of(value.at("label_words"));
  if (value.contains("multilabel")) schema.multilabel = value.at("multilabel").get<bool>();
  if (!ascend(schema.label_words)) throw Error("the label words are not in ascending order");
  if (value.contains("csv")) schema.csv = layout_from_json(value.at("csv"), arrays);
  schema.feature_names = json_fields::texts_of(value.at("feature_names"));
  if (!schema.feature_names.empty() && schema.feature_names.size() != schema.feature_count()) {
    throw Error("the numbers of names and features differ");
  }
  return schema;
}

}  // namespace

namespace {

json json_of(const Schema& schema, LongArrays& arrays) {
  json result = {{"source", name_in(kSources, schema.source)},
                 {"index_base", schema.indices.base()},
                 {"index_count", schema.indices.features()},
                 {"label_words", json_fields::texts(schema.label_words)},
                 {"feature_names", json_fields::texts(schema.feature_names)}};
  if (schema.multilabel) result["multilabel"] = true;
  if (schema.csv) {
    json columns = json::array();
    for (const auto& column : schema.csv->columns)
      columns.push_back(column_to_json(column, arrays));
    result["csv"] = {{"delimiter", json_fields::text(std::string(1, schema.csv->delimiter))},
                     {"has_header", schema.csv->has_header},
                     {"missing", name_in(kMissing, schema.csv->missing)},
                     {"columns", std::move(columns)},
                     {"quotes", schema.csv->quotes},
                     {"na", json_fields::texts(schema.csv->na)}};
  }
  return result;
}

}  // namespace

std::string schema_to_json(const Schema& schema) {
  LongArrays apart(true);
  if (auto text = apart.joined(json_of(schema, apart).dump())) return *std::move(text);
  LongArrays within(false);
  return json_of(schema, within).dump();
}

Schema schema_from_json(std::string_view text, std::vector<std::uint32_t> seen) {
  try {
    LiftedArrays arrays;
    const json value = json::parse(arrays.lift(text));
    return checked_schema(value, arrays, std::move(seen));
  } catch (const json::exception& problem) {
    throw Error(std::string("the description of the columns is damaged: ") + problem.what());
  }
}

}  // namespace pegasos
