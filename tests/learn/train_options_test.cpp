// The option tables of training and tuning.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "pegasos/error.h"
#include "pegasos/options.h"

namespace pegasos {
namespace {

// A value other than the default for every option that takes one.
std::string other_value(const OptionInfo& info) {
  if (info.kind == OptionKind::flag) return "yes";
  if (info.name == "class_weights") return "a=2";
  if (info.name == "holdout") return "0.25";
  if (info.kind == OptionKind::bytes) return "7000000";
  if (info.kind == OptionKind::text) return "some";
  if (info.kind != OptionKind::word) return "7";
  std::string last = info.values.substr(info.values.find_last_of('|') + 1);
  return last == "ipm" ? "newton" : last;
}

template <typename Options>
void expect_texts_to_come_back(const OptionTable<Options>& table, const Options& begin) {
  for (const auto& entry : table) {
    Options options = begin;
    const std::string value = other_value(entry.info);
    entry.set(options, value);
    ASSERT_EQ(entry.texts(options).size(), 1U) << entry.info.name;
    EXPECT_EQ(entry.texts(options).front(), value) << entry.info.name;
    EXPECT_NO_THROW(if (entry.check) entry.check(options)) << entry.info.name;
  }
}

TEST(OptionTable, EveryOptionIsWrittenAsItIsRead) {
  TrainOptions with_kernel;
  with_kernel.kernel.emplace();
  with_kernel.kernel->kind = KernelKind::polynomial;
  expect_texts_to_come_back(train_option_table(), with_kernel);
  expect_texts_to_come_back(tune_option_table(), TuneOptions{});
}

template <typename Options>
void expect_sound(const OptionTable<Options>& table) {
  std::set<std::string> names;
  const Options defaults;
  for (const auto& entry : table) {
    EXPECT_TRUE(names.insert(entry.info.name).second) << entry.info.name;
    EXPECT_FALSE(entry.info.meaning.empty()) << entry.info.name;
    EXPECT_EQ(entry.info.meaning.find("--"), std::string::npos) << entry.info.meaning;
    EXPECT_EQ(entry.info.kind == OptionKind::flag, entry.info.values.empty()) << entry.info.name;
    EXPECT_NO_THROW(if (entry.check) entry.check(defaults)) << entry.info.name;
  }
}

TEST(OptionTable, NamesAreUniqueAndDefaultsInRange) {
  expect_sound(train_option_table());
  expect_sound(tune_option_table());
  EXPECT_EQ(infos_of(train_option_table()).size(), train_option_table().size());
}

TEST(OptionTable, DefaultsAreThoseOfTheStruct) {
  const auto default_of = [](const char* name) {
    return find_option(train_option_table(), name)->info.default_text;
  };
  EXPECT_EQ(default_of("tolerance"), "0.001");
  EXPECT_EQ(default_of("epsilon"), "0.1");
  EXPECT_EQ(default_of("batch"), "1");
  EXPECT_EQ(default_of("sampling"), "shuffle");
  EXPECT_EQ(default_of("solver"), "auto");
  EXPECT_EQ(default_of("degree"), "3");
  EXPECT_EQ(default_of("components"), "1024");
  EXPECT_EQ(find_option(tune_option_table(), "folds")->info.default_text, "5");
}

TEST(OptionTable, PegasosRunsAHundredEpochsByDefault) {
  EXPECT_EQ(PegasosOptions{}.epochs, 100U);
  EXPECT_EQ(find_option(train_option_table(), "max_epochs")->info.default_text,
            "100 for Pegasos, otherwise 1000");
}

std::string field_of_refusal(const std::string& name, const std::string& value) {
  TrainOptions options;
  try {
    find_option(train_option_table(), name)->set(options, value);
    options.validate();
  } catch (const InvalidOption& error) {
    EXPECT_EQ(std::string(error.what()), error.field() + ": " + error.message());
    return error.field();
  }
  return "";
}

TEST(OptionTable, RefusesWhatIsNoValueAndWhatIsOutOfRange) {
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"lambda", "0"},
                                                        {"lambda", "much"},
                                                        {"c", "-1"},
                                                        {"loss", "hing"},
                                                        {"tolerance", "-1"},
                                                        {"max_epochs", "0"},
                                                        {"max_epochs", "1.5"},
                                                        {"batch", "0"},
                                                        {"epsilon", "-0.1"},
                                                        {"delta", "0"},
                                                        {"threads", "1025"},
                                                        {"bias_feature", "0"},
                                                        {"class_weights", "a"},
                                                        {"gamma", "wide"},
                                                        {"cache_bytes", "much"},
                                                        {"cache_bytes", "400"},
                                                        {"project", "perhaps"},
                                                        {"steps", "0"},
                                                        {"step_offset", "-1"}}) {
    EXPECT_EQ(field_of_refusal(name, value), name) << name << "=" << value;
  }
  EXPECT_EQ(field_of_refusal("batch", "200k"), "");
  EXPECT_EQ(field_of_refusal("cache_bytes", "4G"), "");
  EXPECT_EQ(field_of_refusal("cache_bytes", "400B"), "");
}

