#include "data/divided_text.h"

#include <utility>

#include "base/file.h"
#include "data/binary_format.h"
#include "data/decode_text.h"
#include "data/line_blocks.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

std::unique_ptr<LineBlocks> beginning_of(const std::string& path, const ReadOptions& options) {
  auto blocks = std::make_unique<LineBlocks>(
      decoded(decompressed(open_file(path), path, options.max_decompressed), path, options));
  if (!blocks->source().form().empty() || !blocks->source().encoding().empty()) {
    throw InvalidOption("ranks", path +
                                     " has to be converted as a whole while it is read: write it "
                                     "in the binary form (convert, to binary), and use that");
  }
  return blocks;
}

}  // namespace

void refuse_what_cannot_be_divided(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (file == "-") {
      throw InvalidOption("ranks", "standard input cannot be divided among ranks; name a file");
    }
    if (files.size() > 1 && file_begins_with(kBinaryMagic, file)) {
      throw InvalidOption("ranks", file +
                                       " is binary; of several files all must be text: convert "
                                       "them together (convert, to binary), and use the result");
    }
  }
}

DividedText::DividedText(const std::vector<std::string>& files, const ReadOptions& options,
                         Reading reading) {
  const std::string& first = files.front();
  // Every rank makes the same plan of the columns, from the beginning of the first file.
  reader_ = std::make_unique<TextReader>(beginning_of(first, options), first, options, reading);
  FileShare::Form form;
  form.records = reader_->records();
  form.max_decompressed = options.max_decompressed;
  if (reader_->header_bytes() > 0) {
    form.header = beginning_of(first, options)->peek(reader_->header_bytes());
  }
  share_.emplace(files, std::move(form), ranks_of(options));
  reader_->go_on_with(std::make_unique<LineBlocks>(share_->open()));
}

void DividedText::locate(ReadNotes& notes) const {
  if (notes.first_bad) share_->locate(*notes.first_bad);
  if (notes.first_unlabelled) share_->locate(*notes.first_unlabelled);
}

}  // namespace pegasos
