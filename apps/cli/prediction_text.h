// Predictions as text: plain lines as LIBLINEAR and LIBSVM write them, CSV with a header, or JSON
// Lines.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pegasos/decision.h"
#include "pegasos/schema.h"

namespace pegasos::cli {

enum class PredictionForm { plain, csv, json_lines };

// By extension: .csv, .jsonl or .ndjson; else plain.
PredictionForm form_of_name(const std::string& path);

struct PredictionLayout {
  PredictionForm form = PredictionForm::plain;
  bool scores = false;
  bool probabilities = false;
  std::string id;     // the name of the id column; "" for none
  std::string label;  // what the column of predictions is called
};

// The names of classes are put together once, not once per row.
class PredictionWriter {
 public:
  PredictionWriter(const Decision& decision, PredictionLayout layout);

  // What stands before the first row, with its line end; "" for nothing. Of plain probabilities the
  // classes in their order, as LIBLINEAR and LIBSVM write it.
  std::string header() const;

  // Row `row`, from 1; `id` is that of the row, or "".
  void append(std::uint64_t row, const std::string& id, std::span<const double> scores,
              fmt::memory_buffer& out) const;
  // A row that could not be read.
  void append_blank(std::uint64_t row, const std::string& id, fmt::memory_buffer& out) const;

  // Does a file that begins with this line look like one this writes?
  bool may_have_written(const std::string& first_line) const;

 private:
  void append_numbers(std::span<const double> numbers, fmt::memory_buffer& out) const;
  void append_csv(const std::string& id, std::span<const double> scores,
                  fmt::memory_buffer& out) const;
  void append_json(std::uint64_t row, const std::string& id, std::span<const double> scores,
                   fmt::memory_buffer& out) const;
  std::string label(std::span<const double> scores) const;
  std::vector<std::string> score_names() const;

  const Decision& decision_;
  PredictionLayout layout_;
  bool only_scores_;
  char separator_ = ' ';
};

// A CSV cell, quoted if it has to be.
std::string csv_cell_of(const std::string& text);

}  // namespace pegasos::cli
