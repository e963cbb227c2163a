// The hinge loss smoothed around a centre, over many rows: the inner loops of Newton steps.
//
// With the margin's rest r = 1 - y z, the weight s and the centre c of a row,
//
//   y a(z) = clamp(y c + (s/mu) r, 0, s)        and its response is s/mu where 0 < y a < s
//
// Sums are made lane by lane, so their last bits depend on the instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pegasos::simd {

struct HingeRows {
  const double* y;        // -1 or 1
  const double* weights;  // or null: all 1
  const double* centre;
  double per_mu;  // 1/mu
  std::size_t size;
};

struct HingeSums {
  double losses;  // s max(0, r)
  double gains;   // y a
  double duals;   // a
  double wrong;   // copies of rows with a score of the other sign than y
};

// Duals that a sweep has changed, at most as many as rows.
struct ChangedDuals {
  std::uint32_t* rows;
  double* by;
  std::size_t count;
};

// z += t dz (unless t = 0), and a and response at the new z. copies: or null, all 1.
HingeSums hinge_sweep(const HingeRows& rows, double t, const double* dz,
                      const std::uint32_t* copies, double* z, double* a, double* response,
                      ChangedDuals& changed) noexcept;

// Rows whose dual changes on the way from z to z + dz, at most as many as rows: after the part t of
// the way a row adds lever clamp(start + t rate, 0, most) to the sum of a dz.
struct HingeMovers {
  double* start;
  double* rate;
  double* most;
  double* lever;
  std::size_t count;
};

struct HingeSlopes {
  double still;   // the sum of a dz over rows that keep their dual
  double moving;  // and over the others, at the end of the way
};

HingeSlopes hinge_slopes(const HingeRows& rows, const double* z, const double* dz, const double* a,
                         HingeMovers& movers) noexcept;

double hinge_slope_of_movers(const HingeMovers& movers, double t) noexcept;

}  // namespace pegasos::simd
