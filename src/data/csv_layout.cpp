#include "data/csv_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/did_you_mean.h"
#include "data/row_block.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

using Role = CsvColumn::Role;

std::vector<std::string> plain_names(const std::vector<CsvColumnName>& names) {
  std::vector<std::string> plain;
  plain.reserve(names.size());
  for (const auto& column : names) plain.push_back(column.name);
  return plain;
}

// As a shell takes it.
std::string typed_form(const std::string& name) {
  return name.find_first_of(" \t'\"$&|;<>()*?#!\\") == std::string::npos ? name : "'" + name + "'";
}

CsvColumnName unnamed(std::size_t column) {
  std::string name = fmt::format("column {}", column + 1);
  return {name, name, std::to_string(column + 1)};
}

CsvColumnName named(std::string name) {
  std::string shown = fmt::format("column '{}'", printable(name));
  std::string typed = typed_form(name);
  return {std::move(name), std::move(shown), std::move(typed)};
}

std::vector<CsvColumnName> names_without_header(std::size_t columns) {
  std::vector<CsvColumnName> names;
  for (std::size_t j = 0; j < columns; ++j) names.push_back(unnamed(j));
  return names;
}

// An empty header cell, as some programs write over row numbers, leaves its column unnamed.
std::vector<CsvColumnName> names_in_header(const CsvSample& sample, const std::string& path) {
  std::vector<CsvColumnName> names;
  std::set<std::string> seen;
  for (const CsvCell& cell : sample.records()[0]) {
    names.push_back(cell.text.empty() ? unnamed(names.size()) : named(unescape(cell)));
    if (!seen.insert(names.back().name).second) {
      throw ParseError(
          path, {sample.complaint(cell.place,
                                  fmt::format("{} appears twice in the header", names.back().shown),
                                  "rename one of the two")});
    }
  }
  return names;
}

// The column that an option means.
std::size_t find_column(const CsvPlan& plan, const std::string& wanted, const char* field) {
  for (std::size_t j = 0; j < plan.names.size(); ++j) {
    if (plan.names[j].name == wanted) return j;
  }
  const bool is_number =
      !wanted.empty() && wanted.size() < 10 &&
      std::all_of(wanted.begin(), wanted.end(), [](char c) { return c >= '0' && c <= '9'; });
  const std::size_t count = plan.names.size();
  if (is_number) {
    const std::size_t number = std::stoul(wanted);
    if (number >= 1 && number <= count) return number - 1;
    throw InvalidOption(field,
                        fmt::format("there is no column {}; the file has {}", wanted, count));
  }
  if (plan.header_bytes == 0) {
    throw InvalidOption(field, fmt::format("there is no column '{}'; the file has no header, its "
                                           "columns are named by number, 1 to {}",
                                           printable(wanted), count));
  }
  throw InvalidOption(field, fmt::format("there is no column '{}'.{}", printable(wanted),
                                         did_you_mean(wanted, plain_names(plan.names))));
}

const char* role_name(Role role) {
  switch (role) {
    case Role::label:
      return "the label";
    case Role::weight:
      return "the weight";
    case Role::ignored:
      return "ignored";
    default:
      return "a feature";
  }
}

// Gives columns their roles, each at most one.
class Roles {
 public:
  explicit Roles(const CsvPlan& plan) : plan_(plan), roles_(plan.names.size()) {}

  void assign(const std::string& wanted, Role role, const char* field) {
    const std::size_t j = find_column(plan_, wanted, field);
    if (roles_[j] && roles_[j] != role) {
      throw InvalidOption(
          field, fmt::format("{} is already {}", plan_.names[j].shown, role_name(*roles_[j])));
    }
    roles_[j] = role;
  }

  void assign_default_label() {
    for (const std::string_view usual : kUsualLabelNames) {
      for (std::size_t j = 0; j < roles_.size(); ++j) {
        if (roles_[j] || !same_word(plan_.names[j].name, usual)) continue;
        roles_[j] = Role::label;
        return;
      }
    }
    for (std::size_t j = roles_.size(); j-- > 0;) {
      if (roles_[j]) continue;
      roles_[j] = Role::label;
      return;
    }
    if (!roles_.empty()) throw InvalidOption("ignored_columns", "leaves no column for the label");
  }

  const std::optional<Role>& operator[](std::size_t j) const { return roles_[j]; }

 private:
  const CsvPlan& plan_;
  std::vector<std::optional<Role>> roles_;
};

