#include "data/label_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/archive.h"
#include "data/number_parser.h"
#include "pegasos/error.h"

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

std::optional<std::string> label_set(std::string_view token) {
  std::set<std::tuple<bool, double, std::string>> members;  // numbers first, by value
  while (true) {
    const std::size_t end = std::min(token.find(','), token.size());
    const std::string member(token.substr(0, end));
    double value = 0;
    NumberProblem problem = NumberProblem::none;
    const char* const stop = member.data() + member.size();
    if (!member.empty() && parse_number(member.data(), stop, value, problem) == stop) {
      members.emplace(false, value, label_set_of(value));
    } else if (is_label_word(member) && problem != NumberProblem::not_finite) {
      members.emplace(true, 0.0, member);
    } else {
      return std::nullopt;
    }
    if (end == token.size()) break;
    token.remove_prefix(end + 1);
  }
  std::string set;
  for (const auto& [is_word, value, text] : members) set += (set.empty() ? "" : ",") + text;
  return set;
}

std::string label_set_of(double label) {
  return fmt::format("{}", label + 0.0);  // -0 and 0 are one
}

std::string mixed_labels_message(std::string_view token) {
  return fmt::format("label '{}': the labels mix numbers and words", printable(token));
}

LabelWords::LabelWords(const Schema* schema) {
  if (schema == nullptr) return;
  words_ = schema->label_words;
  sets_ = schema->multilabel;
  one_label_a_row_ = !schema->multilabel;
  if (one_label_a_row_) kind_ = words_.empty() ? LabelKind::number : LabelKind::word;
  for (std::size_t i = 0; i < words_.size(); ++i) numbers_.emplace(words_[i], i);
}

double LabelWords::number_of(const std::string& word) {
  const auto [found, is_new] = numbers_.try_emplace(word, words_.size());
  if (is_new) words_.push_back(word);
  return static_cast<double>(found->second);
}

// Where there are sets, single labels are words as well, numbers too.
void LabelWords::adopt_sets(RowBlock& rows) {
  if (!sets_ && kind_ == LabelKind::number) rows_of_numbers_ = rows_ - rows.rows();
  sets_ = true;
  const bool numbers = !rows.first_set && rows.label_kind == LabelKind::number;
  for (double& label : rows.labels) {
    if (std::isnan(label)) continue;
    label = number_of(numbers ? label_set_of(label)
                              : rows.label_words[static_cast<std::size_t>(label)]);
  }
}

void LabelWords::adopt(RowBlock& rows) {
  rows_ += rows.rows();
  if (mixed_) return;
  const auto complain = [&](const Diagnostic& place) {
    const auto later = std::find_if(rows.errors.begin(), rows.errors.end(),
                                    [&](const Diagnostic& e) { return e.line >= place.line; });
    rows.errors.insert(later, place);
    mixed_ = true;  // once is enough, and the labels can no longer be renumbered
  };
  if (rows.label_kind) {
    if (!kind_) kind_ = rows.label_kind;
    if (kind_ != rows.label_kind || rows.first_other_label) {
      complain(kind_ != rows.label_kind ? rows.first_label : *rows.first_other_label);
      return;
    }
  }
  if (rows.first_set && one_label_a_row_) {
    complain(*rows.first_set);
  } else if (rows.first_set || sets_) {
    adopt_sets(rows);
  } else if (rows.label_kind == LabelKind::word) {
    std::vector<double> numbers;
    numbers.reserve(rows.label_words.size());
    for (const auto& word : rows.label_words) numbers.push_back(number_of(word));
    for (auto& label : rows.labels) {
      if (!std::isnan(label)) label = numbers[static_cast<std::size_t>(label)];
    }
  }
}

void LabelWords::agree(Collective& ranks) {
  if (ranks.size() == 1) return;
  ArchiveWriter writer;
  std::uint8_t kind = !kind_ ? 0 : *kind_ == LabelKind::number ? 1 : 2;
  std::uint8_t sets = sets_ ? 1 : 0;
  std::uint64_t count = words_.size();
  writer(kind, sets, count);
  for (std::string word : words_) writer(word);
  const auto all = ranks.gather(std::move(writer).bytes());
  std::uint8_t kinds = 0;
  bool any_sets = false;
  for (const std::string& part : all) {
    ArchiveReader reader(part);
    reader(kind, sets, count);
    if (sets == 0) kinds |= kind;
    any_sets = any_sets || sets != 0;
    for (std::string word; count > 0; --count) {
      reader(word);
      number_of(word);
    }
  }
  if (kinds == 3 && !any_sets) throw UnusableData("the labels mix numbers and words");
  if (any_sets && !sets_) rows_of_numbers_ = kind_ == LabelKind::number ? rows_ : 0;
  sets_ = any_sets;
}

std::vector<std::string> LabelWords::sort(std::span<double> labels) {
  for (double& label : labels.first(std::min(rows_of_numbers_, labels.size()))) {
    if (!std::isnan(label)) label = number_of(label_set_of(label));
  }
  for (std::size_t k = 0; has_sets() && k < words_.size(); ++k) {
    const std::string set = words_[k];  // members are added behind
    for (std::size_t begin = 0; begin < set.size();) {
      const std::size_t end = std::min(set.find(',', begin), set.size());
      number_of(set.substr(begin, end - begin));
      begin = end + 1;
    }
  }
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
