// A model in a few words, for messages and reports.
#pragma once

#include <string>

#include "pegasos/model.h"

namespace pegasos {

// What it predicts: "spam (positive) against ham", "3 classes (a, b, c), one against the rest".
std::string task_in_words(const Model& model);

// "rbf, gamma 0.5"
std::string kernel_in_words(const KernelOptions& kernel);

// "345 support vectors from 360 of 1,000 rows, 12 bounded"
std::string vectors_in_words(const KernelModel& model);

// "12 weights", "345 support vectors"
std::string size_in_words(const Model& model);

// "within 0.08 % of the optimum, proven", or what can be said instead.
std::string gap_in_words(const Certificate& proof);

}  // namespace pegasos
