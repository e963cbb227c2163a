// Decompressors behind one small state machine: gzip (zlib), bzip2, xz (liblzma), zstd.
//
// All four formats allow several members in a row (cat a.gz b.gz) and all must end cleanly: a file
// cut short is an error, not the end of the data. The cap on the unpacked size is what stands
// between a user and a decompression bomb.
#include <bzlib.h>
#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "data/byte_source.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::size_t kStoredChunk = std::size_t{1} << 16;
constexpr std::uint64_t kUnsuspicious = std::uint64_t{1} << 30;
constexpr std::uint64_t kLargestRatio = 200;
// xz and zstd files may ask for a large history window; ordinary settings stay within these.
constexpr std::uint64_t kXzMemoryLimit = std::uint64_t{256} << 20;
constexpr int kZstdWindowLog = 27;

struct Window {
  const char* in = nullptr;
  std::size_t in_left = 0;
  char* out = nullptr;
  std::size_t out_left = 0;
};

enum class Step {
  more,        // give me input or output space
  member_end,  // this member is complete; another may follow
  broken       // not valid
};

// What each library has to offer: decode() moves the window on.
class Decoder {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;
  virtual std::string name() const = 0;
  virtual Step decode(Window& window) = 0;
  virtual void restart() = 0;  // for the next member
  virtual std::string complaint() const { return "the compressed data is damaged"; }
};

class GzipDecoder : public Decoder {
 public:
  GzipDecoder() {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }
  std::string name() const override { return "gzip"; }
  Step decode(Window& window) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(window.in));
    stream_.avail_in = static_cast<uInt>(window.in_left);
    stream_.next_out = reinterpret_cast<Bytef*>(window.out);
    stream_.avail_out = static_cast<uInt>(window.out_left);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    window.in = reinterpret_cast<const char*>(stream_.next_in);
    window.in_left = stream_.avail_in;
    window.out = reinterpret_cast<char*>(stream_.next_out);
    window.out_left = stream_.avail_out;
    if (status == Z_STREAM_END) return Step::member_end;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    return status == Z_OK || status == Z_BUF_ERROR ? Step::more : Step::broken;
  }
  void restart() override { inflateReset(&stream_); }

 private:
  z_stream stream_ = {};
};

class Bzip2Decoder : public Decoder {
 public:
  Bzip2Decoder() { start(); }
  ~Bzip2Decoder() override { BZ2_bzDecompressEnd(&stream_); }
  std::string name() const override { return "bzip2"; }
  Step decode(Window& window) override {
    stream_.next_in = const_cast<char*>(window.in);
    stream_.avail_in = static_cast<unsigned>(window.in_left);
    stream_.next_out = window.out;
    stream_.avail_out = static_cast<unsigned>(window.out_left);
    const int status = BZ2_bzDecompress(&stream_);
    window.in = stream_.next_in;
    window.in_left = stream_.avail_in;
    window.out = stream_.next_out;
    window.out_left = stream_.avail_out;
    if (status == BZ_STREAM_END) return Step::member_end;
    if (status == BZ_MEM_ERROR) throw std::bad_alloc();
    return status == BZ_OK ? Step::more : Step::broken;
  }
  void restart() override {
    BZ2_bzDecompressEnd(&stream_);
    stream_ = {};
    start();
  }

 private:
  void start() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  bz_stream stream_ = {};
};

class XzDecoder : public Decoder {
 public:
  XzDecoder() { start(); }
  ~XzDecoder() override { lzma_end(&stream_); }
  std::string name() const override { return "xz"; }
  Step decode(Window& window) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(window.in);
    stream_.avail_in = window.in_left;
    stream_.next_out = reinterpret_cast<std::uint8_t*>(window.out);
    stream_.avail_out = window.out_left;
    const lzma_ret status = lzma_code(&stream_, LZMA_RUN);
    window.in = reinterpret_cast<const char*>(stream_.next_in);
    window.in_left = stream_.avail_in;
    window.out = reinterpret_cast<char*>(stream_.next_out);
    window.out_left = stream_.avail_out;
    if (status == LZMA_STREAM_END) return Step::member_end;
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    needs_too_much_ = status == LZMA_MEMLIMIT_ERROR;
    return status == LZMA_OK || status == LZMA_BUF_ERROR ? Step::more : Step::broken;
  }
  void restart() override { start(); }
  std::string complaint() const override {
    if (!needs_too_much_) return Decoder::complaint();
    return fmt::format(
        "decompression needs more than {} MiB of memory; recompress the file with 'xz -9'",
        kXzMemoryLimit >> 20);
  }

 private:
  void start() {
    if (lzma_stream_decoder(&stream_, kXzMemoryLimit, 0) != LZMA_OK) throw std::bad_alloc();
  }
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool needs_too_much_ = false;
};

