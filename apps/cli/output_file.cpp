#include "output_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

const std::map<std::string, std::string>& compressors() {
  static const std::map<std::string, std::string> by_suffix = {
      {".gz", "gzip"}, {".bz2", "bzip2"}, {".xz", "xz"}, {".zst", "zstd"}};
  return by_suffix;
}

}  // namespace

std::string name_of(OutputFormat format) {
  switch (format) {
    case OutputFormat::svmlight:
      return "svmlight";
    case OutputFormat::csv:
      return "csv";
    case OutputFormat::binary:
      return "binary";
    case OutputFormat::liblinear:
      return "liblinear";
    case OutputFormat::libsvm:
      return "libsvm";
    case OutputFormat::pegasos:
      return "pegasos";
  }
  return "unknown";
}

std::optional<OutputFormat> format_of_name(const std::string& path) {
  static const std::map<std::string, OutputFormat> by_extension = {
      {".svm", OutputFormat::svmlight},      {".libsvm", OutputFormat::svmlight},
      {".svmlight", OutputFormat::svmlight}, {".csv", OutputFormat::csv},
      {".bin", OutputFormat::binary},        {".pgd", OutputFormat::binary},
  };
  std::filesystem::path name(path);
  if (compressors().contains(name.extension().string())) name.replace_extension();
  const auto found = by_extension.find(name.extension().string());
  if (found == by_extension.end()) return std::nullopt;
  return found->second;
}

void refuse_compressed_name(const std::string& path, const std::string& command) {
  const auto found = compressors().find(std::filesystem::path(path).extension().string());
  if (found == compressors().end()) return;
  throw UsageError(
      fmt::format("'{}': writing compressed files is not supported", printable(path)),
      fmt::format("use: {} | {} > {}", command, found->second, printable(shell_word(path))));
}

void refuse_json_beside_data(const Session& session, const std::string& path) {
  if (session.json && path == "-") {
    throw UsageError("--json and the data cannot both go to standard output; name an output file");
  }
}

void refuse_same_files(const std::vector<std::string>& inputs,
                       const std::vector<std::string>& outputs) {
  const auto same = [](const std::string& a, const std::string& b) {
    if (a.empty() || b.empty() || a == "-" || b == "-") return false;
    std::error_code absent;
    if (std::filesystem::equivalent(a, b, absent)) return !std::filesystem::is_other(a);
    return std::filesystem::weakly_canonical(a, absent) ==
           std::filesystem::weakly_canonical(b, absent);
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const auto& input : inputs) {
      if (same(input, outputs[i])) {
        throw UsageError(
            fmt::format("'{}' is an input file and would be overwritten", printable(input)),
            "choose another output file");
      }
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (same(outputs[j], outputs[i])) {
        throw UsageError(fmt::format("'{}' is named for two outputs", printable(outputs[i])),
                         "choose a different file for each");
      }
    }
  }
}

std::string shell_word(const std::string& text) {
  const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./=+,:@%").find(c) != std::string_view::npos;
  });
  if (is_plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string file_word(const std::string& path) {
  return shell_word(path.size() > 1 && path.front() == '-' ? "./" + path : path);
}

}  // namespace pegasos::cli
