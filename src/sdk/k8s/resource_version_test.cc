#include "outrigger/k8s/resource_version.h"

#include "gtest/gtest.h"

namespace outrigger {
namespace {

struct Versions {
  const char* name;
  const char* a;
  const char* b;
  bool older;
};
class ResourceVersions : public ::testing::TestWithParam<Versions> {};

TEST_P(ResourceVersions, Compare) {
  EXPECT_EQ(IsOlderVersion(GetParam().a, GetParam().b), GetParam().older);
}

const Versions kVersions[] = {
    {"Less", "41", "42", true},
    {"Equal", "42", "42", false},
    {"More", "43", "42", false},
    {"Shorter", "9", "10", true},
    {"Longer", "10", "9", false},
    {"BeyondSixtyFourBits", "99999999999999999998", "99999999999999999999", true},
    {"Zero", "0", "5", false},
    {"Empty", "", "5", false},
    {"EmptyNewer", "5", "", false},
    {"NotANumber", "5", "6x", false},
    {"LeadingZero", "05", "6", false},
};
INSTANTIATE_TEST_SUITE_P(K8s, ResourceVersions, ::testing::ValuesIn(kVersions),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger
