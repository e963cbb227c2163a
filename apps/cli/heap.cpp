#include "heap.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#endif

namespace pegasos::cli {

#ifdef __GLIBC__
namespace {

constexpr std::size_t kFirstBytes = std::size_t{1} << 26;  // address space, not memory
constexpr int kMostFromHeap = 1 << 25;                     // larger arrays are mapped as ever
constexpr int kMostKept = 1 << 27;                         // free memory at the end of the heap
constexpr std::uintptr_t kLargePage = std::uintptr_t{1} << 21;

}  // namespace

void prepare_heap() {
  mallopt(M_MMAP_THRESHOLD, kMostFromHeap);
  mallopt(M_TRIM_THRESHOLD, kMostKept);
  // One allocation extends the heap; its address space stays when it is freed.
  mallopt(M_TOP_PAD, static_cast<int>(kFirstBytes));
  void* const somewhere = std::malloc(kMostFromHeap / 2);
  if (somewhere == nullptr) return;
  const auto* const end = static_cast<const char*>(sbrk(0));
  const std::uintptr_t into_page = reinterpret_cast<std::uintptr_t>(somewhere) & (kLargePage - 1);
  char* const begin = static_cast<char*>(somewhere) + (into_page == 0 ? 0 : kLargePage - into_page);
  if (begin < end) madvise(begin, static_cast<std::size_t>(end - begin), MADV_HUGEPAGE);
  std::free(somewhere);
  mallopt(M_TOP_PAD, kMostFromHeap);
}
#else
void prepare_heap() {}
#endif

}  // namespace pegasos::cli
