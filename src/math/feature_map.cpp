#include "pegasos/feature_map.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/cores.h"
#include "base/grow_buffer.h"
#include "base/random.h"
#include "base/residency.h"
#include "base/thread_pool.h"
#include "data/take_rows.h"
#include "math/kernel_blocks.h"
#include "pegasos/error.h"

namespace pegasos {

// Maps the rows of a slice into `out`, one after the other.
class FeatureMap::Kind {
 public:
  Kind(FeatureMapOptions options, std::size_t features)
      : options_(std::move(options)), features_(features) {}
  virtual ~Kind() = default;
  virtual void map(const Dataset& rows, std::span<float> out) const = 0;
  virtual Dataset landmarks() const { return {}; }

  const FeatureMapOptions& options() const { return options_; }
  std::size_t features() const { return features_; }
  std::size_t components() const { return options_.components; }

 private:
  FeatureMapOptions options_;
  std::size_t features_;
};

namespace {

constexpr std::size_t kRowsPerTask = 256;
// The most numbers that a map may consist of; 8 GB of them.
constexpr double kMostNumbers = 1 << 30;

void check_size(const FeatureMapOptions& options, std::size_t features) {
  if (options.numbers(features) <= kMostNumbers) return;
  throw InvalidOption("components", "the feature map would be too large; use fewer");
}

// Calls f(feature, value) for the values of a row whose feature is below `features`.
template <typename F>
void for_known(const RowView& row, std::size_t features, F&& f) {
  for (std::size_t k = 0; k < row.values.size(); ++k) {
    const std::size_t feature = row.dense ? k : row.ids[k];
    if (feature < features && row.values[k] != 0.0F) f(feature, double{row.values[k]});
  }
}

class FourierFeatures : public FeatureMap::Kind {
 public:
  FourierFeatures(const FeatureMapOptions& options, std::size_t features)
      : Kind(options, features), waves_(options.components / 2), w_(features * waves_) {
    const bool gaussian = options.kernel.kind == KernelKind::rbf;
    const double gamma = options.kernel.gamma;
    const double spread = gaussian ? std::sqrt(2 * gamma) : gamma;
    for (std::size_t k = 0; k < features; ++k) {
      Random random(options.seed, k);
      for (std::size_t j = 0; j < waves_; ++j) {
        const double draw =
            gaussian ? random.normal() : std::tan(std::numbers::pi * (random.uniform() - 0.5));
        w_[k * waves_ + j] = static_cast<float>(spread * draw);
      }
    }
  }

  void map(const Dataset& rows, std::span<float> out) const override {
    std::vector<double> phases(waves_);
    const double scale = std::sqrt(1.0 / static_cast<double>(waves_));
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      std::fill(phases.begin(), phases.end(), 0.0);
      for_known(rows.row(i), features(), [&](std::size_t feature, double value) {
        const float* w = w_.data() + feature * waves_;
        for (std::size_t j = 0; j < waves_; ++j) phases[j] += value * double{w[j]};
      });
      float* z = out.data() + i * components();
      for (std::size_t j = 0; j < waves_; ++j) {
        z[j] = static_cast<float>(scale * std::cos(phases[j]));
        z[waves_ + j] = static_cast<float>(scale * std::sin(phases[j]));
      }
    }
  }

 private:
  std::size_t waves_;
  std::vector<float> w_;  // by feature
};

class NystroemFeatures : public FeatureMap::Kind {
 public:
  // `landmarks` are options.components rows.
  NystroemFeatures(const FeatureMapOptions& options, const Dataset& landmarks)
      : Kind(options, landmarks.features()),
        kernel_(options.kernel),
        data_(landmarks),
        landmarks_(landmarks.rows()) {
    std::iota(landmarks_.begin(), landmarks_.end(), RowId{0});
    factorise();
  }

  Dataset landmarks() const override { return data_; }

  void map(const Dataset& rows, std::span<float> out) const override {
    const std::size_t n = landmarks_.size();
    const std::size_t count = rows.rows();
    ThreadPool alone(1);  // the caller's tasks are the parallel ones
    const KernelBlocks blocks(kernel_, data_, rows, alone);
    std::vector<float> values(n * count);
    std::vector<float*> places(n);
    for (std::size_t l = 0; l < n; ++l) places[l] = values.data() + l * count;
    blocks.compute(landmarks_, places, alone);
    // C z = K(l, x) by forward substitution, all rows of the task side by side.
    std::vector<double> z(n * count);
    for (std::size_t l = 0; l < n; ++l) {
      double* to = z.data() + l * count;
      for (std::size_t i = 0; i < count; ++i) to[i] = double{values[l * count + i]};
      for (std::size_t j = 0; j < l; ++j) {
        const double c = factor_[l * n + j];
        const double* from = z.data() + j * count;
        for (std::size_t i = 0; i < count; ++i) to[i] -= c * from[i];
      }
      for (std::size_t i = 0; i < count; ++i) to[i] /= factor_[l * n + l];
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t l = 0; l < n; ++l) out[i * n + l] = static_cast<float>(z[l * count + i]);
    }
  }

 private:
  // Cholesky. A little is added to the diagonal: landmarks may be alike, and K(l, x) is float32.
  void factorise() {
    const std::size_t n = landmarks_.size();
    factor_.assign(n * n, 0.0);
    double trace = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        factor_[i * n + j] = kernel_value(kernel_, data_.row(i), data_.row(j));
      }
      trace += factor_[i * n + i];
    }
    const double ridge = std::max(1e-6 * trace / static_cast<double>(n), 1e-30);
    for (std::size_t i = 0; i < n; ++i) {
      double* row = factor_.data() + i * n;
      for (std::size_t j = 0; j <= i; ++j) {
        const double* other = factor_.data() + j * n;
        double sum = row[j] + (i == j ? ridge : 0.0);
        for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
        row[j] = i == j ? std::sqrt(std::max(sum, ridge)) : sum / other[j];
      }
    }
  }

  KernelOptions kernel_;
  Dataset data_;                  // the landmarks
  std::vector<RowId> landmarks_;  // all of them
  std::vector<double> factor_;    // C, lower triangle
};

using Complex = std::complex<double>;

// Radix 2, in place; values.size() is a power of two. Inverse without its division.
void fourier_transform(std::span<Complex> values, bool inverse) {
  const std::size_t n = values.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  for (std::size_t length = 2; length <= n; length *= 2) {
    const double angle = (inverse ? 2 : -2) * std::numbers::pi / static_cast<double>(length);
    const Complex turn(std::cos(angle), std::sin(angle));
    for (std::size_t begin = 0; begin < n; begin += length) {
      Complex w(1);
      for (std::size_t k = begin; k < begin + length / 2; ++k) {
        const Complex a = values[k];
        const Complex b = w * values[k + length / 2];
        values[k] = a + b;
        values[k + length / 2] = a - b;
        w *= turn;
      }
    }
  }
}

class TensorSketch : public FeatureMap::Kind {
 public:
  TensorSketch(const FeatureMapOptions& options, std::size_t features)
      : Kind(options, features),
        size_(options.components),
        degree_(options.kernel.degree),
        root_gamma_(std::sqrt(options.kernel.gamma)),
        root_coef0_(std::sqrt(options.kernel.coef0)),
        places_((features + 1) * degree_) {
    for (std::size_t k = 0; k <= features; ++k) {
      Random random(options.seed, k);
      for (unsigned p = 0; p < degree_; ++p) {
        const auto place = static_cast<std::uint32_t>(random.below(size_));
        places_[k * degree_ + p] = {place, random.below(2) == 0 ? 1.0 : -1.0};
      }
    }
  }

  void map(const Dataset& rows, std::span<float> out) const override {
    std::vector<Complex> product(size_);
    std::vector<Complex> sketch(size_);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      std::fill(product.begin(), product.end(), Complex(1));
      for (unsigned p = 0; p < degree_; ++p) {
        std::fill(sketch.begin(), sketch.end(), Complex(0));
        const auto add = [&](std::size_t feature, double value) {
          const Place& place = places_[feature * degree_ + p];
          sketch[place.at] += place.sign * value;
        };
        for_known(rows.row(i), features(),
                  [&](std::size_t k, double value) { add(k, root_gamma_ * value); });
        add(features(), root_coef0_);  // (gamma <x,x'> + c) = <(√gamma x, √c), (√gamma x', √c)>
        fourier_transform(sketch, false);
        for (std::size_t j = 0; j < size_; ++j) product[j] *= sketch[j];
      }
      fourier_transform(product, true);
      for (std::size_t j = 0; j < size_; ++j) {
        out[i * size_ + j] = static_cast<float>(product[j].real() / static_cast<double>(size_));
      }
    }
  }

 private:
  struct Place {
    std::uint32_t at;
    double sign;
  };

  std::size_t size_;
  unsigned degree_;
  double root_gamma_;
  double root_coef0_;
  std::vector<Place> places_;  // by feature, the constant last, and sketch
};

}  // namespace

std::string name_of(Approximation approximation) {
  switch (approximation) {
    case Approximation::rff:
      return "rff";
    case Approximation::nystroem:
      return "nystroem";
    case Approximation::tensorsketch:
      break;
  }
  return "tensorsketch";
}

std::optional<Approximation> approximation_of_name(const std::string& name) {
  for (const Approximation known :
       {Approximation::rff, Approximation::nystroem, Approximation::tensorsketch}) {
    if (name_of(known) == name) return known;
  }
  return std::nullopt;
}

