#include "base/cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

namespace pegasos {
namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

int cores_of(double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return 0;
  // A quota of 1.5 cores keeps two threads busy three quarters of the time; rounding up wins.
  constexpr double kMost = 1e6;
  return static_cast<int>(std::clamp(std::ceil(quota / period), 1.0, kMost));
}

// The tightest limit from the process's own group up to the root.
int cgroup_limit() {
  int limit = 0;
  const auto tighten = [&limit](int cores) {
    if (cores > 0 && (limit == 0 || cores < limit)) limit = cores;
  };
  std::ifstream groups("/proc/self/cgroup");
  for (std::string entry; std::getline(groups, entry);) {
    const auto first = entry.find(':');
    const auto second = first == std::string::npos ? first : entry.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = entry.substr(first + 1, second - first - 1);
    const bool v2 = controllers.empty();
    if (!v2 && controllers.find("cpu") == std::string::npos) continue;
    std::string group = entry.substr(second + 1);
    for (;;) {
      if (v2) {
        tighten(cores_of_cgroup_v2(contents("/sys/fs/cgroup" + group + "/cpu.max")));
      } else {
        const std::string folder = "/sys/fs/cgroup/cpu" + group;
        tighten(cores_of_cgroup_v1(contents(folder + "/cpu.cfs_quota_us"),
                                   contents(folder + "/cpu.cfs_period_us")));
      }
      const auto slash = group.rfind('/');
      if (slash == std::string::npos || group.empty()) break;
      group.resize(slash);
    }
  }
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