void plan_by_options(CsvPlan& plan, const CsvSample& sample, const ReadOptions& options) {
  Roles roles(plan);
  if (!options.label_column.empty()) {
    roles.assign(options.label_column, Role::label, "label_column");
  }
  if (!options.weight_column.empty()) {
    roles.assign(options.weight_column, Role::weight, "weight_column");
  }
  for (const auto& name : options.ignored_columns) {
    roles.assign(name, Role::ignored, "ignored_columns");
  }
  if (options.label_column.empty()) roles.assign_default_label();
  for (const auto& name : options.words_columns) roles.assign(name, Role::words, "words_columns");

  const auto holds_words = sample.words_columns(plan.header_bytes > 0 ? 1 : 0);
  const auto columns = static_cast<std::uint32_t>(plan.names.size());
  for (std::uint32_t j = 0; j < columns; ++j) {
    const Role role = roles[j].value_or(holds_words[j] ? Role::words : Role::number);
    CsvTarget target;
    target.role = role;
    target.feature = role == Role::words ? columns : j;
    target.column = j;
    if (plan.missing == MissingValues::mean) target.fill = std::numeric_limits<float>::quiet_NaN();
    plan.targets.push_back(target);
    CsvColumn column;
    column.name = plan.names[j].name;
    column.role = role;
    plan.layout.columns.push_back(std::move(column));
  }
  plan.layout.delimiter = plan.delimiter;
  plan.layout.has_header = plan.header_bytes > 0;
  plan.layout.missing = plan.missing;
}

// The target of column `index` of the schema; all words of columns before it are in the table.
CsvTarget target_in_schema(CsvPlan& plan, const CsvColumn& column, std::uint32_t index) {
  CsvTarget target;
  target.role = column.role;
  target.feature = column.first_feature;
  target.column = index;
  if (column.role == Role::number && plan.missing == MissingValues::mean) {
    target.fill = static_cast<float>(column.mean);
  }
  if (column.role == Role::words) {
    target.feature -= static_cast<FeatureId>(plan.known_words.words().size());
    for (const auto& word : column.words) plan.known_words.add(index, word);
  }
  return target;
}

// One target per column of the schema.
std::vector<CsvTarget> targets_in_schema(CsvPlan& plan, const CsvLayout& layout) {
  std::vector<CsvTarget> targets;
  for (const auto& column : layout.columns) {
    const auto index = static_cast<std::uint32_t>(targets.size());
    targets.push_back(target_in_schema(plan, column, index));
  }
  return targets;
}

// The columns label_column and weight_column ask for, if they do.
struct AskedFor {
  std::optional<std::size_t> label;
  std::optional<std::size_t> weight;
};

AskedFor asked_for(const CsvPlan& plan, const ReadOptions& options) {
  AskedFor result;
  if (!options.label_column.empty()) {
    result.label = find_column(plan, options.label_column, "label_column");
  }
  if (!options.weight_column.empty()) {
    result.weight = find_column(plan, options.weight_column, "weight_column");
    if (result.weight == result.label) {
      throw InvalidOption("weight_column", plan.names[*result.weight].shown + " is the label");
    }
  }
  return result;
}

[[noreturn]] void refuse_feature(const CsvPlan& plan, std::size_t column, const char* field) {
  throw InvalidOption(field, plan.names[column].shown + " is a feature of the model");
}

void match_by_name(CsvPlan& plan, const CsvLayout& layout, const CsvSample& sample,
                   const ReadOptions& options, const std::string& path) {
  const AskedFor asked = asked_for(plan, options);
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t j = 0; j < plan.names.size(); ++j) place.emplace(plan.names[j].name, j);
  plan.targets.resize(plan.names.size());
  const auto targets = targets_in_schema(plan, layout);
  std::vector<Diagnostic> missing;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Role role = targets[i].role;
    if (role == Role::label && asked.label) continue;
    if (role == Role::weight && asked.weight) continue;
    const auto found = place.find(layout.columns[i].name);
    if (found != place.end()) {
      plan.targets[found->second] = targets[i];
    } else if (role == Role::number || role == Role::words) {
      const std::string& name = layout.columns[i].name;
      Diagnostic about = sample.complaint(
          sample.records()[0][0].place,
          fmt::format("the model needs a column '{}', which the header does not have.{}",
                      printable(name), did_you_mean(name, plain_names(plan.names))));
      about.column = 0;
      missing.push_back(std::move(about));
      if (missing.size() >= options.max_errors) break;
    }
  }
  if (!missing.empty()) throw ParseError(path, std::move(missing));
  const auto take_over = [&plan](std::size_t column, Role role, const char* field) {
    const Role before = plan.targets[column].role;
    if (before == Role::number || before == Role::words) refuse_feature(plan, column, field);
    plan.targets[column] = {.role = role};
  };
  if (asked.label) take_over(*asked.label, Role::label, "label_column");
  if (asked.weight) take_over(*asked.weight, Role::weight, "weight_column");
}

