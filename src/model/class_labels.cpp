#include "model/class_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "pegasos/error.h"

namespace pegasos {
namespace {

std::vector<std::string_view> members_of(std::string_view set) {
  std::vector<std::string_view> members;
  while (!set.empty()) {
    const std::size_t end = std::min(set.find(','), set.size());
    members.push_back(set.substr(0, end));
    set.remove_prefix(std::min(end + 1, set.size()));
  }
  return members;
}

// Words in the order people expect: numbers by value, before other words.
bool comes_before(const std::string& a, const std::string& b) {
  const auto key = [](const std::string& word) {
    double value = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool number = problem == std::errc() && end == word.data() + word.size();
    return std::tuple(!number, number ? value : 0.0, word);
  };
  return key(a) < key(b);
}

std::vector<double> classes_of_sets(const Schema& schema) {
  std::vector<double> classes;
  for (std::size_t k = 0; k < schema.label_words.size(); ++k) {
    const std::string& word = schema.label_words[k];
    if (!word.empty() && word.find(',') == std::string::npos) {
      classes.push_back(static_cast<double>(k));
    }
  }
  std::sort(classes.begin(), classes.end(), [&](double a, double b) {
    return comes_before(schema.label_text(a), schema.label_text(b));
  });
  return classes;
}

}  // namespace

void check_labels_present(const Dataset& data) {
  if (!data.has_labels()) throw UnusableData("the data has no labels");
  const auto labels = data.labels();
  const auto missing =
      std::find_if(labels.begin(), labels.end(), [](double label) { return std::isnan(label); });
  if (missing != labels.end()) {
    throw UnusableData(fmt::format("row {} has no label", missing - labels.begin() + 1));
  }
}

ClassLabels ClassLabels::of(const Dataset& data) {
  if (data.has_labels() && data.schema().multilabel) {
    return ClassLabels(data, classes_of_sets(data.schema()));
  }
  check_labels_present(data);
  const std::set<double> distinct(data.labels().begin(), data.labels().end());
  return ClassLabels(data, {distinct.begin(), distinct.end()});
}

ClassLabels::ClassLabels(const Dataset& data, std::vector<double> classes)
    : classes_(std::move(classes)), multilabel_(data.schema().multilabel) {
  if (!data.has_labels()) throw UnusableData("the data has no labels");
  std::map<std::string, std::uint32_t, std::less<>> class_of_word;
  std::map<double, std::uint32_t> class_of_value;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    class_of_value[classes_[c]] = static_cast<std::uint32_t>(c);
    class_of_word[data.schema().label_text(classes_[c])] = static_cast<std::uint32_t>(c);
  }
  const auto members_of_label = [&](double label) {
    Members found;
    const auto add = [&found](const auto& known, const auto& key) {
      const auto one = known.find(key);
      if (one == known.end()) {
        found.others = true;
      } else {
        found.classes.push_back(one->second);
      }
    };
    if (!multilabel_) {
      add(class_of_value, label);
      return found;
    }
    const std::string set = data.schema().label_text(label);
    for (const std::string_view member : members_of(set)) add(class_of_word, member);
    return found;
  };
  std::map<double, std::uint32_t> place_of;
  members_.emplace_back();  // of no label
  label_of_row_.reserve(data.rows());
  for (const double label : data.labels()) {
    std::uint32_t place = 0;
    if (!std::isnan(label)) {
      const auto next = static_cast<std::uint32_t>(members_.size());
      const auto [found, is_new] = place_of.emplace(label, next);
      if (is_new) members_.push_back(members_of_label(label));
      place = found->second;
    }
    label_of_row_.push_back(place);
  }
}

bool ClassLabels::has(std::size_t row, std::size_t of_class) const {
  const auto& members = members_[label_of_row_[row]].classes;
  return std::find(members.begin(), members.end(), of_class) != members.end();
}

std::size_t ClassLabels::class_of(std::size_t row) const {
  const auto& members = members_[label_of_row_[row]].classes;
  return members.empty() ? classes_.size() : members.front();
}

}  // namespace pegasos
