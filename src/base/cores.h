// How many threads this process can really run at once.
#pragma once

#include <string>

namespace pegasos {

// Cores by CPU affinity, reduced to the quota of the control group (v1 or v2) the process is in; a
// container given two cores of sixty-four gets 2. At least 1.
int available_cores();

// The quota part, from the two files' contents, for tests: "max 100000" or "200000 100000" (v2
// cpu.max); -1 or 200000 with 100000 (v1 cfs_quota_us, cfs_period_us). 0 means no limit.
int cores_of_cgroup_v2(const std::string& cpu_max);
int cores_of_cgroup_v1(const std::string& quota_us, const std::string& period_us);

}  // namespace pegasos
