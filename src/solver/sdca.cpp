// Stochastic dual coordinate ascent with shrinking.
//
//   maximise over a:  D(a) = 1/m sum_i s_i gain(a_i/s_i) - lambda/2 |w|^2,   w = 1/(lambda m) sum
//   a_i x_i
//
// A step takes one row, moves its a_i to the exact maximum of D over that coordinate, and keeps w
// true to a (Hsieh et al., ICML 2008; Shalev-Shwartz and Zhang, JMLR 2013):
//
//   a_i <- ascend(a_i, <w,x_i>, q_i),   w += (change of a_i) x_i/(lambda m),   q_i =
//   |x_i|^2/(lambda m)
//
// Rows come in a fresh random order each epoch. A row that a step does not move (it sits at a
// bound, or deep in the tube) rests: it is left out until a look at the scores of all resting rows,
// which is a fast pass in order, shows that it would move now. There is one after 1, 2, 4, 8, …
// epochs and with every certificate, so shrinking never leaves a violated row behind. A start with
// duals begins with such a look: most rows of a model, or of an epoch of Pegasos, are at rest.
//
// Each visit also yields the row's share of the duality gap, loss(z) + a z - gain(a) ≥ 0, at the w
// of that moment. Their sum over an epoch is the gap in the middle of it; where it falls to a share
// f in an epoch, the gap at the end is about sqrt(f) times that sum. This says when a certificate
// is worth making. Where progress is slow, a certificate is made of the running mean of the duals
// (dual_mean.h), whose objective is about half as far from the optimum.
//
// Where rows are divided among K ranks, an epoch is a round (CoCoA+, Ma et al., ICML 2015): each
// rank visits its own rows and follows with w only its own changes, their quadratic term times
// sigma in [1, K] for what the others do meanwhile. All ranks then take one step together, see
// joint_step.h. sigma = K is always safe and slow. What it takes is |sum of changes|^2 / sum of
// |change|^2, 1 where ranks move in different directions and K where they all move in the same one:
// it is measured in every round and used in the next. The weight of a bias all ranks would correct
// at once, and then hardly dare to move: they count little of what their changes do to it, and
// leave its balance to the joint step.
//
// A bias is a feature that all rows share. As a constant feature as large as a row it would make up
// half of every q, and half of every step would go into what other rows undo. So the constant
// feature B is small, and its weight is regularised around a centre that follows b after every
// epoch (the proximal point method in b):
//
//   free bias:    lambda/2 ((b - centre)/B)^2,  centre = b
//   regularised:  lambda/2 (b/B0)^2 and a pull towards the b before are, but for a constant,
//                 lambda/2 ((b - centre)/B)^2,  centre = p b,  B^2 = (1 - p) B0^2
//
// When a free b stops moving, the sum of the a_i is zero, as it must be.
#include "solver/sdca.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/random.h"
#include "certify/objective.h"
#include "math/losses.h"
#include "math/passes.h"
#include "math/rows.h"
#include "solver/beginning.h"
#include "solver/dual_mean.h"
#include "solver/joint_step.h"
#include "solver/sampler.h"
#include "solver/state.h"
#include "solver/watched.h"

namespace pegasos {
namespace {

constexpr std::size_t kPrefetchAhead = 8;
constexpr std::size_t kRowsBetweenPolls = 512;
// A certificate costs about two epochs' reading, so it waits until the estimate promises it.
constexpr double kPromise = 1.0;
constexpr double kPromiseOfMean = 1.5;
constexpr std::uint64_t kLeastEpochsBetweenMeans = 2;
// The constant feature of a bias, squared, as a share of the mean |x|^2.
constexpr double kShareOfRows = 1.0 / 30;
// How much of the tolerance may be left to gain by a better bias.
constexpr double kShareOfBiasSearch = 0.02;
constexpr std::uint64_t kMostEpochsBetweenCertificates = 20;
// When dual ascent may be found hopeless.
constexpr double kSmallGap = 2e-3;
constexpr std::uint64_t kEpochsOfPatience = 300;
constexpr std::uint64_t kEpochsToJudge = 10;
constexpr double kLeastTolerance = 1e-15;
// sigma rises at once and falls by no more than this.
constexpr double kBolder = 0.8;
// How much of its changes of the bias a rank counts, and how often a round is followed by a
// certificate: what ranks know on the way is too little to promise one.
constexpr double kShareOfBias = 0.01;
constexpr std::uint64_t kMostRoundsBetweenCertificates = 4;

template <typename LossType, typename Rows>
class Ascent {
 public:
  Ascent(const LinearProblem& problem, WarmStart start, const SdcaOptions& options,
         const Watch& watch, ThreadPool& pool, LossType loss, Rows rows)
      : problem_(problem),
        options_(options),
        watch_(watch, pool.ranks()),
        pool_(pool),
        loss_(loss),
        rows_(rows),
        m_(problem.rows()),
        per_dual_(1.0 / (problem.lambda * problem.m())),
        sigma_(pool.ranks().size()),
        share_of_bias_(pool.is_alone() ? 1.0 : kShareOfBias),
        B_(problem.bias == Bias::regularised ? problem.bias_feature : 0.0) {
    prepare_rows();
    if (!pool.is_alone()) joint_.emplace(problem, loss, per_dual_, B_, pool);
    if (!start.state.empty()) {
      resume_from(start.state);
      return;
    }
    begin(begin_from(problem, std::move(start), pool));
  }

