// Feature maps: map a row x to D features z(x) with <z(x), z(x')> ≈ K(x, x'), so that a linear
// solver can approximate a kernel SVM in time and memory linear in the rows.
//
//   rff           random Fourier features (Rahimi, Recht 2007): sqrt(2/D) (cos <w,x>, sin <w,x>),
//                 w normal for the Gaussian kernel, Cauchy for the Laplacian
//   nystroem      D rows of the data, L: z(x) = C^-1 (K(l, x)) with C C' = K(L, L); every kernel
//                 with a formula that is positive semidefinite
//   tensorsketch  polynomial kernel (Pham, Pagh 2013): the product, in the frequency domain, of
//                 `degree` count sketches of x
//
// What a map learns from the data is which rows it keeps (nystroem); the others follow from the
// seed and the number of features alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "pegasos/dataset.h"
#include "pegasos/kernel.h"

namespace pegasos {

enum class Approximation { rff, nystroem, tensorsketch };

std::string name_of(Approximation approximation);
std::optional<Approximation> approximation_of_name(const std::string& name);

struct FeatureMapOptions {
  Approximation approximation = Approximation::rff;
  KernelOptions kernel = {};
  // D ≥ 2. Even for rff, a power of two for tensorsketch; nystroem takes no more than there are
  // rows.
  std::size_t components = 1024;
  std::uint64_t seed = 1;

  void validate() const;  // throws InvalidOption
  // How many numbers a map for data with so many features keeps: what it needs of memory.
  double numbers(std::size_t features) const;
};

class FeatureMap {
 public:
  static FeatureMap fit(const Dataset& data, const FeatureMapOptions& options);

  // The same map again, from what it learned: how many features the data had, and the landmarks
  // (none but for nystroem, where options.components is their number). Throws InvalidOption.
  static FeatureMap from_parts(const FeatureMapOptions& options, std::size_t features,
                               const Dataset& landmarks);

  // With components as they became: nystroem has no more than there were rows.
  const FeatureMapOptions& options() const;
  std::size_t features() const;
  Dataset landmarks() const;

  // D dense columns; labels and weights are those of the data. Features that the map was not
  // fitted for are ignored. Threads as in TrainOptions: 0 for all, and no bit depends on them.
  // Throws Cancelled when `stop` says true, which is asked often and by several threads.
  Dataset apply(const Dataset& data, int threads = 0, const std::function<bool()>& stop = {}) const;

  std::size_t components() const;

  class Kind;

 private:
  explicit FeatureMap(std::shared_ptr<const Kind> kind) : kind_(std::move(kind)) {}

  std::shared_ptr<const Kind> kind_;
};

}  // namespace pegasos
