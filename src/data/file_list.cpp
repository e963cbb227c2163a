#include "data/file_list.h"

#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include "base/file.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

bool exists(const std::string& path) {
  std::error_code failed;
  return std::filesystem::exists(path, failed);
}

std::vector<std::string> lines_of(const std::string& path) {
  const MappedFile file(path);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.emplace_back(line);
    begin = end + 1;
  }
  return lines;
}

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found = {};
  std::vector<std::string> names;
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
    names.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  std::sort(names.begin(), names.end());  // by bytes: the same order in every locale
  return names;
}

}  // namespace

std::vector<std::string> files_named(const std::string& name) {
  if (name == "-" || exists(name)) return {name};
  std::vector<std::string> names;
  if (name.starts_with('@') && exists(name.substr(1))) {
    names = lines_of(name.substr(1));
  } else if (name.find_first_of("*?") != std::string::npos) {
    names = matches_of(name);
  } else {
    return {name};
  }
  if (names.empty()) throw IoError("no file matches", name, ENOENT);
  return names;
}

}  // namespace pegasos
