// A growing array of plain values for data that is appended once and then only read.
//
// std::vector would do but for two things that matter with gigabytes: it clears memory that is
// about to be overwritten, and it copies on growth, holding old and new at once. realloc moves
// large arrays by remapping pages, so the resident size follows what was written and nothing else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace pegasos {

// Memory of `new_bytes` with the first `used_bytes` of the old; throws std::bad_alloc.
void* resize_memory(void* old, std::size_t old_bytes, std::size_t new_bytes,
                    std::size_t used_bytes);
void release_memory(void* memory, std::size_t bytes) noexcept;

class Residency;
class SpoolFile;
// Memory in a file instead, see base/residency.h; null without one.
std::shared_ptr<SpoolFile> make_spool_file(const std::shared_ptr<Residency>& residency);
void* resize_spool_file(SpoolFile& file, std::size_t bytes);
void write_to_spool_file(SpoolFile& file, std::size_t at, const void* bytes, std::size_t count);

template <typename T>
class GrowBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowBuffer() = default;
  // With a residency its values are in a file, and not all of them in memory at a time. Many values
  // are best appended at once there.
  explicit GrowBuffer(const std::shared_ptr<Residency>& residency)
      : spool_(make_spool_file(residency)) {}
  GrowBuffer(GrowBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)),
        spool_(std::exchange(other.spool_, nullptr)) {}
  GrowBuffer& operator=(GrowBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(spool_, other.spool_);
    return *this;
  }
  GrowBuffer(const GrowBuffer&) = delete;
  GrowBuffer& operator=(const GrowBuffer&) = delete;
  ~GrowBuffer() {
    if (!spool_) release_memory(data_, capacity_ * sizeof(T));
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t capacity() const { return capacity_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  std::span<const T> view() const { return {data_, size_}; }

  void clear() { size_ = 0; }

  // Room for `capacity` values in all; the values past size() are not initialised.
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }

  // Declares the first `size` values valid; the caller has written them, or will.
  void resize_uninitialised(std::size_t size) {
    if (size > capacity_) grow_to(size);
    size_ = size;
  }

  void push_back(T value) {
    if (size_ == capacity_) grow_to(size_ + 1);
    data_[size_++] = value;
  }

  void append(std::span<const T> values) {
    if (values.empty()) return;
    if (values.size() > capacity_ - size_) grow_to(size_ + values.size());
    size_ += values.size();
    overwrite(size_ - values.size(), values);
  }

  // Replaces the values from number `at` on.
  void overwrite(std::size_t at, std::span<const T> values) {
    if (spool_) {
      write_to_spool_file(*spool_, at * sizeof(T), values.data(), values.size_bytes());
    } else {
      std::memcpy(data_ + at, values.data(), values.size_bytes());
    }
  }

  void shrink_to_fit() {
    if (size_ < capacity_) reallocate(size_);
  }

 private:
  void grow_to(std::size_t needed) {
    // Half as much again: untouched pages cost no memory, so generous growth is free.
    reallocate(std::max({needed, capacity_ + capacity_ / 2, std::size_t{64}}));
  }
  void reallocate(std::size_t capacity) {
    if (capacity > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    data_ = static_cast<T*>(spool_ ? resize_spool_file(*spool_, capacity * sizeof(T))
                                   : resize_memory(data_, capacity_ * sizeof(T),
                                                   capacity * sizeof(T), size_ * sizeof(T)));
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::shared_ptr<SpoolFile> spool_;
};

}  // namespace pegasos
