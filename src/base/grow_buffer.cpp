#include "base/grow_buffer.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

namespace pegasos {
namespace {

// From here on an array has pages of its own. Smaller ones share those of the heap, which may be
// large and are used again (apps/cli/heap.h).
constexpr std::size_t kOwnPages = std::size_t{1} << 23;
constexpr std::size_t kHugePages = std::size_t{1} << 25;  // from here on, large ones
constexpr std::size_t kPage = 4096;

bool has_own_pages(std::size_t bytes) {
  return bytes >= kOwnPages;
}

void* map_pages(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* resize_memory(void* old, std::size_t old_bytes, std::size_t new_bytes,
                    std::size_t used_bytes) {
  void* memory = nullptr;
  if (has_own_pages(old_bytes) && has_own_pages(new_bytes)) {
    memory = ::mremap(old, old_bytes, new_bytes, MREMAP_MAYMOVE);
    if (memory == MAP_FAILED) throw std::bad_alloc();
  } else if (!has_own_pages(old_bytes) && !has_own_pages(new_bytes)) {
    memory = std::realloc(old, std::max<std::size_t>(1, new_bytes));
    if (memory == nullptr) throw std::bad_alloc();
  } else {
    memory = has_own_pages(new_bytes) ? map_pages(new_bytes)
                                      : std::malloc(std::max<std::size_t>(1, new_bytes));
    if (memory == nullptr) throw std::bad_alloc();
    if (used_bytes > 0) std::memcpy(memory, old, std::min(used_bytes, new_bytes));
    release_memory(old, old_bytes);
  }
  // Fewer, larger pages; a system without them ignores the hint.
  if (new_bytes >= kHugePages) ::madvise(memory, new_bytes, MADV_HUGEPAGE);
  return memory;
}

void release_memory(void* memory, std::size_t bytes) noexcept {
  if (has_own_pages(bytes)) {
    ::munmap(memory, bytes);
  } else {
    std::free(memory);
  }
}

void prepare_pages(void* at, std::size_t bytes, std::size_t buffer_bytes) noexcept {
#ifdef MADV_POPULATE_WRITE
  if (!has_own_pages(buffer_bytes) || buffer_bytes >= kHugePages) return;
  const std::size_t into_page = reinterpret_cast<std::uintptr_t>(at) % kPage;
  const std::size_t whole_pages = (into_page + bytes + kPage - 1) / kPage * kPage;
  ::madvise(static_cast<char*>(at) - into_page, whole_pages, MADV_POPULATE_WRITE);
#else
  (void)at, (void)bytes, (void)buffer_bytes;
#endif
}

}  // namespace pegasos
