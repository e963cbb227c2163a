// The options of tune, its run with progress, and what it says: a table with error bars, the
// choice, and the same as JSON.
#pragma once

#include <string>

#include "command.h"
#include "pegasos/tune.h"
#include "session.h"
#include "training.h"

namespace pegasos::cli {

// --lambdas, --lambda-grid, --folds … ; `options.train` is not touched.
void add_tuning_options(Command& command, TuneOptions& options);

// Throws UsageError for options that exclude each other.
void settle_tuning(const Command& command, const TrainingFlags& flags);

// The search with a progress line, until it is done, Ctrl-C, or its time is over.
TuneResult run_tuning(const Session& session, const Dataset& data, const TuneOptions& options,
                      const CheckpointWatch& checkpoint);

// A line for each point.
std::string tuning_table(const TuneResult& result);
// "lambda 0.0001 (C 0.43): error 4.91 % ± 0.13 %, …"
std::string choice_in_words(const TuneResult& result, Choice choice);
// That the best is at an end of what was tried, as a line to say; "" where it is not.
std::string note_on_the_end(const TuneResult& result);
std::string tuning_json(const TuneResult& result, const std::string& command);

// The result of train -v, in LIBLINEAR's words.
std::string cross_validation_in_words(const CrossValidation& found);
std::string cross_validation_json(const CrossValidation& found, std::size_t folds);

// What is to be typed after the data's name to train what was chosen.
std::string options_of_choice(const TrainingFlags& flags, const TuneOptions& options,
                              const TunePoint& point);

}  // namespace pegasos::cli
