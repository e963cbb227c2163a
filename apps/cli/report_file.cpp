#include "report_file.h"

#include <filesystem>
#include <span>

#include "base/atomic_file.h"

namespace pegasos::cli {

void write_report(const Report& report, const std::string& path) {
  AtomicFile file(path);
  const std::string page = report_page(report);
  file.write(std::span<const char>(page.data(), page.size()));
  file.commit();
}

std::string file_name(const std::string& path) {
  return path == "-" ? path : std::filesystem::path(path).filename().string();
}

}  // namespace pegasos::cli
