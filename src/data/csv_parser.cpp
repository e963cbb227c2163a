#include "data/csv_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/quantity_text.h"
#include "data/cell_values.h"
#include "data/csv_complaints.h"
#include "data/csv_grammar.h"
#include "data/csv_terms.h"
#include "data/csv_values.h"
#include "data/csv_words.h"
#include "data/label_words.h"
#include "data/number_parser.h"
#include "data/number_scale.h"
#include "data/word_table.h"

namespace pegasos {
namespace {

using Role = CsvColumn::Role;

constexpr double kNoLabel = std::numeric_limits<double>::quiet_NaN();

class CsvParser {
 public:
  CsvParser(std::string_view text, const CsvPlan& plan, std::size_t max_errors, BadRows bad_rows,
            RowBlock& rows)
      : text_(text),
        end_(text.data() + text.size()),
        plan_(plan),
        bad_rows_(bad_rows),
        grammar_(plan.delimiter, plan.quotes),
        delimiter_(plan.delimiter),
        max_errors_(max_errors),
        rows_(rows),
        words_(words_for(rows)),
        values_(rows, text.size()),
        terms_(plan, words_, values_, rows) {}

  void run() {
    rows_.sums.assign(plan_.centres.size(), {});
    rows_.missing.assign(plan_.targets.size(), 0);
    for (p_ = text_.data(); p_ < end_; ++p_) {  // over the line feed
      record_ = p_;
      if (!parse_record()) {
        if (rows_.errors.size() >= max_errors_) break;
        line_feeds_ = static_cast<std::uint64_t>(std::count(record_, p_, '\n'));
      }
      rows_.lines += 1 + line_feeds_;
      line_feeds_ = 0;
    }
    values_.keep_stored();
    terms_.finish();
    const WordList labels = label_words_.take_words();
    for (std::size_t k = 0; k < labels.size(); ++k) rows_.label_words.emplace_back(labels.text(k));
  }

 private:
  static CsvWords& words_for(RowBlock& rows) {
    if (!rows.words || rows.words->are_too_many()) rows.words = std::make_shared<CsvWords>();
    return *rows.words;
  }

  // Leaves p_ on the line feed behind the record. False after a complaint.
  bool parse_record() {
    const char* p = grammar_.skip_blanks(p_);
    if (CsvGrammar::at_line_end(p)) {
      skip_to_line_feed(p);
      return true;
    }
    label_ = kNoLabel;
    label_kind_.reset();
    pending_.clear();
    holes_.clear();
    const std::size_t last = plan_.targets.size() - 1;
    for (std::size_t j = 0; j < last; ++j) {
      p = parse_cell<Ends::at_delimiter>(p, j);
      if (p == nullptr) return false;
    }
    p = parse_cell<Ends::at_line_end>(p, last);
    if (p == nullptr) return false;
    skip_to_line_feed(p);
    if (!pending_.empty()) return refuse_cells();
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
    if (plan_.id == j) [[unlikely]]
      id_place_ = p;
    const char* after = nullptr;
    switch (target.role) {
      case Role::number: {
        float value = 0.0F;
        after = target.is_fast ? parse_float_fast(p, value) : nullptr;
        if (after == nullptr || !ended<kEnds>(after)) return parse_unusual_cell(p, j, kEnds);
        values_.store_number(target, target.feature, value, target.scale[0]);
        break;
      }
      case Role::words:
      case Role::ignored:
        after = grammar_.plain_end(p);
        if (after == p || !ended<kEnds>(after)) return parse_unusual_cell(p, j, kEnds);
        if (target.role == Role::words) take_word(j, trimmed(p, after));
        break;
      case Role::label:
        after = parse_plain_label<kEnds>(p, target.style);
        if (after == nullptr) return parse_unusual_cell(p, j, kEnds);
        break;
      case Role::weight:
      case Role::text:
      case Role::date:
        return parse_unusual_cell(p, j, kEnds);
    }
    return after + (kEnds == Ends::at_delimiter ? 1 : 0);
  }

