// A folder that is gone after the test.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace pegasos::testing {

class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  // Writes a file and returns its path.
  std::string file(const std::string& name, std::string_view contents) const;

 private:
  std::filesystem::path folder_;
};

std::string contents_of(const std::string& path);

// Where the real data sets are ($PEGASOS_DATA), or "" with none; tests then skip and say so.
std::string real_data_folder();

}  // namespace pegasos::testing
