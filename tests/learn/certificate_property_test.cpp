// Certificates are theorems: random problems are trained, and what their models claim is checked
// against objectives computed in 400 bits from the definitions.
//
//   P_exact(model) ≤ primal,   the duals are feasible exactly,   dual ≤ D_exact(duals),
//   dual ≤ P_exact of other models of the same problem
//
// Mild problems must also be trained without complaint and have bounds that are not loose. A few
// hundred problems by default; PEGASOS_CERTIFICATE_CASES says how many, PEGASOS_CERTIFICATE_FIRST
// which is the first.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "learn/classifiers.h"
#include "pegasos/error.h"
#include "pegasos/train.h"
#include "support/exact_objective.h"
#include "support/trained.h"

namespace pegasos {
namespace {

using testing::ExactProblem;
using testing::Real;

struct Case {
  std::string name;
  bool mild = true;
  ExactProblem exact;  // y as the loss wants it
  std::vector<double> labels;
  bool dense = false;
  TrainOptions options;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed, 0xce27) {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_.below(n)); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  double uniform() { return static_cast<double>(random_.below(1 << 30)) / (1 << 30); }
  double normal() {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += uniform();
    return sum;
  }
  // Even on a logarithmic scale.
  double scale(double low, double high) { return std::pow(10.0, low + (high - low) * uniform()); }

 private:
  Random random_;
};

float as_float(double value) {
  const auto result = static_cast<float>(value);
  return std::isfinite(result) ? result : 0.0F;
}

std::vector<std::vector<float>> draw_rows(Draw& draw, std::size_t m, std::size_t d, bool mild) {
  std::vector<std::vector<float>> x(m, std::vector<float>(d));
  const double common = mild ? draw.scale(-2, 2) : draw.scale(-30, 30);
  const double offset = draw.one_in(4) ? draw.scale(0, 4) : 0.0;
  const double density = draw.one_in(3) ? 0.4 : 1.0;
  for (std::size_t k = 0; k < d; ++k) {
    const double scale = mild || draw.one_in(2) ? common : draw.scale(-30, 30);
    for (auto& row : x) {
      if (draw.uniform() < density) row[k] = as_float(scale * (draw.normal() + offset));
    }
  }
  for (std::size_t i = 0; i < m; ++i) {
    if (draw.one_in(8)) x[i] = x[draw.below(m)];
    if (draw.one_in(24)) x[i].assign(d, 0.0F);
  }
  return x;
}

void draw_kernel(Draw& draw, Case& one) {
  KernelOptions kernel;
  const KernelKind kinds[] = {KernelKind::linear, KernelKind::polynomial, KernelKind::rbf,
                              KernelKind::laplacian, KernelKind::chi_squared};
  kernel.kind = kinds[draw.below(5)];
  double size = 0;
  for (auto& row : one.exact.x) {
    double squares = 0;
    for (float& value : row) {
      if (kernel.kind == KernelKind::chi_squared) value = std::abs(value);
      squares += double{value} * double{value};
    }
    size = std::max(size, squares);
  }
  kernel.gamma = draw.scale(-1, 1);
  if (one.mild && size > 0) kernel.gamma /= size;
  kernel.coef0 = draw.one_in(2) ? 0.0 : draw.uniform();
  kernel.degree = 1 + static_cast<unsigned>(draw.below(4));
  one.options.kernel = kernel;
  one.options.bias = draw.one_in(2) ? Bias::none : Bias::unregularised;
  one.options.solver.kind = draw.one_in(4) ? Solver::pegasos : Solver::automatic;
  one.name += " " + name_of(kernel.kind);
}

Case draw_case(std::uint64_t seed) {
  Draw draw(seed);
  Case one;
  one.mild = !draw.one_in(3);
  one.dense = draw.one_in(2);
  ExactProblem& exact = one.exact;
  const std::size_t m = 3 + draw.below(one.mild ? 30 : 12);
  exact.x = draw_rows(draw, m, 1 + draw.below(7), one.mild);
  const auto& names = loss_names();
  exact.loss.loss = *loss_of_name(names[draw.below(names.size())]);
  one.name = "case " + std::to_string(seed) + (one.mild ? " mild " : " extreme ") +
             name_of(exact.loss.loss);
  const bool classifies = is_classification(exact.loss.loss);
  const double spread = one.mild ? draw.scale(-1, 1) : draw.scale(-20, 20);
  const double offset = draw.one_in(2) ? draw.scale(0, 9) : 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    const double score = draw.normal() + (exact.x[i][0] > 0 ? 1.0 : -1.0);
    exact.y.push_back(classifies ? (score > 0 ? 1.0 : -1.0) : offset + spread * score);
  }
  if (classifies) {
    exact.y[0] = 1.0;
    exact.y[1] = -1.0;
  }
  one.labels = exact.y;
  exact.weights.assign(m, 1.0);
  if (draw.one_in(3)) {
    for (double& weight : exact.weights) {
      weight = draw.one_in(6) ? 0.0 : one.mild ? 3.0 * draw.uniform() : draw.scale(-30, 30);
    }
    exact.weights[0] = exact.weights[1] = 1.0;
  }
  exact.loss.epsilon = draw.one_in(4) ? 0.0 : 0.3 * spread * draw.uniform();
  exact.loss.delta = spread * (0.1 + draw.uniform());
  exact.lambda = one.mild         ? draw.scale(-4, 1)
                 : draw.one_in(3) ? draw.scale(-300, 300)
                                  : draw.scale(-12, 12);
  const Bias biases[] = {Bias::none, Bias::regularised, Bias::unregularised, Bias::exact};
  one.options.bias = biases[draw.below(4)];
  exact.bias_feature = draw.one_in(2) ? 1.0 : draw.scale(-1, 1);
  const Solver solvers[] = {Solver::automatic, Solver::pegasos, Solver::sdca, Solver::newton};
  one.options.solver.kind = solvers[draw.below(4)];
  if (draw.one_in(3)) draw_kernel(draw, one);
  exact.bias = *one.options.bias;
  one.name += " " + name_of(exact.bias) + " " + name_of(one.options.solver.kind);
  TrainOptions& options = one.options;
  options.task = classifies ? Task::binary : Task::regression;
  options.loss = exact.loss.loss;
  options.epsilon = exact.loss.epsilon;
  options.delta = exact.loss.delta;
  options.lambda = exact.lambda;
  options.bias_feature = exact.bias_feature;
  options.threads = 1;
  options.solver.tolerance = draw.scale(-12, -1);
  options.solver.max_epochs = 60;
  options.solver.pegasos.seed = seed;
  return one;
}

