// The control groups (v1 and v2) that a process is in, from its own up to the root.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace pegasos {

enum class CgroupVersion { v1, v2 };

// Calls `visit` with the folder of every group that limits what the controller ("cpu", "memory")
// hands out, the innermost first.
void visit_cgroups(std::string_view controller,
                   const std::function<void(CgroupVersion, const std::string& folder)>& visit);

// The same for the contents of /proc/self/cgroup, for tests.
void visit_cgroups(std::string_view proc_self_cgroup, std::string_view controller,
                   const std::function<void(CgroupVersion, const std::string& folder)>& visit);

// A small file of the system; "" if it cannot be read.
std::string file_contents(const std::string& path);

}  // namespace pegasos
