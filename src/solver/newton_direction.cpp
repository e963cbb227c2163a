// Conjugate gradients (Hestenes and Stiefel 1952) with the diagonal as preconditioner.
//
// Only rows that respond take part, and of the unknowns only those with a feature in such a row:
// for all others the system reads lambda v_j = g_j. Near the optimum both are a small part of the
// data, so they are copied into a compact Dataset whose vectors fit the caches, the features that
// most values belong to side by side.
#include "solver/newton_direction.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>

#include "base/grow_buffer.h"
#include "base/residency.h"
#include "math/passes.h"

namespace pegasos {
namespace {

// Newton's matrix is worth its factorisation, d^3/3, while that is no more than so many passes over
// the data, or nothing to speak of; and while it fits into memory a few times.
constexpr double kFactorisationShare = 300.0;
constexpr double kFactorisationFree = 1e7;
constexpr std::size_t kMostForMatrix = 8192;

// Products for one direction: beyond, the rows that respond have changed before it is of use.
constexpr int kMostProducts = 100;

constexpr double kWorthCopying = 0.5;  // of the stored values
// Where rows respond to a free bias, its ridge needs only to outweigh rounding. The weights can
// follow the bias, which leaves the matrix a curvature of about lambda in its direction: a larger
// ridge would make the bias crawl.
constexpr double kShareOfRidge = 1e-6;

// Rows with c ≠ 0 and the features they have; or, where that is most of the data, all of it.
struct RespondingRows {
  Dataset data;
  std::vector<double> c;
  std::vector<FeatureId> features;  // of `data`, in the numbering of the problem
  std::vector<double> squares;      // the diagonal of X' diag(c) X, for these features
};

// Of the values of all rows, the share that those with c ≠ 0 have.
double responding_share(const SparseMatrix& data, std::span<const double> c, ThreadPool& pool) {
  const auto [responding, all] =
      sums_over_blocks<2>(c.size(), pool, [&](std::size_t begin, std::size_t end) {
        RowSums<2> sums = {};
        Residency::relieve();  // offsets may be in a file
        for (std::size_t i = begin; i < end; ++i) {
          const auto values = static_cast<double>(data.offsets[i + 1] - data.offsets[i]);
          sums[0] += c[i] != 0.0 ? values : 0.0;
          sums[1] += values;
        }
        return sums;
      });
  return all > 0.0 ? responding / all : 0.0;
}

// Rows that are appended one after another, in files if those they come from are. Goes through a
// buffer: appending to a file is a call of the system.
class CompactRows {
 public:
  explicit CompactRows(const std::shared_ptr<Residency>& residency)
      : residency_(residency), offsets_(residency), ids_(residency), values_(residency) {
    offsets_.push_back(0);
  }

  void append(const RowView& row) {
    new_ids_.insert(new_ids_.end(), row.ids.begin(), row.ids.end());
    new_values_.insert(new_values_.end(), row.values.begin(), row.values.end());
    offsets_.push_back(ids_.size() + new_ids_.size());
    if (new_ids_.size() >= kBuffered) flush();
  }
  void reserve(std::size_t rows, std::size_t values) {
    offsets_.reserve(rows + 1);
    ids_.reserve(values);
    values_.reserve(values);
  }
  void flush() {
    ids_.append(new_ids_);
    values_.append(new_values_);
    new_ids_.clear();
    new_values_.clear();
  }

  // Gives every feature the number that stands at its place.
  void renumber(std::span<const FeatureId> numbers) {
    for (std::size_t at = 0; at < ids_.size(); at += new_ids_.size()) {
      const auto old = ids_.view().subspan(at, std::min(kBuffered, ids_.size() - at));
      if (residency_) {
        Residency::visit(old.data(), old.size_bytes(), Residency::Visits::in_order);
      }
      new_ids_.resize(old.size());
      std::transform(old.begin(), old.end(), new_ids_.begin(),
                     [&](FeatureId id) { return numbers[id]; });
      ids_.overwrite(at, new_ids_);
    }
    new_ids_.clear();
  }

  // What was flushed. The owner keeps this.
  static Dataset data_of(const std::shared_ptr<const CompactRows>& rows, std::size_t features) {
    DatasetParts parts;
    parts.rows = rows->offsets_.size() - 1;
    parts.features = features;
    parts.sparse = SparseMatrix{.offsets = rows->offsets_.view(),
                                .features = rows->ids_.view(),
                                .values = rows->values_.view()};
    parts.residency = rows->residency_;
    parts.owner = rows;
    return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
  }

