#include "data/csv_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "data/csv_grammar.h"
#include "data/label_words.h"
#include "data/number_parser.h"
#include "data/word_table.h"

namespace pegasos {
namespace {

using Role = CsvColumn::Role;

constexpr double kNoLabel = std::numeric_limits<double>::quiet_NaN();

class CsvParser {
 public:
  CsvParser(std::string_view text, const CsvPlan& plan, std::size_t max_errors, RowBlock& rows)
      : text_(text),
        end_(text.data() + text.size()),
        plan_(plan),
        grammar_(plan.delimiter),
        delimiter_(plan.delimiter),
        max_errors_(max_errors),
        rows_(rows) {}

  void run() {
    // A cell gives one value at most, and takes one byte at least: the character that ends it. So
    // the stores below need no checks.
    rows_.features.reserve(text_.size() + 1);
    rows_.values.reserve(text_.size() + 1);
    features_ = rows_.features.data();
    values_ = rows_.values.data();
    rows_.column_sums.assign(plan_.targets.size(), 0.0);
    sums_ = rows_.column_sums.data();
    holes_.assign(plan_.targets.size(), 0);
    for (p_ = text_.data(); p_ < end_; ++p_) {  // over the line feed
      record_ = p_;
      if (!parse_record()) {
        stored_ = rows_.offsets.back();
        if (rows_.errors.size() >= max_errors_) break;
        line_feeds_ = static_cast<std::uint64_t>(std::count(record_, p_, '\n'));
      }
      rows_.lines += 1 + line_feeds_;
      line_feeds_ = 0;
    }
    rows_.features.resize_uninitialised(stored_);
    rows_.values.resize_uninitialised(stored_);
    for (const std::uint64_t holes : holes_) rows_.column_counts.push_back(rows_.rows() - holes);
    rows_.words = words_.take_words();
    for (auto& word : label_words_.take_words()) {
      rows_.label_words.push_back(std::move(word.text));
    }
  }

 private:
  // Leaves p_ on the line feed behind the record. False after a complaint.
  bool parse_record() {
    const char* p = grammar_.skip_blanks(p_);
    if (CsvGrammar::at_line_end(p)) {
      skip_to_line_feed(p);
      return true;
    }
    label_ = kNoLabel;
    label_kind_.reset();
    const std::size_t last = plan_.targets.size() - 1;
    for (std::size_t j = 0; j < last; ++j) {
      p = parse_cell<Ends::at_delimiter>(p, j);
      if (p == nullptr) return false;
    }
    p = parse_cell<Ends::at_line_end>(p, last);
    if (p == nullptr) return false;
    skip_to_line_feed(p);
    finish_row();
    return true;
  }

  enum class Ends { at_delimiter, at_line_end };

  template <Ends kEnds>
  bool ended(const char* after) const {
    if constexpr (kEnds == Ends::at_line_end) return CsvGrammar::at_line_end(after);
    return *after == delimiter_;
  }

  // Reads the cell at p. Returns the beginning of the next one, or the line end behind the last one
  // of a record; null after a complaint. Only plain cells are read here.
  template <Ends kEnds>
  const char* parse_cell(const char* p, std::size_t j) {
    const CsvTarget& target = plan_.targets[j];
    if (*p <= ' ') p = grammar_.skip_blanks(p);  // rarely: no blank is above a space
    const char* after = nullptr;
    switch (target.role) {
      case Role::number: {
        float value = 0.0F;
        after = parse_float_fast(p, value);
        if (after == nullptr || !ended<kEnds>(after)) return parse_unusual_cell(p, j, kEnds);
        store_number(target, j, value);
        break;
      }
      case Role::words:
      case Role::ignored:
        after = grammar_.plain_end(p);
        if (after == p || !ended<kEnds>(after)) return parse_unusual_cell(p, j, kEnds);
        if (target.role == Role::words) store_word(target, trimmed(p, after));
        break;
      case Role::label:
        after = parse_plain_label<kEnds>(p);
        if (after == nullptr) return parse_unusual_cell(p, j, kEnds);
        break;
      case Role::weight:
        return parse_unusual_cell(p, j, kEnds);
    }
    return after + (kEnds == Ends::at_delimiter ? 1 : 0);
  }

  // Few digits, or a word that no number begins like. Returns the end of the cell, null if it is
  // something else.
  template <Ends kEnds>
  const char* parse_plain_label(const char* p) {
    const std::uint64_t word = digits::load(p);
    const unsigned n = digits::count(word);
    if (n - 1 < 7 && ended<kEnds>(p + n)) {
      take_label(static_cast<double>(digits::value(word, n)), LabelKind::number,
                 {.place = p, .text = {p, n}});
      return p + n;
    }
    const char first = static_cast<char>(*p | 0x20);
    if (first < 'a' || first > 'z' || first == 'n' || first == 'i') return nullptr;
    const char* const after = grammar_.plain_end(p);
    if (!ended<kEnds>(after)) return nullptr;
    take_label(kNoLabel, LabelKind::word, {.place = p, .text = trimmed(p, after)});
    return after;
  }