void FeatureMapOptions::validate() const {
  kernel.validate();
  if (components < 2) throw InvalidOption("components", "must be at least 2");
  const KernelKind kind = kernel.kind;
  const auto fits = [&](bool fitting, const char* which) {
    if (!fitting) {
      throw InvalidOption("approximation", name_of(approximation) + " is for " + which +
                                               ", not for the kernel " + name_of(kind));
    }
  };
  if (approximation == Approximation::rff) {
    fits(kind == KernelKind::rbf || kind == KernelKind::laplacian, "rbf and laplacian");
    if (components % 2 != 0) throw InvalidOption("components", "must be even for rff");
  } else if (approximation == Approximation::tensorsketch) {
    fits(kind == KernelKind::polynomial, "polynomial");
    if (!std::has_single_bit(components)) {
      throw InvalidOption("components", "must be a power of two for tensorsketch");
    }
  } else {
    fits(kernel.is_positive_semidefinite() && kind != KernelKind::precomputed,
         "kernels with a formula that are positive semidefinite");
  }
}

double FeatureMapOptions::numbers(std::size_t features) const {
  const auto d = static_cast<double>(components);
  const auto inputs = static_cast<double>(features) + 1;
  return approximation == Approximation::nystroem ? d * d
         : approximation == Approximation::rff    ? inputs * d / 2
                                                  : inputs * static_cast<double>(kernel.degree);
}

FeatureMap FeatureMap::fit(const Dataset& data, const FeatureMapOptions& options) {
  options.validate();
  if (data.rows() == 0) throw InvalidOption("data", "there are no rows to fit the feature map to");
  check_kernel_data(options.kernel, data);
  if (options.approximation != Approximation::nystroem) {
    return from_parts(options, data.features(), {});
  }
  std::vector<RowId> rows(data.rows());
  std::iota(rows.begin(), rows.end(), RowId{0});
  Random(options.seed, 0).shuffle(std::span(rows));
  rows.resize(std::min(rows.size(), options.components));
  FeatureMapOptions fitted = options;
  fitted.components = rows.size();
  check_size(fitted, data.features());
  return FeatureMap(std::make_shared<NystroemFeatures>(fitted, take_rows(data, rows)));
}

FeatureMap FeatureMap::from_parts(const FeatureMapOptions& options, std::size_t features,
                                  const Dataset& landmarks) {
  // One row is enough for a landmark, where two components are the least that can be asked for.
  FeatureMapOptions asked = options;
  const bool nystroem = options.approximation == Approximation::nystroem;
  if (nystroem) asked.components = std::max<std::size_t>(2, asked.components);
  asked.validate();
  check_size(options, features);
  if (landmarks.rows() != (nystroem ? std::max<std::size_t>(1, options.components) : 0)) {
    throw InvalidOption("landmarks", "there must be one per component");
  }
  if (nystroem) {
    if (landmarks.features() != features) {
      throw InvalidOption("landmarks", "must have the same features as the data");
    }
    check_kernel_data(options.kernel, landmarks);
    return FeatureMap(std::make_shared<NystroemFeatures>(options, landmarks));
  }
  if (options.approximation == Approximation::rff) {
    return FeatureMap(std::make_shared<FourierFeatures>(options, features));
  }
  return FeatureMap(std::make_shared<TensorSketch>(options, features));
}

const FeatureMapOptions& FeatureMap::options() const {
  return kind_->options();
}

std::size_t FeatureMap::features() const {
  return kind_->features();
}

Dataset FeatureMap::landmarks() const {
  return kind_->landmarks();
}

std::size_t FeatureMap::components() const {
  return kind_->components();
}

Dataset FeatureMap::apply(const Dataset& data, int threads,
                          const std::function<bool()>& stop) const {
  struct Arrays {
    GrowBuffer<float> values;  // in a file, if the rows are
    std::vector<double> labels;
    std::vector<double> weights;
  };
  const std::size_t d = components();
  auto arrays = std::make_shared<Arrays>(GrowBuffer<float>(data.parts().residency));
  arrays->values.resize_uninitialised(data.rows() * d);
  arrays->labels.assign(data.labels().begin(), data.labels().end());
  arrays->weights.assign(data.weights().begin(), data.weights().end());
  ThreadPool pool(threads > 0 ? threads : available_cores());
  const CancelScope scope(pool, stop);
  pool.for_each((data.rows() + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task) {
    const std::size_t begin = task * kRowsPerTask;
    const std::size_t count = std::min(kRowsPerTask, data.rows() - begin);
    const std::span<float> mapped(arrays->values.data() + begin * d, count * d);
    kind_->map(data.slice(begin, count), mapped);
    if (data.is_paged()) {
      Residency::visit(mapped.data(), mapped.size_bytes(), Residency::Visits::in_windows);
    }
  });
  DatasetParts parts;
  parts.rows = data.rows();
  parts.features = d;
  parts.residency = data.parts().residency;
  parts.dense = DenseMatrix{arrays->values.view(), d};
  parts.labels = arrays->labels;
  parts.weights = arrays->weights;
  parts.owner = arrays;
  return Dataset::from_parts(parts, Dataset::Contents::trusted);
}

}  // namespace pegasos
