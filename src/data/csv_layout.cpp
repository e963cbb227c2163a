#include "data/csv_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/did_you_mean.h"
#include "data/column_profile.h"
#include "data/number_scale.h"
#include "data/row_block.h"
#include "pegasos/error.h"

namespace pegasos {

using Role = CsvColumn::Role;

std::vector<std::string> plain_names(const std::vector<CsvColumnName>& names) {
  std::vector<std::string> plain;
  plain.reserve(names.size());
  for (const auto& column : names) plain.push_back(column.name);
  return plain;
}

std::string first_names(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t j = 0; j < std::min(names.size(), most); ++j) {
    text += (j > 0 ? ", " : "") + printable(names[j]);
  }
  return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

CsvColumnName column_named(std::string name) {
  std::string shown = fmt::format("column '{}'", printable(name));
  // As a shell takes it.
  const bool plain = name.find_first_of(" \t'\"$&|;<>()*?#!\\") == std::string::npos;
  std::string typed = plain ? name : "'" + name + "'";
  return {std::move(name), std::move(shown), std::move(typed)};
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
  const std::string meant = did_you_mean(wanted, plain_names(plan.names));
  throw InvalidOption(
      field, fmt::format("there is no column '{}'.{}", printable(wanted), meant),
      meant.empty() ? fmt::format("the columns are {}", first_names(plain_names(plan.names), 20))
                    : "");
}

namespace {

CsvColumnName unnamed(std::size_t column) {
  std::string name = fmt::format("column {}", column + 1);
  return {name, name, std::to_string(column + 1)};
}

std::vector<CsvColumnName> names_without_header(std::size_t columns) {
  std::vector<CsvColumnName> names;
  for (std::size_t j = 0; j < columns; ++j) names.push_back(unnamed(j));
  return names;
}

// An empty header cell, as some programs write over row numbers, leaves its column unnamed. A name
// that was there already gets a number: a, a.1, a.2.
std::vector<CsvColumnName> names_in_header(const CsvSample& sample) {
  std::vector<CsvColumnName> names;
  std::set<std::string> seen;
  for (const CsvCell& cell : sample.records()[0]) {
    names.push_back(cell.text.empty() ? unnamed(names.size()) : column_named(unescape(cell)));
    const std::string name = names.back().name;
    for (std::size_t k = 1; !seen.insert(names.back().name).second; ++k) {
      names.back() = column_named(fmt::format("{}.{}", name, k));
    }
  }
  return names;
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

  // The last is text: "ham<TAB>Ok lar" rather than "Ok lar<TAB>ham".
  void assign_first_label() {
    for (auto& role : roles_) {
      if (role) continue;
      role = Role::label;
      return;
    }
  }

  void assign_default_label(bool last_is_text) {
    for (const std::string_view usual : kUsualLabelNames) {
      for (std::size_t j = 0; j < roles_.size(); ++j) {
        if (roles_[j] || !same_word(plan_.names[j].name, usual)) continue;
        roles_[j] = Role::label;
        return;
      }
    }
    if (last_is_text) {
      assign_first_label();
      return;
    }
    for (std::size_t j = roles_.size(); j-- > 0;) {
      if (roles_[j]) continue;
      roles_[j] = Role::label;
      return;
    }
    if (!roles_.empty()) throw InvalidOption("ignored_columns", "no column is left for the label");
  }

  const std::optional<Role>& operator[](std::size_t j) const { return roles_[j]; }

 private:
  const CsvPlan& plan_;
  std::vector<std::optional<Role>> roles_;
};

// What the columns hold, with the choices of the options.
std::vector<ColumnFindings> findings_of(const CsvPlan& plan, const CsvSample& sample,
                                        const ReadOptions& options) {
  const std::size_t first = plan.header_bytes > 0 ? 1 : 0;
  auto findings = profile_sample(sample, first, plain_names(plan.names), options);
  for (const auto& choice : options.column_kinds) {
    const std::size_t j = find_column(plan, choice.column, "column_kinds");
    take_for(findings[j], choice.kind, sample, first, j, options);
  }
  for (const auto& name : options.words_columns) {
    const std::size_t j = find_column(plan, name, "words_columns");
    take_for(findings[j], ColumnKind::category, sample, first, j, options);
  }
  return findings;
}

bool last_is_text(const std::vector<ColumnFindings>& findings) {
  return findings.size() > 1 && findings.back().profile.kind == ColumnKind::text;
}

Roles assign_roles(const CsvPlan& plan, const ReadOptions& options,
                   const std::vector<ColumnFindings>& findings) {
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
  if (options.label_column.empty()) {
    roles.assign_default_label(last_is_text(findings));
  }
  for (const auto& name : options.words_columns) roles.assign(name, Role::words, "words_columns");
  for (const auto& choice : options.column_kinds) {
    const auto& role = roles[find_column(plan, choice.column, "column_kinds")];
    if (role == Role::label || role == Role::weight) {
      throw InvalidOption("column_kinds", fmt::format("column '{}' is already {}",
                                                      printable(choice.column), role_name(*role)));
    }
  }
  return roles;
}

Role role_for(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::number:
      return Role::number;
    case ColumnKind::category:
      return Role::words;
    case ColumnKind::text:
      return Role::text;
    case ColumnKind::date:
      return Role::date;
    case ColumnKind::identifier:
    case ColumnKind::constant:
    case ColumnKind::ignored:
      break;
  }
  return Role::ignored;
}

TextRules text_rules(const TextOptions& flags, double mean_bytes) {
  constexpr double kShort = 300.0;
  TextRules rules;
  rules.word_grams = flags.word_grams;
  rules.char_from = flags.char_from.value_or(mean_bytes <= kShort ? 3 : 0);
  rules.char_to = flags.char_to.value_or(mean_bytes <= kShort ? 5 : 0);
  rules.least_rows = flags.least_rows;
  rules.hash_bits = flags.hash_bits;
  rules.validate();
  return rules;
}

// If every column were left out, those the profile left out are features after all: a table of a
// single column of row numbers is not worth refusing.
void keep_something(std::vector<ColumnFindings>& findings, const Roles& roles) {
  const auto is_feature = [&](std::size_t j) {
    return !roles[j] && findings[j].profile.use == ColumnProfile::Use::feature;
  };
  for (std::size_t j = 0; j < findings.size(); ++j) {
    if (is_feature(j) || roles[j] == Role::words) return;
  }
  for (std::size_t j = 0; j < findings.size(); ++j) {
    ColumnProfile& profile = findings[j].profile;
    if (roles[j] || profile.remark == "ignored") continue;
    profile.use = ColumnProfile::Use::feature;
    profile.kind = profile.values.find(" to ") != std::string::npos || profile.values.empty()
                       ? ColumnKind::number
                       : ColumnKind::category;
    profile.remark = "kept: it is the only column";
  }
}

// How numbers are written in a column. Labels such as 5% and 10% are classes with these names,
// unless there are many, or some are plain numbers, or numbers were said to have a comma.
NumberStyle style_of(const ColumnFindings& findings, Role role, const ReadOptions& options) {
  constexpr std::size_t kMostNames = 10;
  if (role == Role::number) return findings.style;
  const bool are_numbers =
      findings.some_are_plain || findings.profile.distinct > kMostNames || options.decimal == ',';
  return role == Role::label && are_numbers ? findings.style : NumberStyle::plain;
}

CsvColumn column_from(const ColumnFindings& findings, Role role, const ReadOptions& options) {
  CsvColumn column;
  column.name = findings.profile.name;
  column.role = role;
  column.style = style_of(findings, role, options);
  column.date_order = findings.date_order;
  column.has_time = role == Role::date && findings.has_time;
  column.median = role == Role::number ? findings.median : 0.0;
  if (role == Role::text) column.text.rules = text_rules(options.text, findings.mean_text_bytes);
  return column;
}

// Provisional ids, and how numbers are stored until all of them are known.
class TargetMaker {
 public:
  TargetMaker(CsvPlan& plan, const ReadOptions& options, bool is_stream)
      : plan_(plan), options_(options), is_stream_(is_stream) {
    plan_.fixed_features = static_cast<FeatureId>(plan.names.size());
    plan_.centres.assign(plan.names.size(), 0.0);
  }

