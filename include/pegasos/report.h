// The HTML report on one model, or comparing several.
//
// The page is whole: style, script and data are in it, and nothing is loaded from anywhere. It
// draws itself from the same values that the command line prints and writes as JSON; the report
// computes none of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pegasos/doctor.h"
#include "pegasos/evaluation.h"
#include "pegasos/model.h"
#include "pegasos/picture.h"
#include "pegasos/score_tables.h"
#include "pegasos/tune.h"

namespace pegasos {

// A moment of a run.
struct ReportMoment {
  double seconds = 0.0;
  double objective = 0.0;
  std::optional<double> dual = {};
  std::optional<double> bound = {};  // of the paper's lemma, on the objective
  std::optional<double> test_error = {};
};

struct ReportClassifier {
  std::string name;
  std::optional<Certificate> certificate = {};
};

struct ReportMistake {
  std::uint64_t row = 0;  // from 1, as in the file
  std::string truth;
  std::string called;
  double score = 0.0;                                        // or the error of a number
  std::vector<std::pair<std::string, double>> because = {};  // contributions of features by name
};

struct ReportFeatures {
  std::string title;
  std::vector<std::pair<std::string, double>> weights = {};  // by name
};

// What was measured, and on which rows.
struct ReportMeasurement {
  std::string on;           // the file
  bool trained_on = false;  // the model has learned from these rows
  Evaluation evaluation = {};
  // Two classes.
  std::optional<ThresholdTable> thresholds = {};
  double threshold = 0.0;                   // the model's
  std::string threshold_of = "score";       // or "probability"
  std::optional<Histogram> histogram = {};  // of scores by class, or of errors
  // Numbers: true and predicted, of some rows.
  std::vector<std::pair<double, double>> pairs = {};
  std::vector<ReportMistake> mistakes = {};
  std::optional<Picture> picture = {};
};

struct ReportRun {
  std::string name;  // what the model is called
  std::vector<std::pair<std::string, std::string>> facts = {};
  std::string command = {};  // that trains it again
  std::optional<Certificate> certificate = {};
  std::vector<std::string> certificate_words = {};
  bool proven = false;                             // within the tolerance that was asked for
  std::vector<ReportClassifier> classifiers = {};  // of several classes
  std::vector<ReportMoment> trace = {};
  std::optional<TuneResult> tuning = {};
  std::optional<ReportMeasurement> measured = {};
  std::vector<ReportFeatures> features = {};
  std::optional<std::vector<Symptom>> symptoms = {};
};

struct Report {
  std::string title;
  std::vector<ReportRun> runs = {};
};

std::string report_page(const Report& report);

}  // namespace pegasos
