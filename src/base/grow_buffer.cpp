#include "base/grow_buffer.h"

#include <sys/mman.h>

#include <cstdlib>

namespace pegasos {
namespace {

// From here on an array has pages of its own, large ones where the system has them: they cost few
// page faults, and rows in random order few misses of their translation. Smaller arrays share the
// pages of the heap, which may be large and are used again (apps/cli/heap.h).
constexpr std::size_t kOwnPages = std::size_t{1} << 23;

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
  if (has_own_pages(new_bytes)) ::madvise(memory, new_bytes, MADV_HUGEPAGE);  // a hint
  return memory;
}

void release_memory(void* memory, std::size_t bytes) noexcept {
  if (has_own_pages(bytes)) {
    ::munmap(memory, bytes);
  } else {
    std::free(memory);
  }
}

}  // namespace pegasos