  std::string_view trimmed(const char* begin, const char* end) const {
    return {begin, static_cast<std::size_t>(grammar_.trim_back(begin, end) - begin)};
  }

  void store_number(const CsvTarget& target, std::size_t j, float value) {
    features_[stored_] = target.feature;
    values_[stored_] = value;
    stored_ += value != 0.0F ? 1 : 0;
    sums_[j] += static_cast<double>(value);
  }

  void store_word(const CsvTarget& target, std::string_view text) {
    std::optional<std::uint32_t> k;
    if (plan_.by_schema) {
      k = plan_.known_words.find(target.column, text);
      if (!k) {
        ++rows_.unknown_words;
        return;
      }
    } else {
      k = words_.add(target.column, text);
    }
    features_[stored_] = target.feature + *k;
    values_[stored_] = 1.0F;
    ++stored_;
  }

  void take_label(double label, LabelKind kind, const CsvCell& cell) {
    label_ = label;
    label_kind_ = kind;
    label_cell_ = cell;
  }

  void finish_row() {
    if (!label_kind_) {
      ++rows_.rows_unlabelled;
    } else if (rows_.label_kind != label_kind_) {
      note_label_kind();
    }
    if (label_kind_ == LabelKind::word) {
      label_ = label_cell_.doubled_quotes ? label_words_.add(0, unescape(label_cell_))
                                          : label_words_.add(0, label_cell_.text);
    }
    rows_.labels.push_back(label_);
    if (plan_.has_weight) rows_.weights.push_back(weight_);
    rows_.offsets.push_back(stored_);
  }

  // Everything below is off the beaten track.

  // Quotes, numbers the fast path leaves alone, empty cells, too few or too many of them. As
  // parse_cell.
  const char* parse_unusual_cell(const char* p, std::size_t j, Ends ends) {
    const bool is_last = ends == Ends::at_line_end;
    const bool is_absent = grammar_.blank_separated() && CsvGrammar::at_line_end(p);
    const CsvCell cell = grammar_.scan(p, end_);
    const char* next = nullptr;
    if (!is_absent && cell.problem == CsvProblem::none) next = grammar_.next_cell(cell.after);
    if (is_absent || cell.problem != CsvProblem::none || (next == nullptr) != is_last) {
      refuse_shape();
      return nullptr;
    }
    if (cell.quoted) {
      line_feeds_ +=
          static_cast<std::uint64_t>(std::count(cell.text.begin(), cell.text.end(), '\n'));
    }
    if (!use_cell(cell, j)) return nullptr;
    return is_last ? cell.after : next;
  }

  bool use_cell(const CsvCell& cell, std::size_t j) {
    switch (plan_.targets[j].role) {
      case Role::number:
        return use_number(cell, j);
      case Role::words:
        return use_word(cell, j);
      case Role::label:
        return use_label(cell);
      case Role::weight:
        return use_weight(cell);
      case Role::ignored:
        break;
    }
    return true;
  }

  bool use_number(const CsvCell& cell, std::size_t j) {
    const CsvTarget& target = plan_.targets[j];
    if (cell.text.empty()) {
      if (plan_.missing == MissingValues::refuse) return refuse_hole(cell, j);
      ++rows_.values_filled;
      ++holes_[j];
      features_[stored_] = target.feature;
      values_[stored_] = target.fill;
      stored_ += target.fill != 0.0F ? 1 : 0;  // NaN, to be filled later, is not zero
      return true;
    }
    float value = 0.0F;
    const NumberProblem problem = read_number(cell.text, value);
    if (problem != NumberProblem::none) return refuse_number(cell, j, problem);
    store_number(target, j, value);
    return true;
  }

  bool use_word(const CsvCell& cell, std::size_t j) {
    if (cell.text.empty()) {
      if (plan_.missing == MissingValues::refuse) return refuse_hole(cell, j);
      ++rows_.values_filled;
      return true;
    }
    if (cell.doubled_quotes) {
      store_word(plan_.targets[j], unescape(cell));
    } else {
      store_word(plan_.targets[j], cell.text);
    }
    return true;
  }

  bool use_label(const CsvCell& cell) {
    if (cell.text.empty()) return true;
    double number = 0;
    const std::string shown = printable(cell.text);
    switch (read_number(cell.text, number)) {
      case NumberProblem::none:
        take_label(number, LabelKind::number, cell);
        break;
      case NumberProblem::not_finite:
        return refuse(cell.place, fmt::format("label '{}' is not finite", shown),
                      "remove the row, or leave the label empty to predict it");
      case NumberProblem::too_large:
        return refuse(cell.place,
                      fmt::format("label '{}' is too large for a 64-bit number", shown));
      case NumberProblem::not_a_number:
        take_label(kNoLabel, LabelKind::word, cell);
        break;
    }
    return true;
  }

