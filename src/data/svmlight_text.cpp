#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "data/label_words.h"
#include "data/number_text.h"
#include "data/row_text.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::size_t kLongestFeature = 2 * kLongestNumber + 2;  // " index:value"

// "nan" and "inf" look like words but are read as numbers, and refused.
bool reads_back_as_word(const std::string& word) {
  std::string lower = word;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return is_label_word(word) && lower != "nan" && lower != "inf" && lower != "infinity";
}

std::vector<std::string> checked_words(const Schema& schema) {
  const std::vector<std::string>& words = schema.label_words;
  for (const auto& word : words) {
    if (schema.multilabel && label_set(word) == word) continue;
    if (!reads_back_as_word(word)) {
      throw Error(
          fmt::format("the label '{}' cannot be written as svmlight: labels there are numbers, or "
                      "words that start with a letter and contain only letters, digits and ._-+/&. "
                      "Use CSV or the binary format instead",
                      printable(word)));
    }
  }
  return words;
}

char* write_feature(char* out, std::uint32_t index, float value) {
  *out++ = ' ';
  out = write_number(out, index);
  *out++ = ':';
  return write_number(out, value);
}

bool has_feature(const Dataset& data, std::size_t id) {
  if (data.is_dense()) {
    for (std::size_t i = 0; i < data.rows(); ++i) {
      if (data.row(i).values[id] != 0.0F) return true;
    }
    return false;
  }
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const RowView row = data.row(i);
    const auto found = std::lower_bound(row.ids.begin(), row.ids.end(), id);
    if (found == row.ids.end() || *found != id) continue;
    if (row.values[static_cast<std::size_t>(found - row.ids.begin())] != 0.0F) return true;
  }
  return false;
}

}  // namespace

SvmlightText::SvmlightText(const Schema& schema, std::size_t features)
    : indices_(schema.indices), features_(features), labels_(checked_words(schema)) {
  if (!indices_.is_contiguous() && indices_.features() < features) {
    throw Error(
        fmt::format("the schema has {} indices for {} features", indices_.features(), features));
  }
  constexpr std::uint64_t kLargestIndex = std::numeric_limits<std::uint32_t>::max();
  if (indices_.is_contiguous() && features > 0 && features - 1 + indices_.base() > kLargestIndex) {
    throw Error(fmt::format("svmlight indices end at {}; {} features starting at {} do not fit",
                            kLargestIndex, features, indices_.base()));
  }
}

void SvmlightText::keep_range_of(const Dataset& data) {
  if (features_ == 0) return;
  const bool has_first_index = indices_.index_of(0) == 0 && has_feature(data, 0);
  zero_first_ = indices_.base() == 0 && !has_first_index;
  const bool last_is_first = indices_.index_of(static_cast<FeatureId>(features_ - 1)) == 0;
  zero_last_ = indices_.is_contiguous() && !(zero_first_ && last_is_first) &&
               !has_feature(data, features_ - 1);
}

char* SvmlightText::write_row(char* out, const RowView& row, double label,
                              std::uint64_t place) const {
  char* const begin = out;
  out = labels_.write(out, label);
  char* const after_label = out;
  if (place == 0 && zero_first_) out = write_feature(out, 0, 0.0F);
  bool has_last = false;
  for (std::size_t j = 0; j < row.values.size(); ++j) {
    const auto id = row.dense ? static_cast<FeatureId>(j) : row.ids[j];
    if (row.values[j] == 0.0F) continue;
    out = write_feature(out, indices_.index_of(id), row.values[j]);
    has_last = id == features_ - 1;
  }
  if (place == 0 && zero_last_ && !has_last && features_ > 0) {
    out = write_feature(out, indices_.index_of(static_cast<FeatureId>(features_ - 1)), 0.0F);
  }
  if (out == begin) {
    throw Error(
        fmt::format("row {} has neither a label nor a feature, which svmlight cannot represent; "
                    "use CSV or the binary format instead",
                    place + 1));
  }
  // Without a label the line begins with its first feature, not with the blank before it.
  if (after_label == begin) out = std::copy(begin + 1, out, begin);
  *out++ = '\n';
  return out;
}

void SvmlightText::append(const Dataset& rows, std::uint64_t first_row,
                          GrowBuffer<char>& out) const {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const RowView row = rows.row(i);
    const double label =
        rows.has_labels() ? rows.label(i) : std::numeric_limits<double>::quiet_NaN();
    const std::size_t begin = out.size();
    out.resize_uninitialised(begin + labels_.longest() + (row.values.size() + 2) * kLongestFeature +
                             1);
    const char* end = write_row(out.data() + begin, row, label, first_row + i);
    out.resize_uninitialised(static_cast<std::size_t>(end - out.data()));
  }
}

}  // namespace pegasos
