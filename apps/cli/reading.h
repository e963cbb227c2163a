// Reading data for a command: the options every such command has, the reading itself with progress,
// and what there is to tell about it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "pegasos/large_data.h"
#include "pegasos/read.h"
#include "session.h"

namespace pegasos::cli {

// Adds --format, --index-base, --delimiter … to a command. `options` must outlive the parsing.
void add_reading_options(Command& command, ReadOptions& options);

// The same for a command that reads the data of a model, without what the model has settled: which
// columns are features, and how they are read.
void add_reading_options_for_model(Command& command, ReadOptions& options);

// Whether the model settles this option of reading; by its field.
bool is_settled_by_model(const std::string& option);

// Throws UsageError if one of these was given, which would have no effect.
void refuse_settled_by_model(const ReadOptions& options, const std::string& model);

// How to read a second file as the first one was, whose schema this is. The label and the weights
// were named for the first: the second may lack them.
ReadOptions options_for_second(ReadOptions first, std::shared_ptr<const Schema> schema);

// The options that were given and affect the result.
std::vector<Setting> reading_settings(const ReadOptions& options);

// Reads a file as the options say, with a progress line. A model given as data is explained.
ReadResult read_data(const Session& session, const std::string& path, const ReadOptions& options);

// The same for training, within a limit of memory.
PlannedRead read_data_within(const Session& session, const std::string& path,
                             const ReadOptions& options, TrainOptions training,
                             const MemoryOptions& memory);

// The same for inspect and doctor: if a table cannot be read, prints the profile of its columns
// before the error is reported.
ReadResult read_or_show_columns(const Session& session, const std::string& path,
                                const ReadOptions& options);

// What the reader decided or left out, a sentence each: "12 rows with a qid (ignored)".
std::vector<std::string> sentences_of(const ReadNotes& notes);

}  // namespace pegasos::cli
