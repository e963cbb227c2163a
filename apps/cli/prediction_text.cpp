#include "prediction_text.h"

#include <algorithm>
#include <utility>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "data/row_text.h"

namespace pegasos::cli {

PredictionForm form_of_name(const std::string& path) {
  if (path.ends_with(".csv")) return PredictionForm::csv;
  if (path.ends_with(".jsonl") || path.ends_with(".ndjson")) return PredictionForm::json_lines;
  return PredictionForm::plain;
}

std::string csv_cell_of(const std::string& text) {
  return csv_cell(text);
}

PredictionWriter::PredictionWriter(const Decision& decision, PredictionLayout layout)
    : decision_(decision),
      layout_(std::move(layout)),
      only_scores_(layout_.scores && decision.kind() != AnswerKind::number) {
  // A blank, as LIBLINEAR and LIBSVM have it, unless it is part of a label.
  for (const auto& name : decision.names()) {
    if (name.find(' ') != std::string::npos) separator_ = '\t';
  }
}

std::vector<std::string> PredictionWriter::score_names() const {
  if (decision_.outputs() == 1) return {"score"};
  std::vector<std::string> names;
  for (const auto& name : decision_.names()) names.push_back("score of " + name);
  return names;
}

std::string PredictionWriter::header() const {
  if (layout_.form == PredictionForm::json_lines) return "";
  if (layout_.form == PredictionForm::plain) {
    if (!layout_.probabilities) return "";
    std::string line = "labels";
    for (const auto& name : decision_.names()) line += separator_ + name;
    return line + "\n";
  }
  std::string line = layout_.id.empty() ? "" : csv_cell(layout_.id) + ",";
  line += csv_cell(layout_.label);
  if (layout_.scores) {
    for (const auto& name : score_names()) line += "," + csv_cell(name);
  }
  if (layout_.probabilities) {
    for (const auto& name : decision_.names()) line += "," + csv_cell("probability of " + name);
  }
  return line + "\n";
}

std::string PredictionWriter::label(std::span<const double> scores) const {
  const bool one_class =
      decision_.kind() != AnswerKind::label_sets && decision_.kind() != AnswerKind::number;
  return one_class ? decision_.names()[decision_.class_of(scores)] : decision_.text(scores);
}

void PredictionWriter::append_numbers(std::span<const double> numbers,
                                      fmt::memory_buffer& out) const {
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (k > 0) out.push_back(separator_);
    fmt::format_to(std::back_inserter(out), "{}", numbers[k]);
  }
}

void PredictionWriter::append(std::uint64_t row, const std::string& id,
                              std::span<const double> scores, fmt::memory_buffer& out) const {
  if (layout_.form == PredictionForm::csv) {
    append_csv(id, scores, out);
  } else if (layout_.form == PredictionForm::json_lines) {
    append_json(row, id, scores, out);
  } else if (only_scores_) {
    append_numbers(scores, out);
  } else {
    out.append(label(scores));
    if (layout_.probabilities) {
      out.push_back(separator_);
      std::vector<double> probabilities(decision_.names().size());
      decision_.probabilities(scores, probabilities);
      append_numbers(probabilities, out);
    }
  }
  out.push_back('\n');
}

void PredictionWriter::append_csv(const std::string& id, std::span<const double> scores,
                                  fmt::memory_buffer& out) const {
  if (!layout_.id.empty()) out.append(csv_cell(id) + ",");
  out.append(csv_cell(label(scores)));
  if (layout_.scores) {
    for (const double score : scores) fmt::format_to(std::back_inserter(out), ",{}", score);
  }
  if (!layout_.probabilities) return;
  std::vector<double> probabilities(decision_.names().size());
  decision_.probabilities(scores, probabilities);
  for (const double p : probabilities) fmt::format_to(std::back_inserter(out), ",{}", p);
}

void PredictionWriter::append_json(std::uint64_t row, const std::string& id,
                                   std::span<const double> scores, fmt::memory_buffer& out) const {
  Json json = {{"row", row}};
  if (!layout_.id.empty()) json["id"] = id;
  if (decision_.kind() == AnswerKind::number) {
    json["prediction"] = decision_.number(scores[0]);
    out.append(json.one_line());
    return;
  }
  json["prediction"] = label(scores);
  if (decision_.outputs() == 1) {
    json["score"] = scores[0];
  } else {
    json["scores"] = Json::object();
    for (std::size_t k = 0; k < scores.size(); ++k)
      json["scores"][decision_.names()[k]] = scores[k];
  }
  if (decision_.has_probabilities() && decision_.kind() != AnswerKind::label_sets) {
    std::vector<double> probabilities(decision_.names().size());
    decision_.probabilities(scores, probabilities);
    json["probabilities"] = Json::object();
    for (std::size_t k = 0; k < probabilities.size(); ++k) {
      json["probabilities"][decision_.names()[k]] = probabilities[k];
    }
  }
  out.append(json.one_line());
}

void PredictionWriter::append_blank(std::uint64_t row, const std::string& id,
                                    fmt::memory_buffer& out) const {
  if (layout_.form == PredictionForm::json_lines) {
    Json json = {{"row", row}};
    if (!layout_.id.empty()) json["id"] = id;
    json["prediction"] = nullptr;
    out.append(json.one_line());
  } else if (layout_.form == PredictionForm::csv) {
    if (!layout_.id.empty()) out.append(csv_cell(id) + ",");
    std::size_t commas = layout_.scores ? decision_.outputs() : 0;
    commas += layout_.probabilities ? decision_.names().size() : 0;
    for (std::size_t k = 0; k < commas; ++k) out.push_back(',');
  }
  out.push_back('\n');
}

bool PredictionWriter::may_have_written(const std::string& first_line) const {
  if (first_line.empty() || first_line.starts_with("labels") ||
      first_line.starts_with("{\"row\":")) {
    return true;
  }
  // A header of ours: of this form, or of one with other columns of scores.
  const std::string label = csv_cell(layout_.label);
  const std::string with_id = layout_.id.empty() ? label : csv_cell(layout_.id) + "," + label;
  if (first_line.starts_with(label + ",score") || first_line.starts_with(label + ",probability") ||
      first_line == label || first_line.starts_with(with_id)) {
    return true;
  }
  const std::string head = first_line.substr(0, first_line.find_first_of(" \t,"));
  const auto& names = decision_.names();
  const auto is_answer = [&](const std::string& text) {
    return parse_real(text).has_value() ||
           std::find(names.begin(), names.end(), text) != names.end();
  };
  if (is_answer(first_line)) return true;
  // Plain scores and probabilities: numbers with blanks between, nothing else.
  const bool tokens_only = first_line.find_first_of(",;:\"") == std::string::npos;
  return tokens_only && is_answer(head);
}

}  // namespace pegasos::cli
