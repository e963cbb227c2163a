// Collective: how the processes of one training run add up what each has of the sums over rows.
//
// Rows are divided among `size` ranks. Every rank runs the ordinary solver on its own rows, and
// what a solver or a certificate sums over rows is summed over ranks too (math/passes). Decisions
// follow from summed values only, so all ranks take the same path.
//
// All ranks make the same calls in the same order; a call returns when all have made it. The
// results are the same bits on every rank. A call throws Error where a rank can no longer take
// part.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pegasos {

class Collective {
 public:
  Collective() = default;
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;
  virtual ~Collective() = default;

  virtual int rank() const = 0;  // from 0
  virtual int size() const = 0;  // at least 1

  // Each of the values becomes its sum over all ranks.
  virtual void sum(std::span<double> values) = 0;

  // The bytes of every rank, in their order, on every rank. They may differ in length.
  virtual std::vector<std::string> gather(std::string_view bytes) = 0;

  // `bytes` becomes that of rank 0.
  virtual void broadcast(std::string& bytes) = 0;
};

// The only rank of a run: every call returns what it was given.
Collective& alone();

}  // namespace pegasos
