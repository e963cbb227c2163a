#include "support/reference_csv.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>

namespace pegasos::testing {
namespace {

struct Place {
  std::uint64_t line = 1;
  std::uint64_t column = 1;
};

struct Cell {
  std::string text;
  Place place;
};

struct Record {
  std::vector<Cell> cells;
  Place end;                     // behind the last cell
  std::optional<Place> problem;  // with quotes, NUL or carriage return
  std::size_t last_byte = 0;     // of the file
};

// Walks over the file with its line and column.
class Walker {
 public:
  explicit Walker(const std::string& file) : file_(file) {}
  bool at_end() const { return i_ == file_.size(); }
  char c() const { return file_[i_]; }
  bool at_line_end() const {
    if (at_end() || c() == '\n') return true;
    return c() == '\r' && (i_ + 1 == file_.size() || file_[i_ + 1] == '\n');
  }
  void step() {
    if (c() == '\n') {
      ++place_.line;
      place_.column = 1;
    } else {
      ++place_.column;
    }
    ++i_;
  }
  Place place() const { return place_; }
  std::size_t byte() const { return i_; }

 private:
  const std::string& file_;
  std::size_t i_ = 0;
  Place place_;
};

class Splitter {
 public:
  Splitter(const std::string& file, char delimiter) : at_(file), delimiter_(delimiter) {}

  std::vector<Record> run() {
    std::vector<Record> records;
    while (!at_.at_end()) {
      Record record = next_record();
      record.last_byte = at_.byte();
      if (!at_.at_end()) at_.step();
      const bool blank_line = !record.problem && !any_delimiter_ && !any_quoted_ &&
                              (record.cells.empty() || record.cells[0].text.empty());
      if (!blank_line) records.push_back(std::move(record));
    }
    return records;
  }

 private:
  bool is_blank(char c) const { return c == ' ' || (c == '\t' && delimiter_ != '\t'); }
  void skip_blanks() {
    while (!at_.at_end() && is_blank(at_.c())) at_.step();
  }

  // Leaves the walker on the line feed or at the end.
  Record next_record() {
    Record record;
    any_delimiter_ = any_quoted_ = false;
    for (;;) {
      skip_blanks();
      if (delimiter_ == ' ' && at_.at_line_end()) break;
      const auto problem = read_cell(record);
      record.end = at_.place();
      if (problem) {
        record.problem = problem;
        break;
      }
      if (at_.at_line_end()) break;
      if (delimiter_ != ' ') at_.step();
      any_delimiter_ = true;
    }
    while (!at_.at_end() && at_.c() != '\n') at_.step();
    return record;
  }

  std::optional<Place> read_cell(Record& record) {
    record.cells.push_back({"", at_.place()});
    if (!at_.at_end() && at_.c() == '"') return read_quoted(record.cells.back());
    std::string& text = record.cells.back().text;
    while (!at_.at_line_end() && at_.c() != delimiter_) {
      if (delimiter_ == ' ' && is_blank(at_.c())) break;
      if (at_.c() == '"' || at_.c() == '\0' || at_.c() == '\r') return at_.place();
      text += at_.c();
      at_.step();
    }
    while (!text.empty() && is_blank(text.back())) text.pop_back();
    return std::nullopt;
  }

  std::optional<Place> read_quoted(Cell& cell) {
    any_quoted_ = true;
    at_.step();
    for (;;) {
      if (at_.at_end()) return cell.place;
      const char c = at_.c();
      if (c == '\0') return at_.place();
      at_.step();
      if (c == '"') {
        if (at_.at_end() || at_.c() != '"') break;
        at_.step();
      }
      cell.text += c;
    }
    if (delimiter_ == ' ') {
      if (at_.at_line_end() || is_blank(at_.c())) return std::nullopt;
      return at_.place();
    }
    skip_blanks();
    if (at_.at_line_end() || at_.c() == delimiter_) return std::nullopt;
    return at_.place();
  }

