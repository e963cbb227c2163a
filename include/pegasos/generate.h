// Synthetic data: reproducible, of any size, streamed in constant memory.
//
// Row i is a pure function of (kind, options, seed, i): the same file comes out on any number of
// threads, and asking for more rows only appends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "pegasos/dataset.h"
#include "pegasos/option_table.h"

namespace pegasos {

enum class GeneratedKind {
  text,         // sparse, Zipf-distributed words, tf-idf like values, two classes (or more)
  blobs,        // dense Gaussian clouds, one per class
  moons,        // two interleaved half circles in the plane
  xor_squares,  // four squares in the plane, opposite ones of one class
  linear,       // regression: y = <w, x> + noise
  friedman      // regression: y = 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 + noise
};
std::string name_of(GeneratedKind kind);  // "text", "xor" …

struct GenerateOptions {
  GeneratedKind kind = GeneratedKind::text;
  std::uint64_t rows = 1000;  // ≥ 1
  std::uint64_t seed = 1;

  // Features, ≥ 1; default by kind: text 50000, blobs and linear 20, moons and xor 2, friedman 10.
  // Moons and xor need 2, friedman 5; further ones say nothing about the label. At most 2^26 for
  // text, 2^20 for the others.
  std::optional<std::uint32_t> features = {};

  // text: mean number of different words in a row, from 1 to the number of features. Close to that,
  // rows are shorter than asked for: rare words are not waited for.
  double words_per_row = 75;

  // Classes, 2 … 1000; text and blobs only. Two classes are labelled -1 and +1, more 1, 2, 3, ….
  int classes = 2;

  // Share of rows of the positive (first of many: the last) class, in (0, 1). Default: equal
  // shares.
  std::optional<double> positive_share = {};

  // Classification: share of rows whose label is replaced by another, in [0, 1). Changes nothing
  // but labels.
  double label_noise = 0.0;

  // Spread of the clouds, moons and squares, or of the regression noise, 0 … 10^6; default by kind:
  // moons 0.15, xor 0.05, the others 1. Text has none.
  std::optional<double> noise = {};

  void validate() const;  // throws InvalidOption
};

const OptionTable<GenerateOptions>& generate_option_table();

// As a Dataset in memory.
Dataset generate(const GenerateOptions& options, int threads = 0);

// Straight to a file, svmlight (indices from 1) or CSV (header label,x1,x2,…), in constant memory
// and on all threads. It reads back to what generate() gives: the first svmlight row mentions the
// last feature, as a zero if need be, so that their number is kept. `watch` is called
// with the rows so far; when it returns false the run ends with Cancelled and leaves no file
// behind.
enum class GeneratedFormat { svmlight, csv };
void generate_to_file(const GenerateOptions& options, GeneratedFormat format,
                      const std::string& path, int threads = 0,
                      const std::function<bool(std::uint64_t rows)>& watch = {});

}  // namespace pegasos
