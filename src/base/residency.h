// Mapped files that stand in for memory: data larger than RAM is mapped, and no more than so many
// bytes of the mappings are resident at a time.
//
// Before the limit is reached, all pages of the registered mappings are given back to the system
// (MADV_DONTNEED). Pages that are used again come back from the page cache, or from the disk if the
// system had to drop them, so whatever walks over the data is right at any moment; walks in order
// are fast too. A walk that knows where it goes says so (`advise`), and its pages come and go in
// pieces.
//
// Whoever reads a row of a paged Dataset has its bytes counted (`visit`), and after a small part of
// the limit looks at how much is resident: so the limit holds however busy the machine is. What
// walks over arrays calls `relieve` from time to time. A thread looks too, as often as the fastest
// walk could use up what is left, for code that does neither.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/file.h"
#include "base/memory.h"

namespace pegasos {

// What becomes of some bytes of a mapping: they should be read ahead, brought in all at once (page
// by page, as they are visited, takes several times as long), or may go.
enum class PageUse { soon, now, over };

class Residency {
 public:
  // `folder`: for files that take the place of memory.
  Residency(std::uint64_t bytes, std::string folder);
  Residency(const Residency&) = delete;
  Residency& operator=(const Residency&) = delete;
  ~Residency();

  std::uint64_t bytes() const { return bytes_; }
  const std::string& folder() const { return folder_; }

  // The pages of a mapping, which must not be unmapped or moved before `remove` returns.
  void add(const void* pages, std::size_t bytes);
  void remove(const void* pages);

  // Of bytes within a mapping.
  void advise(const void* at, std::size_t bytes, PageUse use);

  // Gives all pages back now.
  void release();

  // Gives pages back if it is time to, of the residency that was made last; does nothing where
  // there is none.
  static void relieve();

  // How rows are visited: a jump may bring in pages around the row that nobody asked for. Within a
  // window they are used too.
  enum class Visits { none, in_order, in_windows };
  // These bytes are about to be read; from time to time gives pages back as `relieve` does.
  static void visit(const void* at, std::size_t bytes, Visits how);

 private:
  double left() const;  // bytes until pages go
  void watch(const std::stop_token& stop);

  std::uint64_t bytes_;
  std::string folder_;
  ResidentFiles resident_;
  std::uint64_t before_;  // resident bytes of files that are not ours, such as the program
  std::mutex mutex_;
  std::map<const void*, std::size_t> mappings_;
  std::jthread thread_;  // last: ends before the rest goes
};

// Memory that is a file without a name: what is written to it need not stay resident.
class SpoolFile {
 public:
  explicit SpoolFile(std::shared_ptr<Residency> residency);  // throws IoError
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;
  ~SpoolFile();

  // The pages, now so many bytes; those before keep their contents. The disk has room for them, so
  // that writing them cannot fail. Throws IoError.
  void* resize(std::size_t bytes);

  // Puts bytes into the pages. A page that is written to in place costs a fault and an entry in the
  // file system's journal, which is several times the price of this. Throws IoError.
  void write(std::size_t at, const void* bytes, std::size_t count);

 private:
  void unmap();

  std::shared_ptr<Residency> residency_;
  FileDescriptor file_;
  void* pages_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace pegasos
