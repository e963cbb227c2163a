#include "data/csv_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/did_you_mean.h"
#include "data/row_block.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::size_t kSampleBytes = std::size_t{1} << 20;
constexpr std::size_t kSampleRecords = 5000;
constexpr std::size_t kFirstLines = 200;
constexpr std::array<char, 4> kDelimiters = {',', ';', '\t', '|'};

bool is_blank_line(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// The whole records at the beginning of the text, at most `most`. Quotes are only counted, so the
// delimiter need not be known.
std::vector<std::string_view> first_records(std::string_view text, bool whole, std::size_t most) {
  std::vector<std::string_view> records;
  bool in_quotes = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size() && records.size() < most; ++i) {
    const bool at_end = i == text.size();
    if (at_end ? !whole : text[i] != '\n' || in_quotes) {
      if (!at_end && text[i] == '"') in_quotes = !in_quotes;
      continue;
    }
    const std::string_view record = text.substr(begin, i - begin);
    if (!is_blank_line(record)) records.push_back(record);
    begin = i + 1;
  }
  return records;
}

std::size_t count_outside_quotes(std::string_view record, char wanted) {
  bool in_quotes = false;
  std::size_t count = 0;
  for (const char c : record) {
    if (c == '"') in_quotes = !in_quotes;
    if (c == wanted && !in_quotes) ++count;
  }
  return count;
}

std::vector<std::string_view> first_lines(std::string_view text, bool whole,
                                          std::size_t most = kFirstLines) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < most) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos && !whole) break;
    const std::string_view line = text.substr(0, end);
    if (!is_blank_line(line)) lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// Quotes in the text may be anything, such as inches.
bool tabs_agree(const std::vector<std::string_view>& lines) {
  if (lines.size() < 2) return false;
  const auto tabs = std::count(lines[0].begin(), lines[0].end(), '\t');
  const auto agreeing = std::count_if(lines.begin(), lines.end(), [tabs](std::string_view line) {
    return std::count(line.begin(), line.end(), '\t') == tabs;
  });
  return tabs > 0 && 20 * static_cast<std::size_t>(agreeing) >= 19 * lines.size();
}

// Some cells begin with a quote, all of these end with one, and no other cell has any.
bool cells_are_quoted(const std::vector<std::string_view>& lines, char delimiter) {
  std::size_t quoted = 0;
  for (std::string_view line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    while (!line.empty()) {
      const std::string_view cell = line.substr(0, line.find(delimiter));
      line.remove_prefix(std::min(line.size(), cell.size() + 1));
      if (!cell.starts_with('"')) {
        if (cell.find('"') != std::string_view::npos) return false;
        continue;
      }
      if (cell.size() < 2 || !cell.ends_with('"')) return false;
      ++quoted;
    }
  }
  return quoted > 0;
}

bool choose_quotes(std::string_view text, bool whole, char delimiter, const ReadOptions& options) {
  if (options.quotes) return *options.quotes;
  if (options.schema && options.schema->csv) return options.schema->csv->quotes;
  return delimiter != '\t' || cells_are_quoted(first_lines(text, whole, kSampleRecords), delimiter);
}

MissingWords missing_words(const ReadOptions& options) {
  std::vector<std::string> words = options.na                              ? *options.na
                                   : options.schema && options.schema->csv ? options.schema->csv->na
                                                                           : usual_na();
  words.insert(words.end(), options.also_na.begin(), options.also_na.end());
  return MissingWords(std::move(words));
}

char detect_delimiter(std::string_view text, bool whole) {
  if (tabs_agree(first_lines(text, whole))) return '\t';
  constexpr std::size_t kRecords = 50;
  const auto records = first_records(text, whole, kRecords);
  char best = ',';
  std::pair<std::size_t, std::size_t> best_score{0, 0};  // records that agree, cells
  for (const char candidate : kDelimiters) {
    if (records.empty()) break;
    const std::size_t in_first = count_outside_quotes(records[0], candidate);
    if (in_first == 0) continue;
    const auto agreeing = static_cast<std::size_t>(
        std::count_if(records.begin(), records.end(), [&](std::string_view record) {
          return count_outside_quotes(record, candidate) == in_first;
        }));
    if (std::pair(agreeing, in_first) > best_score) {
      best_score = {agreeing, in_first};
      best = candidate;
    }
  }
  return best;
}

// Excel's first line "sep=;", which says what the delimiter is.
struct SeparatorLine {
  std::size_t bytes = 0;  // with the line end; 0: there is none
  char delimiter = ',';
};

