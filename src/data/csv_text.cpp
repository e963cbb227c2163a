#include <utility>

#include "data/number_text.h"
#include "data/row_text.h"

namespace pegasos {
namespace {

std::vector<std::string> as_cells(const std::vector<std::string>& words) {
  std::vector<std::string> cells;
  cells.reserve(words.size());
  for (const auto& word : words) cells.push_back(csv_cell(word));
  return cells;
}

// Schema::feature_name of every feature; that function looks through the columns each time.
std::vector<std::string> feature_names(const Schema& schema, std::size_t features) {
  if (schema.csv && schema.feature_names.empty()) {
    std::vector<std::string> names(features);
    for (const auto& column : schema.csv->columns) {
      const std::uint64_t count = column.features();
      for (std::uint64_t k = 0; k < count && column.first_feature + k < names.size(); ++k) {
        names[column.first_feature + k] = column.feature_name(k);
      }
    }
    return names;
  }
  std::vector<std::string> names;
  names.reserve(features);
  for (std::size_t id = 0; id < features; ++id) {
    names.push_back(schema.feature_name(static_cast<FeatureId>(id)));
  }
  return names;
}

char* write_zeros(char* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    *out++ = ',';
    *out++ = '0';
  }
  return out;
}

char* write_cell(char* out, float value) {
  *out++ = ',';
  return write_number(out, value);
}

char* write_features(char* out, const RowView& row, std::size_t features) {
  if (row.dense) {
    for (const float value : row.values) out = write_cell(out, value);
    return out;
  }
  std::size_t next = 0;
  for (std::size_t j = 0; j < row.ids.size(); ++j) {
    out = write_zeros(out, row.ids[j] - next);
    out = write_cell(out, row.values[j]);
    next = row.ids[j] + std::size_t{1};
  }
  return write_zeros(out, features - next);
}

void append_text(std::string_view text, GrowBuffer<char>& out) {
  out.append({text.data(), text.size()});
}

}  // namespace

std::string csv_cell(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  // Blanks at an end are part of a cell by RFC 4180, but many readers drop them unless quoted.
  const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos &&
                     (text.empty() || (!is_blank(text.front()) && !is_blank(text.back())));
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

CsvText::CsvText(const std::vector<std::string>& label_words) : labels_(as_cells(label_words)) {}

void CsvText::append_header(const Dataset& data, GrowBuffer<char>& out) {
  append_header(feature_names(data.schema(), data.features()), data.has_weights(), out);
}

void CsvText::append_header(std::span<const std::string> features, bool weights,
                            GrowBuffer<char>& out) {
  append_text(weights ? "label,weight" : "label", out);
  for (const auto& name : features) {
    append_text(",", out);
    append_text(csv_cell(name), out);
  }
  append_text("\n", out);
}

void CsvText::append(const Dataset& rows, GrowBuffer<char>& out) const {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const RowView row = rows.row(i);
    const std::size_t begin = out.size();
    out.resize_uninitialised(begin + labels_.longest() + kLongestNumber + 2 +
                             row.values.size() * (kLongestNumber + 1) + 2 * rows.features());
    char* p = out.data() + begin;
    if (rows.has_labels()) p = labels_.write(p, rows.label(i));
    if (rows.has_weights()) {
      *p++ = ',';
      p = write_number(p, rows.weight(i));
    }
    p = write_features(p, row, rows.features());
    *p++ = '\n';
    out.resize_uninitialised(static_cast<std::size_t>(p - out.data()));
  }
}

}  // namespace pegasos