  bool use_weight(const CsvCell& cell) {
    const NumberProblem problem = read_number(cell.text, weight_);
    if (problem == NumberProblem::none && weight_ >= 0) return true;
    if (cell.text.empty()) {
      return refuse(cell.place, "the weight is missing", "a row that should not count weighs 0");
    }
    return refuse(cell.place, fmt::format("weight '{}' is not a finite number of at least 0",
                                          printable(cell.text)));
  }

  void note_label_kind() {
    if (!rows_.label_kind) {
      rows_.label_kind = label_kind_;
      rows_.first_label = mixed_label();
    } else if (!rows_.first_other_label) {
      rows_.first_other_label = mixed_label();
    }
  }

  Diagnostic mixed_label() const {
    return at(label_cell_.place, mixed_labels_message(label_cell_.text));
  }

  bool refuse_hole(const CsvCell& cell, std::size_t j) {
    return refuse(cell.place, fmt::format("{} is empty here", plan_.names[j].shown),
                  plan_.targets[j].role == Role::words
                      ? "to take empty cells for no word: --missing zero"
                      : "to fill empty cells: --missing zero or --missing mean");
  }

  bool refuse_number(const CsvCell& cell, std::size_t j, NumberProblem problem) {
    const std::string shown = printable(cell.text);
    const CsvColumnName& name = plan_.names[j];
    if (problem == NumberProblem::not_finite) {
      return refuse(cell.place, fmt::format("value '{}' is not finite", shown),
                    "leave the cell empty and say --missing zero or --missing mean, or replace it "
                    "by a number");
    }
    if (problem == NumberProblem::too_large) {
      return refuse(cell.place, fmt::format("value '{}' is too large for a 32-bit float", shown),
                    "scale the column down");
    }
    return refuse(
        cell.place, fmt::format("value '{}' is not a number; {} holds numbers", shown, name.shown),
        plan_.by_schema ? "so it did in the data the model was trained on"
                        : fmt::format("to treat the column as words: --words {0}; to leave it out: "
                                      "--ignore {0}",
                                      name.typed));
  }

  // A complaint about the record as a whole, which is known to be misshapen.
  void refuse_shape() { refuse(record_, ""); }

  // Puts a complaint about a cell, unless the record has a graver fault: then the cell was perhaps
  // not meant to be one, or not meant for this column. Leaves p_ on the line feed behind the
  // record.
  bool refuse(const char* place, std::string message, std::string hint = "") {
    const std::size_t expected = plan_.targets.size();
    const CsvShape shape = grammar_.measure(grammar_.skip_blanks(record_), end_, expected);
    if (shape.problem != CsvProblem::none) {
      const auto [what, way_out] = describe(shape.problem);
      rows_.errors.push_back(at(shape.place, what, way_out));
    } else if (shape.cells != expected) {
      rows_.errors.push_back(at(
          shape.place, fmt::format("expected {} cells, found {}", expected, shape.cells),
          shape.cells > expected ? "a cell that contains the delimiter must stand in quotes" : ""));
    } else {
      rows_.errors.push_back(at(place, std::move(message), std::move(hint)));
    }
    p_ = shape.end;
    return false;
  }

  Diagnostic at(const char* place, std::string message, std::string hint = "") const {
    return complain_at({record_, static_cast<std::size_t>(end_ - record_)}, place, rows_.lines + 1,
                       std::move(message), std::move(hint));
  }

  void skip_to_line_feed(const char* p) {
    while (*p != '\n') ++p;
    p_ = p;
  }

  std::string_view text_;
  const char* end_;
  const CsvPlan& plan_;
  CsvGrammar grammar_;
  char delimiter_;
  std::size_t max_errors_;
  RowBlock& rows_;  // rows_.lines: those before the current record

  const char* p_ = nullptr;
  const char* record_ = nullptr;
  std::uint64_t line_feeds_ = 0;  // in quotes, in the current record
  FeatureId* features_ = nullptr;
  float* values_ = nullptr;
  double* sums_ = nullptr;
  std::size_t stored_ = 0;
  std::vector<std::uint64_t> holes_;  // per column
  WordTable words_;
  WordTable label_words_;

  // Of the current record.
  double label_ = kNoLabel;
  std::optional<LabelKind> label_kind_;
  CsvCell label_cell_;
  double weight_ = 0;
};

}  // namespace

void parse_csv(std::string_view text, const CsvPlan& plan, std::size_t max_errors, RowBlock& rows) {
  CsvParser(text, plan, max_errors, rows).run();
}

}  // namespace pegasos
