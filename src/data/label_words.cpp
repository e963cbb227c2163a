#include "data/label_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace pegasos {

bool is_label_word(std::string_view token) {
  const auto is_letter = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || byte == '_' || byte >= 0x80;
  };
  const auto continues = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') ||
           std::string_view(".-+/&").find(c) != std::string_view::npos;
  };
  // No UTF-8 text begins with a byte from 0x80 to 0xc1; binary files do.
  const bool begins =
      !token.empty() && is_letter(token[0]) &&
      (static_cast<unsigned char>(token[0]) < 0x80 || static_cast<unsigned char>(token[0]) >= 0xc2);
  return begins && std::all_of(token.begin(), token.end(), continues);
}

std::string mixed_labels_message(std::string_view token) {
  return fmt::format(
      "label '{}' is of another kind than the labels before it: numbers and words mixed",
      printable(token));
}

LabelWords::LabelWords(const Schema* schema) {
  if (schema == nullptr) return;
  words_ = schema->label_words;
  kind_ = words_.empty() ? LabelKind::number : LabelKind::word;
  for (std::size_t i = 0; i < words_.size(); ++i) numbers_.emplace(words_[i], i);
}

void LabelWords::adopt(RowBlock& rows) {
  if (!rows.label_kind) return;
  const auto complain = [&rows](const Diagnostic& place) {
    const auto later = std::find_if(rows.errors.begin(), rows.errors.end(),
                                    [&](const Diagnostic& e) { return e.line >= place.line; });
    rows.errors.insert(later, place);
  };
  if (mixed_) return;
  if (!kind_) kind_ = rows.label_kind;
  if (kind_ != rows.label_kind || rows.first_other_label) {
    complain(kind_ != rows.label_kind ? rows.first_label : *rows.first_other_label);
    mixed_ = true;  // once is enough, and the labels can no longer be renumbered
    return;
  }
  if (kind_ == LabelKind::number) return;

  std::vector<double> number_of;
  number_of.reserve(rows.label_words.size());
  for (auto& word : rows.label_words) {
    const auto [found, is_new] = numbers_.try_emplace(word, words_.size());
    if (is_new) words_.push_back(std::move(word));
    number_of.push_back(static_cast<double>(found->second));
  }
  for (auto& label : rows.labels) {
    if (!std::isnan(label)) label = number_of[static_cast<std::size_t>(label)];
  }
}

std::vector<std::string> LabelWords::sort(std::span<double> labels) {
  std::vector<std::size_t> order(words_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [this](std::size_t a, std::size_t b) { return words_[a] < words_[b]; });
  std::vector<double> place(words_.size());
  std::vector<std::string> sorted;
  sorted.reserve(words_.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<double>(i);
    sorted.push_back(words_[order[i]]);
  }
  if (!sorted.empty()) {
    for (auto& label : labels) {
      if (!std::isnan(label)) label = place[static_cast<std::size_t>(label)];
    }
  }
  return sorted;
}

}  // namespace pegasos
