#include "cli/serve/descriptors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;

class DescriptorLimit : public ::testing::Test {
 protected:
  DescriptorLimit() { ::getrlimit(RLIMIT_NOFILE, &before_); }
  ~DescriptorLimit() override { ::setrlimit(RLIMIT_NOFILE, &before_); }
  static rlim_t Current() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
  }
  void LowerTo(rlim_t current) const {
    const rlimit lower{current, before_.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &lower), 0);
  }
  rlimit before_{};
};

TEST_F(DescriptorLimit, IsRaisedAsFarAsItIsWanted) {
  LowerTo(100);
  EXPECT_EQ(RaiseDescriptorLimit(200), "");
  EXPECT_EQ(Current(), 200U);
}

TEST_F(DescriptorLimit, IsNeverLowered) {
  LowerTo(300);
  EXPECT_EQ(RaiseDescriptorLimit(200), "");
  EXPECT_EQ(Current(), 300U);
}

TEST_F(DescriptorLimit, ThatCannotBeReachedIsRaisedAsFarAsItMayAndSaidSo) {
  const size_t wanted = before_.rlim_max + 1;
  EXPECT_THAT(RaiseDescriptorLimit(wanted), HasSubstr("--max-waiting-binds"));
  EXPECT_EQ(Current(), before_.rlim_max);
}

}  // namespace
}  // namespace outrigger::cli
