#include "data/decode_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "data/json_array.h"
#include "data/json_lines.h"
#include "data/utf8.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::size_t kHeadBytes = std::size_t{1} << 16;
constexpr std::size_t kPieceBytes = std::size_t{1} << 16;

class FromUtf16 : public ConvertedSource {
 public:
  FromUtf16(std::unique_ptr<ByteSource> from, bool big_endian)
      : ConvertedSource(std::move(from)), big_endian_(big_endian) {}

  std::string encoding() const override { return "UTF-16"; }

 protected:
  void convert(std::string_view piece, bool last, std::string& out) override {
    for (const char c : piece) {
      const auto byte = static_cast<unsigned char>(c);
      if (!half_) {
        half_ = byte;
        continue;
      }
      const unsigned unit = big_endian_ ? *half_ << 8 | byte : unsigned{byte} << 8 | *half_;
      half_.reset();
      take(static_cast<char32_t>(unit), out);
    }
    if (last && (half_ || high_ != 0)) append_utf8(out, kReplacement);
  }

 private:
  static constexpr char32_t kReplacement = 0xfffd;

  void take(char32_t unit, std::string& out) {
    const bool low = unit >= 0xdc00 && unit <= 0xdfff;
    if (high_ != 0) {
      append_utf8(out, low ? 0x10000 + ((high_ - 0xd800) << 10) + (unit - 0xdc00) : kReplacement);
      high_ = 0;
      if (low) return;
    }
    if (unit >= 0xd800 && unit <= 0xdbff) {
      high_ = unit;
    } else {
      append_utf8(out, low ? kReplacement : unit);
    }
  }

  bool big_endian_;
  std::optional<unsigned> half_;
  char32_t high_ = 0;
};

// Bytes 0x80 to 0x9f of Windows-1252; those it leaves open stay what they are in Latin-1.
constexpr std::array<char16_t, 32> kWindows = {
    0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8d,   0x017d, 0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};

class FromWindows1252 : public ConvertedSource {
 public:
  using ConvertedSource::ConvertedSource;

  std::string encoding() const override { return "Windows-1252"; }

 protected:
  void convert(std::string_view piece, bool, std::string& out) override {
    for (const char c : piece) {
      const auto byte = static_cast<unsigned char>(c);
      append_utf8(out, byte >= 0x80 && byte < 0xa0 ? char32_t{kWindows[byte - 0x80U]} : byte);
    }
  }
};

// Whether the text could be the beginning of UTF-8.
bool may_be_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) continue;
    const std::size_t more = lead >= 0xf0 && lead < 0xf5   ? 3
                             : lead >= 0xe0 && lead < 0xf0 ? 2
                             : lead >= 0xc2 && lead < 0xe0 ? 1
                                                           : 0;
    if (more == 0) return false;
    for (std::size_t k = 0; k < more; ++k, ++i) {
      if (i == text.size()) return true;
      if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return false;
    }
  }
  return true;
}

struct Foreign {
  std::string_view magic;
  const char* what;
  const char* way_out;
};

constexpr const char* kPandas = "in Python: pandas.read_{}('{}').to_csv('data.csv', index=False)";
constexpr Foreign kForeign[] = {
    {"PAR1", "a Parquet file", "parquet"},
    {"ARROW1", "an Arrow file", "feather"},
    {"FEA1", "a Feather file", "feather"},
    {"ORC", "an ORC file", "orc"},
    {"\x89HDF\r\n", "an HDF5 file", "hdf"},
    {"\x80\x04", "a Python pickle", "pickle"},
    {"\x80\x05", "a Python pickle", "pickle"},
    {"\xd0\xcf\x11\xe0", "an old Excel file", "excel"},
    {"SQLite format 3", "an SQLite database",
     "sqlite3 -header -csv FILE 'select * from TABLE' > data.csv"},
    {"\x93NUMPY", "a NumPy array",
     "in Python: numpy.savetxt('data.csv', numpy.load('FILE'), delimiter=',')"},
    {"7z\xbc\xaf", "a 7-Zip archive", "7z x FILE"},
    {"Rar!", "a RAR archive", "unar FILE"},
    {"%PDF", "a PDF document", "export its tables as CSV"}};

[[noreturn]] void refuse_foreign(const std::string& path, const std::string& what,
                                 const std::string& way_out) {
  Diagnostic whole;
  whole.message = "this is " + what + ", which is not supported";
  whole.hint = "convert it: " + way_out;
  throw ParseError(path, {std::move(whole)});
}

std::string replaced(std::string text, std::string_view mark, const std::string& by) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    text.replace(at, mark.size(), by);
    at += by.size();
  }
  return text;
}

void refuse_foreign_files(std::string_view head, const std::string& path) {
  for (const auto& [magic, what, way_out] : kForeign) {
    if (!head.starts_with(magic)) continue;
    const bool by_pandas = std::string_view(way_out).find(' ') == std::string_view::npos;
    std::string hint = by_pandas ? replaced(kPandas, "{}", way_out) : way_out;
    // The second placeholder of the Python line is the file.
    if (by_pandas) hint = replaced(hint, fmt::format("'{}'", way_out), fmt::format("'{}'", path));
    refuse_foreign(path, what, replaced(hint, "FILE", path));
  }
  if (!head.starts_with("PK\x03\x04")) return;
  const auto holds = [head](std::string_view name) {
    return head.substr(0, 4096).find(name) != std::string_view::npos;
  };
  if (holds("[Content_Types].xml") || holds("xl/")) {
    refuse_foreign(path, "an Excel file",
                   "save it as CSV, or in Python: pandas.read_excel('" + path +
                       "').to_csv('data.csv', index=False)");
  }
  if (holds(".npy")) {
    refuse_foreign(
        path, "an archive of NumPy arrays",
        "in Python: numpy.savetxt('data.csv', numpy.load('" + path + "')['x'], delimiter=',')");
  }
  refuse_foreign(path, "a zip archive", "unzip -p " + path + " > data.csv");
}

