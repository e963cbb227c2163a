#include "base/cgroup.h"

#include <fstream>
#include <iterator>
#include <sstream>

namespace pegasos {
namespace {

// "cpu,cpuacct" names two controllers.
bool names(const std::string& controllers, std::string_view wanted) {
  std::istringstream in(controllers);
  for (std::string one; std::getline(in, one, ',');) {
    if (one == wanted) return true;
  }
  return false;
}

}  // namespace

std::string file_contents(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void visit_cgroups(std::string_view proc_self_cgroup, std::string_view controller,
                   const std::function<void(CgroupVersion, const std::string& folder)>& visit) {
  std::istringstream groups{std::string(proc_self_cgroup)};
  for (std::string entry; std::getline(groups, entry);) {
    const auto first = entry.find(':');
    const auto second = first == std::string::npos ? first : entry.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = entry.substr(first + 1, second - first - 1);
    const bool v2 = controllers.empty();
    if (!v2 && !names(controllers, controller)) continue;
    const std::string root = v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + std::string(controller);
    std::string group = entry.substr(second + 1);
    for (;;) {
      visit(v2 ? CgroupVersion::v2 : CgroupVersion::v1, root + group);
      const auto slash = group.rfind('/');
      if (slash == std::string::npos || group.empty()) break;
      group.resize(slash);
    }
  }
}

void visit_cgroups(std::string_view controller,
                   const std::function<void(CgroupVersion, const std::string& folder)>& visit) {
  visit_cgroups(file_contents("/proc/self/cgroup"), controller, visit);
}

}  // namespace pegasos
