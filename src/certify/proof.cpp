// From enclosures of the parts to bounds of the whole.
#include <algorithm>
#include <cmath>

#include "certify/certificate.h"

namespace pegasos {

Proof proof_of(const ProofParts& parts, std::size_t rows, bool has_duals, bool classifies) {
  const auto m = static_cast<double>(rows);
  const Nearer mean_loss = parts.losses / m;
  const Nearer primal = parts.regulariser + mean_loss;
  Proof proof;
  Certificate& certificate = proof.certificate;
  certificate.regulariser = std::max(0.0, upper(parts.regulariser));
  // Large enough for the two to sum up to the bound of the objective in double precision, too.
  certificate.mean_loss = std::max(0.0, upper(mean_loss));
  certificate.primal = std::max(0.0, upper(primal));
  while (certificate.regulariser + certificate.mean_loss < certificate.primal) {
    certificate.mean_loss += 0x1p-53 * certificate.primal + 0x1p-1074;
  }
  certificate.primal = certificate.regulariser + certificate.mean_loss;
  if (classifies) certificate.wrong = parts.wrong;
  proof.primal_below = std::max(0.0, lower(primal));
  if (has_duals) {
    const Nearer around = parts.dual_regulariser.value_or(parts.regulariser);
    const Nearer dual = around + parts.bounds / m - parts.distance;
    // Losses are never negative, so neither is the optimum.
    certificate.dual = std::max(0.0, lower(dual));
    proof.dual_above = upper(dual);
  }
  return proof;
}

bool is_wide(const Proof& proof) {
  const Certificate& certificate = proof.certificate;
  const double most = Proof::kWidest * certificate.primal;
  if (!(certificate.primal - proof.primal_below <= most)) return true;
  return certificate.dual && !(proof.dual_above - *certificate.dual <= most);
}

SquaredNorm squared_norm_of(std::span<const double> v) {
  double largest = 0;
  for (const double value : v) largest = std::max(largest, std::abs(value));
  SquaredNorm norm;
  if (largest > 0 && std::isfinite(largest)) norm.exponent = std::max(std::ilogb(largest), -1000);
  const double scale = std::ldexp(1.0, -norm.exponent);
  CertifiedSum sum;
  double size = 0.0;
  for (const double value : v) {
    if (value == 0.0) continue;
    const double scaled = value * scale;
    sum.add(scaled * scaled);
    size += scaled * scaled;
  }
  if (largest == 0.0 && size == 0.0) return norm;  // and nothing is NaN
  // Each square has a relative error of u, or is lost altogether.
  const double n = static_cast<double>(v.size());
  norm.sum = sum.total().with_error(kUnit * size * (1.0 + 2.0 * n * kUnit) * kUp + n * kTiny);
  return norm;
}

SquaredNorm widened(SquaredNorm norm, double length) {
  const double scaled = std::ldexp(length, -norm.exponent) * kUp + kTiny;
  const double of_mid = std::sqrt(std::max(0.0, upper(norm.sum))) * kUp;
  norm.sum = norm.sum.with_error(scaled * (2 * of_mid + scaled));
  return norm;
}

Nearer half_times(const SquaredNorm& norm, double lambda) {
  int exponent = 0;
  const double fraction = std::frexp(lambda, &exponent);
  return shifted(norm.sum * Nearer(fraction), 2 * norm.exponent + exponent - 1);
}

Nearer half_over(const SquaredNorm& norm, double lambda, std::size_t rows) {
  int exponent = 0;
  const double fraction = std::frexp(lambda, &exponent);
  const auto m = static_cast<double>(rows);
  return shifted(norm.sum / fraction / m / m, 2 * norm.exponent - exponent - 1);
}

}  // namespace pegasos
