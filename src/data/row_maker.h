// RowMaker: one kind of generated data. Row i comes from its own stream of random numbers,
// Random(seed, i), and from parameters of the whole data (class centres, the true w, the
// vocabulary) that come from streams no row uses. Any block of rows can be made by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/grow_buffer.h"
#include "base/random.h"
#include "pegasos/dataset.h"
#include "pegasos/generate.h"

namespace pegasos {

// A block of rows under construction.
struct GeneratedRows {
  GrowBuffer<double> labels;
  GrowBuffer<std::uint64_t> offsets;  // sparse rows only, like the ids
  GrowBuffer<FeatureId> features;
  GrowBuffer<float> values;

  void clear();
  // The rows as a Dataset over these arrays, which `owner` keeps alive, or else the caller.
  Dataset view(std::size_t columns, std::shared_ptr<const Schema> schema,
               std::shared_ptr<const void> owner = nullptr) const;
};

class RowMaker {
 public:
  RowMaker() = default;
  RowMaker(const RowMaker&) = delete;
  RowMaker& operator=(const RowMaker&) = delete;
  virtual ~RowMaker() = default;

  // Appends rows first … first + count - 1. Called from many threads at once.
  virtual void append(std::uint64_t first, std::size_t count, GeneratedRows& rows) const = 0;
};

std::unique_ptr<RowMaker> make_text_rows(const GenerateOptions& options);
std::unique_ptr<RowMaker> make_dense_rows(const GenerateOptions& options);

// The options that have a default of their own for each kind.
std::uint32_t features_of(const GenerateOptions& options);
double noise_of(const GenerateOptions& options);

// Rows have the streams below 2^62.
enum class SharedStream : std::uint64_t {
  vocabulary = 0,
  topics = 1,
  true_weights = 2,
  centres = 1024
};
Random shared_random(const GenerateOptions& options, SharedStream stream, std::uint64_t part = 0);

// Classes 0 … k-1 of the rows, and the labels they get.
class ClassDraw {
 public:
  explicit ClassDraw(const GenerateOptions& options);

  std::uint32_t draw(Random& random) const;
  // The label of a row of this class, or of another one by label noise. Draw it last: then the
  // noise changes nothing but labels.
  double label(std::uint32_t of_class, Random& random) const;

 private:
  std::uint32_t classes_;
  double positive_share_;
  double label_noise_;
};

}  // namespace pegasos