 private:
  static constexpr std::size_t kBuffered = std::size_t{1} << 15;

  std::shared_ptr<Residency> residency_;
  GrowBuffer<std::uint64_t> offsets_;
  GrowBuffer<FeatureId> ids_;
  GrowBuffer<float> values_;
  std::vector<FeatureId> new_ids_;
  std::vector<float> new_values_;
};

RespondingRows all_rows(const Dataset& data, std::span<const double> c, ThreadPool& pool) {
  RespondingRows rows;
  rows.data = data;
  rows.c.assign(c.begin(), c.end());
  rows.features.resize(data.features());
  std::iota(rows.features.begin(), rows.features.end(), FeatureId{0});
  rows.squares = weighted_squares(data, c, pool);
  return rows;
}

std::shared_ptr<CompactRows> copy_rows(const Dataset& data, std::span<const double> c) {
  auto copy = std::make_shared<CompactRows>(data.parts().residency);
  std::size_t rows = 0;
  std::size_t values = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    rows += c[i] != 0.0 ? 1 : 0;
    values += c[i] != 0.0 ? data.sparse().row(i).values.size() : 0;
  }
  copy->reserve(rows, values);
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (c[i] != 0.0) copy->append(data.row(i));
  }
  copy->flush();
  return copy;
}

RespondingRows responding_rows(const Dataset& data, std::span<const double> c,
                               std::span<const FeatureId> order, ThreadPool& pool) {
  const bool any_dense = largest_over_ranks(data.is_dense() ? 1.0 : 0.0, pool.ranks()) > 0.0;
  if (any_dense || responding_share(data.sparse(), c, pool) > kWorthCopying) {
    return all_rows(data, c, pool);
  }
  RespondingRows rows;
  std::copy_if(c.begin(), c.end(), std::back_inserter(rows.c),
               [](double one) { return one != 0.0; });
  const std::shared_ptr<CompactRows> copy = copy_rows(data, c);
  // Summed over all rows of the problem, wherever they are: it says which features take part.
  const std::vector<double> squares =
      weighted_squares(CompactRows::data_of(copy, data.features()), rows.c, pool);
  std::vector<FeatureId> numbers(squares.size());
  for (const FeatureId j : order) {
    // One that has only values of zero may have any number; there is at least one.
    const bool takes_part = squares[j] > 0.0 || (rows.features.empty() && j == order.back());
    if (!takes_part) continue;
    numbers[j] = static_cast<FeatureId>(rows.features.size());
    rows.features.push_back(j);
    rows.squares.push_back(squares[j]);
  }
  copy->renumber(numbers);
  rows.data = CompactRows::data_of(copy, rows.features.size());
  return rows;
}

// Features by the sum of their squares. In texts a small part of them makes up most of the values:
// numbered in this order, they share the first cache.
std::vector<FeatureId> heaviest_first(const Dataset& data, ThreadPool& pool) {
  const std::vector<double> ones(data.rows(), 1.0);
  const std::vector<double> squares = weighted_squares(data, ones, pool);
  std::vector<FeatureId> order(squares.size());
  std::iota(order.begin(), order.end(), FeatureId{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](FeatureId j, FeatureId k) { return squares[j] > squares[k]; });
  return order;
}

double dot_product(std::span<const double> a, std::span<const double> b) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  std::size_t j = 0;
  for (; j + 4 <= a.size(); j += 4) {
    s0 += a[j] * b[j];
    s1 += a[j + 1] * b[j + 1];
    s2 += a[j + 2] * b[j + 2];
    s3 += a[j + 3] * b[j + 3];
  }
  for (; j < a.size(); ++j) s0 += a[j] * b[j];
  return (s0 + s1) + (s2 + s3);
}

// Turns g into the solution of A x = g. multiply(p) returns A p.
template <typename Multiply>
void conjugate_gradients(std::span<const double> diagonal, double precision, std::vector<double>& g,
                         Multiply&& multiply) {
  const std::size_t n = g.size();
  std::vector<double> x(n), preconditioned(n), p(n);
  std::vector<double>& r = g;
  for (std::size_t j = 0; j < n; ++j) p[j] = r[j] / diagonal[j];
  double rho = dot_product(r, p);
  const double enough = precision * precision * rho;
  for (int product = 0; product < kMostProducts && rho > enough && rho > 0.0; ++product) {
    const std::vector<double> Ap = multiply(p);
    const double curvature = dot_product(p, Ap);
    if (!(curvature > 0.0)) break;
    const double step = rho / curvature;
    for (std::size_t j = 0; j < n; ++j) {
      x[j] += step * p[j];
      r[j] -= step * Ap[j];
      preconditioned[j] = r[j] / diagonal[j];
    }
    const double next = dot_product(r, preconditioned);
    const double turn = next / rho;
    for (std::size_t j = 0; j < n; ++j) p[j] = preconditioned[j] + turn * p[j];
    rho = next;
  }
  g = std::move(x);
}

}  // namespace