  SolverResult run() {
    bool ended = announce();
    for (std::uint64_t epoch = report_.epoch; epoch < options_.epochs && !ended; ++epoch) {
      const double estimate = pool_.is_alone() ? run_epoch(epoch) : run_round(epoch);
      report_.epoch = epoch + 1;
      centre_ = pull_ * bias();
      ++epochs_since_certificate_;
      const double fall = mean_.end_epoch(a_, estimate);
      const double gap_now = std::sqrt(std::min(1.0, fall)) * estimate;
      const bool stopping = watch_.asked_to_stop();
      if (stopping && watch_.hurried()) return as_it_is();
      if (epoch + 1 == options_.epochs || stopping || promising(gap_now)) {
        certify();
        ended = announce() || hopeless();
      } else if (pool_.is_alone() && std::has_single_bit(epoch + 1)) {
        look_at_resting_rows();
      }
    }
    return {std::move(best_point_), std::move(best_a_), report_, watch_.interrupted(),
            watch_.hurried()};
  }

  // At an event a is feasible.
  template <typename Archive>
  void archive(Archive& a) {
    a.fixed(a_);
    a.fixed(w_);
    a.fixed(rests_);
    a.fixed(best_a_);
    mean_.archive(a);
    a(w_bias_, centre_, sigma_, report_, best_point_, progress_);
  }

 private:
  // Tells the watch about this moment; true if it wants the run to end here.
  bool announce() {
    watch_.tell([this] {
      return TrainingEvent{
          .report = report_,
          .linear_point = [this] { return best_point_; },
          .duals = [this] { return best_a_; },
          .state = [this] { return save_state(StateKind::sdca, identity(), *this); }};
    });
    return watch_.asked_to_stop();
  }

  // The weights that the steps have led to, without a fresh pass.
  SolverResult as_it_is() { return {{std::move(w_), bias()}, std::move(a_), report_, true, true}; }