SeparatorLine separator_line(std::string_view text) {
  constexpr std::string_view kBegin = "sep=";
  if (text.size() <= kBegin.size() || !same_word(text.substr(0, kBegin.size()), kBegin)) return {};
  std::string_view rest = text.substr(kBegin.size());
  const bool spelled_tab = rest.starts_with("\\t");
  const char delimiter = spelled_tab ? '\t' : rest[0];
  constexpr std::string_view kAllowed = ",;\t|:~^ ";
  if (kAllowed.find(delimiter) == std::string_view::npos) return {};
  rest.remove_prefix(spelled_tab ? 2 : 1);
  if (rest.starts_with('\r')) rest.remove_prefix(1);
  if (!rest.starts_with('\n')) return {};
  return {text.size() - rest.size() + 1, delimiter};
}

// Of a model of label<TAB>text: lines without a tab are texts, and their commas are text.
bool has_texts_alone(const CsvLayout& layout) {
  const auto is = [&layout](std::size_t j, CsvColumn::Role role) {
    return layout.columns[j].role == role;
  };
  return layout.delimiter == '\t' && !layout.has_header && layout.columns.size() == 2 &&
         is(0, CsvColumn::Role::label) && is(1, CsvColumn::Role::text);
}

// A file read for a model most likely looks like the one the model was trained on.
char choose_delimiter(std::string_view text, bool whole, const ReadOptions& options,
                      const SeparatorLine& said) {
  if (options.delimiter) return *options.delimiter;
  if (said.bytes > 0) return said.delimiter;
  if (options.schema && options.schema->csv) {
    const char usual = options.schema->csv->delimiter;
    const auto records = first_records(text, whole, 1);
    if (!records.empty() && count_outside_quotes(records[0], usual) > 0) return usual;
    if (has_texts_alone(*options.schema->csv)) return usual;
  }
  return detect_delimiter(text, whole);
}

}  // namespace

Diagnostic refuse_long_record(std::string_view text, const CsvGrammar& grammar) {
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    const CsvShape shape = grammar.measure(p, end, 0);
    if (shape.problem != CsvProblem::none) {
      auto [message, hint] = describe(shape.problem);
      return complain_at(text, shape.place, 1, message, std::move(hint));
    }
    p = shape.end + 1;
  }
  Diagnostic whole_line;
  whole_line.line = 1;
  whole_line.message = fmt::format("the record is longer than {}", longest_in_words(text.size()));
  whole_line.remedy = hint_on_long_lines();
  whole_line.hint = whole_line.remedy.in_words();
  return whole_line;
}

CsvSample::CsvSample(LineBlocks& blocks, const ReadOptions& options, const std::string& path)
    : missing_(missing_words(options)), grammar_(',') {
  constexpr std::size_t kLongestSeparatorLine = 8;
  const SeparatorLine said = separator_line(blocks.peek(kLongestSeparatorLine));
  if (said.bytes > 0) {
    blocks.skip(said.bytes);
    bytes_before_ = said.bytes;
    lines_before_ = 1;
  }
  std::string_view head;
  for (std::size_t size = kSampleBytes;; size *= 2) {
    head = blocks.peek(size);
    whole_ = head.size() < size;
    if (whole_ || size >= blocks.longest_record()) break;
    if (first_records(head, whole_, 2).size() == 2) break;
  }
  text_ = head;
  text_ += '\n';
  const char delimiter = choose_delimiter(head, whole_, options, said);
  grammar_ = CsvGrammar(delimiter, choose_quotes(head, whole_, delimiter, options));
  cut_into_records(path);
}

void CsvSample::cut_into_records(const std::string& path) {
  const char* const begin = text_.data();
  const char* const end = begin + text_.size() - 1;
  for (const char* p = begin; p < end;) {
    if (records_.size() > kSampleRecords) {
      cut_short_ = true;
      break;
    }
    const char* const first = grammar_.skip_blanks(p);
    if (CsvGrammar::at_line_end(first)) {
      p = first + (*first == '\r' ? 2 : 1);
      continue;
    }
    Record record;
    record.reserve(columns());  // they all have as many, as a rule
    for (const char* at = first; at != nullptr; at = grammar_.next_cell(record.back().after)) {
      record.push_back(grammar_.scan(at, end));
      if (record.back().problem != CsvProblem::none) break;
    }
    const bool damaged = record.back().problem != CsvProblem::none;
    const char* stop = record.back().after;
    while (!damaged && *stop != '\n') ++stop;
    const bool cut_off =
        !whole_ && (stop == end || record.back().problem == CsvProblem::open_quote);
    if (damaged || cut_off) {
      // Later records are complained about when they are read in earnest.
      cut_short_ = true;
      if (records_.empty()) {
        throw ParseError(path, {of_file(refuse_long_record(
                                   {begin, static_cast<std::size_t>(end - begin)}, grammar_))});
      }
      break;
    }
    p = stop + 1;
    if (records_.empty()) first_record_end_ = static_cast<std::size_t>(std::min(p, end) - begin);
    records_.push_back(std::move(record));
  }
  if (records_.empty() && !whole_) {
    Diagnostic about;
    about.message = fmt::format("the first {} MiB are blank lines", text_.size() >> 20);
    throw ParseError(path, {std::move(about)});
  }
}

bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && edit_distance(a, b) == 0;  // which ignores case
}

bool CsvSample::first_record_looks_like_header(Evidence evidence) const {
  if (records_.empty()) return false;
  const Record& first = records_[0];
  std::size_t words = 0;
  std::size_t filled = 0;
  for (const CsvCell& cell : first) {
    words += is_word(cell) ? 1 : 0;
    filled += cell.text.empty() ? 0 : 1;
  }
  // The kinds of the columns below; one without any cell says nothing.
  const std::vector<bool> holds_words = words_columns(1);
  bool over_numbers = false;
  bool any_numbers = false;
  const bool names_a_label = std::any_of(first.begin(), first.end(), [](const CsvCell& cell) {
    return std::any_of(kUsualLabelNames.begin(), kUsualLabelNames.end(),
                       [&cell](std::string_view name) { return same_word(cell.text, name); });
  });
  bool seen_again = false;
  for (std::size_t j = 0; j < first.size(); ++j) {
    bool any = false;
    for (std::size_t i = 1; i < records_.size(); ++i) {
      if (j >= records_[i].size() || missing_.contains(records_[i][j].text)) continue;
      any = true;
      seen_again = seen_again || records_[i][j].text == first[j].text;
    }
    const bool holds_numbers = any && !holds_words[j];
    any_numbers = any_numbers || holds_numbers;
    over_numbers = over_numbers || (holds_numbers && is_word(first[j]));
  }
  if (any_numbers) return over_numbers && (2 * words >= filled || names_a_label);
  if (evidence == Evidence::numbers) return false;
  std::set<std::string_view> distinct;
  for (const CsvCell& cell : first) distinct.insert(cell.text);
  return words == first.size() && distinct.size() == first.size() && !seen_again;
}

bool CsvSample::is_word(const CsvCell& cell) const {
  return !missing_.contains(cell.text) && !looks_like_number(cell.text);
}

void CsvSample::count_words(const Record& record, std::vector<WordCounts>& seen) const {
  const std::size_t cells = std::min(seen.size(), record.size());
  for (std::size_t j = 0; j < cells; ++j) {
    const std::string_view text = record[j].text;
    if (missing_.contains(text)) continue;
    ++seen[j].filled;
    if (looks_like_number(text)) continue;
    ++seen[j].words;
    std::vector<std::string_view>& kinds = seen[j].kinds;
    if (kinds.size() > kFewKinds || std::find(kinds.begin(), kinds.end(), text) != kinds.end()) {
      continue;
    }
    kinds.push_back(text);
  }
}

// Both with and without the first record this is asked for: all others are counted once.
std::vector<bool> CsvSample::words_columns(std::size_t first) const {
  if (below_first_.empty()) {
    below_first_.resize(columns());
    for (std::size_t i = 1; i < records_.size(); ++i) count_words(records_[i], below_first_);
  }
  std::vector<WordCounts> seen = below_first_;
  if (first == 0 && !records_.empty()) count_words(records_[0], seen);
  std::vector<bool> result(columns());
  for (std::size_t j = 0; j < columns(); ++j) {
    result[j] = 2 * seen[j].words > seen[j].filled ||
                (20 * seen[j].words > seen[j].filled && seen[j].kinds.size() > kFewKinds);
  }
  return result;
}

std::uint64_t CsvSample::header_lines() const {
  const auto end = text_.begin() + static_cast<std::ptrdiff_t>(first_record_end_);
  return static_cast<std::uint64_t>(std::count(text_.begin(), end, '\n'));
}

Diagnostic CsvSample::complaint(const char* place, std::string message, Hint hint) const {
  const std::string_view text(text_.data(), text_.size() - 1);
  return of_file(complain_at(text, place, 1, std::move(message), std::move(hint)));
}

Diagnostic CsvSample::of_file(Diagnostic about) const {
  about.line += lines_before_;
  return about;
}

}  // namespace pegasos
