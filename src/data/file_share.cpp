#include "data/file_share.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "base/file.h"
#include "simd/bytes.h"

namespace pegasos {
namespace {

constexpr std::uint64_t kToTheEnd = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// A file from some byte on.
class FileFrom : public ByteSource {
 public:
  FileFrom(std::string path, std::uint64_t offset)
      : path_(std::move(path)), file_(open_for_reading(path_)), done_(offset) {
    if (offset > 0 && lseek(file_.value(), static_cast<off_t>(offset), SEEK_SET) < 0) {
      throw IoError("cannot read", path_, errno);
    }
  }
  std::size_t read(std::span<char> into) override {
    const std::size_t n = read_fully(file_.value(), into, path_);
    done_ += n;
    return n;
  }
  std::uint64_t stored_bytes_read() const override { return done_; }
  std::optional<std::uint64_t> stored_bytes_total() const override {
    return regular_file_size(file_.value());
  }

 private:
  std::string path_;
  FileDescriptor file_;
  std::uint64_t done_;
};

// Calls take(piece) for all bytes of a source, or for the first `most` of them.
template <typename Take>
void read_all(ByteSource& source, std::uint64_t most, Take&& take) {
  std::vector<char> buffer(kBufferBytes);
  while (most > 0) {
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(most, kBufferBytes));
    const std::size_t got = source.read(std::span(buffer).first(wanted));
    take(std::string_view(buffer.data(), got));
    if (got < wanted) return;
    most -= got;
  }
}

// The byte in front of a place, which tells whether a record begins there.
std::uint64_t before(std::uint64_t place) {
  return place == 0 ? 0 : place - 1;
}

std::uint64_t size_of(const std::string& path) {
  const FileDescriptor file = open_for_reading(path);
  const auto size = regular_file_size(file.value());
  if (!size)
    throw InvalidOption("ranks",
                        path + " is not a regular file, so it cannot be divided among ranks");
  return *size;
}

}  // namespace

std::uint64_t share_begin(std::uint64_t whole, int rank, int ranks) {
  const auto part = static_cast<std::uint64_t>(rank);
  const auto parts = static_cast<std::uint64_t>(ranks);
  return whole / parts * part + whole % parts * part / parts;
}

std::vector<std::size_t> divide_files(const std::vector<std::uint64_t>& sizes, std::size_t ranks) {
  const std::size_t count = sizes.size();
  // Ranks take files while they fit, and leave one for each rank behind them.
  const auto cuts = [&](std::uint64_t most) {
    std::vector<std::size_t> begins = {0};
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      std::size_t end = begins.back() + 1;
      std::uint64_t load = sizes[end - 1];
      while (end + (ranks - rank - 1) < count && load + sizes[end] <= most) load += sizes[end++];
      begins.push_back(end);
    }
    return begins;
  };
  std::uint64_t low = *std::max_element(sizes.begin(), sizes.end());
  std::uint64_t high = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (cuts(middle).back() == count) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return cuts(low);
}

// The records of a part: skips to the first one, stops behind the last.
class PartSource : public ByteSource {
 public:
  PartSource(const FileShare::Part& part, const FileShare::Form& form, const std::string& first)
      : part_(part), quoted_(form.records == LineBlocks::Records::quoted), buffer_(kBufferBytes) {
    if (part.compressed) {
      from_ = decompressed(open_file(part.path), part.path, form.max_decompressed);
    } else {
      from_ = std::make_unique<FileFrom>(part.path, before(part.begin));
      position_ = before(part.begin);
      odd_ = part.odd_quotes;
    }
    if (part.begin > 0) return;
    begun_ = true;
    skip_beginning(form.header, first);
  }

