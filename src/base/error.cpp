#include "pegasos/error.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace pegasos {
namespace {

std::string headline(const std::string& path, const Diagnostic& first) {
  if (first.line == 0) return fmt::format("{}: {}", path, first.message);
  if (first.column == 0) return fmt::format("{}:{}: {}", path, first.line, first.message);
  return fmt::format("{}:{}:{}: {}", path, first.line, first.column, first.message);
}

}  // namespace

std::string Hint::in_words() const {
  return in_words([](const Setting& one) { return one.name + "=" + one.value; });
}

std::string Hint::in_words(const std::function<std::string(const Setting&)>& spell) const {
  std::string words;
  std::size_t from = 0;
  for (const Setting& one : settings) {
    const std::size_t mark = text.find("{}", from);
    if (mark == std::string::npos) break;
    words += text.substr(from, mark - from) + spell(one);
    from = mark + 2;
  }
  return words + text.substr(from);
}

ParseError::ParseError(std::string path, std::vector<Diagnostic> diagnostics)
    : Error(headline(path, diagnostics.at(0))),
      path_(std::move(path)),
      diagnostics_(std::move(diagnostics)) {}

IoError::IoError(const std::string& action, std::string path, int error_number)
    : Error(
          fmt::format("{} '{}': {}", action, path, std::generic_category().message(error_number))),
      path_(std::move(path)),
      error_number_(error_number) {}

CorruptFile::CorruptFile(std::string path, std::uint64_t offset, const std::string& message)
    : Error(fmt::format("{}: {} (at byte {})", path, message, offset)),
      path_(std::move(path)),
      offset_(offset) {}

}  // namespace pegasos
