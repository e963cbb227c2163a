#include "base/cgroup.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pegasos {
namespace {

std::vector<std::string> visited(const char* groups, const char* controller) {
  std::vector<std::string> folders;
  visit_cgroups(groups, controller, [&](CgroupVersion version, const std::string& folder) {
    folders.push_back((version == CgroupVersion::v2 ? "2 " : "1 ") + folder);
  });
  return folders;
}

TEST(Cgroup, WalksFromTheInnermostGroupToTheRoot) {
  EXPECT_EQ(visited("0::/user/shell\n", "memory"),
            (std::vector<std::string>{"2 /sys/fs/cgroup/user/shell", "2 /sys/fs/cgroup/user",
                                      "2 /sys/fs/cgroup"}));
  EXPECT_EQ(visited("0::/\n", "cpu"),
            (std::vector<std::string>{"2 /sys/fs/cgroup/", "2 /sys/fs/cgroup"}));
}

TEST(Cgroup, FindsAControllerAmongSeveral) {
  const char* groups = "4:memory:/a\n3:cpu,cpuacct:/b\n2:cpuset:/c\n1:name=systemd:/d\n";
  EXPECT_EQ(visited(groups, "cpu"),
            (std::vector<std::string>{"1 /sys/fs/cgroup/cpu/b", "1 /sys/fs/cgroup/cpu"}));
  EXPECT_EQ(visited(groups, "memory"),
            (std::vector<std::string>{"1 /sys/fs/cgroup/memory/a", "1 /sys/fs/cgroup/memory"}));
}

TEST(Cgroup, NonsenseIsNoGroup) {
  EXPECT_TRUE(visited("", "cpu").empty());
  EXPECT_TRUE(visited("nothing here\n1:cpu\n", "cpu").empty());
  EXPECT_EQ(file_contents("/no/such/file"), "");
}

}  // namespace
}  // namespace pegasos