// An object over several lines: {, then "name":
void refuse_json_document(std::string_view head, const std::string& path) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t brace = head.find_first_not_of(kBlanks);
  if (brace == std::string_view::npos || head[brace] != '{') return;
  const std::size_t name = head.find_first_not_of(kBlanks, brace + 1);
  if (name == std::string_view::npos || head[name] != '"') return;
  const std::size_t end = head.find('"', name + 1);
  if (end == std::string_view::npos) return;
  const std::size_t colon = head.find_first_not_of(kBlanks, end + 1);
  if (colon == std::string_view::npos || head[colon] != ':') return;
  Diagnostic whole;
  whole.message = "this is JSON, but not with one object on each line";
  whole.hint = "write the rows as JSON Lines: jq -c . " + path +
               " > data.jsonl, or where they are an array in a field: jq -c '.field[]' " + path +
               " > data.jsonl";
  throw ParseError(path, {std::move(whole)});
}

// As much as it takes to have a whole line, if there is one.
std::size_t read_first_line(ByteSource& source, std::span<char> into) {
  std::size_t size = 0;
  while (size < into.size()) {
    const std::size_t got = source.read_some(into.subspan(size));
    const auto* const begin = into.data() + size;
    size += got;
    if (got == 0 || std::find(begin, begin + got, '\n') != begin + got) break;
  }
  return size;
}

}  // namespace

PutBackSource::PutBackSource(std::string head, std::unique_ptr<ByteSource> rest)
    : head_(std::move(head)), rest_(std::move(rest)) {}

std::size_t PutBackSource::take_head(std::span<char> into) {
  const std::size_t n = std::min(into.size(), head_.size() - given_);
  if (n > 0) std::memcpy(into.data(), head_.data() + given_, n);
  given_ += n;
  if (given_ == head_.size()) std::string().swap(head_), given_ = 0;
  return n;
}

std::size_t PutBackSource::read(std::span<char> into) {
  const std::size_t n = take_head(into);
  return n < into.size() ? n + rest_->read(into.subspan(n)) : n;
}

std::size_t PutBackSource::read_some(std::span<char> into) {
  const std::size_t n = take_head(into);
  return n > 0 ? n : rest_->read_some(into);
}

std::size_t ConvertedSource::give(std::span<char> into) {
  const std::size_t n = std::min(into.size(), ready_.size() - given_);
  if (n > 0) std::memcpy(into.data(), ready_.data() + given_, n);
  given_ += n;
  return n;
}

bool ConvertedSource::fill(bool some) {
  ready_.clear();
  given_ = 0;
  std::array<char, kPieceBytes> piece;
  while (ready_.empty() && !ended_) {
    const std::size_t got = some ? from_->read_some(piece) : from_->read(piece);
    ended_ = some ? got == 0 : got < piece.size();
    convert({piece.data(), got}, ended_, ready_);
  }
  return !ready_.empty();
}

std::size_t ConvertedSource::read(std::span<char> into) {
  std::size_t done = give(into);
  while (done < into.size() && fill(false)) done += give(into.subspan(done));
  return done;
}

std::size_t ConvertedSource::read_some(std::span<char> into) {
  const std::size_t done = give(into);
  if (done > 0 || into.empty()) return done;
  return fill(true) ? give(into) : 0;
}

std::unique_ptr<ByteSource> decoded(std::unique_ptr<ByteSource> source, const std::string& path,
                                    const ReadOptions& options, bool eager) {
  std::string head(kHeadBytes, '\0');
  head.resize(eager ? read_first_line(*source, head) : source->read(head));
  refuse_foreign_files(head, path);
  const bool little = head.starts_with("\xff\xfe");
  const bool big = head.starts_with("\xfe\xff");
  // A converter that follows hides the size of the source no more than a decompressor does.
  const std::string_view all = head;
  const bool binary = head.find('\0') != std::string::npos || head.starts_with('\x89');
  const bool latin = !little && !big && !binary && !may_be_utf8(all);
  const bool text = !little && !big && !binary;
  const bool may_be_json =
      text && options.format.value_or(DataFormat::json_lines) == DataFormat::json_lines;
  const bool array = may_be_json && looks_like_json_array(all);
  const bool json = array || (text && looks_like_json_lines(all, options));
  if (may_be_json && !json) refuse_json_document(all, path);
  std::string kept = std::move(head);
  if (little || big) kept.erase(0, 2);
  std::unique_ptr<ByteSource> whole =
      std::make_unique<PutBackSource>(std::move(kept), std::move(source));
  if (little || big) return std::make_unique<FromUtf16>(std::move(whole), big);
  if (latin) whole = std::make_unique<FromWindows1252>(std::move(whole));
  if (array) whole = lines_from_json_array(std::move(whole), path);
  if (json) return csv_from_json_lines(std::move(whole), path, options, eager);
  return whole;
}

}  // namespace pegasos
