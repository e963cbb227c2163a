// One measurement, printed as a line of JSON; bench/compare runs it beside the peers.
//
//   pegasos_measure read FILE THREADS REPEATS      reading a file into memory, best of REPEATS
//   pegasos_measure epoch FILE LAMBDA REPEATS      one Pegasos epoch without its certificate, one
//   core
//
// Peak memory is that of this process, so a measurement of memory uses REPEATS 1.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pegasos/pegasos.h"
#include "solver/pegasos.h"

namespace {

using nlohmann::json;

double seconds(const std::function<void()>& job) {
  const auto start = std::chrono::steady_clock::now();
  job();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

json measure_read(const std::string& path, int threads, int repeats) {
  pegasos::ReadOptions options;
  options.threads = threads;
  json result;
  std::optional<pegasos::ReadResult> read;
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) {
    read.reset();  // giving the memory back is not part of reading
    best = std::min(best, seconds([&] { read = pegasos::read_dataset(path, options); }));
  }
  result["seconds"] = best;
  result["rows"] = read->data.rows();
  result["non_zeros"] = read->data.non_zeros();
  result["text_bytes"] = read->notes.text_bytes;
  result["data_bytes"] = read->data.memory_bytes();
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  result["peak_bytes"] = std::uint64_t{1024} * static_cast<std::uint64_t>(usage.ru_maxrss);
  return result;
}

json measure_epoch(const std::string& path, double lambda, int repeats) {
  const auto data = pegasos::read_dataset(path).data;
  std::vector<double> y(data.labels().begin(), data.labels().end());
  for (auto& label : y) label = label > 0 ? 1.0 : -1.0;
  pegasos::LinearProblem problem;
  problem.data = data;
  problem.y = y;
  problem.lambda = lambda;
  pegasos::ThreadPool pool(1);
  // The clock runs from the end of one epoch's certificate to the end of the next epoch's rows: the
  // last call of `interrupted` before the watcher is told.
  pegasos::PegasosOptions options;
  options.epochs = static_cast<std::uint64_t>(repeats) + 1;
  using Clock = std::chrono::steady_clock;
  auto begin = Clock::now();
  auto last_row = begin;
  double best = std::numeric_limits<double>::infinity();
  pegasos::TrainWatch watch;
  watch.interrupted = [&] {
    last_row = Clock::now();
    return false;
  };
  watch.epoch = [&](const pegasos::EpochReport& report, const pegasos::LinearPoint&) {
    const std::chrono::duration<double> took = last_row - begin;
    if (report.epoch > 1) best = std::min(best, took.count());
    begin = Clock::now();
    return pegasos::Verdict::go_on;
  };
  train_pegasos(problem, options, watch, pool);
  return {{"seconds", best}, {"rows", data.rows()}, {"non_zeros", data.non_zeros()}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s read FILE THREADS REPEATS | epoch FILE LAMBDA REPEATS\n",
                 argv[0]);
    return 2;
  }
  const std::string what = argv[1];
  const int repeats = std::atoi(argv[4]);
  const json result = what == "read" ? measure_read(argv[2], std::atoi(argv[3]), repeats)
                                     : measure_epoch(argv[2], std::atof(argv[3]), repeats);
  std::printf("%s\n", result.dump().c_str());
  return 0;
}