void match_by_position(CsvPlan& plan, const CsvLayout& layout, const CsvSample& sample,
                       const ReadOptions& options, const std::string& path) {
  if (plan.names.empty()) return;
  const AskedFor asked = asked_for(plan, options);
  plan.targets = targets_in_schema(plan, layout);
  const auto label = std::find_if(plan.targets.begin(), plan.targets.end(),
                                  [](const CsvTarget& t) { return t.role == Role::label; });
  const bool has_label = label != plan.targets.end();
  const std::size_t found = plan.names.size();
  const std::size_t expected = plan.targets.size();
  const bool label_absent = has_label && found + 1 == expected;
  if (found != expected && !label_absent) {
    Diagnostic about = sample.complaint(
        sample.records()[0][0].place,
        fmt::format("expected {} cells as in the data of the model{}, found {}", expected,
                    has_label ? fmt::format(", or {} without the label", expected - 1) : "",
                    found));
    about.column = 0;
    throw ParseError(path, {std::move(about)});
  }
  if (label_absent) {
    plan.targets.erase(label);
    if (asked.label) refuse_feature(plan, *asked.label, "label_column");
  } else if (asked.label && has_label) {
    // The label has moved; the features keep their order.
    const CsvTarget moved = *label;
    plan.targets.erase(label);
    plan.targets.insert(plan.targets.begin() + static_cast<std::ptrdiff_t>(*asked.label), moved);
  }
  if (asked.weight && plan.targets[*asked.weight].role != Role::weight) {
    refuse_feature(plan, *asked.weight, "weight_column");
  }
  if (!layout.has_header) return;
  for (std::size_t j = 0; j < found; ++j) {
    plan.names[j] = named(layout.columns[plan.targets[j].column].name);
  }
}

// The features of a schema are numbered in the order of its columns.
bool ids_ascend(const std::vector<CsvTarget>& targets) {
  std::int64_t previous = -1;
  for (const CsvTarget& target : targets) {
    if (target.role != Role::number && target.role != Role::words) continue;
    if (target.column <= previous) return false;
    previous = target.column;
  }
  return true;
}

// With the names of a model at hand, a record that has one of them is a header.
bool has_name_of(const CsvLayout& layout, const CsvSample::Record& record) {
  return std::any_of(record.begin(), record.end(), [&](const CsvCell& cell) {
    if (cell.text.empty() || looks_like_number(cell.text)) return false;
    return std::any_of(layout.columns.begin(), layout.columns.end(),
                       [&](const CsvColumn& column) { return column.name == unescape(cell); });
  });
}

bool decide_on_header(const CsvSample& sample, const ReadOptions& options) {
  if (sample.records().empty()) return false;
  if (options.header) return *options.header;
  const bool model_has_names = options.schema && options.schema->csv->has_header;
  if (model_has_names && has_name_of(*options.schema->csv, sample.records()[0])) return true;
  return sample.first_record_looks_like_header();
}

}  // namespace

CsvPlan plan_columns(const CsvSample& sample, const ReadOptions& options, const std::string& path) {
  CsvPlan plan;
  plan.delimiter = sample.grammar().delimiter();
  plan.missing = options.missing;
  const bool has_header = decide_on_header(sample, options);
  if (has_header) {
    plan.header_bytes = sample.header_bytes();
    plan.header_lines = sample.header_lines();
  }
  plan.names = has_header ? names_in_header(sample, path) : names_without_header(sample.columns());
  if (options.schema) {
    const CsvLayout& layout = *options.schema->csv;
    plan.by_schema = true;
    if (plan.missing == MissingValues::refuse) plan.missing = layout.missing;
    if (has_header && layout.has_header) {
      match_by_name(plan, layout, sample, options, path);
    } else {
      match_by_position(plan, layout, sample, options, path);
    }
    plan.ascending = ids_ascend(plan.targets);
  } else {
    plan_by_options(plan, sample, options);
  }
  plan.has_weight = std::any_of(plan.targets.begin(), plan.targets.end(),
                                [](const CsvTarget& t) { return t.role == Role::weight; });
  return plan;
}

}  // namespace pegasos