  Walker at_;
  char delimiter_;
  bool any_delimiter_ = false;
  bool any_quoted_ = false;
};

bool is_decimal(const std::string& text) {
  std::size_t i = 0;
  const auto digits = [&] {
    std::size_t n = 0;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i, ++n;
    return n;
  };
  const auto sign = [&] {
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  };
  sign();
  std::size_t mantissa = digits();
  if (i < text.size() && text[i] == '.') ++i, mantissa += digits();
  if (mantissa == 0) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    sign();
    if (digits() == 0) return false;
  }
  return i == text.size();
}

bool is_non_finite(std::string text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text = text.substr(1);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text == "nan" || text == "inf" || text == "infinity";
}

bool is_number_like(const std::string& text) {
  return is_decimal(text) || is_non_finite(text);
}

bool is_word(const std::string& text) {
  return !text.empty() && !is_number_like(text);
}

constexpr std::size_t kSample = 1048576;

// As many tabs on nearly every one of the first 200 lines, quotes or not.
bool tabs_agree(const std::string& file) {
  std::vector<long> tabs;
  std::string line;
  const auto finish = [&] {
    if (line.find_first_not_of(" \t\r") != std::string::npos && tabs.size() < 200) {
      tabs.push_back(std::count(line.begin(), line.end(), '\t'));
    }
    line.clear();
  };
  for (const char c : file) {
    if (c == '\n') {
      finish();
    } else {
      line += c;
    }
  }
  finish();
  if (tabs.size() < 2 || tabs[0] == 0) return false;
  const auto agreeing = std::count(tabs.begin(), tabs.end(), tabs[0]);
  return 20 * static_cast<std::size_t>(agreeing) >= 19 * tabs.size();
}

char find_delimiter(const std::string& file) {
  if (tabs_agree(file)) return '\t';
  std::vector<std::map<char, std::size_t>> counts;
  std::map<char, std::size_t> now;
  bool quoted = false;
  bool blank = true;
  const auto finish = [&] {
    if (!blank && counts.size() < 50) counts.push_back(now);
    now.clear();
    blank = true;
  };
  for (std::size_t i = 0; i < std::min(file.size(), kSample); ++i) {
    if (file[i] == '\n' && !quoted) {
      finish();
      continue;
    }
    if (file[i] == '"') quoted = !quoted;
    if (!quoted) ++now[file[i]];
    if (std::string(" \t\r\n").find(file[i]) == std::string::npos) blank = false;
  }
  if (file.size() < kSample) finish();
  char best = ',';
  std::size_t best_agree = 0;
  std::size_t best_count = 0;
  for (const char c : std::string(",;\t|")) {
    if (counts.empty() || counts[0][c] == 0) continue;
    const std::size_t count = counts[0][c];
    std::size_t agree = 0;
    for (auto& record : counts) agree += record[c] == count ? 1 : 0;
    if (agree > best_agree || (agree == best_agree && count > best_count)) {
      best = c;
      best_agree = agree;
      best_count = count;
    }
  }
  return best;
}

struct Tally {
  std::size_t words = 0;
  std::size_t filled = 0;
  std::set<std::string> kinds = {};
  bool holds_words() const {
    return 2 * words > filled || (20 * words > filled && kinds.size() > 3);
  }
};

Tally tally(const std::vector<Record>& sample, std::size_t first, std::size_t column) {
  Tally result;
  for (std::size_t i = first; i < sample.size(); ++i) {
    if (column >= sample[i].cells.size()) continue;
    const std::string& text = sample[i].cells[column].text;
    result.filled += text.empty() ? 0 : 1;
    result.words += is_word(text) ? 1 : 0;
    if (is_word(text)) result.kinds.insert(text);
  }
  return result;
}

bool looks_like_header(const std::vector<Record>& sample) {
  const auto& first = sample[0].cells;
  std::size_t words = 0;
  std::size_t filled = 0;
  bool over_numbers = false;
  bool any_numbers = false;
  bool repeated = false;
  bool names_a_label = false;
  std::set<std::string> distinct;
  for (std::size_t j = 0; j < first.size(); ++j) {
    words += is_word(first[j].text) ? 1 : 0;
    filled += first[j].text.empty() ? 0 : 1;
    std::string lower = first[j].text;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    names_a_label =
        names_a_label || lower == "label" || lower == "target" || lower == "class" || lower == "y";
    distinct.insert(first[j].text);
    const Tally below = tally(sample, 1, j);
    const bool numbers = below.filled > 0 && !below.holds_words();
    any_numbers = any_numbers || numbers;
    over_numbers = over_numbers || (numbers && is_word(first[j].text));
    for (std::size_t i = 1; i < sample.size(); ++i) {
      if (j < sample[i].cells.size() && !first[j].text.empty() &&
          sample[i].cells[j].text == first[j].text) {
        repeated = true;
      }
    }
  }
  if (any_numbers) return over_numbers && (2 * words >= filled || names_a_label);
  return words == first.size() && distinct.size() == first.size() && !repeated;
}

class Reader {
 public:
  Reader(const std::string& file, const ReadOptions& options) : file_(file), options_(options) {}

  ReferenceCsv run() {
    result_.delimiter = options_.delimiter ? *options_.delimiter : find_delimiter(file_);
    records_ = Splitter(file_, result_.delimiter).run();
    if (records_.empty()) return fail({0, 0});
    if (records_[0].problem) return fail(*records_[0].problem);
    std::vector<Record> sample;
    for (const auto& record : records_) {
      if (record.problem || (file_.size() >= kSample && record.last_byte >= kSample)) break;
      sample.push_back(record);
    }
    result_.has_header = options_.header ? *options_.header : looks_like_header(sample);
    name_columns();
    choose_roles(sample);
    read_rows();
    if (result_.errors.empty() && raw_.empty()) return fail({0, 0});
    if (result_.errors.empty()) number_features();
    return result_;
  }

