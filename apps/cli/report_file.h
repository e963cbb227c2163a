// The page of a report, written at once or not at all.
#pragma once

#include <string>

#include "pegasos/report.h"

namespace pegasos::cli {

void write_report(const Report& report, const std::string& path);

// The name of a file without its folder.
std::string file_name(const std::string& path);

}  // namespace pegasos::cli
