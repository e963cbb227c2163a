#include "weights_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace pegasos::cli {
namespace {

// Features with the largest weights of one sign, the largest first.
std::vector<std::uint32_t> heaviest(std::span<const double> w, double sign, std::size_t top) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = 0; id < w.size(); ++id) {
    if (sign * w[id] > 0) ids.push_back(id);
  }
  const auto shown =
      ids.begin() + static_cast<std::ptrdiff_t>(top == 0 ? ids.size() : std::min(top, ids.size()));
  std::partial_sort(ids.begin(), shown, ids.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double left = std::abs(w[a]);
    const double right = std::abs(w[b]);
    return left != right ? left > right : a < b;
  });
  ids.erase(shown, ids.end());
  return ids;
}

std::string padded(const std::string& text, std::size_t room) {
  return text + std::string(room > cells(text) ? room - cells(text) : 0, ' ');
}

std::string with_bars(const LinearModel& model, double sign, std::size_t top, const Style& style) {
  const auto ids = heaviest(model.w, sign, top);
  if (ids.empty()) return "";
  std::string text =
      "\n" + style.bold(sign > 0 ? "Largest positive weights" : "Largest negative weights") + "\n";
  const double most = std::abs(model.w[ids.front()]);
  for (const auto id : ids) {
    text +=
        fmt::format("  {}  {:>+10.4g}  {}\n", padded(printable(model.schema->feature_name(id)), 24),
                    model.w[id], bar(std::abs(model.w[id]) / most, 24));
  }
  return text;
}

// What speaks for each class.
std::string by_class(const MulticlassModel& model, std::size_t top, const Style& style) {
  std::size_t room = 0;
  for (std::size_t k = 0; k < model.classifiers.size(); ++k) {
    room = std::max(room, cells(printable(model.classifier_name(k))));
  }
  std::string text = "\n" + style.bold("Largest positive weights") + "\n";
  for (std::size_t k = 0; k < model.classifiers.size(); ++k) {
    const std::vector<double> w = model.weights_of(k);
    std::vector<std::string> words;
    for (const auto id : heaviest(w, 1.0, top)) {
      words.push_back(fmt::format("{} {:+.3g}", printable(model.schema->feature_name(id)), w[id]));
    }
    text += fmt::format("  {}  {}\n", padded(printable(model.classifier_name(k)), room),
                        fmt::join(words, ", "));
  }
  return text;
}

Json list_of(std::span<const double> w, const Schema& schema, double sign, std::size_t top) {
  Json list = Json::array();
  for (const auto id : heaviest(w, sign, top)) {
    list.push_back({{"feature", schema.feature_name(id)}, {"weight", w[id]}});
  }
  return list;
}

Json both_signs(std::span<const double> w, const Schema& schema, std::size_t top) {
  return {{"positive", list_of(w, schema, 1.0, top)}, {"negative", list_of(w, schema, -1.0, top)}};
}

// The model whose features have names, or null.
const LinearModel* named_weights(const Model& model) {
  const auto* linear = std::get_if<LinearModel>(&model);
  return linear != nullptr && !linear->map ? linear : nullptr;
}

const MulticlassModel* named_classes(const Model& model) {
  const auto* many = std::get_if<MulticlassModel>(&model);
  const bool named = many != nullptr && many->linear() != nullptr && !many->linear()->map;
  return named && !many->classifiers.empty() ? many : nullptr;
}

}  // namespace

std::string largest_weights(const Model& model, std::size_t top, const Style& style) {
  if (const LinearModel* linear = named_weights(model)) {
    return with_bars(*linear, 1.0, top, style) + with_bars(*linear, -1.0, top, style);
  }
  const MulticlassModel* many = named_classes(model);
  return many != nullptr ? by_class(*many, top, style) : "";
}

void add_largest_weights(const Model& model, std::size_t top, Json& json) {
  if (const LinearModel* linear = named_weights(model)) {
    json["largest_weights"] = both_signs(linear->w, *linear->schema, top);
  } else if (const MulticlassModel* many = named_classes(model)) {
    for (std::size_t k = 0; k < many->classifiers.size(); ++k) {
      json["largest_weights"][many->classifier_name(k)] =
          both_signs(many->weights_of(k), *many->schema, top);
    }
  }
}

}  // namespace pegasos::cli