struct Arrays {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<FeatureId> features;
  std::vector<float> values;
  std::vector<double> labels, weights;
};

Dataset data_of(const Case& one) {
  auto arrays = std::make_shared<Arrays>();
  const std::size_t d = one.exact.x.front().size();
  for (const auto& row : one.exact.x) {
    for (std::size_t k = 0; k < d; ++k) {
      if (!one.dense && row[k] == 0.0F) continue;
      arrays->features.push_back(static_cast<FeatureId>(k));
      arrays->values.push_back(row[k]);
    }
    arrays->offsets.push_back(arrays->values.size());
  }
  arrays->labels = one.labels;
  arrays->weights = one.exact.weights;
  DatasetParts parts;
  parts.rows = one.labels.size();
  parts.features = d;
  if (one.dense) {
    parts.dense = DenseMatrix{arrays->values, d};
  } else {
    parts.sparse = SparseMatrix{arrays->offsets, arrays->features, arrays->values};
  }
  parts.labels = arrays->labels;
  parts.weights = arrays->weights;
  parts.owner = arrays;
  return Dataset::from_parts(std::move(parts));
}

std::vector<std::vector<float>> dense_rows(const Dataset& data) {
  std::vector<std::vector<float>> rows;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    std::vector<float> values(data.features(), 0.0F);
    const RowView row = data.row(i);
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      values[row.dense ? k : row.ids[k]] = row.values[k];
    }
    rows.push_back(std::move(values));
  }
  return rows;
}

// What a model is, what it claims, and what it proves that with.
struct Claim {
  Certificate certificate;
  std::vector<double> duals;
  Real primal;  // exact
};

Claim train_linear(const Case& one, const Dataset& data, const TrainOptions& options) {
  auto result = testing::trained_linear(data, options);
  EXPECT_EQ(result.report.primal.objective(), result.model.certificate->primal) << one.name;
  EXPECT_EQ(result.report.dual, result.model.certificate->dual) << one.name;
  return {*result.model.certificate, std::move(result.duals),
          exact_primal(one.exact, result.model.w, result.model.b)};
}

Claim train_with_kernel(const Case& one, const Dataset& data, const TrainOptions& options) {
  auto result = testing::trained_kernel(data, options);
  EXPECT_EQ(result.report.primal.objective(), result.model.certificate->primal) << one.name;
  return {*result.model.certificate, std::move(result.duals),
          exact_kernel_primal(one.exact, *options.kernel, dense_rows(result.model.support_vectors),
                              result.model.coefficients, result.model.b)};
}

