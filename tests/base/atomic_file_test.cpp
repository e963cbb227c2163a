#include "base/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pegasos/error.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

using testing::contents_of;
using testing::TemporaryFolder;

class AtomicFileTest : public ::testing::Test {
 protected:
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path(""))) {
      found.push_back(entry.path().filename().string());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  mode_t mode_of(const std::string& path) const {
    struct stat info = {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0);
    return info.st_mode & 07777;
  }

  TemporaryFolder folder_;
};

using Names = std::vector<std::string>;

// Runs in a process of its own, with limits that would hurt the others; returns its exit status.
int in_child(const std::function<int()>& body) {
  std::fflush(nullptr);  // what is buffered belongs to this process alone
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      ::_exit(body());
    } catch (...) {
      ::_exit(99);
    }
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void save(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

TEST_F(AtomicFileTest, AppearsWithItsContents) {
  const auto path = folder_.path("model");
  AtomicFile file(path);
  file.write("one ");
  file.write("two");
  EXPECT_EQ(file.bytes_written(), 7u);
  EXPECT_FALSE(std::filesystem::exists(path));
  file.flush();
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit();
  EXPECT_EQ(contents_of(path), "one two");
  EXPECT_EQ(names(), Names{"model"});
}

TEST_F(AtomicFileTest, KeepsPiecesOfAnySizeInOrder) {
  const auto path = folder_.path("model");
  std::string expected;
  {
    AtomicFile file(path);
    for (const std::size_t size :
         {1u, 200'000u, 0u, 262'144u, 100'000u, 262'145u, 1'000'000u, 3u}) {
      const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
      file.write(piece);
      expected += piece;
    }
    file.commit();
  }
  EXPECT_EQ(contents_of(path), expected);
}

TEST_F(AtomicFileTest, EmptyIsAFileToo) {
  save(folder_.path("empty"), "");
  EXPECT_EQ(contents_of(folder_.path("empty")), "");
}

TEST_F(AtomicFileTest, WithoutCommitTheOldFileStays) {
  const auto path = folder_.file("model", "old");
  {
    AtomicFile file(path);
    file.write(std::string(1'000'000, 'x'));
    EXPECT_EQ(contents_of(path), "old");
  }
  EXPECT_EQ(contents_of(path), "old");
  EXPECT_EQ(names(), Names{"model"});
}

TEST_F(AtomicFileTest, WithoutCommitNothingAppears) {
  { AtomicFile(folder_.path("model")).write("new"); }
  EXPECT_EQ(names(), Names{});
}

TEST_F(AtomicFileTest, AFullDiskCostsOnlyTheNewFile) {
  const auto path = folder_.file("model", "old");
  // Sizes below and above the buffer fail in commit and in write.
  for (const std::size_t size : {5'000u, 300'000u, 2'000'000u}) {
    const int status = in_child([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit = {4096, 4096};
      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 90;
      try {
        save(path, std::string(size, 'x'));
        return 91;
      } catch (const IoError& error) {
        return error.error_number() == EFBIG && error.path() == path ? 0 : 92;
      }
    });
    EXPECT_EQ(status, 0) << size << " bytes";
    EXPECT_EQ(contents_of(path), "old");
    EXPECT_EQ(names(), Names{"model"});
  }
}

TEST_F(AtomicFileTest, FullDeviceIsAnError) {
  for (const std::size_t size : {1u, 1'000'000u}) {
    try {
      save("/dev/full", std::string(size, 'x'));
      FAIL() << "writing to a full device succeeded";
    } catch (const IoError& error) {
      EXPECT_EQ(error.error_number(), ENOSPC);
      EXPECT_EQ(error.path(), "/dev/full");
    }
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(AtomicFileTest, DeviceIsWrittenThroughAndStays) {
  save("/dev/null", "gone");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(AtomicFileTest, PipeIsWrittenThrough) {
  const auto path = folder_.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  {
    AtomicFile file(path);
    file.write("line");
    file.flush();
    char text[8] = {};
    EXPECT_EQ(::read(reader, text, sizeof text), 4) << "flush did not deliver";
    EXPECT_STREQ(text, "line");
    file.commit();
  }
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST_F(AtomicFileTest, DashIsStandardOutputAndStaysOpen) {
  const auto path = folder_.path("stdout");
  const int status = in_child([&] {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
    if (::dup2(fd, STDOUT_FILENO) < 0) return 90;
    save("-", "one ");
    save("-", "two");
    return ::write(STDOUT_FILENO, ".", 1) == 1 ? 0 : 91;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contents_of(path), "one two.");
}

TEST_F(AtomicFileTest, NewFilesFollowTheMask) {
  const auto path = folder_.path("model");
  const int status = in_child([&] {
    ::umask(0027);
    save(path, "new");
    return ::umask(0) == 0027 ? 0 : 1;  // and the mask is left alone
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(mode_of(path), 0640u);
}

TEST_F(AtomicFileTest, KeepsPermissionsWhateverTheMask) {
  for (const mode_t mode : {0600u, 0644u, 0666u, 0664u, 0755u}) {
    const auto path = folder_.file("model", "old");
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    EXPECT_EQ(in_child([&] {
                ::umask(0077);
                save(path, "new");
                return 0;
              }),
              0);
    EXPECT_EQ(mode_of(path), mode);
    EXPECT_EQ(contents_of(path), "new");
  }
}

TEST_F(AtomicFileTest, KeepsSymbolicLinks) {
  std::filesystem::create_directory(folder_.path("deep"));
  folder_.file("deep/target", "old");
  std::filesystem::create_symlink("target", folder_.path("deep/inner"));
  std::filesystem::create_symlink("deep/inner", folder_.path("link"));
  save(folder_.path("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_.path("link")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_.path("deep/inner")));
  EXPECT_FALSE(std::filesystem::is_symlink(folder_.path("deep/target")));
  EXPECT_EQ(contents_of(folder_.path("deep/target")), "new");
}

TEST_F(AtomicFileTest, FollowsALinkToAFileYetToBe) {
  std::filesystem::create_symlink("future", folder_.path("link"));
  save(folder_.path("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_.path("link")));
  EXPECT_EQ(contents_of(folder_.path("future")), "new");
}

TEST_F(AtomicFileTest, RefusesLinksInACircle) {
  std::filesystem::create_symlink("b", folder_.path("a"));
  std::filesystem::create_symlink("a", folder_.path("b"));
  EXPECT_THROW(save(folder_.path("a"), "new"), IoError);
  EXPECT_EQ(names(), (Names{"a", "b"}));
}

TEST_F(AtomicFileTest, RefusesFoldersAndMissingFolders) {
  try {
    save(folder_.path(""), "new");
    FAIL();
  } catch (const IoError& error) {
    EXPECT_EQ(error.error_number(), EISDIR);
  }
  try {
    save(folder_.path("missing/model"), "new");
    FAIL();
  } catch (const IoError& error) {
    EXPECT_EQ(error.error_number(), ENOENT);
  }
}

// What a killed process leaves behind must not stop the next one that has its number.
TEST_F(AtomicFileTest, StaleTemporariesAreNoObstacle) {
  const auto path = folder_.path("model");
  const int status = in_child([&] {
    // The names the next attempts of this process would take.
    for (int i = 0; i < 1000; ++i) {
      folder_.file("model." + std::to_string(::getpid()) + "-" + std::to_string(i) + ".tmp", "x");
    }
    save(path, "new");
    return 0;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contents_of(path), "new");
}

TEST_F(AtomicFileTest, TwoWritersDoNotMix) {
  const auto path = folder_.path("model");
  AtomicFile a(path);
  AtomicFile b(path);
  a.write(std::string(300'000, 'a'));
  b.write(std::string(300'000, 'b'));
  a.commit();
  EXPECT_EQ(contents_of(path), std::string(300'000, 'a'));
  b.commit();
  EXPECT_EQ(contents_of(path), std::string(300'000, 'b'));
  EXPECT_EQ(names(), Names{"model"});
}

TEST_F(AtomicFileTest, RelativeNamesNeedNoFolder) {
  const int status = in_child([&] {
    if (::chdir(folder_.path("").c_str()) != 0) return 90;
    save("model", "new");
    return 0;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contents_of(folder_.path("model")), "new");
}

}  // namespace
}  // namespace pegasos
