#include "memory_reserve.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace pegasos::cli {
namespace {

constexpr std::size_t kPartBytes = std::size_t{1} << 18;

std::atomic<void*> first_part = nullptr;
std::atomic<void*> last_part = nullptr;

void on_no_memory() {
  if (void* const part = first_part.exchange(nullptr)) {
    std::free(part);
    return;
  }
  std::free(last_part.exchange(nullptr));
  throw std::bad_alloc();
}

}  // namespace

void keep_memory_in_reserve() {
  first_part = std::malloc(kPartBytes);
  last_part = std::malloc(kPartBytes);
  std::set_new_handler(on_no_memory);
}

}  // namespace pegasos::cli