  // q of every row, and the constant feature of a bias.
  void prepare_rows() {
    q_.resize(m_);
    rests_.resize(m_);
    std::vector<double> squares(m_);
    for_row_blocks(m_, pool_, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) squares[i] = squared_norm(rows_.row(i));
    });
    if (problem_.bias != Bias::none) choose_constant_feature(squares);
    const double own = pool_.is_alone() ? 1.0 : 0.0;  // on ranks sigma is not for the bias
    q_of_bias_ = (1.0 - own) * share_of_bias_ * B_ * B_ * per_dual_;
    for_row_blocks(m_, pool_, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const double q = (squares[i] + own * B_ * B_) * per_dual_;
        q_[i] = q > 0 ? std::max(static_cast<float>(q), std::numeric_limits<float>::min()) : 0.0F;
      }
    });
  }

  // Small beside the rows, but large enough for the centre, which moves by B^2/lambda times the
  // mean dual, to get there. Ranks leave a regularised bias to the joint step.
  void choose_constant_feature(std::span<const double> squares) {
    const bool free = problem_.has_free_bias();
    if (!free && !pool_.is_alone()) return;
    const double of_rows = mean_over_rows([&](std::size_t i) { return squares[i]; });
    const double share = pool_.is_alone() ? kShareOfRows : 1.0;
    const double wanted = std::max(share * of_rows, problem_.lambda * size_of_scores());
    const double asked = B_ * B_;
    pull_ = free ? 1.0 : std::max(0.0, 1.0 - wanted / asked);
    B_ = std::sqrt(free ? wanted : std::min(wanted, asked));
  }

  double bias() const { return B_ * w_bias_ + centre_; }

  template <typename Value>
  double mean_over_rows(Value&& value) const {
    return sum_over_blocks(m_, pool_,
                           [&](std::size_t begin, std::size_t end) {
                             double total = 0;
                             for (std::size_t i = begin; i < end; ++i) total += value(i);
                             return total;
                           }) /
           problem_.m();
  }

  // About how far a bias has to go: the margin of a class, or the size of the labels.
  double size_of_scores() const {
    if (is_classification(problem_.loss.loss)) return 1.0;
    return std::max(1.0, mean_over_rows([&](std::size_t i) { return std::abs(problem_.y[i]); }));
  }

  void begin(Beginning beginning) {
    report_.solver = Solver::sdca;
    report_.primal = beginning.primal;
    report_.dual = beginning.dual;
    report_.norm = std::sqrt(2.0 * report_.primal.regulariser / problem_.lambda);
    centre_ = pull_ * beginning.point.b;
    best_point_ = std::move(beginning.point);
    best_a_ = beginning.a;
    mean_.begin(beginning.a);
    a_ = std::move(beginning.a);
    follow(beginning.of_duals);
    if (beginning.z.empty() || !pool_.is_alone()) {
      activate();
    } else {
      std::fill(rests_.begin(), rests_.end(), std::uint8_t{1});
      wake([&](std::size_t i) { return beginning.z[i]; });
    }
  }

  std::uint64_t identity() const {
    ArchiveWriter facts;
    const std::uint64_t problem = identity_of(problem_);
    facts(problem, options_.seed);
    return identity_of(std::move(facts).bytes());
  }

  void resume_from(const SolverState& state) {
    a_.resize(m_);
    best_a_.resize(m_);
    mean_.resize(m_);
    w_.resize(problem_.features());
    load_state(state, StateKind::sdca, identity(), *this);
    activate();
  }

  // The w that is true to a.
  void follow(const LinearPoint& of_duals) {
    w_ = of_duals.w;
    const double asked = problem_.bias_feature;
    w_bias_ = problem_.bias == Bias::regularised ? B_ / asked * (of_duals.b / asked) : 0.0;
  }

  // Wakes the resting rows that a step would move at the weights of this moment.
  void look_at_resting_rows() {
    with_rows(problem_.data, [&](const auto& rows) {
      wake([&](std::size_t i) { return dot(rows.row(i), w_.data()) + bias(); });
    });
  }

  // The same where scores are known.
  template <typename Score>
  void wake(const Score& score) {
    for_row_blocks(m_, pool_, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (rests_[i] == 0) continue;
        rests_[i] = can_move(i) && best_dual(i, score(i)) != a_[i] ? 0 : 1;
      }
    });
    activate();
  }

  // Others have a weight or a norm of zero.
  bool can_move(std::size_t i) const {
    return problem_.weight(i) > 0 && q_[i] + q_of_bias_ > 0 && std::isfinite(q_[i]);
  }

  void activate() {
    active_.clear();
    active_.reserve(m_);
    mean_.restart_settling();
    for (std::size_t i = 0; i < m_; ++i) {
      const auto row = static_cast<RowId>(i);
      if (!can_move(i)) continue;
      if (rests_[i] == 0) {
        active_.push_back(row);
      } else {
        mean_.leave_out(row, a_[i]);
      }
    }
  }

  // One visit to every active row; returns the sum of their gaps over m.
  double run_epoch(std::uint64_t epoch) {
    const Visits visits = visit_rows(epoch);
    count(visits);
    return visits.gaps / problem_.m();
  }

  // The same on every rank, and the step that all take together.
  double run_round(std::uint64_t epoch) {
    std::fill(rests_.begin(), rests_.end(), std::uint8_t{0});
    activate();
    std::vector<double> a_before = a_;
    std::vector<double> w_before = w_;
    const double bias_before = w_bias_;
    const Visits visits = visit_rows(epoch);

    for (std::size_t j = 0; j < w_.size(); ++j) w_[j] = (w_[j] - w_before[j]) / sigma_;
    const double apart = sum_over_rows(std::array{squared_length(w_)}, pool_.ranks());
    w_before.push_back(bias_before);
    const double together = joint_->take(a_before, w_before, a_, centre_);
    a_ = std::move(a_before);
    w_bias_ = w_before.back();
    w_before.pop_back();
    w_ = std::move(w_before);
    const double K = pool_.ranks().size();
    const double measured = apart > 0.0 ? together / apart : 1.0;
    sigma_ = std::clamp(std::max(measured, kBolder * sigma_), 1.0, K);

    std::array<double, 3> sums = {visits.gaps, static_cast<double>(visits.rows),
                                  static_cast<double>(visits.moves)};
    pool_.ranks().sum(sums);
    count({sums[0], static_cast<std::uint64_t>(sums[1]), static_cast<std::uint64_t>(sums[2])});
    return sums[0] / problem_.m();
  }

  static double squared_length(std::span<const double> v) {
    double squares = 0;
    for (const double value : v) squares += value * value;
    return squares;
  }

  struct Visits {
    double gaps;
    std::uint64_t rows;
    std::uint64_t moves;
  };

  void count(const Visits& visits) {
    report_.steps += visits.rows;
    report_.rows_seen += visits.rows;
    report_.violations = visits.moves;
    report_.all_violations += visits.moves;
  }

  Visits visit_rows(std::uint64_t epoch) {
    Random random(options_.seed, epoch);
    if (problem_.data.is_paged()) std::sort(active_.begin(), active_.end());
    WindowWalk walk = shuffle_in_windows(problem_.data, active_, random);
    moves_ = 0;
    double gaps = 0;
    std::size_t kept = 0;
    const std::size_t count = active_.size();
    for (std::size_t j = 0; j < count; ++j) {
      walk.reach(problem_.data, j);
      prefetch(j);
      const RowId i = active_[j];
      gaps += step(i);
      if (rests_[i] == 0) {
        active_[kept++] = i;
        mean_.visit(i, a_[i]);
      } else {
        mean_.leave_out(i, a_[i]);
      }
      if (j % kRowsBetweenPolls != 0) continue;
      if (watch_.asked_here()) {
        for (++j; j < count; ++j) active_[kept++] = active_[j];
      }
    }
    active_.resize(kept);
    return {gaps, count, moves_};
  }

  // A row's place is fetched first, and a few rows later, when it is there, the row itself.
  void prefetch(std::size_t j) const {
    if (j + 2 * kPrefetchAhead < active_.size()) {
      rows_.prefetch_place(active_[j + 2 * kPrefetchAhead]);
    }
    if (j + kPrefetchAhead >= active_.size()) return;
    const RowId soon = active_[j + kPrefetchAhead];
    rows_.prefetch(soon);
    __builtin_prefetch(&a_[soon], 1);
    __builtin_prefetch(&q_[soon]);
    mean_.prefetch(soon);
    __builtin_prefetch(&problem_.y[soon]);
  }

  double best_dual(std::size_t i, double z) const {
    return loss_.ascend(a_[i], z, problem_.y[i], sigma_ * double{q_[i]} + q_of_bias_,
                        problem_.weight(i));
  }

  // Moves one coordinate to its maximum; returns the gap it had before.
  double step(RowId i) {
    const double y = problem_.y[i];
    const double s = problem_.weight(i);
    const auto x = rows_.row(i);
    const double z = dot(x, w_.data()) + bias();
    const double gap = s * (loss_.value(z, y) - loss_.gain(a_[i] / s, y)) + a_[i] * z;
    const double a = best_dual(i, z);
    const double change = a - a_[i];
    if (change == 0.0) {
      rests_[i] = 1;
      return gap;
    }
    a_[i] = a;
    const double c = change * per_dual_;
    add(x, sigma_ * c, w_.data());
    w_bias_ += share_of_bias_ * c * B_;
    ++moves_;
    return gap;
  }

  bool by_mean() const { return pool_.is_alone() && mean_.is_ready(); }

  bool promising(double gap_now) const {
    const std::uint64_t most =
        pool_.is_alone() ? kMostEpochsBetweenCertificates : kMostRoundsBetweenCertificates;
    if (epochs_since_certificate_ >= most) return true;
    const double share = (by_mean() ? kPromiseOfMean : kPromise) * options_.tolerance;
    if (!(gap_now <= share * report_.primal.objective())) return false;  // above any bound
    if (!(gap_now <= share * bound_now())) return false;
    // A mean that fell short gets some time.
    return !by_mean() || epochs_since_certificate_ >= kLeastEpochsBetweenMeans;
  }

  // D(a) as w tells it, but for the balance that a free bias asks for.
  double bound_now() const {
    const double gain = mean_over_rows([&](std::size_t i) {
      const double s = problem_.weight(i);
      return s > 0.0 ? s * loss_.gain(a_[i] / s, problem_.y[i]) : 0.0;
    });
    return gain - regulariser_of(problem_, {w_, bias()});
  }

  // Epochs still to come, if the gap goes on falling as it did between the last two certificates,
  // are more than another solver would take.
  bool hopeless() const {
    if (!options_.give_up_beyond) return false;
    const double gap = relative_gap();
    if (!(gap <= kSmallGap || report_.epoch >= kEpochsOfPatience)) return false;
    const double left = std::log(gap / std::max(options_.tolerance, kLeastTolerance));
    return left > progress_ * static_cast<double>(*options_.give_up_beyond);
  }

  double relative_gap() const {
    const double gap = report_.primal.objective() - *report_.dual;
    return *report_.dual > 0.0 ? std::max(0.0, gap) / *report_.dual
                               : std::numeric_limits<double>::infinity();
  }

  // Fresh passes: feasible duals, w true to them, bound and objective; the best of each are kept.
  // Where the mean, or a made balanced for a free bias, is another point than the ascent's, the
  // ascent goes on with its own.
  void certify() {
    const double gap_before = relative_gap();
    std::vector<double> a = by_mean() ? mean_.values() : a_;
    LinearPoint point;
    const double dual = evaluate_dual(problem_, a, pool_, &point).objective();
    if (!by_mean() && !problem_.has_free_bias()) {
      a_ = a;
      follow(point);
    }
    if (dual > report_.dual) {
      report_.dual = dual;
      best_a_ = std::move(a);
    }
    if (pull_ > 0.0) point.b = bias();  // nearer to the best one than that of the duals
    const double left = kShareOfBiasSearch * options_.tolerance * std::abs(*report_.dual);
    std::vector<double> z(m_);
    const PrimalValue primal = evaluate_primal_near_best_bias(problem_, point, left, z, pool_);
    const double point_bias = point.b;
    if (primal.objective() < report_.primal.objective()) {
      report_.primal = primal;
      best_point_ = std::move(point);
    }
    report_.norm = std::sqrt(2.0 * report_.primal.regulariser / problem_.lambda);
    const double progress =
        std::log(gap_before / relative_gap()) /
        static_cast<double>(std::max<std::uint64_t>(1, epochs_since_certificate_));
    // A few epochs say little: the objective swings.
    progress_ =
        epochs_since_certificate_ < kEpochsToJudge ? std::max(progress_, progress) : progress;
    epochs_since_certificate_ = 0;
    // At the bias of the ascent, where its steps would be, not at the best one for these weights:
    // or rows that only the one lets rest would never move again.
    const double shift = bias() - point_bias;
    wake([&](std::size_t i) { return z[i] + shift; });
  }

  const LinearProblem& problem_;
  const SdcaOptions& options_;
  Watched watch_;
  ThreadPool& pool_;
  LossType loss_;
  Rows rows_;
  std::size_t m_;
  double per_dual_;       // 1/(lambda m)
  double sigma_;          // 1 where all rows are here
  double share_of_bias_;  // likewise
  double q_of_bias_ = 0;  // of every row, where it is not part of q
  double B_;              // the constant feature of a bias, or 0
  double pull_ = 0;       // p, what the centre takes of b after an epoch
  double centre_ = 0;     // of the bias

  // One array a fact: memory is what the rows themselves leave over.
  std::vector<double> a_;
  std::vector<float> q_;             // (|x|^2 + B^2)/(lambda m)
  std::vector<std::uint8_t> rests_;  // 1: left out until it would move
  std::vector<RowId> active_;
  std::vector<double> w_;
  double w_bias_ = 0.0;

  TrainingReport report_;
  LinearPoint best_point_;      // of the lowest objective so far
  std::vector<double> best_a_;  // of the highest bound
  DualMean mean_;
  std::optional<JointStep<LossType>> joint_;  // of ranks
  std::uint64_t moves_ = 0;                   // of this epoch
  std::uint64_t epochs_since_certificate_ = 0;
  double progress_ = 0.0;  // how much the logarithm of the gap fell in an epoch, lately
};

}  // namespace

SolverResult train_sdca(const LinearProblem& problem, WarmStart start, const SdcaOptions& options,
                        const Watch& watch, ThreadPool& pool) {
  return with_loss(problem.loss, [&](const auto& loss) {
    return with_rows(
        problem.data,
        [&](const auto& rows) {
          return Ascent(problem, std::move(start), options, watch, pool, loss, rows).run();
        },
        Residency::Visits::in_windows);
  });
}

}  // namespace pegasos