struct Counts {
  std::size_t checked = 0, mild = 0, refused = 0, no_bound = 0, kernels = 0, within = 0;
};

void expect_theorem(const std::string& name, const ExactProblem& problem, bool mild,
                    const std::optional<KernelOptions>& kernel, const Claim& claim) {
  const Certificate& certificate = claim.certificate;
  EXPECT_TRUE(claim.primal <= Real(certificate.primal))
      << name << ": objective " << claim.primal.nearest() << " printed " << certificate.primal;
  ASSERT_TRUE(certificate.dual) << name;
  EXPECT_EQ(infeasible(problem, claim.duals), "") << name;
  const Real dual =
      kernel ? exact_kernel_dual(problem, *kernel, claim.duals) : exact_dual(problem, claim.duals);
  EXPECT_TRUE(Real(*certificate.dual) <= dual)
      << name << ": dual " << dual.nearest() << " printed " << *certificate.dual;
  if (!mild) return;
  const double P = claim.primal.nearest();
  // Kernel values have double precision; with them, less is left of features with an offset.
  const double loose = kernel ? 1e-4 : 1e-8;
  const double scale = P + 1e-6;  // rounding does not vanish with the objective
  EXPECT_LE(certificate.primal - P, loose * scale) << name;
  EXPECT_LE(dual.nearest() - *certificate.dual, loose * scale) << name;
}

// Extreme problems may; and block ascent for kernels can diverge where the loss is squared, the
// bias free and features have an offset, which is said and not certified.
bool may_be_refused(const Case& one) {
  return !one.mild || (one.options.kernel && one.exact.has_free_bias());
}

void check(const Case& one, Counts& counts) {
  const Dataset data = data_of(one);
  const auto train_one = [&](const TrainOptions& options) {
    return options.kernel ? train_with_kernel(one, data, options)
                          : train_linear(one, data, options);
  };
  std::optional<Claim> claim;
  try {
    claim = train_one(one.options);
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_TRUE(may_be_refused(one)) << one.name << ": " << text;
    EXPECT_NE(text.find("lambda"), std::string::npos) << one.name << ": " << text;
    ++counts.refused;
    return;
  }
  ++counts.checked;
  counts.mild += one.mild ? 1 : 0;
  counts.kernels += one.options.kernel ? 1 : 0;
  counts.no_bound += claim->certificate.has_positive_bound() ? 0 : 1;
  counts.within += claim->certificate.within(one.options.solver.tolerance) ? 1 : 0;
  expect_theorem(one.name, one.exact, one.mild, one.options.kernel, *claim);
  // No other solution is better than the bound: nothing at all, and what another solver finds.
  const Real zero = one.options.kernel
                        ? exact_kernel_primal(one.exact, *one.options.kernel, {}, {}, 0.0)
                        : exact_primal(one.exact, std::vector<double>(data.features()), 0.0);
  EXPECT_TRUE(Real(*claim->certificate.dual) <= zero) << one.name;
  TrainOptions other = one.options;
  other.solver.kind = one.options.kernel ? Solver::automatic : Solver::sdca;
  other.solver.tolerance = 1e-7;
  try {
    const Claim better = train_one(other);
    EXPECT_TRUE(Real(*claim->certificate.dual) <= better.primal) << one.name;
    EXPECT_TRUE(Real(*better.certificate.dual) <= claim->primal) << one.name;
  } catch (const Error&) {
    EXPECT_TRUE(may_be_refused(one)) << one.name;
  }
}

std::uint64_t from_environment(const char* name, std::uint64_t usual) {
  const char* wanted = std::getenv(name);
  return wanted == nullptr ? usual : std::strtoull(wanted, nullptr, 10);
}
std::uint64_t first_case() {
  return from_environment("PEGASOS_CERTIFICATE_FIRST", 1);
}
std::uint64_t cases_wanted() {
  return from_environment("PEGASOS_CERTIFICATE_CASES", 400);
}

TEST(CertificateProperty, HoldsForTwoClassesAndRegression) {
  Counts counts;
  for (std::uint64_t seed = first_case(); seed < first_case() + cases_wanted(); ++seed) {
    check(draw_case(seed), counts);
    if (::testing::Test::HasFailure()) break;
  }
  std::printf(
      "%zu certificates checked in 400 bits: %zu mild, %zu of kernel models, %zu within their "
      "tolerance, %zu without a positive bound; %zu refused\n",
      counts.checked, counts.mild, counts.kernels, counts.within, counts.no_bound, counts.refused);
}

// ---- many classes ----

