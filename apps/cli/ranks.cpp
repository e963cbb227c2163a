#include "ranks.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "base/cores.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

// The first of these variables that is set to a number.
std::optional<int> number_in_environment(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    const std::string_view digits(text);
    int value = 0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (problem == std::errc() && end == digits.data() + digits.size()) return value;
  }
  return std::nullopt;
}

struct Launch {
  int rank = 0;
  int size = 1;
  int on_this_host = 1;
};

// Open MPI, MPICH and Intel MPI, and Slurm's own launcher.
Launch launch_of_environment() {
  Launch launch;
  launch.size = number_in_environment({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}).value_or(1);
  launch.rank = number_in_environment({"OMPI_COMM_WORLD_RANK", "PMI_RANK"}).value_or(0);
  launch.on_this_host =
      number_in_environment({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}).value_or(1);
  const bool slurm = std::getenv("SLURM_STEP_ID") != nullptr && launch.size == 1;
  if (slurm) {
    launch.size = number_in_environment({"SLURM_STEP_NUM_TASKS"}).value_or(1);
    launch.rank = number_in_environment({"SLURM_PROCID"}).value_or(0);
  }
  return launch;
}

// Beside the program, or where an installation has it; "" where it is not.
std::string library_called(const std::string& name) {
  std::error_code failed;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  for (const auto& place : {folder / name, folder.parent_path() / "lib" / "pegasos" / name}) {
    if (std::filesystem::exists(place, failed)) return place.string();
  }
  return "";
}

// The one for the MPI whose launcher has started this process.
std::string mpi_library() {
  if (const char* named = std::getenv("PEGASOS_MPI")) return named;
  const bool like_mpich =
      std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr && std::getenv("PMI_SIZE") != nullptr;
  const std::string mpich = like_mpich ? library_called("libpegasos_mpich.so") : "";
  return mpich.empty() ? library_called("libpegasos_mpi.so") : mpich;
}

}  // namespace

bool join_ranks(const Program& program, Session& session) {
  const Launch launch = launch_of_environment();
  if (launch.size <= 1) return true;
  // Open MPI hands on what ranks write through a terminal of its own, also into a file or a pipe.
  ::setenv("TERM", "dumb", 1);
  if (!program.divides_rows()) return launch.rank == 0;
  const std::string library = mpi_library();
  if (!std::filesystem::exists(library)) {
    throw UsageError(
        "this pegasos was built without MPI",
        "install an MPI (scripts/setup mpi) and build again, or run it without mpirun");
  }
  session.ranks = load_mpi(library);
  session.quiet = session.quiet || session.ranks->rank() > 0;
  session.json = session.json && session.ranks->rank() == 0;
  // Unless the launcher has bound ranks to cores, those of a host share them.
  if (session.threads == 0) {
    session.threads = std::max(1, available_cores() / std::max(1, launch.on_this_host));
  }
  return true;
}

bool on_any_rank(const Session& session, bool here) {
  double anywhere = here ? 1.0 : 0.0;
  if (session.ranks) session.ranks->sum({&anywhere, 1});
  return anywhere > 0.0;
}

void end_other_ranks(const Session& session, int exit_code) {
  if (session.ranks) session.ranks->end_all(exit_code);
}

}  // namespace pegasos::cli