 private:
  enum class Use { number, words, label, weight, ignored };
  struct Row {
    std::vector<std::string> cells;
    std::string label;
  };

  ReferenceCsv fail(Place place) {
    result_.errors.push_back({place.line, place.column});
    return result_;
  }

  void name_columns() {
    for (std::size_t j = 0; j < records_[0].cells.size(); ++j) {
      std::string name = result_.has_header ? records_[0].cells[j].text : "";
      if (name.empty()) name = "column " + std::to_string(j + 1);
      const std::string plain = name;
      for (int k = 1; std::find(names_.begin(), names_.end(), name) != names_.end(); ++k) {
        name = plain + "." + std::to_string(k);
      }
      names_.push_back(name);
    }
  }

  std::size_t column(const std::string& wanted) const {
    const auto found = std::find(names_.begin(), names_.end(), wanted);
    if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
    return static_cast<std::size_t>(std::atoi(wanted.c_str())) - 1;
  }

  void choose_roles(const std::vector<Record>& sample) {
    for (std::size_t j = 0; j < names_.size(); ++j) {
      uses_.push_back(tally(sample, result_.has_header ? 1 : 0, j).holds_words() ? Use::words
                                                                                 : Use::number);
    }
    std::set<std::size_t> taken;
    const auto take = [&](const std::string& name, Use use) {
      uses_[column(name)] = use;
      taken.insert(column(name));
    };
    if (!options_.weight_column.empty()) take(options_.weight_column, Use::weight);
    for (const auto& name : options_.ignored_columns) take(name, Use::ignored);
    std::optional<std::size_t> label;
    if (!options_.label_column.empty()) label = column(options_.label_column);
    for (const std::string usual : {"label", "target", "class", "y"}) {
      for (std::size_t j = 0; j < names_.size() && !label; ++j) {
        std::string lower = names_[j];
        for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        if (lower == usual && taken.count(j) == 0) label = j;
      }
    }
    for (std::size_t j = names_.size(); j-- > 0 && !label;) {
      if (taken.count(j) == 0) label = j;
    }
    uses_[*label] = Use::label;
    for (const auto& name : options_.words_columns) uses_[column(name)] = Use::words;
    for (std::size_t j = 0; j < names_.size(); ++j) {
      if (uses_[j] == Use::number) result_.kinds.push_back({names_[j], ColumnKind::number});
      if (uses_[j] == Use::words) result_.kinds.push_back({names_[j], ColumnKind::category});
    }
  }

  void read_rows() {
    for (std::size_t i = result_.has_header ? 1 : 0; i < records_.size(); ++i) {
      if (const auto wrong = read_row(records_[i])) fail(*wrong);
      if (result_.errors.size() >= options_.max_errors) break;
    }
    // Of cells that cannot be used the first one of each column is named.
    for (const auto& [column, place] : bad_cells_) fail(place);
    std::stable_sort(result_.errors.begin(), result_.errors.end(),
                     [](const auto& one, const auto& other) { return one.first < other.first; });
  }

  std::optional<Place> read_row(const Record& record) {
    if (record.problem) return record.problem;
    if (record.cells.size() > names_.size()) return record.cells[names_.size()].place;
    if (record.cells.size() < names_.size()) return record.end;
    const auto& cells = record.cells;
    std::optional<Place> label_place;
    std::string label;
    bool bad_row = false;
    for (std::size_t j = 0; j < cells.size(); ++j) {
      if (!is_bad(cells[j].text, uses_[j])) continue;
      if (uses_[j] == Use::label || uses_[j] == Use::weight) return cells[j].place;
    }
    for (std::size_t j = 0; j < cells.size(); ++j) {
      if (is_bad(cells[j].text, uses_[j])) {
        bad_row = true;
        const bool known = std::any_of(bad_cells_.begin(), bad_cells_.end(),
                                       [j](const auto& bad) { return bad.first == j; });
        if (!known) bad_cells_.emplace_back(j, cells[j].place);
      }
      if (uses_[j] == Use::label) {
        label = cells[j].text;
        label_place = cells[j].place;
      }
    }
    if (bad_row) return std::nullopt;
    keep_row(record, label);
    if (label.empty()) return std::nullopt;
    const bool word = is_word(label);
    if (!words_as_labels_) words_as_labels_ = word;
    if (word == *words_as_labels_ || mixture_reported_) return std::nullopt;
    mixture_reported_ = true;
    return label_place;
  }

