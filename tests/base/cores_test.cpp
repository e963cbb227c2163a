#include "base/cores.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pegasos {
namespace {

TEST(Cores, ReadsCgroupV2) {
  EXPECT_EQ(cores_of_cgroup_v2("max 100000\n"), 0);
  EXPECT_EQ(cores_of_cgroup_v2("200000 100000\n"), 2);
  EXPECT_EQ(cores_of_cgroup_v2("150000 100000\n"), 2);
  EXPECT_EQ(cores_of_cgroup_v2("100000 100000"), 1);
  EXPECT_EQ(cores_of_cgroup_v2("100001 100000"), 2);
  EXPECT_EQ(cores_of_cgroup_v2("10000 100000"), 1);
  EXPECT_EQ(cores_of_cgroup_v2("6400000 100000"), 64);
}

TEST(Cores, ReadsCgroupV1) {
  EXPECT_EQ(cores_of_cgroup_v1("-1\n", "100000\n"), 0);
  EXPECT_EQ(cores_of_cgroup_v1("200000\n", "100000\n"), 2);
  EXPECT_EQ(cores_of_cgroup_v1("250000\n", "100000\n"), 3);
  EXPECT_EQ(cores_of_cgroup_v1("5000\n", "100000\n"), 1);
}

TEST(Cores, NonsenseIsNoLimit) {
  EXPECT_EQ(cores_of_cgroup_v2(""), 0);
  EXPECT_EQ(cores_of_cgroup_v2("100000"), 0);
  EXPECT_EQ(cores_of_cgroup_v2("many 100000"), 0);
  EXPECT_EQ(cores_of_cgroup_v2("100000 0"), 0);
  EXPECT_EQ(cores_of_cgroup_v2("-5 100000"), 0);
  EXPECT_EQ(cores_of_cgroup_v1("", ""), 0);
  EXPECT_EQ(cores_of_cgroup_v1("100000", ""), 0);
  EXPECT_EQ(cores_of_cgroup_v1("0", "100000"), 0);
  EXPECT_GT(cores_of_cgroup_v2("9223372036854775807 1"), 1000);  // no overflow to a small number
}

TEST(Cores, AreBetweenOneAndTheAffinity) {
  cpu_set_t set;
  CPU_ZERO(&set);
  ASSERT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_GE(available_cores(), 1);
  EXPECT_LE(available_cores(), CPU_COUNT(&set));
}

TEST(Cores, FollowTheAffinity) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0) ::_exit(99);
    int first = 0;
    while (!CPU_ISSET(first, &set)) ++first;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    if (::sched_setaffinity(0, sizeof set, &set) != 0) ::_exit(98);
    ::_exit(available_cores());
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

}  // namespace
}  // namespace pegasos
