#include "cel/values/semver.h"

#include <gtest/gtest.h>

#include <array>

namespace outrigger::cel {
namespace {

// semver.org 2.0.0, item 11.
TEST(Semver, Precedence) {
  static constexpr std::array<std::string_view, 10> kAscending = {
      "1.0.0-1",    "1.0.0-alpha",  "1.0.0-alpha.1", "1.0.0-alpha.beta",
      "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",
      "1.0.0",      "1.0.10"};
  for (size_t i = 0; i < kAscending.size(); ++i) {
    for (size_t j = 0; j < kAscending.size(); ++j) {
      EXPECT_EQ(CompareSemver(*ParseSemver(kAscending[i]), *ParseSemver(kAscending[j])), i <=> j)
          << kAscending[i] << " and " << kAscending[j];
    }
  }
  EXPECT_TRUE(std::is_eq(CompareSemver(*ParseSemver("1.0.0+a"), *ParseSemver("1.0.0+b"))));
}

TEST(Semver, OnlyStrictVersionsAreRead) {
  for (const char* wrong :
       {"", "1", "1.0", "v1.0.0", "01.0.0", "1.0.0-", "1.0.0-01", "1.0.0+", "1.0.0-a..b", "1.0.0 ",
        "1.0.0-é", "99999999999999999999.0.0", "1.0.-1"}) {
    std::string_view why;
    EXPECT_FALSE(ParseSemver(wrong, &why)) << wrong;
    EXPECT_FALSE(why.empty()) << wrong;
  }
  EXPECT_EQ(ParseSemver("1.2.3-rc.1+b.2")->ToString(), "1.2.3-rc.1+b.2");
}

TEST(Semver, NormalisedVersions) {
  EXPECT_EQ(NormalisedSemver("v1"), "1.0.0");
  EXPECT_EQ(NormalisedSemver("01.02"), "1.2.0");
  EXPECT_EQ(NormalisedSemver("1.0.00-rc"), "1.0.0-rc");
  EXPECT_FALSE(ParseSemver(NormalisedSemver("1.2-rc")));
}

}  // namespace
}  // namespace outrigger::cel