  void add(const ColumnFindings& findings, std::uint32_t j) {
    const CsvColumn& column = plan_.layout.columns[j];
    CsvTarget target;
    target.role = column.role;
    target.feature = column.role == Role::words ? 0 : j;
    target.column = j;
    const bool scales = options_.table_scaling != TableScaling::none && !is_stream_;
    plan_.needs_spread = plan_.needs_spread || scales || column.role == Role::date;
    target.is_exact = findings.is_exact && scales;
    target.style = column.style;
    target.is_fast = column.style == NumberStyle::plain && !target.is_exact;
    target.keeps_zeros =
        scales && !findings.mostly_zeros && options_.table_scaling != TableScaling::max_abs;
    const bool later =
        plan_.missing == MissingValues::mean || plan_.missing == MissingValues::median;
    if (later) target.fill = std::numeric_limits<float>::quiet_NaN();
    if (column.role == Role::number) {
      if (target.is_exact || target.keeps_zeros) plan_.centres[j] = findings.centre;
      if (target.is_exact) target.scale[0].origin = findings.centre;
      if (!later) target.fill = less_origin(0.0, target.scale[0]);
    }
    if (column.role == Role::date) add_date(target, findings, column, j);
    if (column.role == Role::text) {
      plan_.has_text = true;
      const auto bits = column.text.rules.hash_bits;
      target.feature = bits > 0 ? extra(FeatureId{1} << bits) : 0;
    }
    if (column.features() > 0 || column.role == Role::words || column.role == Role::text) {
      if (!is_stream_) target.missing = extra(1);
    }
    plan_.targets.push_back(target);
  }

  // Words come after everything else, which is known now.
  void finish() {
    for (CsvTarget& target : plan_.targets) {
      const CsvColumn& column = plan_.layout.columns[target.column];
      target.about = &column;
      const bool has_words = target.role == Role::words ||
                             (target.role == Role::text && column.text.rules.hash_bits == 0);
      if (has_words) target.feature = plan_.fixed_features;
    }
    plan_.centres.resize(plan_.fixed_features);
  }

