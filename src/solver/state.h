// Saving and resuming solvers. The bytes of a SolverState:
//
//   version   u32
//   kind      u32, the solver
//   identity  u64, XXH3 of the problem and of the options that determine the next step
//   solver    its members, as its archive() lists them
//   checksum  u64, XXH3 of everything before it
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/archive.h"
#include "certify/joint_objective.h"
#include "pegasos/kernel_problem.h"
#include "pegasos/pegasos_options.h"
#include "pegasos/problem.h"
#include "pegasos/solver_state.h"
#include "pegasos/watch.h"

namespace pegasos {

enum class StateKind : std::uint32_t {
  pegasos = 1,
  sdca = 9,  // 2 was without a mean of the duals, 8 counted visits without a move
  newton = 3,
  joint = 4,
  kernel_pegasos = 5,
  kernel_ascent = 7  // 6 was that of all rows at once
};

// A hash of the problem: its dimensions, labels, weights and parameters, but not the feature
// values.
std::uint64_t identity_of(const LinearProblem& problem);
std::uint64_t identity_of(const KernelProblem& problem);
std::uint64_t identity_of(const JointProblem& problem);
// Adds the Pegasos options that determine its steps. The number of epochs is one of them only for
// the average over the second half of the epochs.
std::uint64_t identity_of(std::uint64_t problem, const PegasosOptions& options);
// A hash of values written by an ArchiveWriter.
std::uint64_t identity_of(std::string_view facts);

// The solver that wrote the state. Throws InvalidOption if the bytes are not a valid state.
StateKind kind_of(const SolverState& state);

// The bytes of the solver itself, after all checks. Throws InvalidOption.
std::string_view opened(const SolverState& state, StateKind kind, std::uint64_t identity);
// What comes before the bytes of a solver, and after them. States are as large as what the solver
// keeps for its rows, so they are written in place.
inline constexpr std::size_t kBytesAroundState = 64;  // at most
ArchiveWriter begun_state(StateKind kind, std::uint64_t identity, std::size_t room);
SolverState sealed(ArchiveWriter writer);
[[noreturn]] void refuse_state(const std::string& why);

// Of a solver and what else it keeps.
template <typename... Parts>
SolverState save_state(StateKind kind, std::uint64_t identity, Parts&... parts) {
  const std::size_t size = ArchiveWriter::size_of(parts...);
  ArchiveWriter writer = begun_state(kind, identity, size + kBytesAroundState);
  writer(parts...);
  return sealed(std::move(writer));
}

template <typename Solver>
void load_state(const SolverState& state, StateKind kind, std::uint64_t identity, Solver& solver) {
  ArchiveReader reader(opened(state, kind, identity));
  try {
    solver.archive(reader);
  } catch (const InvalidOption&) {
    throw;
  } catch (const Error& error) {
    refuse_state(error.what());
  }
  if (!reader.at_end()) refuse_state("it is too long");
}

// ---- public value types ----

template <typename Archive>
void archive(Archive& a, LinearPoint& point) {
  a(point.w, point.b);
}

template <typename Archive>
void archive(Archive& a, JointPoint& point) {
  a(point.w, point.b);
}

template <typename Archive>
void archive(Archive& a, Certificate& certificate) {
  a(certificate.primal, certificate.dual, certificate.regulariser, certificate.mean_loss,
    certificate.wrong);
}

template <typename Archive>
void archive(Archive& a, PrimalValue& value) {
  a(value.regulariser, value.mean_loss, value.wrong);
}

template <typename Archive>
void archive(Archive& a, LemmaReport& lemma) {
  a(lemma.largest_gradient, lemma.bound, lemma.tight_bound, lemma.mean_objective);
}

template <typename Archive>
void archive(Archive& a, KernelWork& work) {
  a(work.blocks, work.support_vectors, work.bounded, work.rows_used, work.rows_computed,
    work.recomputed);
}

// Without the index of the classifier, which the caller knows.
template <typename Archive>
void archive(Archive& a, TrainingReport& report) {
  a(report.solver, report.epoch, report.steps, report.rows_seen, report.violations,
    report.all_violations, report.primal, report.dual, report.norm, report.lemma, report.kernel);
}

}  // namespace pegasos
