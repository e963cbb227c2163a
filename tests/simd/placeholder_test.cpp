#include <gtest/gtest.h>
TEST(Placeholder, Compiles) {
  EXPECT_EQ(1, 1);
}
