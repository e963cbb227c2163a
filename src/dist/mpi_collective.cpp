// A Collective over MPI, in a library of its own that is loaded at run time: the only source that
// includes mpi.h. Works with any MPI that it was compiled against.
//
// Sums are a reduction to rank 0 and a broadcast, so that all ranks have the same bits. Large
// vectors travel in pieces, whose number of elements fits into an int.
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "dist/mpi_library.h"

namespace pegasos {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 26;

void check(int code, const char* what) {
  if (code != MPI_SUCCESS) throw std::runtime_error(std::string("MPI failed to ") + what);
}

class Mpi final : public MpiCollective {
 public:
  Mpi() {
    int initialised = 0;
    MPI_Initialized(&initialised);
    if (initialised == 0) {
      int provided = 0;
      check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "start");
      owns_ = true;
    }
    check(MPI_Comm_dup(MPI_COMM_WORLD, &world_), "make a communicator");
    check(MPI_Comm_rank(world_, &rank_), "tell the rank");
    check(MPI_Comm_size(world_, &size_), "tell the number of ranks");
  }
  ~Mpi() override {
    MPI_Comm_free(&world_);
    if (owns_) MPI_Finalize();
  }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Traffic traffic() const override { return traffic_; }

  void sum(std::span<double> values) override {
    const Counted counted(traffic_, values.size_bytes());
    for (std::size_t begin = 0; begin < values.size(); begin += kPiece) {
      double* const piece = values.data() + begin;
      const int count = static_cast<int>(std::min(kPiece, values.size() - begin));
      const void* const from = rank_ == 0 ? MPI_IN_PLACE : piece;
      check(MPI_Reduce(from, piece, count, MPI_DOUBLE, MPI_SUM, 0, world_), "sum");
      check(MPI_Bcast(piece, count, MPI_DOUBLE, 0, world_), "broadcast a sum");
    }
  }

  std::vector<std::string> gather(std::string_view bytes) override {
    const Counted counted(traffic_, bytes.size());
    const std::uint64_t mine = bytes.size();
    std::vector<std::uint64_t> sizes(static_cast<std::size_t>(size_));
    check(MPI_Allgather(&mine, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, world_),
          "gather sizes");
    std::uint64_t total = 0;
    for (const std::uint64_t size : sizes) total += size;
    return total <= INT_MAX ? gather_small(bytes, sizes, total) : gather_large(bytes, sizes);
  }

  void broadcast(std::string& bytes) override {
    const Counted counted(traffic_, rank_ == 0 ? bytes.size() : 0);
    std::uint64_t size = bytes.size();
    check(MPI_Bcast(&size, 1, MPI_UINT64_T, 0, world_), "broadcast a size");
    bytes.resize(size);
    broadcast_from(0, bytes);
  }

  [[noreturn]] void end_all(int exit_code) override {
    MPI_Abort(world_, exit_code);
    std::_Exit(exit_code);
  }

 private:
  std::vector<std::string> gather_small(std::string_view bytes,
                                        const std::vector<std::uint64_t>& sizes,
                                        std::uint64_t total) const {
    std::vector<int> counts;
    std::vector<int> places;
    int place = 0;
    for (const std::uint64_t size : sizes) {
      places.push_back(place);
      counts.push_back(static_cast<int>(size));
      place += counts.back();
    }
    std::string all(total, '\0');
    check(MPI_Allgatherv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, all.data(),
                         counts.data(), places.data(), MPI_BYTE, world_),
          "gather");
    std::vector<std::string> parts;
    for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
      parts.push_back(all.substr(static_cast<std::size_t>(places[rank]), sizes[rank]));
    }
    return parts;
  }

  std::vector<std::string> gather_large(std::string_view bytes,
                                        const std::vector<std::uint64_t>& sizes) const {
    std::vector<std::string> parts;
    for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
      parts.emplace_back(static_cast<int>(rank) == rank_ ? std::string(bytes)
                                                         : std::string(sizes[rank], '\0'));
      broadcast_from(static_cast<int>(rank), parts.back());
    }
    return parts;
  }

  void broadcast_from(int root, std::string& bytes) const {
    for (std::size_t begin = 0; begin < bytes.size(); begin += kPiece) {
      const int count = static_cast<int>(std::min(kPiece, bytes.size() - begin));
      check(MPI_Bcast(bytes.data() + begin, count, MPI_BYTE, root, world_), "broadcast");
    }
  }

  // Counts a call while it lasts.
  class Counted {
   public:
    Counted(Traffic& traffic, std::size_t bytes) : traffic_(traffic), begin_(MPI_Wtime()) {
      ++traffic.calls;
      traffic.bytes += bytes;
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() { traffic_.seconds += MPI_Wtime() - begin_; }

   private:
    Traffic& traffic_;
    double begin_;
  };

  Traffic traffic_;
  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  bool owns_ = false;
};

}  // namespace
}  // namespace pegasos

extern "C" __attribute__((visibility("default"))) pegasos::MpiCollective*
pegasos_make_mpi_collective() {
  return new pegasos::Mpi();
}