class ZstdDecoder : public Decoder {
 public:
  ZstdDecoder() : context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kZstdWindowLog);
  }
  ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }
  std::string name() const override { return "zstd"; }
  Step decode(Window& window) override {
    ZSTD_inBuffer in = {window.in, window.in_left, 0};
    ZSTD_outBuffer out = {window.out, window.out_left, 0};
    const std::size_t status = ZSTD_decompressStream(context_, &out, &in);
    window.in += in.pos;
    window.in_left -= in.pos;
    window.out += out.pos;
    window.out_left -= out.pos;
    if (ZSTD_isError(status)) {
      problem_ = ZSTD_getErrorName(status);
      return Step::broken;
    }
    return status == 0 ? Step::member_end : Step::more;
  }
  void restart() override {}  // the context goes on to the next frame by itself
  std::string complaint() const override {
    return fmt::format("decompression failed: {}", problem_);
  }

 private:
  ZSTD_DCtx* context_;
  std::string problem_;
};

class DecompressedBytes : public ByteSource {
 public:
  DecompressedBytes(std::unique_ptr<ByteSource> stored, std::vector<char> head,
                    std::unique_ptr<Decoder> decoder, std::string path,
                    std::optional<std::uint64_t> cap)
      : stored_(std::move(stored)),
        decoder_(std::move(decoder)),
        path_(std::move(path)),
        cap_(cap),
        chunk_(std::move(head)) {
    window_.in = chunk_.data();
    window_.in_left = chunk_.size();
  }

  std::size_t read(std::span<char> into) override {
    // The libraries count in 32 bits.
    constexpr std::size_t kLargestRequest = std::size_t{1} << 30;
    std::size_t done = 0;
    while (done < into.size() && !ended_) {
      window_.out = into.data() + done;
      window_.out_left = std::min(into.size() - done, kLargestRequest);
      const std::size_t before = window_.out_left;
      advance();
      done += before - window_.out_left;
      unpacked_ += before - window_.out_left;
      refuse_bombs();
    }
    return done;
  }

  std::uint64_t stored_bytes_read() const override {
    return stored_->stored_bytes_read() - window_.in_left;
  }
  std::optional<std::uint64_t> stored_bytes_total() const override {
    return stored_->stored_bytes_total();
  }
  std::string compression() const override { return decoder_->name(); }

 private:
  void refill() {
    chunk_.resize(kStoredChunk);
    chunk_.resize(stored_->read(chunk_));
    window_.in = chunk_.data();
    window_.in_left = chunk_.size();
  }

  void advance() {
    if (window_.in_left == 0) refill();
    if (between_members_) {
      if (at_end_or_padding()) {
        ended_ = true;
        return;
      }
      decoder_->restart();
      between_members_ = false;
    }
    const std::size_t in_before = window_.in_left;
    const std::size_t out_before = window_.out_left;
    switch (decoder_->decode(window_)) {
      case Step::broken:
        fail(decoder_->complaint());
      case Step::member_end:
        between_members_ = true;
        break;
      case Step::more:
        if (window_.in_left == in_before && window_.out_left == out_before && chunk_.empty()) {
          fail("the compressed data is truncated");
        }
        break;
    }
  }

  // Tapes and some tools pad with zero bytes after the last member.
  bool at_end_or_padding() {
    for (;;) {
      while (window_.in_left > 0 && *window_.in == 0) {
        ++window_.in;
        --window_.in_left;
      }
      if (window_.in_left > 0) return false;
      refill();
      if (chunk_.empty()) return true;
    }
  }

