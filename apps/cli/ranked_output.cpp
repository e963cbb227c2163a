#include "ranked_output.h"

#include <cerrno>
#include <charconv>
#include <string_view>

#include "math/passes.h"
#include "pegasos/error.h"

namespace pegasos::cli {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 22;
constexpr std::string_view kNumber = "{\"row\":";

}  // namespace

RankedOutput::RankedOutput(const Session& session, const std::string& path, bool numbered)
    : session_(session), path_(path), numbered_(numbered) {
  if (session.writes_files()) {
    file_.emplace(path);
    return;
  }
  kept_.reset(std::tmpfile());
  if (!kept_) throw IoError("cannot make", "a temporary file", errno);
}

void RankedOutput::write_header(std::span<const char> bytes) {
  if (file_) file_->write(bytes);
}

void RankedOutput::write(std::span<const char> lines) {
  if (file_) {
    file_->write(lines);
  } else if (std::fwrite(lines.data(), 1, lines.size(), kept_.get()) != lines.size()) {
    throw IoError("cannot write", "a temporary file", errno);
  }
}

void RankedOutput::flush() {
  if (file_) file_->flush();
}

// Whole lines, "" at the end.
std::string RankedOutput::next_piece() {
  std::string piece = std::move(unfinished_);
  unfinished_.clear();
  const std::size_t held = piece.size();
  piece.resize(held + kPiece);
  const std::size_t got = std::fread(piece.data() + held, 1, kPiece, kept_.get());
  if (got < kPiece && std::ferror(kept_.get()) != 0) {
    throw IoError("cannot read", "a temporary file", errno);
  }
  piece.resize(held + got);
  if (got == kPiece) {
    const std::size_t end = piece.rfind('\n') + 1;
    unfinished_ = piece.substr(end);
    piece.resize(end);
  }
  return numbered_ ? renumbered(piece) : piece;
}

std::string RankedOutput::renumbered(const std::string& lines) {
  std::string result;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin) + 1;
    const std::string_view line = std::string_view(lines).substr(begin, end - begin);
    std::uint64_t row = 0;
    const char* const digits = line.data() + kNumber.size();
    const auto [rest, problem] = std::from_chars(digits, line.data() + line.size(), row);
    result += std::string(kNumber) + std::to_string(rows_before_ + row);
    result.append(rest, line.data() + line.size());
    begin = end;
  }
  return result;
}

void RankedOutput::commit(std::uint64_t rows) {
  if (session_.ranks) {
    Collective& ranks = *session_.ranks;
    const auto counts = gather_over_ranks(rows, ranks);
    for (int rank = 0; rank < ranks.rank(); ++rank) {
      rows_before_ += counts[static_cast<std::size_t>(rank)];
    }
    if (kept_) std::rewind(kept_.get());
    for (int rank = 1; rank < ranks.size(); ++rank) {
      for (;;) {
        const auto pieces = ranks.gather(rank == ranks.rank() ? next_piece() : "");
        const std::string& piece = pieces[static_cast<std::size_t>(rank)];
        if (piece.empty()) break;
        if (file_) file_->write(piece);
      }
    }
  }
  if (file_) file_->commit();
}

}  // namespace pegasos::cli
