#include "data/line_blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "simd/bytes.h"

namespace pegasos {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

void TextBlock::set_size(std::size_t text_size) {
  size = text_size;
  bytes.resize_uninitialised(text_size + kBlockPadding);
  std::memset(bytes.data() + text_size, 0, kBlockPadding);
  bytes[text_size] = '\n';
}

LineBlocks::LineBlocks(std::unique_ptr<ByteSource> source, Filling filling)
    : source_(std::move(source)), filling_(filling) {
  if (peek(kByteOrderMark.size()) == kByteOrderMark) skip(kByteOrderMark.size());
}

std::size_t LineBlocks::fill(std::span<char> into) {
  const bool eager = filling_ == Filling::eager;
  const std::size_t got = eager ? source_->read_some(into) : source_->read(into);
  ended_ = eager ? got == 0 : got < into.size();
  return got;
}

std::string_view LineBlocks::peek(std::size_t size) {
  for (;;) {
    const std::size_t held = carry_.size() - carry_begin_;
    const std::string_view text(carry_.data() + carry_begin_, std::min(size, held));
    const bool enough = filling_ == Filling::eager && text.find('\n') != std::string_view::npos;
    if (held >= size || ended_ || enough) return text;
    carry_.resize_uninitialised(carry_begin_ + size);
    const std::size_t got = fill({carry_.data() + carry_begin_ + held, size - held});
    carry_.resize_uninitialised(carry_begin_ + held + got);
  }
}

std::string_view LineBlocks::peek_records(std::size_t size) {
  const Filling filling = std::exchange(filling_, Filling::full);
  const std::string_view text = peek(size);
  filling_ = filling;
  if (ended_ && text.size() == carry_.size() - carry_begin_) return text;
  const std::size_t end = last_record_end(text, 0);
  return end > 0 ? text.substr(0, end) : text;
}

void LineBlocks::skip(std::size_t size) {
  carry_begin_ += size;
}

std::size_t LineBlocks::last_record_end(std::string_view text, std::size_t searched) const {
  if (records_ == Records::lines) {
    const auto at = text.substr(searched).rfind('\n');
    return at == std::string_view::npos ? 0 : searched + at + 1;
  }
  // Walk back over line feeds until the quotes before one are even in number.
  std::size_t quotes = simd::count_byte(text, '"');
  std::string_view rest = text;
  for (;;) {
    const auto at = rest.rfind('\n');
    if (at == std::string_view::npos) return 0;
    quotes -= simd::count_byte(rest.substr(at + 1), '"');
    if (quotes % 2 == 0) return at + 1;
    rest = rest.substr(0, at);
  }
}

bool LineBlocks::next(TextBlock& block) {
  block.record_too_long = false;
  block.bytes.resize_uninitialised(kBlockBytes + kBlockPadding);
  std::size_t size = 0;
  std::size_t target = kBlockBytes;
  std::size_t end = 0;
  std::size_t searched = 0;
  for (;;) {
    const std::size_t held = std::min(carry_.size() - carry_begin_, target - size);
    if (held > 0) {
      block.bytes.resize_uninitialised(target + kBlockPadding);
      std::memcpy(block.bytes.data() + size, carry_.data() + carry_begin_, held);
      carry_begin_ += held;
      size += held;
    }
    // Eager: a line that is already here is handed out before more is waited for.
    if (filling_ == Filling::eager && size > searched) {
      end = last_record_end({block.bytes.data(), size}, searched);
      if (end > 0) break;
      searched = size;
    }
    if (size < target && !ended_) {
      block.bytes.resize_uninitialised(target + kBlockPadding);
      size += fill({block.bytes.data() + size, target - size});
    }
    if (ended_ && carry_begin_ == carry_.size()) {
      end = size;
      break;
    }
    end = last_record_end({block.bytes.data(), size}, searched);
    if (end > 0) break;
    searched = size;
    if (size >= longest_) {
      block.record_too_long = true;
      end = size;
      break;
    }
    if (size >= target) target = std::min(2 * target, std::max(longest_, kBlockBytes));
  }
  if (carry_begin_ < carry_.size()) {
    carry_begin_ -= size - end;  // all of the block came from there
  } else {
    carry_.clear();
    carry_begin_ = 0;
    carry_.append({block.bytes.data() + end, size - end});
  }
  block.set_size(end);
  return end > 0;
}

GrowBuffer<char> LineBlocks::rest() {
  GrowBuffer<char> all;
  all.append({carry_.data() + carry_begin_, carry_.size() - carry_begin_});
  while (!ended_) {
    const std::size_t size = all.size();
    all.resize_uninitialised(size + kBlockBytes);
    const std::size_t got = source_->read({all.data() + size, kBlockBytes});
    all.resize_uninitialised(size + got);
    ended_ = got < kBlockBytes;
  }
  return all;
}

}  // namespace pegasos