  // Few digits, or a word that no number begins like. Returns the end of the cell, null if it is
  // something else.
  template <Ends kEnds>
  const char* parse_plain_label(const char* p, NumberStyle style) {
    const std::uint64_t word = digits::load(p);
    const unsigned n = digits::count(word);
    if (n - 1 < 7 && ended<kEnds>(p + n)) {
      take_label(static_cast<double>(digits::value(word, n)), LabelKind::number,
                 {.place = p, .text = {p, n}});
      return p + n;
    }
    const char first = static_cast<char>(*p | 0x20);
    if (first < 'a' || first > 'z' || first == 'n' || first == 'i') return nullptr;
    if (style != NumberStyle::plain) return nullptr;
    const char* const after = grammar_.plain_end(p);
    if (!ended<kEnds>(after) || plan_.missing_labels.contains(trimmed(p, after))) return nullptr;
    take_label(kNoLabel, LabelKind::word, {.place = p, .text = trimmed(p, after)});
    return after;
  }

  std::string_view trimmed(const char* begin, const char* end) const {
    return {begin, static_cast<std::size_t>(grammar_.trim_back(begin, end) - begin)};
  }

  void take_word(std::size_t j, std::string_view text) {
    if (plan_.missing_words.contains(text)) {
      take_hole(j, text.data());
    } else {
      store_word(plan_.targets[j], text);
    }
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
      k = words_.table.add(target.column, text);
    }
    values_.store(target.feature + *k, 1.0F);
  }

  void take_label(double label, LabelKind kind, const CsvCell& cell) {
    label_ = label;
    label_kind_ = kind;
    label_cell_ = cell;
  }

  void finish_row() {
    if (!label_kind_) {
      note_unlabelled();
    } else if (rows_.label_kind != label_kind_) {
      note_label_kind();
    }
    if (label_kind_ == LabelKind::word) {
      label_ = label_cell_.doubled_quotes ? label_words_.add(0, unescape(label_cell_))
                                          : label_words_.add(0, label_cell_.text);
    }
    if (!plan_.by_schema) values_.add_up_row(plan_, holes_.empty());
    for (const std::uint32_t j : holes_) ++rows_.missing[j];
    rows_.values_filled += holes_.size();
    push_row();
  }

  void push_row() {
    rows_.labels.push_back(label_);
    if (plan_.has_weight) rows_.weights.push_back(weight_);
    if (plan_.id) note_id();
    rows_.offsets.push_back(values_.stored());
    if (!rows_.is_bad.empty()) rows_.is_bad.push_back(0);
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
    const Role role = plan_.targets[j].role;
    if (role == Role::ignored) return true;
    if (role == Role::label) return use_label(cell, plan_.targets[j].style);
    if (role == Role::weight) return use_weight(cell);
    if (plan_.missing_words.contains(cell.text)) {
      take_hole(j, cell.place);
      return true;
    }
    if (role == Role::number) return use_number(cell, j);
    std::string plain;
    std::string_view text = cell.text;
    if (cell.doubled_quotes) {
      plain = unescape(cell);
      text = plain;
    }
    if (role == Role::words) store_word(plan_.targets[j], text);
    if (role == Role::text) terms_.store(text, j, static_cast<std::size_t>(end_ - cell.after));
    return role == Role::date ? use_date(cell, j) : true;
  }

  void take_hole(std::size_t j, const char* place) {
    const CsvTarget& target = plan_.targets[j];
    if (plan_.missing == MissingValues::refuse) {
      put_off(place, j, missing_cell(plan_.names[j], target.role == Role::number));
      return;
    }
    holes_.push_back(static_cast<std::uint32_t>(j));
    if (target.role == Role::number) values_.store_filled(target, target.feature, target.fill);
    if (target.missing != kNoFeature) values_.store(target.missing, 1.0F);
  }

