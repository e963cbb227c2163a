// Text that one reader reads though it is several files, or a share of them: the first file says
// what the columns are, then comes the share of this rank.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/file_share.h"
#include "data/text_reader.h"
#include "pegasos/read.h"

namespace pegasos {

inline Collective& ranks_of(const ReadOptions& options) {
  return options.ranks ? *options.ranks : alone();
}
inline bool is_divided(const std::vector<std::string>& files, const ReadOptions& options) {
  return files.size() > 1 || ranks_of(options).size() > 1;
}

// Throws InvalidOption where this cannot be done: standard input, binary files among several, text
// that has to be converted.
void refuse_what_cannot_be_divided(const std::vector<std::string>& files);

class DividedText {
 public:
  DividedText(const std::vector<std::string>& files, const ReadOptions& options, Reading reading);

  TextReader& reader() { return *reader_; }
  // Runs it; complaints, also in the notes, get the files and lines where they stand.
  template <typename Work>
  auto read(Work&& work) {
    try {
      return work(*reader_);
    } catch (const ParseError& error) {
      throw share_->located(error);
    }
  }
  void locate(ReadNotes& notes) const;

 private:
  std::unique_ptr<TextReader> reader_;
  std::optional<FileShare> share_;
};

}  // namespace pegasos
