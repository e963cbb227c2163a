#include "spelling.h"

#include <algorithm>
#include <map>

#include "output_file.h"
#include "pegasos/options.h"

namespace pegasos::cli {
namespace {

// Those whose flag is not just the name of the field.
const std::map<std::string, std::string>& short_flags() {
  static const std::map<std::string, std::string> flags = {
      {"approximation", "--approx"},
      {"bad_rows", "--on-error"},
      {"bias_feature", "-B"},
      {"c", "-c"},
      {"cache_bytes", "--cache"},
      {"choice", "--choose"},
      {"class_weights", "--class-weight"},
      {"coef0", "-r,--coef0"},
      {"column_kinds", "--column"},
      {"cost", "--cost-false-positive"},
      {"degree", "-d,--degree"},
      {"epochs", "--max-epochs"},
      {"epsilon", "-p,--epsilon"},
      {"gamma", "-g,--gamma"},
      {"id_column", "--id"},
      {"ignored_columns", "--ignore"},
      {"label_column", "--label"},
      {"keep_duals", "--keep-dual"},
      {"max_seconds", "--max-time"},
      {"positive_label", "--positive"},
      {"positive_semidefinite", "--psd"},
      {"probabilities", "--probability"},
      {"quotes", "--quote"},
      {"resamples", "--bootstrap"},
      {"scaling", "--scale"},
      {"search_tolerance", "--search-tol"},
      {"start", "--warm-start,--continue"},
      {"strategy", "--multiclass"},
      {"tolerance", "--tol"},
      {"weight_column", "--weight,--weight-column"},
      {"words_columns", "--words"},
      {"words_per_row", "--words"},
  };
  return flags;
}

bool takes_no_value(const std::string& option) {
  const auto* known = find_option(train_option_table(), option);
  return known != nullptr ? known->info.kind == OptionKind::flag
                          : option == "strict" || option == "stream";
}

}  // namespace

std::string flags_of(const std::string& option) {
  const auto known = short_flags().find(option);
  if (known != short_flags().end()) return known->second;
  std::string flag = "--" + option;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string flag_of(const std::string& option) {
  const std::string flags = flags_of(option);
  return flags.substr(flags.find_last_of(',') + 1);
}

std::string spelled(const Setting& setting) {
  if (setting.name.empty()) return setting.value;  // of a model of version 0.1: a line of flags
  if (takes_no_value(setting.name)) return flag_of(setting.name);
  return flag_of(setting.name) + " " + shell_word(setting.value);
}

std::string spelled(const std::vector<Setting>& settings) {
  std::string line;
  for (const Setting& one : settings) line += (line.empty() ? "" : " ") + spelled(one);
  return line;
}

std::string spelled(const Hint& hint) {
  return hint.in_words([](const Setting& one) { return spelled(one); });
}

}  // namespace pegasos::cli
