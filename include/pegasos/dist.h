// Makers of a Collective (collective.h), and rows that are divided among ranks.
//
//   threads      ranks that are threads of this process, for trying things out and for tests
//   functions    what the caller has: Dask, Ray, Spark's barrier mode or anything that sums arrays
//   MPI          in a library of its own, loaded at run time: programs do not depend on MPI
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pegasos/collective.h"
#include "pegasos/dataset.h"
#include "pegasos/read.h"

namespace pegasos {

// Calls run(collective of rank r) on `ranks` threads at once and returns when all have ended. If
// some throw, the others' calls throw Error too; the exception of the lowest rank that threw of
// itself is rethrown.
void run_ranks_as_threads(int ranks, const std::function<void(Collective&)>& run);

// The three operations of a Collective, as the caller has them. They may throw.
struct CollectiveFunctions {
  std::function<void(std::span<double>)> sum = {};
  std::function<std::vector<std::string>(std::string_view)> gather = {};
  std::function<void(std::string&)> broadcast = {};
};
// Throws InvalidOption for a rank that is not below `size`, or a missing function.
std::unique_ptr<Collective> make_collective(int rank, int size, CollectiveFunctions functions);

// All processes that were started together by mpirun, srun or the like. `library` is the path of
// libpegasos_mpi.so. Throws Error where it, or MPI, cannot be loaded.
class MpiCollective : public Collective {
 public:
  // What this rank has handed in so far, and how long it was in these calls, waiting included.
  struct Traffic {
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
    double seconds = 0.0;
  };
  virtual Traffic traffic() const = 0;

  // Ends all processes at once with this exit code, without waiting for any.
  [[noreturn]] virtual void end_all(int exit_code) = 0;
};
std::unique_ptr<MpiCollective> load_mpi(const std::string& library);

// The share of a file, or of several (read.h), that rank ranks.rank() of ranks.size() reads, with
// features and labels numbered as if one process had read all of it. Text is cut at line ends, a
// binary file at rows; of several compressed files each is read by one rank, a single one is
// unpacked by every rank, which keeps its share. Throws InvalidOption for what cannot be divided,
// with the way out. Messages name the file and line where something stands.
ReadResult read_share(const std::string& path, const ReadOptions& options, Collective& ranks);

// Rows that each rank has read or made on its own, renumbered with the features and label words of
// all of them.
Dataset agree_on_schema(const Dataset& own, Collective& ranks);

// How evenly rows are divided: ranks wait for the one that has the most.
struct RankShares {
  std::vector<std::uint64_t> rows = {};  // of each rank
  std::vector<std::uint64_t> non_zeros = {};

  // The largest share over the mean, of non-zeros; 1 where all are equal.
  double skew() const;
  std::uint64_t rows_before(int rank) const;
};
// The counts of all ranks, and the first complaints.
void add_other_ranks(ReadNotes& notes, Collective& ranks);

RankShares rank_shares(const Dataset& own, Collective& ranks);

}  // namespace pegasos
