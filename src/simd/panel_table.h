// The panel kernels of one instruction set; see panels.h for what they do.
#pragma once

#include <cstddef>

#include "simd/panels.h"

namespace pegasos::simd {

struct PanelTable {
  template <typename Rows, typename T>
  using Products = void (*)(Product, const Rows&, std::size_t, std::size_t, const float*, const T*,
                            T*);
  template <typename T>
  using Bending = void (*)(const CurveOptions&, T*, std::size_t, const T*, const T*);

  Products<SparseArrays, float> sparse_float;
  Products<SparseArrays, double> sparse_double;
  Products<DenseArrays, float> dense_float;
  Products<DenseArrays, double> dense_double;
  Bending<float> bend_float;
  Bending<double> bend_double;
  void (*transpose)(const float*, std::size_t, std::size_t, float* const*);
  void (*add_tile)(const double*, std::size_t, const double*, double*);
  void (*add_rows)(double*, std::size_t, const float* const*, const double*, std::size_t);
};

}  // namespace pegasos::simd
