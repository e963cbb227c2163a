#include "solver/online.h"

#include <type_traits>

#include "math/losses.h"
#include "math/rows.h"
#include "solver/pegasos_iterate.h"

namespace pegasos {
namespace {

// A stream has no second visit to a row: there are no duals to keep.
struct NoDuals {
  void visit(RowId) {}
  void add(RowId, double) {}
  void fold(double) {}
};

IterateOptions iterate_options(const OnlineProblem& problem) {
  IterateOptions options;
  options.loss = problem.loss;
  options.lambda = problem.lambda;
  options.bias = problem.bias;
  options.bias_feature = problem.bias_feature;
  return options;
}

// The squared norm that a bias adds to every row.
double constant_of(const OnlineProblem& problem) {
  if (problem.bias == Bias::none) return 0.0;
  return problem.bias == Bias::regularised ? problem.bias_feature * problem.bias_feature : 1.0;
}

}  // namespace

class OnlineSolver::State {
 public:
  virtual ~State() = default;
  virtual void learn(const Dataset& rows, std::span<const double> y,
                     std::span<const double> weights, std::span<double> scores) = 0;
  virtual void grow(std::size_t features) = 0;
  virtual OnlinePoint reached() const = 0;
  virtual double counted() const = 0;
};

template <typename LossType>
class OnlineSolver::StateOf : public OnlineSolver::State {
 public:
  StateOf(const OnlineProblem& problem, const OnlinePoint& from, const LossType& loss)
      : iterate_(iterate_options(problem), loss, from.point.w.size()),
        free_bias_(problem.bias == Bias::unregularised),
        constant_(constant_of(problem)),
        curvature_(unbounded_curvature(problem.loss.loss) / problem.lambda) {
    iterate_.reserve(1);
    iterate_.begin_at(from.point, from.counted);
  }

  void learn(const Dataset& rows, std::span<const double> y, std::span<const double> weights,
             std::span<double> scores) override {
    with_rows(rows, [&](const auto& each) {
      NoDuals none;
      for (std::size_t i = 0; i < rows.rows(); ++i) {
        const auto id = static_cast<RowId>(i);
        if (curvature_ > 0.0) {
          const double weight = weights.empty() ? 1.0 : weights[i];
          iterate_.count_at_least(curvature_ * weight * (squared_norm(each.row(i)) + constant_));
        }
        iterate_.step(RowBatch<std::decay_t<decltype(each)>>{each, y, weights, std::span(&id, 1)},
                      none, nullptr);
        if (!scores.empty()) scores[i] = iterate_.score(0);
      }
    });
  }

  void grow(std::size_t features) override { iterate_.grow(features); }

  OnlinePoint reached() const override {
    OnlinePoint reached{iterate_.point(), counted()};
    if (free_bias_) reached.point.b = iterate_.free_bias();
    return reached;
  }
  double counted() const override { return iterate_.rows_counted(); }

 private:
  PegasosIterate<LossType> iterate_;
  bool free_bias_;
  double constant_;
  double curvature_;  // over lambda; 0 where slopes are bounded
};

OnlineSolver::OnlineSolver(const OnlineProblem& problem, const OnlinePoint& from) {
  with_loss(problem.loss, [&](const auto& loss) {
    state_ = std::make_unique<StateOf<std::decay_t<decltype(loss)>>>(problem, from, loss);
  });
}
OnlineSolver::OnlineSolver(OnlineSolver&&) noexcept = default;
OnlineSolver::~OnlineSolver() = default;

void OnlineSolver::learn(const Dataset& rows, std::span<const double> y,
                         std::span<const double> weights, std::span<double> scores) {
  state_->learn(rows, y, weights, scores);
}

void OnlineSolver::grow(std::size_t features) {
  state_->grow(features);
}

OnlinePoint OnlineSolver::reached() const {
  return state_->reached();
}
double OnlineSolver::counted() const {
  return state_->counted();
}

}  // namespace pegasos