  bool use_number(const CsvCell& cell, std::size_t j) {
    const CsvTarget& target = plan_.targets[j];
    const NumberStyle style = target.style;
    if (style == NumberStyle::plain && !target.is_exact) {
      float value = 0.0F;
      const NumberProblem problem = read_number(cell.text, value);
      if (problem != NumberProblem::none) return refuse_number(cell, j, problem);
      values_.store_number(target, target.feature, value, target.scale[0]);
      return true;
    }
    double value = 0.0;
    const NumberProblem problem = style == NumberStyle::plain ? read_number(cell.text, value)
                                  : read_decorated(cell.text, style, value)
                                      ? NumberProblem::none
                                      : NumberProblem::not_a_number;
    if (problem != NumberProblem::none) return refuse_number(cell, j, problem);
    if (std::abs(value) > std::numeric_limits<float>::max()) {
      return refuse_number(cell, j, NumberProblem::too_large);
    }
    values_.store_number(target, target.feature, less_origin(value, target.scale[0]),
                         target.scale[0]);
    return true;
  }

  bool use_date(const CsvCell& cell, std::size_t j) {
    const CsvTarget& target = plan_.targets[j];
    DateTime date;
    const DateOrder order = target.about->date_order;
    if (!read_date(cell.text, order, date)) {
      return put_off(cell.place, j, not_a_date(cell.text, plan_.names[j], order, plan_.by_schema));
    }
    values_.store_number(target, target.feature, less_origin(date.days(), target.scale[0]),
                         target.scale[0]);
    values_.store_number(target, target.parts, static_cast<float>(date.year), target.scale[1]);
    FeatureId next = target.parts + 1;
    values_.store(next + date.month - 1, 1.0F);
    next += CsvColumn::kMonths;
    values_.store(next + date.weekday, 1.0F);
    next += CsvColumn::kWeekdays;
    if (target.about->has_time) values_.store(next + date.hour, 1.0F);
    return true;
  }

