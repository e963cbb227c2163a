#include "base/cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/cgroup.h"

namespace pegasos {
namespace {

int cores_of(double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return 0;
  // A quota of 1.5 cores keeps two threads busy three quarters of the time; rounding up wins.
  constexpr double kMost = 1e6;
  return static_cast<int>(std::clamp(std::ceil(quota / period), 1.0, kMost));
}

// The tightest limit from the process's own group up to the root.
int cgroup_limit() {
  int limit = 0;
  visit_cgroups("cpu", [&limit](CgroupVersion version, const std::string& folder) {
    const int cores = version == CgroupVersion::v2
                          ? cores_of_cgroup_v2(file_contents(folder + "/cpu.max"))
                          : cores_of_cgroup_v1(file_contents(folder + "/cpu.cfs_quota_us"),
                                               file_contents(folder + "/cpu.cfs_period_us"));
    if (cores > 0 && (limit == 0 || cores < limit)) limit = cores;
  });
  return limit;
}

}  // namespace

int cores_of_cgroup_v2(const std::string& cpu_max) {
  std::istringstream in(cpu_max);
  double quota = 0;
  double period = 0;
  if (!(in >> quota >> period)) return 0;  // "max 100000": unlimited
  return cores_of(quota, period);
}

int cores_of_cgroup_v1(const std::string& quota_us, const std::string& period_us) {
  std::istringstream quota_in(quota_us);
  std::istringstream period_in(period_us);
  double quota = 0;
  double period = 0;
  if (!(quota_in >> quota) || !(period_in >> period)) return 0;
  return cores_of(quota, period);
}

int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cores = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  // A dozen small files of the system, half a millisecond: read once.
  static const int limit = cgroup_limit();
  if (limit > 0) cores = std::min(cores, limit);
  return std::max(1, cores);
}

}  // namespace pegasos