  bool is_bad(const std::string& text, Use use) const {
    const bool hole_is_bad = options_.missing == MissingValues::refuse;
    switch (use) {
      case Use::number:
        return text.empty() ? hole_is_bad
                            : !is_decimal(text) || std::isinf(std::strtof(text.c_str(), nullptr));
      case Use::words:
        return text.empty() && hole_is_bad;
      case Use::label:
        return is_non_finite(text) ||
               (is_decimal(text) && std::isinf(std::strtod(text.c_str(), nullptr)));
      case Use::weight: {
        const double weight = std::strtod(text.c_str(), nullptr);
        return !is_decimal(text) || std::isinf(weight) || weight < 0;
      }
      case Use::ignored:
        break;
    }
    return false;
  }

  void keep_row(const Record& record, const std::string& label) {
    Row row;
    row.label = label;
    for (std::size_t j = 0; j < record.cells.size(); ++j) {
      const std::string& text = record.cells[j].text;
      row.cells.push_back(text);
      const bool feature = uses_[j] == Use::number || uses_[j] == Use::words;
      if (feature && text.empty()) ++result_.values_filled;
      if (uses_[j] == Use::weight) result_.weights.push_back(std::strtod(text.c_str(), nullptr));
    }
    if (label.empty()) ++result_.rows_unlabelled;
    raw_.push_back(std::move(row));
  }

  void number_features() {
    result_.rows.resize(raw_.size());
    for (std::size_t j = 0; j < names_.size(); ++j) {
      if (uses_[j] == Use::number) number_column(j);
      if (uses_[j] == Use::words) words_column(j);
    }
    std::set<std::string> words;
    for (const auto& row : raw_) {
      if (!row.label.empty() && *words_as_labels_) words.insert(row.label);
    }
    result_.label_words.assign(words.begin(), words.end());
    for (const auto& row : raw_) {
      double label = std::numeric_limits<double>::quiet_NaN();
      if (!row.label.empty()) {
        label = *words_as_labels_
                    ? static_cast<double>(std::distance(words.begin(), words.find(row.label)))
                    : std::strtod(row.label.c_str(), nullptr);
      }
      result_.labels.push_back(label);
    }
  }

  void number_column(std::size_t j) {
    double sum = 0;
    std::size_t count = 0;
    for (const auto& row : raw_) {
      if (row.cells[j].empty()) continue;
      sum += static_cast<double>(std::strtof(row.cells[j].c_str(), nullptr));
      ++count;
    }
    const double mean = count == 0 ? 0.0 : sum / static_cast<double>(count);
    const auto id = static_cast<std::uint32_t>(result_.feature_names.size());
    result_.feature_names.push_back(names_[j]);
    result_.means[names_[j]] = mean;
    for (std::size_t i = 0; i < raw_.size(); ++i) {
      float value = std::strtof(raw_[i].cells[j].c_str(), nullptr);
      if (raw_[i].cells[j].empty()) {
        value = options_.missing == MissingValues::mean ? static_cast<float>(mean) : 0.0F;
      }
      if (value != 0.0F) result_.rows[i][id] = value;
    }
    if (raw_.size() - count >= 5 && count >= 5) missing_feature(j);
  }

  // The last feature of a column: where cells are missing.
  void missing_feature(std::size_t j) {
    if (options_.missing != MissingValues::mean) return;
    const auto id = static_cast<std::uint32_t>(result_.feature_names.size());
    result_.feature_names.push_back(names_[j] + " (missing)");
    for (std::size_t i = 0; i < raw_.size(); ++i) {
      if (raw_[i].cells[j].empty()) result_.rows[i][id] = 1.0F;
    }
  }

  void words_column(std::size_t j) {
    std::set<std::string> words;
    for (const auto& row : raw_) {
      if (!row.cells[j].empty()) words.insert(row.cells[j]);
    }
    std::map<std::string, std::uint32_t> id;
    for (const auto& word : words) {
      id[word] = static_cast<std::uint32_t>(result_.feature_names.size());
      result_.feature_names.push_back(names_[j] + "=" + word);
    }
    for (std::size_t i = 0; i < raw_.size(); ++i) {
      if (!raw_[i].cells[j].empty()) result_.rows[i][id[raw_[i].cells[j]]] = 1.0F;
    }
    const bool any =
        std::any_of(raw_.begin(), raw_.end(), [j](const Row& row) { return row.cells[j].empty(); });
    if (any) missing_feature(j);
  }

  const std::string& file_;
  const ReadOptions& options_;
  ReferenceCsv result_;
  std::vector<Record> records_;
  std::vector<std::string> names_;
  std::vector<Use> uses_;
  std::vector<Row> raw_;
  std::optional<bool> words_as_labels_;
  bool mixture_reported_ = false;
  std::vector<std::pair<std::size_t, Place>> bad_cells_;
};

}  // namespace

ReferenceCsv read_reference_csv(const std::string& file, const ReadOptions& options) {
  return Reader(file, options).run();
}

}  // namespace pegasos::testing