 private:
  FeatureId extra(FeatureId count) {
    const FeatureId first = plan_.fixed_features;
    if (count > std::numeric_limits<FeatureId>::max() / 2 - first) {
      throw InvalidOption("hash_bits", "too many features in total");
    }
    plan_.fixed_features += count;
    return first;
  }

  // Days are stored less their mean: ages in days need not be exact to the second otherwise.
  void add_date(CsvTarget& target, const ColumnFindings& findings, const CsvColumn& column,
                std::uint32_t j) {
    target.is_exact = true;
    target.keeps_zeros = !is_stream_;
    target.scale[0].origin = std::floor(findings.centre);
    plan_.centres[j] = target.scale[0].origin;
    target.parts = extra(static_cast<FeatureId>(column.features() - 1));
    plan_.centres.resize(plan_.fixed_features);
    plan_.centres[target.parts] = 2000.0;
  }

  CsvPlan& plan_;
  const ReadOptions& options_;
  bool is_stream_;
};

void plan_by_options(CsvPlan& plan, const CsvSample& sample, const ReadOptions& options,
                     bool is_stream) {
  auto findings = findings_of(plan, sample, options);
  const Roles roles = assign_roles(plan, options, findings);
  keep_something(findings, roles);
  const auto columns = static_cast<std::uint32_t>(plan.names.size());
  plan.layout.columns.reserve(columns);  // targets point into it
  TargetMaker targets(plan, options, is_stream);
  for (std::uint32_t j = 0; j < columns; ++j) {
    ColumnFindings& found = findings[j];
    const Role role = roles[j].value_or(found.profile.use == ColumnProfile::Use::feature
                                            ? role_for(found.profile.kind)
                                            : Role::ignored);
    using Use = ColumnProfile::Use;
    found.profile.use = role == Role::label     ? Use::label
                        : role == Role::weight  ? Use::weight
                        : role == Role::ignored ? Use::left_out
                                                : Use::feature;
    plan.layout.columns.push_back(column_from(found, role, options));
    if ((found.profile.use == Use::label || found.profile.use == Use::weight) &&
        plan.layout.columns.back().style == NumberStyle::plain) {
      found.profile.remark.clear();
    }
    targets.add(found, j);
    plan.profile.push_back(found.profile);
  }
  targets.finish();
  if (is_stream && plan.has_text) {
    for (const auto& column : plan.layout.columns) {
      if (column.role != Role::text || column.text.rules.hash_bits > 0) continue;
      throw InvalidOption(
          "hash_bits",
          fmt::format("a stream has no vocabulary for the text in column '{}'; use hashing",
                      printable(column.name)));
    }
  }
  plan.layout.delimiter = plan.delimiter;
  plan.layout.has_header = plan.header_bytes > 0;
  plan.layout.missing = plan.missing;
  plan.layout.quotes = plan.quotes;
  plan.layout.na = plan.missing_words.words();
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
  // Files of a model without names have none either, unless it is plain to see.
  const bool expected = !options.schema || model_has_names;
  return sample.first_record_looks_like_header(expected ? CsvSample::Evidence::any
                                                        : CsvSample::Evidence::numbers);
}

// Labels are words as often as not, and None and - may be some of them.
MissingWords no_labels(const ReadOptions& options) {
  std::vector<std::string> words = options.na.value_or(
      std::vector<std::string>{"NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "?", "<NA>"});
  words.insert(words.end(), options.also_na.begin(), options.also_na.end());
  return MissingWords(std::move(words));
}

}  // namespace

CsvPlan plan_columns(const CsvSample& sample, const ReadOptions& options, const std::string& path,
                     bool is_stream) {
  CsvPlan plan;
  plan.delimiter = sample.grammar().delimiter();
  plan.quotes = sample.grammar().quotes();
  plan.missing_words = sample.missing();
  plan.missing_labels = no_labels(options);
  // A stream has no whole file to take a median from.
  const auto usual = is_stream ? MissingValues::zero : MissingValues::median;
  plan.missing = options.missing.value_or(usual);
  const bool has_header = decide_on_header(sample, options);
  if (has_header) {
    plan.header_bytes = sample.header_bytes();
    plan.lines_before = sample.header_lines();
  }
  plan.bytes_before = sample.bytes_before() + plan.header_bytes;
  plan.lines_before += sample.lines_before();
  plan.names = has_header ? names_in_header(sample) : names_without_header(sample.columns());
  if (!options.id_column.empty()) plan.id = find_column(plan, options.id_column, "id_column");
  if (options.schema) {
    plan.by_schema = true;
    plan.missing = options.missing.value_or(options.schema->csv->missing);
    match_columns(plan, sample, options, path);
  } else {
    plan_by_options(plan, sample, options, is_stream);
  }
  const auto has = [&plan](Role role) {
    return std::any_of(plan.targets.begin(), plan.targets.end(),
                       [role](const CsvTarget& target) { return target.role == role; });
  };
  plan.has_weight = has(Role::weight);
  plan.has_label = has(Role::label);
  return plan;
}

}  // namespace pegasos
