// One measurement, printed as a line of JSON; bench/compare runs it beside the peers.
//
//   pegasos_measure read FILE THREADS REPEATS      reading a file into memory, best of REPEATS
//   pegasos_measure open FILE REPEATS              opening a cache without reading its rows, and
//                                                  the first pass, which checks them
//   pegasos_measure epoch FILE LAMBDA REPEATS      one Pegasos epoch without its certificate, one
//                                                  core
//   pegasos_measure fit FILE LAMBDA REPEATS P      training on one core, no bias, to an objective
//   of
//                                                  at most P: by the loosest tolerance that gets
//                                                  there
//   pegasos_measure reach FILE LAMBDA SAMPLING P   pure Pegasos on one core, no bias: the rows'
//   time
//                                                  of the epochs until the objective is at most P
//
// Peak memory is that of this process, so a measurement of memory uses REPEATS 1.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/residency.h"
#include "base/thread_pool.h"
#include "data/binary_format.h"
#include "pegasos/pegasos.h"
#include "solver/pegasos.h"
#include "solver/solve.h"

namespace {

using nlohmann::json;

double seconds(const std::function<void()>& job) {
  const auto start = std::chrono::steady_clock::now();
  job();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

json measure_open(const std::string& path, int repeats) {
  pegasos::ThreadPool pool(2);
  double open = std::numeric_limits<double>::infinity();
  double check = open;
  std::uint64_t bytes = 0;
  for (int i = 0; i < repeats; ++i) {
    const auto residency = std::make_shared<pegasos::Residency>(std::uint64_t{1} << 28, ".");
    pegasos::PagedBinary opened;
    open = std::min(open, seconds([&] { opened = open_binary_paged(path, residency, pool); }));
    check = std::min(check, seconds([&] { opened.check(pool); }));
    bytes = opened.data.memory_bytes();
  }
  return {{"seconds", open}, {"seconds_of_first_pass", check}, {"data_bytes", bytes}};
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

// A two-class problem without bias, from a file; labels above 0 are positive.
struct Problem {
  std::vector<double> y;
  pegasos::LinearProblem linear;

  Problem(const std::string& path, double lambda) {
    linear.data = pegasos::read_dataset(path).data;
    for (const double label : linear.data.labels()) y.push_back(label > 0 ? 1.0 : -1.0);
    linear.y = y;
    linear.lambda = lambda;
  }
};

json measure_epoch(const std::string& path, double lambda, int repeats) {
  const Problem problem(path, lambda);
  const auto& data = problem.linear.data;
  pegasos::ThreadPool pool(1);
  // The clock runs from the end of one epoch's certificate to the end of the next epoch's rows: the
  // last call of `stop` before the event.
  pegasos::PegasosOptions options;
  options.epochs = static_cast<std::uint64_t>(repeats) + 1;
  using Clock = std::chrono::steady_clock;
  auto begin = Clock::now();
  auto last_row = begin;
  double best = std::numeric_limits<double>::infinity();
  pegasos::Watch watch;
  watch.stop = [&] {
    last_row = Clock::now();
    return false;
  };
  watch.event = [&](const pegasos::TrainingEvent& event) {
    const std::chrono::duration<double> took = last_row - begin;
    if (event.report.epoch > 1) best = std::min(best, took.count());
    begin = Clock::now();
  };
  train_pegasos(problem.linear, options, watch, pool);
  return {{"seconds", best}, {"rows", data.rows()}, {"non_zeros", data.non_zeros()}};
}

json measure_fit(const std::string& path, double lambda, int repeats, double objective) {
  const Problem problem(path, lambda);
  pegasos::ThreadPool pool(1);
  pegasos::SolverOptions options;
  for (const double tolerance : {1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-7}) {
    options.tolerance = tolerance;
    if (solve_linear(problem.linear, options, {}, pool).report.primal.objective() <= objective) {
      break;
    }
  }
  double best = std::numeric_limits<double>::infinity();
  pegasos::SolverResult result;
  for (int i = 0; i < repeats; ++i) {
    best =
        std::min(best, seconds([&] { result = solve_linear(problem.linear, options, {}, pool); }));
  }
  return {{"seconds", best},
          {"tolerance", options.tolerance},
          {"solver", name_of(result.report.solver)},
          {"objective", result.report.primal.objective()}};
}

json measure_reach(const std::string& path, double lambda, const std::string& sampling,
                   double objective) {
  const Problem problem(path, lambda);
  pegasos::ThreadPool pool(1);
  pegasos::PegasosOptions options;
  options.epochs = 1000;
  options.measure_gradients = false;
  options.sampling = sampling == "iid" ? pegasos::Sampling::iid : pegasos::Sampling::shuffle;
  // As in measure_epoch, certificates are not on the clock.
  using Clock = std::chrono::steady_clock;
  auto begin = Clock::now();
  auto last_row = begin;
  double total = 0;
  bool reached = false;
  pegasos::Watch watch;
  watch.stop = [&] {
    last_row = Clock::now();
    return reached;
  };
  watch.event = [&](const pegasos::TrainingEvent& event) {
    total += std::chrono::duration<double>(last_row - begin).count();
    begin = Clock::now();
    reached = event.report.primal.objective() <= objective;
  };
  const auto result = train_pegasos(problem.linear, options, watch, pool);
  return {{"seconds", total},
          {"epochs", result.report.epoch},
          {"objective", result.report.primal.objective()}};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  json result;
  if (what == "read" && argc == 5) {
    result = measure_read(argv[2], std::atoi(argv[3]), std::atoi(argv[4]));
  } else if (what == "open" && argc == 4) {
    result = measure_open(argv[2], std::atoi(argv[3]));
  } else if (what == "epoch" && argc == 5) {
    result = measure_epoch(argv[2], std::atof(argv[3]), std::atoi(argv[4]));
  } else if (what == "fit" && argc == 6) {
    result = measure_fit(argv[2], std::atof(argv[3]), std::atoi(argv[4]), std::atof(argv[5]));
  } else if (what == "reach" && argc == 6) {
    result = measure_reach(argv[2], std::atof(argv[3]), argv[4], std::atof(argv[5]));
  } else {
    std::fprintf(stderr, "usage: see the head of bench/measure.cpp\n");
    return 2;
  }
  std::printf("%s\n", result.dump().c_str());
  return 0;
}