TEST(OptionTable, NotANumberIsOutOfEveryRange) {
  TrainOptions options;
  options.lambda = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(options.validate(), InvalidOption);
  options = {};
  options.solver.tolerance = std::numeric_limits<double>::infinity();
  EXPECT_THROW(options.validate(), InvalidOption);
}

TEST(OptionTable, OffersTheNearestWord) {
  TrainOptions options;
  try {
    find_option(train_option_table(), "solver")->set(options, "pegasus");
    FAIL();
  } catch (const InvalidOption& error) {
    EXPECT_NE(error.message().find("Did you mean 'pegasos'?"), std::string::npos)
        << error.message();
  }
}

TEST(OptionTable, SettingsHoldWhatHasAnEffect) {
  TrainOptions options;
  options.loss = Loss::hinge;
  options.solver.kind = Solver::sdca;
  options.threads = 2;
  const auto names = [](const std::vector<Setting>& settings) {
    std::set<std::string> all;
    for (const Setting& one : settings) all.insert(one.name);
    return all;
  };
  const auto recorded = names(settings_of(train_option_table(), options));
  for (const char* name : {"loss", "solver", "tolerance", "seed", "bias_feature"}) {
    EXPECT_TRUE(recorded.contains(name)) << name;
  }
  for (const char* name : {"epsilon", "delta", "batch", "gamma", "components", "threads",
                           "positive_label", "scaling"}) {
    EXPECT_FALSE(recorded.contains(name)) << name;
  }
  options.solver.kind = Solver::pegasos;
  options.kernel = KernelOptions{.kind = KernelKind::polynomial};
  const auto with_kernel = names(settings_of(train_option_table(), options));
  for (const char* name : {"batch", "sampling", "kernel", "gamma", "coef0", "degree"}) {
    EXPECT_TRUE(with_kernel.contains(name)) << name;
  }
}

TEST(OptionTable, ChangedSettingsMakeTheSameOptions) {
  TrainOptions options;
  options.lambda = 0.1 + 0.2;
  options.class_weights = {{"a b", 2.0}, {"c=d", 0.5}};
  options.kernel = KernelOptions{.kind = KernelKind::rbf, .gamma = 1.0 / 3.0};
  options.solver.pegasos.seed = 18446744073709551615U;
  TrainOptions again;
  for (const Setting& one : changed_settings(train_option_table(), options)) {
    find_option(train_option_table(), one.name)->set(again, one.value);
  }
  EXPECT_EQ(again.lambda, options.lambda);
  ASSERT_EQ(again.class_weights.size(), 2U);
  EXPECT_EQ(again.class_weights[1].label, "c=d");
  EXPECT_EQ(again.class_weights[1].weight, 0.5);
  EXPECT_EQ(again.kernel->gamma, options.kernel->gamma);
  EXPECT_EQ(again.solver.pegasos.seed, options.solver.pegasos.seed);
  EXPECT_TRUE(changed_settings(train_option_table(), TrainOptions{}).empty());
}

}  // namespace
}  // namespace pegasos