  void refuse_bombs() const {
    const std::uint64_t cap =
        cap_ ? *cap_ : std::max(kUnsuspicious, kLargestRatio * stored_bytes_read());
    if (unpacked_ <= cap) return;
    Diagnostic whole;
    whole.message = fmt::format(
        "{} bytes of {} decompress to more than {} bytes; this looks like a decompression bomb",
        stored_bytes_read(), decoder_->name(), cap);
    whole.remedy = {"if you trust the file, raise the limit: {}", {{"max_decompressed", "100G"}}};
    whole.hint = whole.remedy.in_words();
    throw ParseError(path_, {std::move(whole)});
  }

  [[noreturn]] void fail(const std::string& message) const {
    Diagnostic whole;
    whole.message = fmt::format("{} (at byte {} of the {} file)", message, stored_bytes_read(),
                                decoder_->name());
    throw ParseError(path_, {std::move(whole)});
  }

  std::unique_ptr<ByteSource> stored_;
  std::unique_ptr<Decoder> decoder_;
  std::string path_;
  std::optional<std::uint64_t> cap_;
  std::vector<char> chunk_;
  Window window_;
  std::uint64_t unpacked_ = 0;
  bool between_members_ = false;
  bool ended_ = false;
};

// Gives back the bytes that were looked at, then the rest.
class Rejoined : public ByteSource {
 public:
  Rejoined(std::vector<char> head, std::unique_ptr<ByteSource> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}

  std::size_t read(std::span<char> into) override {
    const std::size_t from_head = std::min(into.size(), head_.size() - done_);
    if (from_head > 0) std::memcpy(into.data(), head_.data() + done_, from_head);
    done_ += from_head;
    return from_head + rest_->read(into.subspan(from_head));
  }
  std::size_t read_some(std::span<char> into) override {
    if (done_ == head_.size()) return rest_->read_some(into);
    return read(into.first(std::min(into.size(), head_.size() - done_)));
  }
  std::uint64_t stored_bytes_read() const override {
    return rest_->stored_bytes_read() - (head_.size() - done_);
  }
  std::optional<std::uint64_t> stored_bytes_total() const override {
    return rest_->stored_bytes_total();
  }

 private:
  std::vector<char> head_;
  std::size_t done_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

std::unique_ptr<Decoder> decoder_for(const std::vector<char>& head) {
  const auto starts_with = [&head](std::string_view magic) {
    return head.size() >= magic.size() && std::equal(magic.begin(), magic.end(), head.begin());
  };
  using std::string_view_literals::operator""sv;
  if (starts_with("\x1f\x8b"sv)) return std::make_unique<GzipDecoder>();
  if (starts_with("BZh"sv) && head.size() > 4 && head[3] >= '1' && head[3] <= '9') {
    // "BZh" alone could be a word; the first block's or the end's mark follows.
    const std::string_view mark(head.data() + 4, std::min<std::size_t>(head.size() - 4, 6));
    if ("1AY&SY"sv.starts_with(mark) || "\x17rE8P\x90"sv.starts_with(mark)) {
      return std::make_unique<Bzip2Decoder>();
    }
  }
  if (starts_with("\xfd"
                  "7zXZ\0"sv)) {
    return std::make_unique<XzDecoder>();
  }
  if (starts_with("\x28\xb5\x2f\xfd"sv)) return std::make_unique<ZstdDecoder>();
  return nullptr;
}

}  // namespace

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> stored,
                                         const std::string& path,
                                         std::optional<std::uint64_t> cap) {
  // Enough to tell, and no more waiting than that takes when the input trickles in.
  constexpr std::size_t kEnough = 6;
  std::vector<char> head(16);
  std::size_t size = 0;
  while (size < kEnough) {
    const std::size_t got = stored->read_some(std::span(head).subspan(size));
    if (got == 0) break;
    size += got;
  }
  head.resize(size);
  if (auto decoder = decoder_for(head)) {
    return std::make_unique<DecompressedBytes>(std::move(stored), std::move(head),
                                               std::move(decoder), path, cap);
  }
  return std::make_unique<Rejoined>(std::move(head), std::move(stored));
}

}  // namespace pegasos