  std::size_t read(std::span<char> into) override {
    std::size_t done = 0;
    while (done < into.size()) {
      if (ready_.empty() && !refill()) break;
      const std::size_t n = std::min(into.size() - done, ready_.size());
      std::memcpy(into.data() + done, ready_.data(), n);
      ready_.remove_prefix(n);
      done += n;
    }
    return done;
  }
  std::uint64_t stored_bytes_read() const override { return from_->stored_bytes_read(); }
  std::optional<std::uint64_t> stored_bytes_total() const override {
    return from_->stored_bytes_total();
  }
  // The first byte that was handed out, once some were.
  std::uint64_t start() const { return start_; }

 private:
  // Byte order mark and header. Both are within the first buffer, or the header is none.
  void skip_beginning(const std::string& header, const std::string& first) {
    fill();
    if (ready_.starts_with(kByteOrderMark)) take(kByteOrderMark.size());
    if (!header.empty() && !ready_.starts_with(header)) {
      Diagnostic line;
      line.line = 1;
      line.message = "the header differs from that of " + first;
      line.hint = "files that are read together must have the same columns";
      throw ParseError(part_.path, {std::move(line)});
    }
    take(header.size());
    trim();
  }

  void take(std::size_t bytes) {
    odd_ = odd_ != (quoted_ && simd::count_byte(ready_.substr(0, bytes), '"') % 2 == 1);
    position_ += bytes;
    start_ = position_;
    ready_.remove_prefix(bytes);
  }

  bool refill() {
    while (!ended_) {
      fill();
      trim();
      if (!ready_.empty()) return true;
    }
    return false;
  }

  void fill() {
    const std::size_t got = from_->read(buffer_);
    ended_ = ended_ || got < buffer_.size();
    ready_ = {buffer_.data(), got};
  }

  // Leaves of the bytes at hand those between the cuts.
  void trim() {
    const std::string_view text = ready_;
    std::size_t begin = 0;
    if (!begun_) {
      begin = record_begin(text, part_.begin);
      begun_ = begin != std::string_view::npos;
      if (!begun_) begin = text.size();
      start_ = position_ + begin;
    }
    std::size_t end = text.size();
    if (begun_ && part_.end != kToTheEnd) {
      const std::size_t cut = record_begin(text, part_.end);
      if (cut != std::string_view::npos) {
        end = std::max(begin, cut);
        ended_ = true;
      }
    }
    if (quoted_) odd_ = odd_ != (simd::count_byte(text, '"') % 2 == 1);
    position_ += text.size();
    ready_ = text.substr(begin, end - begin);
  }

  // The first place in the text, which stands at position_, where a record begins that does not
  // begin before `place`.
  std::size_t record_begin(std::string_view text, std::uint64_t place) const {
    if (position_ + text.size() < place) return std::string_view::npos;
    std::size_t from = static_cast<std::size_t>(before(place) - std::min(before(place), position_));
    bool odd = odd_ != (quoted_ && simd::count_byte(text.substr(0, from), '"') % 2 == 1);
    for (;;) {
      const std::size_t feed = text.find('\n', from);
      if (feed == std::string_view::npos) return feed;
      if (quoted_) {
        odd = odd != (simd::count_byte(text.substr(from, feed - from), '"') % 2 == 1);
      }
      if (!odd) return feed + 1;
      from = feed + 1;
    }
  }

  FileShare::Part part_;
  bool quoted_;
  std::unique_ptr<ByteSource> from_;
  std::vector<char> buffer_;
  std::string_view ready_;
  std::uint64_t position_ = 0;  // of the next byte that is read, or of ready_ while it is trimmed
  std::uint64_t start_ = 0;
  bool odd_ = false;  // quotes before position_
  bool begun_ = false;
  bool ended_ = false;
};

// All parts, with a line feed between files that do not end with one.
class ShareSource : public ByteSource {
 public:
  explicit ShareSource(const FileShare& share) : share_(share) {
    for (const auto& part : share.parts_) {
      const std::uint64_t whole =
          part.compressed || part.end == kToTheEnd ? size_of(part.path) : part.end;
      total_ += whole - (part.compressed ? 0 : std::min(whole, part.begin));
    }
  }

