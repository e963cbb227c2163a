// Columns of a file to those of a model's schema, by name or by position.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/did_you_mean.h"
#include "data/csv_layout.h"
#include "data/number_scale.h"
#include "data/row_block.h"
#include "data/term_weights.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

using Role = CsvColumn::Role;

bool has_features(Role role) {
  return role == Role::number || role == Role::words || role == Role::text || role == Role::date;
}

// The target of column `index` of the schema; all words of columns before it are in the table.
CsvTarget target_in_schema(CsvPlan& plan, const CsvColumn& column, std::uint32_t index) {
  CsvTarget target;
  target.role = column.role;
  target.feature = column.first_feature;
  target.parts = column.first_feature + 1;
  target.column = index;
  target.about = &column;
  if (column.missing_feature) {
    target.missing = column.first_feature + static_cast<FeatureId>(column.features() - 1);
  }
  target.is_scaled = !column.scales.empty();
  for (std::size_t k = 0; k < column.scales.size(); ++k) target.scale[k] = column.scales[k];
  target.is_exact = column.role == Role::date || target.scale[0].origin != 0.0;
  target.style = column.style;
  target.is_fast = column.style == NumberStyle::plain && !target.is_exact;
  if (column.role == Role::number) target.fill = fill_value(column, plan.missing);
  if (column.role == Role::words || (column.role == Role::text && !column.words.empty())) {
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
    plan.rarities.push_back(term_rarities(column.text));
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

// Not a single column of the model is there.
[[noreturn]] void refuse_other_table(const CsvLayout& layout, const CsvSample& sample,
                                     const std::string& path) {
  std::vector<std::string> expected;
  for (const auto& column : layout.columns) {
    if (has_features(column.role)) expected.push_back(column.name);
  }
  Diagnostic about = sample.complaint(sample.records()[0][0].place,
                                      fmt::format("the header has none of the {} columns that the "
                                                  "model uses",
                                                  expected.size()));
  about.column = 0;
  about.hint = fmt::format(
      "it was trained on another table, with the columns {}; is this the right "
      "file?",
      first_names(expected, 8));
  throw ParseError(path, {std::move(about)});
}

void match_by_name(CsvPlan& plan, const CsvLayout& layout, const CsvSample& sample,
                   const ReadOptions& options, const std::string& path) {
  const AskedFor asked = asked_for(plan, options);
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t j = 0; j < plan.names.size(); ++j) place.emplace(plan.names[j].name, j);
  plan.targets.resize(plan.names.size());
  const auto targets = targets_in_schema(plan, layout);
  std::vector<Diagnostic> missing;
  std::size_t features = 0;  // of them, those in the file
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Role role = targets[i].role;
    if (role == Role::label && asked.label) continue;
    if (role == Role::weight && asked.weight) continue;
    const auto found = place.find(layout.columns[i].name);
    if (found != place.end()) {
      plan.targets[found->second] = targets[i];
      features += has_features(role) ? 1 : 0;
    } else if (has_features(role)) {
      const std::string& name = layout.columns[i].name;
      Diagnostic about = sample.complaint(
          sample.records()[0][0].place,
          fmt::format("a column '{}' is expected, but it is not in the header.{}", printable(name),
                      did_you_mean(name, plain_names(plan.names))));
      about.column = 0;
      missing.push_back(std::move(about));
    }
  }
  if (!missing.empty() && features == 0) refuse_other_table(layout, sample, path);
  if (!missing.empty()) {
    missing.resize(std::min(missing.size(), options.max_errors));
    missing.back().hint =
        "name the columns as in the training data; one whose values are not known may be empty";
  }
  if (!missing.empty()) throw ParseError(path, std::move(missing));
  std::set<std::string> known;
  for (const auto& column : layout.columns) known.insert(column.name);
  for (const auto& name : plan.names) {
    if (!known.contains(name.name)) plan.extra_columns.push_back(name.name);
  }
  const auto take_over = [&plan](std::size_t column, Role role, const char* field) {
    const Role before = plan.targets[column].role;
    if (has_features(before)) refuse_feature(plan, column, field);
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
        fmt::format("expected {} cells as in the training data{}, found {}", expected,
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
    plan.names[j] = column_named(layout.columns[plan.targets[j].column].name);
  }
}

// Files for one model may come from machines with different decimal signs.
void take_decimal(CsvTarget& target, char decimal, bool words_are_labels) {
  const bool is_number =
      target.role == Role::number || (target.role == Role::label && !words_are_labels);
  if (!is_number) return;
  const bool was_comma = target.style == NumberStyle::decorated_comma;
  if (decimal == ',') target.style = NumberStyle::decorated_comma;
  if (decimal == '.' && was_comma) target.style = NumberStyle::decorated_point;
  target.is_fast = target.is_fast && target.style == NumberStyle::plain;
}

// The features of a schema are numbered in the order of its columns.
bool ids_ascend(const std::vector<CsvTarget>& targets) {
  std::int64_t previous = -1;
  for (const CsvTarget& target : targets) {
    if (!has_features(target.role)) continue;
    if (target.column <= previous) return false;
    previous = target.column;
  }
  return true;
}

}  // namespace

void match_columns(CsvPlan& plan, const CsvSample& sample, const ReadOptions& options,
                   const std::string& path) {
  const CsvLayout& layout = *options.schema->csv;
  if (plan.header_bytes > 0 && layout.has_header) {
    match_by_name(plan, layout, sample, options, path);
  } else {
    plan.by_position = true;
    match_by_position(plan, layout, sample, options, path);
  }
  if (options.decimal) {
    const bool words_are_labels = !options.schema->label_words.empty();
    for (CsvTarget& target : plan.targets) take_decimal(target, *options.decimal, words_are_labels);
  }
  plan.ascending = ids_ascend(plan.targets);
  for (const CsvTarget& target : plan.targets) {
    plan.has_text = plan.has_text || target.role == Role::text;
  }
}

}  // namespace pegasos
