// One kernel training run, printed as a line of JSON; for bench/compare and for the tables.
//
//   pegasos_kernel_measure TRAIN TEST [--solver auto|pegasos] [--divide 255] [--positive 8]
//       [--gamma G] [--lambda L] [--tolerance 1e-3] [--epochs E] [--bias] [--threads 1]
//       [--cache BYTES]
//
// The label `positive` (default: 1) is trained against all others with the
// Gaussian kernel. Values are divided once, before the clock of training starts.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "certify/kernel_objective.h"
#include "pegasos/kernel_problem.h"
#include "pegasos/pegasos.h"
#include "solver/kernel_ascent.h"
#include "solver/kernel_pegasos.h"

namespace {

using namespace pegasos;
using nlohmann::json;

double seconds(const std::function<void()>& job) {
  const auto start = std::chrono::steady_clock::now();
  job();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Flags and their values; --bias has none.
std::map<std::string, std::string> flags_of(int argc, char** argv) {
  std::map<std::string, std::string> flags;
  for (int i = 3; i < argc; ++i) {
    const std::string name = argv[i];
    flags[name] = name == "--bias" || i + 1 == argc ? "" : argv[++i];
  }
  return flags;
}

struct Labelled {
  Dataset data;
  std::vector<float> values;
  std::vector<double> y;
};

// The dataset refers to the values beside it, so this stays where it is.
void read_into(Labelled& labelled, const std::string& path, double divisor, double positive) {
  const Dataset read = read_dataset(path).data;
  DatasetParts parts = read.parts();
  const auto values = parts.dense ? parts.dense->values : parts.sparse->values;
  labelled.values.assign(values.begin(), values.end());
  for (auto& value : labelled.values) value = static_cast<float>(value / divisor);
  (parts.dense ? parts.dense->values : parts.sparse->values) = labelled.values;
  for (const double label : parts.labels) labelled.y.push_back(label == positive ? 1.0 : -1.0);
  labelled.data = Dataset::from_parts(parts, Dataset::Contents::trusted);
}

double share_wrong(const KernelProblem& problem, const KernelPoint& point, const Labelled& test,
                   ThreadPool& pool) {
  const KernelBlocks blocks(problem.kernel, problem.data, test.data, pool);
  auto scores = kernel_scores(blocks, point.coefficients, pool);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    wrong += (scores[i] + point.b > 0) != (test.y[i] > 0) ? 1 : 0;
  }
  return static_cast<double>(wrong) / static_cast<double>(scores.size());
}

json measure(int argc, char** argv) {
  const auto flags = flags_of(argc, argv);
  const auto number = [&](const char* name, double otherwise) {
    const auto found = flags.find(name);
    return found == flags.end() ? otherwise : std::strtod(found->second.c_str(), nullptr);
  };
  const double positive = number("--positive", 1);
  const double divisor = number("--divide", 1);
  Labelled train;
  Labelled test;
  json result;
  result["read_seconds"] = seconds([&] { read_into(train, argv[1], divisor, positive); });
  read_into(test, argv[2], divisor, positive);

  KernelProblem problem;
  problem.data = train.data;
  problem.y = train.y;
  problem.kernel.gamma = number("--gamma", gamma_scale(train.data));
  problem.lambda = number("--lambda", 1.0 / static_cast<double>(train.data.rows()));
  if (flags.contains("--bias")) problem.bias = Bias::unregularised;
  KernelSolverOptions options;
  options.tolerance = number("--tolerance", 1e-3);
  options.cache_bytes = static_cast<std::uint64_t>(number("--cache", 0));
  PegasosOptions pegasos;
  pegasos.epochs = static_cast<std::uint64_t>(number("--epochs", 10));
  ThreadPool pool(static_cast<int>(number("--threads", 1)));
  const auto solver = flags.find("--solver");
  const bool pure = solver != flags.end() && solver->second == "pegasos";
  KernelResult trained;
  result["train_seconds"] = seconds([&] {
    trained = pure ? train_kernel_pegasos(problem, pegasos, options, {}, pool)
                   : ascend_kernel_dual(problem, options, {}, pool);
  });
  const TrainingReport& report = trained.report;
  const KernelWork& work = *report.kernel;
  double error = 0;
  result["predict_seconds"] =
      seconds([&] { error = share_wrong(problem, trained.point, test, pool); });
  result["test_error"] = error;
  result["primal"] = report.primal.objective();
  result["dual"] = *report.dual;
  result["relative_gap"] = report.certificate()->relative_gap();
  result["support_vectors"] = work.support_vectors;
  result["bounded"] = work.bounded;
  result["kernel_rows"] = work.rows_computed;
  result["hit_rate"] = work.hit_rate();
  result["blocks"] = work.blocks;
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  result["peak_bytes"] = std::uint64_t{1024} * static_cast<std::uint64_t>(usage.ru_maxrss);
  result["user_seconds"] = static_cast<double>(usage.ru_utime.tv_sec) +
                           1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: pegasos_kernel_measure TRAIN TEST [flags]; see the top of its source\n",
               stderr);
    return 2;
  }
  try {
    std::puts(measure(argc, argv).dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pegasos_kernel_measure: %s\n", error.what());
    return 1;
  }
  return 0;
}
