// The profile of a table's columns as a table for people, and as JSON.
#pragma once

#include <string>
#include <vector>

#include "base/json_text.h"
#include "pegasos/profile.h"

namespace pegasos::cli {

// A line for each column; of more than `most` columns the first ones, and how many others there
// are.
std::string profile_for_people(const std::vector<ColumnProfile>& columns, std::size_t most = 100);
// Its title: which of all rows of the data were looked at.
std::string title_of_profile(const std::vector<ColumnProfile>& columns, std::size_t rows);
Json profile_json(const std::vector<ColumnProfile>& columns);

// What was decided and a person might want otherwise, a sentence each: "column 'Ticket' is left
// out: …".
std::vector<std::string> sentences_of(const std::vector<ColumnProfile>& columns);

}  // namespace pegasos::cli
