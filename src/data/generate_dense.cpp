// Generated data with dense rows: clouds, moons and squares for classification, a linear and a
// curved surface for regression.
//
// Features beyond those a rule uses say nothing about the label. Every number has six significant
// digits; a regression's y is computed from the features as they are written.
#include <cmath>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "data/number_text.h"
#include "data/row_maker.h"

namespace pegasos {
namespace {

void round_all(std::span<double> x) {
  for (double& value : x) value = round_to_six_digits(value);
}

// A kind of dense data is its make().
class DenseRows : public RowMaker {
 public:
  explicit DenseRows(const GenerateOptions& options)
      : seed_(options.seed), noise_(noise_of(options)), features_(features_of(options)) {}

  void append(std::uint64_t first, std::size_t count, GeneratedRows& rows) const final {
    std::vector<double> x(features_);
    for (std::uint64_t i = first; i < first + count; ++i) {
      Random random(seed_, i);
      rows.labels.push_back(make(random, x));
      for (const double value : x) rows.values.push_back(static_cast<float>(value));
    }
  }

 protected:
  // Fills x, rounded, and returns the label.
  virtual double make(Random& random, std::span<double> x) const = 0;

  double blur(Random& random) const { return noise_ * random.normal(); }

  std::uint64_t seed_;
  double noise_;
  std::uint32_t features_;
};

// x ~ N(centre of the class, noise² I). Centres are about 3.3 apart in any number of dimensions, so
// that two clouds with the default noise of 1 overlap by some 5 %.
class Blobs final : public DenseRows {
 public:
  explicit Blobs(const GenerateOptions& options) : DenseRows(options), classes_(options) {
    const double scale = 2.33 / std::sqrt(static_cast<double>(features_));
    for (int c = 0; c < options.classes; ++c) {
      // One stream a class: adding a class leaves the others where they are.
      Random random = shared_random(options, SharedStream::centres, static_cast<unsigned>(c));
      for (std::uint32_t j = 0; j < features_; ++j) centres_.push_back(scale * random.normal());
    }
  }

 private:
  double make(Random& random, std::span<double> x) const override {
    const std::uint32_t of_class = classes_.draw(random);
    const double* centre = centres_.data() + std::size_t{of_class} * features_;
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = centre[j] + blur(random);
    round_all(x);
    return classes_.label(of_class, random);
  }

  ClassDraw classes_;
  std::vector<double> centres_;  // classes × features
};

// Kinds whose first two features are a point in the plane.
class PlaneRows : public DenseRows {
 public:
  explicit PlaneRows(const GenerateOptions& options) : DenseRows(options), classes_(options) {}

 protected:
  virtual std::pair<double, double> point(bool positive, Random& random) const = 0;

 private:
  double make(Random& random, std::span<double> x) const final {
    const std::uint32_t of_class = classes_.draw(random);
    const auto [a, b] = point(of_class == 1, random);
    x[0] = a + blur(random);
    x[1] = b + blur(random);
    for (double& irrelevant : x.subspan(2)) irrelevant = 2 * random.uniform() - 1;
    round_all(x);
    return classes_.label(of_class, random);
  }

  ClassDraw classes_;
};

// The upper half of the unit circle, and its mirror image moved by (1, 1/2).
class Moons final : public PlaneRows {
 public:
  using PlaneRows::PlaneRows;

 private:
  std::pair<double, double> point(bool positive, Random& random) const override {
    const double angle = std::numbers::pi * random.uniform();
    if (positive) return {1 - std::cos(angle), 0.5 - std::sin(angle)};
    return {std::cos(angle), std::sin(angle)};
  }
};

// [-1, 1]² cut at the axes; positive where both coordinates have the same sign.
class XorSquares final : public PlaneRows {
 public:
  using PlaneRows::PlaneRows;

 private:
  std::pair<double, double> point(bool positive, Random& random) const override {
    const double side = random.below(2) == 0 ? 1.0 : -1.0;
    const double a = side * random.uniform();
    const double b = side * random.uniform();
    return {a, positive ? b : -b};
  }
};

// y = <w, x> + noise, with x and w standard normal.
class Linear final : public DenseRows {
 public:
  explicit Linear(const GenerateOptions& options) : DenseRows(options) {
    Random random = shared_random(options, SharedStream::true_weights);
    for (std::uint32_t j = 0; j < features_; ++j) w_.push_back(random.normal());
  }

 private:
  double make(Random& random, std::span<double> x) const override {
    for (double& value : x) value = random.normal();
    round_all(x);
    double y = blur(random);
    for (std::size_t j = 0; j < x.size(); ++j) y += w_[j] * x[j];
    return round_to_six_digits(y);
  }

  std::vector<double> w_;
};

// y = 10 sin(pi x1 x2) + 20 (x3 - 1/2)² + 10 x4 + 5 x5 + noise, with x uniform on [0, 1)
// (Friedman, Annals of Statistics 19, 1991).
class Friedman final : public DenseRows {
 public:
  using DenseRows::DenseRows;

 private:
  double make(Random& random, std::span<double> x) const override {
    for (double& value : x) value = random.uniform();
    round_all(x);
    const double bowl = x[2] - 0.5;
    const double y = 10 * std::sin(std::numbers::pi * x[0] * x[1]) + 20 * bowl * bowl + 10 * x[3] +
                     5 * x[4] + blur(random);
    return round_to_six_digits(y);
  }
};

}  // namespace

std::unique_ptr<RowMaker> make_dense_rows(const GenerateOptions& options) {
  switch (options.kind) {
    case GeneratedKind::moons:
      return std::make_unique<Moons>(options);
    case GeneratedKind::xor_squares:
      return std::make_unique<XorSquares>(options);
    case GeneratedKind::linear:
      return std::make_unique<Linear>(options);
    case GeneratedKind::friedman:
      return std::make_unique<Friedman>(options);
    case GeneratedKind::blobs:
    case GeneratedKind::text:  // has sparse rows, see generate_text.cpp
      break;
  }
  return std::make_unique<Blobs>(options);
}

}  // namespace pegasos
