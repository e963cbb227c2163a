#include "solver/state.h"

#include <xxhash.h>

#include <cstring>

#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::uint32_t kVersion = 2;

struct Header {
  std::uint32_t version;
  StateKind kind;
  std::uint64_t identity;
};
static_assert(sizeof(Header) == 16);

template <typename T>
std::uint64_t hash_of(std::span<const T> values) {
  return XXH3_64bits(values.data(), values.size_bytes());
}

std::uint64_t hash_of_options(const LossOptions& loss) {
  ArchiveWriter facts;
  facts(loss.loss, loss.epsilon, loss.delta);
  return identity_of(std::move(facts).bytes());
}

// Dimensions, labels and weights.
template <typename Problem, typename Label>
std::uint64_t hash_of_data(const Problem& problem, std::span<const Label> y) {
  const std::uint64_t rows = problem.rows();
  const std::uint64_t features = problem.data.features();
  const std::uint64_t non_zeros = problem.data.non_zeros();
  const std::uint64_t total = problem.total_rows;
  const std::uint64_t labels = hash_of(y);
  const std::uint64_t weights = hash_of(problem.weights);
  const std::uint64_t window = problem.data.is_paged() ? problem.data.rows_at_a_time() : 0;
  ArchiveWriter facts;
  facts(rows, features, non_zeros, total, labels, weights);
  if (window > 0) facts(window);  // the order of visits depends on it
  return identity_of(std::move(facts).bytes());
}

Header header_of(const SolverState& state) {
  const std::string_view bytes = state.bytes;
  std::uint64_t checksum = 0;
  if (bytes.size() < sizeof(Header) + sizeof checksum) refuse_state("it is too short");
  const std::string_view covered = bytes.substr(0, bytes.size() - sizeof checksum);
  std::memcpy(&checksum, bytes.data() + covered.size(), sizeof checksum);
  if (identity_of(covered) != checksum) refuse_state("it is damaged");
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != kVersion) refuse_state("it was written by another version of the library");
  return header;
}

}  // namespace

void refuse_state(const std::string& why) {
  throw InvalidOption("state", "cannot be resumed: " + why);
}

std::uint64_t identity_of(std::string_view facts) {
  return XXH3_64bits(facts.data(), facts.size());
}

std::uint64_t identity_of(const LinearProblem& problem) {
  const std::uint64_t data = hash_of_data(problem, problem.y);
  const std::uint64_t loss = hash_of_options(problem.loss);
  ArchiveWriter facts;
  facts(data, loss, problem.lambda, problem.bias, problem.bias_feature);
  return identity_of(std::move(facts).bytes());
}

std::uint64_t identity_of(const KernelProblem& problem) {
  const std::uint64_t data = hash_of_data(problem, problem.y);
  const std::uint64_t loss = hash_of_options(problem.loss);
  const KernelOptions& kernel = problem.kernel;
  ArchiveWriter facts;
  facts(data, loss, problem.lambda, problem.bias, kernel.kind, kernel.gamma, kernel.coef0,
        kernel.degree);
  return identity_of(std::move(facts).bytes());
}

std::uint64_t identity_of(const JointProblem& problem) {
  const std::uint64_t data = hash_of_data(problem, problem.y);
  const std::uint64_t classes = problem.classes;
  ArchiveWriter facts;
  facts(data, classes, problem.lambda, problem.bias_feature);
  return identity_of(std::move(facts).bytes());
}

std::uint64_t identity_of(std::uint64_t problem, const PegasosOptions& options) {
  const std::uint64_t epochs = options.average == Average::suffix ? options.epochs : 0;
  const bool has_offset = options.step_offset.has_value();
  const double offset = options.step_offset.value_or(0.0);
  ArchiveWriter facts;
  facts(problem, options.batch, options.project, options.sampling, options.average, epochs,
        options.seed, options.measure_gradients, has_offset, offset);
  return identity_of(std::move(facts).bytes());
}

StateKind kind_of(const SolverState& state) {
  return header_of(state).kind;
}

std::string_view opened(const SolverState& state, StateKind kind, std::uint64_t identity) {
  const Header header = header_of(state);
  if (header.kind != kind) refuse_state("it belongs to another solver");
  if (header.identity != identity)
    refuse_state("it belongs to another problem or to different options");
  return std::string_view(state.bytes)
      .substr(sizeof(Header), state.bytes.size() - sizeof(Header) - sizeof(std::uint64_t));
}

ArchiveWriter begun_state(StateKind kind, std::uint64_t identity, std::size_t room) {
  static_assert(sizeof(Header) + sizeof(std::uint64_t) <= kBytesAroundState);
  const Header header{kVersion, kind, identity};
  return {{reinterpret_cast<const char*>(&header), sizeof header}, room};
}

SolverState sealed(ArchiveWriter writer) {
  SolverState state = {std::move(writer).bytes()};
  const std::uint64_t checksum = identity_of(state.bytes);
  state.bytes.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  return state;
}

}  // namespace pegasos
