// What a sum over ranks costs: the time of Collective::sum for vectors of several lengths, from
// which bench/ranks fits latency and bandwidth.
//
// usage: mpirun -n N bench/sums LIBPEGASOS_MPI      prints "doubles seconds" for each length
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "pegasos/dist.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto ranks = pegasos::load_mpi(argv[1]);
  for (const std::size_t length : {1UL, 1000UL, 10'000UL, 100'000UL, 1'000'000UL, 4'000'000UL}) {
    std::vector<double> values(length, 1.0 / 1024);
    const std::size_t times = std::clamp<std::size_t>(2'000'000 / length, 5, 2000);
    double best = 1e9;
    for (int attempt = 0; attempt < 5; ++attempt) {
      const auto begin = std::chrono::steady_clock::now();
      for (std::size_t k = 0; k < times; ++k) ranks->sum(values);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      best = std::min(best, took.count() / static_cast<double>(times));
      std::fill(values.begin(), values.end(), 1.0 / 1024);
    }
    if (ranks->rank() == 0) std::printf("%zu %.9f\n", length, best);
  }
}