ExactProblem classifier_problem(const Case& one, const MulticlassModel& model, std::size_t k,
                                std::vector<std::size_t>& rows) {
  ExactProblem problem = one.exact;
  problem.x.clear();
  problem.y.clear();
  problem.weights.clear();
  const std::size_t K = model.classes.size();
  std::size_t first = k;
  std::size_t second = K;
  if (model.strategy == Strategy::one_against_one) {
    std::size_t n = 0;
    for (std::size_t p = 0; p < K; ++p) {
      for (std::size_t q = p + 1; q < K; ++q, ++n) {
        if (n == k) {
          first = p;
          second = q;
        }
      }
    }
  }
  for (std::size_t i = 0; i < one.labels.size(); ++i) {
    const double label = one.labels[i];
    if (second < K && label != model.classes[first] && label != model.classes[second]) continue;
    rows.push_back(i);
    problem.x.push_back(one.exact.x[i]);
    problem.y.push_back(label == model.classes[first] ? 1.0 : -1.0);
    problem.weights.push_back(one.exact.weights[i]);
  }
  problem.lambda = one.exact.lambda * static_cast<double>(one.labels.size()) /
                   static_cast<double>(problem.rows());
  return problem;
}

void check_many(Case one, Strategy strategy, Counts& counts) {
  Draw draw(one.options.solver.pegasos.seed + 7);
  if (!is_classification(one.exact.loss.loss)) return;
  for (double& label : one.labels) label = static_cast<double>(draw.below(3));
  for (std::size_t i = 0; i < 3; ++i) one.labels[i] = static_cast<double>(i);
  one.options.task = Task::multiclass;
  one.options.strategy = strategy;
  if (strategy == Strategy::joint) {
    if (one.exact.has_free_bias() || one.options.kernel) return;
    one.exact.loss.loss = Loss::hinge;
    one.options.loss.reset();
    if (one.options.solver.kind == Solver::newton) one.options.solver.kind = Solver::sdca;
  }
  const Dataset data = data_of(one);
  one.options.keep_duals = true;
  MulticlassModel model;
  try {
    model = testing::trained_classes(data, one.options).model;
  } catch (const Error& error) {
    EXPECT_TRUE(may_be_refused(one)) << one.name << ": " << error.what();
    ++counts.refused;
    return;
  }
  const std::string name = one.name + " " + name_of(strategy);
  if (strategy == Strategy::joint) {
    std::vector<std::uint32_t> y;
    for (const double label : one.labels) y.push_back(static_cast<std::uint32_t>(label));
    std::vector<double> b;
    for (const Classifier& classifier : model.classifiers) b.push_back(classifier.b);
    const Real P = exact_joint_primal(one.exact, y, 3, model.linear()->w, b);
    std::string why_not;
    const Real D = exact_joint_dual(one.exact, y, 3, model.joint->duals, why_not);
    EXPECT_EQ(why_not, "") << name;
    EXPECT_TRUE(P <= Real(model.joint->certificate.primal)) << name;
    EXPECT_TRUE(Real(*model.joint->certificate.dual) <= D) << name;
    ++counts.checked;
    return;
  }
  for (std::size_t k = 0; k < model.classifiers.size(); ++k) {
    std::vector<std::size_t> rows;
    const ExactProblem problem = classifier_problem(one, model, k, rows);
    Claim claim{*model.classifiers[k].certificate, model.classifiers[k].duals, {}};
    if (model.kernels() != nullptr) {
      const KernelModel classifier = kernel_classifier(model, k);
      claim.primal =
          exact_kernel_primal(problem, classifier.kernel, dense_rows(classifier.support_vectors),
                              classifier.coefficients, classifier.b);
    } else {
      std::vector<double> w;
      for (std::size_t j = 0; j < data.features(); ++j) {
        w.push_back(model.linear()->w[j * model.classifiers.size() + k]);
      }
      claim.primal = exact_primal(problem, w, model.classifiers[k].b);
    }
    expect_theorem(name + " " + model.classifier_name(k), problem, one.mild, one.options.kernel,
                   claim);
    ++counts.checked;
  }
}

TEST(CertificateProperty, HoldsForManyClasses) {
  Counts counts;
  for (std::uint64_t seed = first_case(); seed < first_case() + cases_wanted() / 4; ++seed) {
    const Strategy strategies[] = {Strategy::one_against_rest, Strategy::one_against_one,
                                   Strategy::joint};
    check_many(draw_case(1'000'000 + seed), strategies[seed % 3], counts);
    if (::testing::Test::HasFailure()) break;
  }
  std::printf("%zu certificates of multiclass models checked in 400 bits; %zu refused\n",
              counts.checked, counts.refused);
}

}  // namespace
}  // namespace pegasos
