#include "pegasos/loss.h"

#include <utility>

#include "math/option_tables.h"

namespace pegasos {
namespace {

constexpr std::pair<Loss, const char*> kNames[] = {
    {Loss::hinge, "hinge"},
    {Loss::squared_hinge, "squared-hinge"},
    {Loss::logistic, "logistic"},
    {Loss::epsilon_insensitive, "epsilon-insensitive"},
    {Loss::squared_epsilon_insensitive, "squared-epsilon-insensitive"},
    {Loss::huber, "huber"}};

}  // namespace

void LossOptions::validate() const {
  check_ranges(loss_option_table(), *this);
}

bool is_classification(Loss loss) {
  return loss == Loss::hinge || loss == Loss::squared_hinge || loss == Loss::logistic;
}

std::string name_of(Loss loss) {
  for (const auto& [known, name] : kNames) {
    if (known == loss) return name;
  }
  return "?";
}

std::optional<Loss> loss_of_name(const std::string& name) {
  for (const auto& [loss, known] : kNames) {
    if (name == known) return loss;
  }
  return std::nullopt;
}

const std::vector<std::string>& loss_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& entry : kNames) all.emplace_back(entry.second);
    return all;
  }();
  return names;
}

}  // namespace pegasos