  std::size_t read(std::span<char> into) override {
    std::size_t done = 0;
    while (done < into.size()) {
      if (!part_ && !open_next()) break;
      const std::size_t n = part_->read(into.subspan(done));
      if (n > 0) last_ = into[done + n - 1];
      done += n;
      if (done == into.size()) break;
      read_before_ = bytes_read();
      part_.reset();
      if (last_ != '\n' && next_ < share_.parts_.size()) into[done++] = last_ = '\n';
    }
    return done;
  }
  std::uint64_t stored_bytes_read() const override {
    return std::min(total_, part_ ? bytes_read() : read_before_);
  }
  std::optional<std::uint64_t> stored_bytes_total() const override { return total_; }

 private:
  bool open_next() {
    if (next_ == share_.parts_.size()) return false;
    part_.emplace(share_.parts_[next_++], share_.form_, share_.files_.front());
    return true;
  }
  std::uint64_t bytes_read() const {
    const auto& part = share_.parts_[next_ - 1];
    const std::uint64_t from = part.compressed ? 0 : before(part.begin);
    return read_before_ + part_->stored_bytes_read() - from;
  }

  const FileShare share_;
  std::optional<PartSource> part_;
  std::size_t next_ = 0;
  char last_ = '\n';
  std::uint64_t total_ = 0;
  std::uint64_t read_before_ = 0;
};

FileShare::FileShare(std::vector<std::string> files, Form form, Collective& ranks)
    : files_(std::move(files)), form_(std::move(form)) {
  if (form_.header.size() + kByteOrderMark.size() > kBufferBytes) {
    throw InvalidOption("ranks", "the header is too long for several files or ranks");
  }
  std::vector<std::uint64_t> sizes;
  std::vector<bool> packed;
  for (const std::string& file : files_) {
    sizes.push_back(size_of(file));
    packed.push_back(!decompressed(open_file(file), file, {})->compression().empty());
  }
  if (std::find(packed.begin(), packed.end(), true) == packed.end()) {
    cut_plain(sizes, ranks);
    return;
  }
  const auto size = static_cast<std::size_t>(ranks.size());
  if (files_.size() == 1) {
    cut_compressed(ranks);
    return;
  }
  if (files_.size() < size) {
    throw InvalidOption("ranks",
                        fmt::format("{} files, some of them compressed, are too few for {} "
                                    "ranks: run with {} ranks, or unpack them",
                                    files_.size(), size, files_.size()));
  }
  const auto begins = divide_files(sizes, size);
  const auto rank = static_cast<std::size_t>(ranks.rank());
  for (std::size_t f = begins[rank]; f < begins[rank + 1]; ++f) {
    parts_.push_back({files_[f], 0, kToTheEnd, packed[f], false});
  }
}