bool has_small_matrix(std::uint64_t features, std::uint64_t non_zeros) {
  const auto d = static_cast<double>(features);
  return features <= kMostForMatrix &&
         d * d * d / 3.0 <=
             kFactorisationShare * static_cast<double>(non_zeros) + kFactorisationFree;
}

bool has_small_matrix(const LinearProblem& problem) {
  return has_small_matrix(problem.features(), problem.non_zeros());
}

NewtonDirection::NewtonDirection(const LinearProblem& problem, double B, Way way)
    : problem_(problem),
      B_(B),
      d_(problem.features()),
      side_(d_ + (problem.bias == Bias::none ? 0 : 1)),
      way_(way),
      H_(way == Way::matrix ? side_ * side_ : 0) {}

void NewtonDirection::solve(std::span<const double> c, std::span<const double> g, Demand demand,
                            std::vector<double>& v, ThreadPool& pool) {
  v.assign(g.begin(), g.end());
  if (way_ == Way::matrix) {
    solve_by_matrix(c, demand, v, pool);
  } else {
    solve_by_gradients(c, demand, v, pool);
  }
}

double NewtonDirection::diagonal_of_bias(double ridge, double responses) const {
  if (!problem_.has_free_bias()) return problem_.lambda;
  return responses > 0.0 ? kShareOfRidge * ridge : ridge;
}

void NewtonDirection::solve_by_matrix(std::span<const double> c, const Demand& demand,
                                      std::vector<double>& v, ThreadPool& pool) {
  weighted_gram(problem_.data, c, side_, H_, pool);
  double responses = 0.0;
  if (side_ > d_) {
    const auto border = combine(problem_.data, c, pool);
    for (std::size_t j = 0; j < d_; ++j) H_[d_ * side_ + j] = B_ * border[j];
    responses = sum_over_rows(c, pool.ranks());
    H_[d_ * side_ + d_] = B_ * B_ * responses;
  }
  const double per_row = 1.0 / problem_.m();
  for (auto& value : H_) value *= per_row;
  for (std::size_t j = 0; j < side_; ++j) {
    H_[j * side_ + j] += j == d_ ? diagonal_of_bias(demand.ridge, responses) : problem_.lambda;
  }
  cholesky_.solve(H_, v, pool);
}

void NewtonDirection::solve_by_gradients(std::span<const double> c, const Demand& demand,
                                         std::vector<double>& v, ThreadPool& pool) {
  const double lambda = problem_.lambda;
  const double per_row = 1.0 / problem_.m();
  if (order_.empty()) order_ = heaviest_first(problem_.data, pool);
  const RespondingRows rows = responding_rows(problem_.data, c, order_, pool);
  const std::size_t unknowns = rows.features.size() + (side_ - d_);
  std::vector<double> diagonal(unknowns), ridge(unknowns, lambda), g(unknowns);
  for (std::size_t k = 0; k < rows.features.size(); ++k) {
    diagonal[k] = lambda + per_row * rows.squares[k];
    g[k] = v[rows.features[k]];
  }
  if (side_ > d_) {
    const double responses = sum_over_rows(c, pool.ranks());
    ridge.back() = diagonal_of_bias(demand.ridge, responses);
    diagonal.back() = ridge.back() + per_row * B_ * B_ * responses;
    g.back() = v[d_];
  }
  conjugate_gradients(diagonal, demand.precision, g, [&](const std::vector<double>& p) {
    std::vector<double> product = weighted_product(rows.data, rows.c, B_, p, pool);
    for (std::size_t k = 0; k < unknowns; ++k) product[k] = ridge[k] * p[k] + per_row * product[k];
    return product;
  });
  for (std::size_t j = 0; j < d_; ++j) v[j] /= lambda;
  for (std::size_t k = 0; k < rows.features.size(); ++k) v[rows.features[k]] = g[k];
  if (side_ > d_) v[d_] = g.back();
}

}  // namespace pegasos
