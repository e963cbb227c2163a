// Where a command's result goes: the checks on the name, and the words afterwards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session.h"

namespace pegasos::cli {

enum class OutputFormat { svmlight, csv, binary, liblinear, libsvm, pegasos };

std::string name_of(OutputFormat format);

// By extension, compression suffix ignored: .svm .libsvm .svmlight, .csv, .bin .pgd.
std::optional<OutputFormat> format_of_name(const std::string& path);

// Files are written plain. A name that promises compression is refused with the pipe that keeps
// the promise; `command` is the line that would write to standard output.
void refuse_compressed_name(const std::string& path, const std::string& command);

// --json puts its object on standard output, where the data would go.
void refuse_json_beside_data(const Session& session, const std::string& path);

// Writing over what is being read would destroy it. Each of `outputs` must be another file than
// each of `inputs` and than the outputs before it; "" and "-" are left out.
void refuse_same_files(const std::vector<std::string>& inputs,
                       const std::vector<std::string>& outputs);

// A word a POSIX shell reads back as it is.
std::string shell_word(const std::string& text);
// A file name as an argument: one that begins with a dash must not look like a flag. "-" stays.
std::string file_word(const std::string& path);

}  // namespace pegasos::cli