void FileShare::cut_plain(const std::vector<std::uint64_t>& sizes, Collective& ranks) {
  const std::uint64_t whole = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  const std::uint64_t beginning = form_.header.size() + kByteOrderMark.size();
  const bool quoted = form_.records == LineBlocks::Records::quoted;
  const std::uint64_t first = share_begin(whole, ranks.rank(), ranks.size());
  const std::uint64_t last = share_begin(whole, ranks.rank() + 1, ranks.size());
  std::uint64_t file_begin = 0;
  // Of the file in which the share ends: the quotes up to there, and whether the share has its
  // beginning.
  struct Quotes {
    std::uint64_t count = 0;
    std::uint64_t from_beginning = 0;
  } mine;
  for (std::size_t f = 0; f < sizes.size(); file_begin += sizes[f++]) {
    const std::uint64_t file_end = file_begin + sizes[f];
    const bool is_last = ranks.rank() + 1 == ranks.size() && f + 1 == sizes.size();
    if (file_end <= first || (file_begin >= last && !is_last)) continue;
    const auto inside = [&](std::uint64_t place) {
      return place <= file_begin ? 0 : std::max(place - file_begin, beginning);
    };
    Part part{files_[f], inside(first), last >= file_end ? kToTheEnd : inside(last), false, false};
    mine = {0, part.begin == 0 ? std::uint64_t{1} : 0};
    if (quoted && part.end != kToTheEnd) {
      FileFrom bytes(part.path, before(part.begin));
      read_all(bytes, before(part.end) - before(part.begin),
               [&](std::string_view piece) { mine.count += simd::count_byte(piece, '"'); });
    }
    if (part.end == kToTheEnd) mine = {0, 1};
    parts_.push_back(std::move(part));
  }
  if (!quoted || ranks.size() == 1) return;
  const auto all = ranks.gather({reinterpret_cast<const char*>(&mine), sizeof mine});
  if (parts_.empty() || parts_.front().begin == 0) return;
  std::uint64_t quotes = 0;
  for (auto rank = static_cast<std::size_t>(ranks.rank()); rank-- > 0;) {
    Quotes theirs;
    std::memcpy(&theirs, all[rank].data(), sizeof theirs);
    quotes += theirs.count;
    if (theirs.from_beginning != 0) break;
  }
  parts_.front().odd_quotes = quotes % 2 == 1;
}

// Every rank unpacks all of it twice, once to know how much it is; none holds more than its share.
void FileShare::cut_compressed(Collective& ranks) {
  Part part{files_.front(), 0, kToTheEnd, true, false};
  if (ranks.size() > 1) {
    const auto source = decompressed(open_file(part.path), part.path, form_.max_decompressed);
    std::uint64_t whole = 0;
    read_all(*source, kToTheEnd, [&whole](std::string_view piece) { whole += piece.size(); });
    const std::uint64_t beginning = form_.header.size() + kByteOrderMark.size();
    const auto place = [&](int rank) {
      const std::uint64_t begin = share_begin(whole, rank, ranks.size());
      return begin == 0 ? 0 : std::max(begin, beginning);
    };
    part.begin = place(ranks.rank());
    if (ranks.rank() + 1 < ranks.size()) part.end = place(ranks.rank() + 1);
  }
  parts_.push_back(std::move(part));
}

std::unique_ptr<ByteSource> FileShare::open() const {
  return std::make_unique<ShareSource>(*this);
}

FileShare::Place FileShare::place_of(std::uint64_t line) const {
  const auto feeds = [](ByteSource& source, std::uint64_t most) {
    std::uint64_t count = 0;
    char last = '\n';
    read_all(source, most, [&](std::string_view piece) {
      count += simd::count_byte(piece, '\n');
      if (!piece.empty()) last = piece.back();
    });
    return last == '\n' ? count : count + 1;
  };
  for (const Part& part : parts_) {
    PartSource own(part, form_, files_.front());
    const std::uint64_t lines = feeds(own, kToTheEnd);
    if (line > lines && &part != &parts_.back()) {
      line -= lines;
      continue;
    }
    const auto whole = decompressed(open_file(part.path), part.path, form_.max_decompressed);
    return {part.path, feeds(*whole, own.start()) + line};
  }
  return {files_.front(), line};
}

ParseError FileShare::located(const ParseError& error) const {
  std::vector<Diagnostic> found;
  std::string path = error.path();
  for (const Diagnostic& one : error.diagnostics()) {
    Diagnostic moved = one;
    if (one.line > 0) {
      const Place place = place_of(one.line);
      if (!found.empty() && place.path != path) break;
      path = place.path;
      moved.line = place.line;
    }
    found.push_back(std::move(moved));
  }
  return {path, std::move(found)};
}

void FileShare::locate(Diagnostic& one) const {
  if (one.line > 0) one.line = place_of(one.line).line;
}

}  // namespace pegasos