  bool use_label(const CsvCell& cell, NumberStyle style) {
    if (plan_.missing_labels.contains(cell.text)) return true;
    double number = 0;
    if (style != NumberStyle::plain && read_decorated(cell.text, style, number)) {
      take_label(number, LabelKind::number, cell);
      return true;
    }
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
      return refuse(cell.place, "the weight is missing", "use 0 for a row that should not count");
    }
    return refuse(cell.place, fmt::format("weight '{}' is not a finite number of 0 or more",
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

  void note_unlabelled() {
    ++rows_.rows_unlabelled;
    if (plan_.has_label && !rows_.first_unlabelled) {
      rows_.first_unlabelled = at(record_, "this row has no label");
    }
  }

  void note_id() {
    const CsvCell cell = grammar_.scan(id_place_, end_);
    rows_.ids.push_back(cell.doubled_quotes ? unescape(cell) : std::string(cell.text));
  }

  bool refuse_number(const CsvCell& cell, std::size_t j, NumberProblem problem) {
    const bool comma = plan_.targets[j].style == NumberStyle::decorated_comma;
    const auto other = comma ? NumberStyle::decorated_point : NumberStyle::decorated_comma;
    double value = 0.0;
    if (plan_.by_schema && problem == NumberProblem::not_a_number &&
        read_decorated(cell.text, other, value)) {
      return put_off(cell.place, j, other_decimal(cell.text, plan_.names[j], comma));
    }
    return put_off(cell.place, j,
                   not_a_usable_number(cell.text, plan_.names[j], problem, plan_.by_schema));
  }

  // Complaints about cells wait for the end of the record, which may have a graver fault: then the
  // cell was perhaps not meant to be one, or not meant for this column.
  bool put_off(const char* place, std::size_t j, CsvComplaint complaint) {
    pending_.push_back({static_cast<std::uint32_t>(j), place, std::move(complaint)});
    return true;
  }

  // The record has cells that cannot be used. Its row is dropped, or kept without values.
  bool refuse_cells() {
    if (bad_rows_ != BadRows::refuse) {
      give_up_row(at(pending_[0].place, pending_[0].complaint.message));
      return true;
    }
    rows_.note_error();
    for (auto& cell : pending_) {
      auto known = std::find_if(rows_.bad_cells.begin(), rows_.bad_cells.end(),
                                [&](const auto& bad) { return bad.column == cell.column; });
      if (known == rows_.bad_cells.end()) {
        rows_.bad_cells.push_back(
            {cell.column, 0,
             at(cell.place, std::move(cell.complaint.message), std::move(cell.complaint.hint))});
        known = rows_.bad_cells.end() - 1;
      }
      ++known->count;
    }
    values_.drop_row();
    return true;
  }

  void give_up_row(Diagnostic about) {
    values_.drop_row();
    ++rows_.rows_bad;
    if (!rows_.first_bad) rows_.first_bad = std::move(about);
    if (bad_rows_ != BadRows::keep_empty) return;
    label_ = kNoLabel;
    weight_ = 0.0;
    if (id_place_ == nullptr || id_place_ < record_) id_place_ = end_;
    rows_.is_bad.resize(rows_.rows());
    push_row();
    rows_.is_bad.resize(rows_.rows());
    rows_.is_bad.back() = 1;
  }

  // A complaint about the record as a whole, which is known to be misshapen.
  void refuse_shape() { refuse(record_, ""); }

  // Some programs end every row with a delimiter, but not the header.
  const char* hint_on_surplus(const CsvShape& shape) const {
    const char* last = shape.end;
    while (last > record_ && (last[-1] == '\r' || last[-1] == ' ')) --last;
    const bool trailing = shape.cells == plan_.targets.size() + 1 && last > record_ &&
                          last[-1] == plan_.delimiter && plan_.delimiter != ' ';
    return trailing ? "the row ends with a delimiter: remove it, or add one to the header too"
                    : "a cell that contains the delimiter must be quoted";
  }

  // Puts a complaint, about the shape of the record if that is wrong. Leaves p_ on the line feed
  // behind the record.
  bool refuse(const char* place, std::string message, Hint hint = {}) {
    const std::size_t expected = plan_.targets.size();
    const CsvShape shape = grammar_.measure(grammar_.skip_blanks(record_), end_, expected);
    Diagnostic about;
    if (shape.problem != CsvProblem::none) {
      auto [what, way_out] = describe(shape.problem);
      about = at(shape.place, what, std::move(way_out));
    } else if (shape.cells != expected) {
      about = at(shape.place,
                 fmt::format("expected {}, found {}", counted(expected, "cell"), shape.cells),
                 shape.cells > expected ? hint_on_surplus(shape) : "");
    } else {
      about = at(place, std::move(message), std::move(hint));
    }
    p_ = shape.end;
    values_.drop_row();
    if (bad_rows_ == BadRows::refuse) {
      rows_.note_error();
      rows_.errors.push_back(std::move(about));
    } else {
      give_up_row(std::move(about));
    }
    return false;
  }

  Diagnostic at(const char* place, std::string message, Hint hint = {}) const {
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
  BadRows bad_rows_;
  CsvGrammar grammar_;
  char delimiter_;
  std::size_t max_errors_;
  RowBlock& rows_;  // rows_.lines: those before the current record

  const char* p_ = nullptr;
  const char* record_ = nullptr;
  std::uint64_t line_feeds_ = 0;  // in quotes, in the current record
  CsvWords& words_;
  WordTable label_words_;
  CsvValues values_;
  CsvTerms terms_;

  // Of the current record.
  double label_ = kNoLabel;
  std::optional<LabelKind> label_kind_;
  CsvCell label_cell_;
  double weight_ = 0;
  const char* id_place_ = nullptr;
  std::vector<std::uint32_t> holes_;  // columns
  struct BadCell {
    std::uint32_t column;
    const char* place;
    CsvComplaint complaint;
  };
  std::vector<BadCell> pending_;
};

}  // namespace

void parse_csv(std::string_view text, const CsvPlan& plan, std::size_t max_errors, BadRows bad_rows,
               RowBlock& rows) {
  CsvParser(text, plan, max_errors, bad_rows, rows).run();
}

}  // namespace pegasos
