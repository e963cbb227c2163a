// Data made to order: reproducible, of any size, streamed in constant memory.
//
// Row i is a pure function of (kind, options, seed, i): the same file comes out on any number of
// threads, and asking for more rows only appends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "pegasos/dataset.h"

namespace pegasos {

enum class GeneratedKind {
  text,         // sparse, Zipf-distributed words, tf-idf like values, two classes (or more)
  blobs,        // dense Gaussian clouds, one or more per class
  moons,        // two interleaved half circles in the plane
  xor_squares,  // four squares in the plane, opposite ones of one class
  linear,       // regression: y = <w, x> + noise
  friedman      // regression: y = 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 + noise
};

struct GenerateOptions {
  GeneratedKind kind = GeneratedKind::text;
  std::uint64_t rows = 1000;  // ≥ 1
  std::uint64_t seed = 1;

  // Features, ≥ 1; default by kind: text 50000, blobs and linear 20, moons and xor 2, friedman 10.
  std::optional<std::uint32_t> features = {};

  // text: mean number of different words in a row, ≥ 1.
  double words_per_row = 75;

  // Classes, 2 … 1000; text and blobs only. Two classes are labelled -1 and +1, more 1, 2, 3, ….
  int classes = 2;

  // Share of rows of the positive (first of many: the last) class, in (0, 1). Default: equal
  // shares.
  std::optional<double> positive_share = {};

  // Classification: share of rows whose label is replaced by another, in [0, 1).
  double label_noise = 0.0;

  // Spread of the clouds, moons and squares, or of the regression noise, ≥ 0; default by kind.
  std::optional<double> noise = {};

  void validate() const;  // throws InvalidOption
};

// As a Dataset in memory.
Dataset generate(const GenerateOptions& options, int threads = 0);

// Straight to a file, svmlight or CSV, in constant memory and on all threads. `watch` is called
// with the rows so far; when it returns false the run ends with Cancelled and leaves no file
// behind.
enum class GeneratedFormat { svmlight, csv };
void generate_to_file(const GenerateOptions& options, GeneratedFormat format,
                      const std::string& path, int threads = 0,
                      const std::function<bool(std::uint64_t rows)>& watch = {});

}  // namespace pegasos
