// Google Benchmark over the loops everything else is made of.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "data/number_parser.h"
#include "math/rows.h"
#include "simd/arrays.h"
#include "simd/bytes.h"

namespace pegasos {
namespace {

void parse_floats(benchmark::State& state) {
  Random random(1, 0);
  std::string text;
  for (int i = 0; i < 10000; ++i) text += std::to_string(random.uniform()) + " ";
  const std::size_t size = text.size();
  text += std::string(64, '\0');
  for (auto _ : state) {
    float sum = 0;
    for (const char* p = text.data(); p < text.data() + size; ++p) {
      float value = 0;
      p = parse_float_fast(p, value);
      sum += value;
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * size));
}
BENCHMARK(parse_floats);

void count_quotes(benchmark::State& state) {
  const std::string text(1 << 18, 'x');
  for (auto _ : state) benchmark::DoNotOptimize(simd::count_byte(text, '"'));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(count_quotes);

void check_finite(benchmark::State& state) {
  const std::vector<float> values(1 << 16, 1.5F);
  for (auto _ : state) benchmark::DoNotOptimize(simd::all_finite(values));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * values.size() * 4));
}
BENCHMARK(check_finite);

// A row of 75 non-zeros out of 47236 features, as in rcv1; weights in the second-level cache.
struct Rcv1LikeRow {
  std::vector<FeatureId> ids;
  std::vector<float> values;
  std::vector<double> w = std::vector<double>(47236, 0.5);
  Rcv1LikeRow() {
    for (FeatureId id = 3; ids.size() < 75; id += 613) {
      ids.push_back(id);
      values.push_back(0.1F);
    }
  }
  SparseRow row() const { return {ids.data(), values.data(), ids.size()}; }
};

void sparse_dot(benchmark::State& state) {
  const Rcv1LikeRow x;
  for (auto _ : state) benchmark::DoNotOptimize(dot(x.row(), x.w.data()));
  state.SetItemsProcessed(state.iterations() * 75);
}
BENCHMARK(sparse_dot);

void sparse_add(benchmark::State& state) {
  Rcv1LikeRow x;
  for (auto _ : state) {
    add(x.row(), 0.001, x.w.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * 75);
}
BENCHMARK(sparse_add);

}  // namespace
}  // namespace pegasos

BENCHMARK_MAIN();
