#include "outrigger/k8s/label_syntax.h"

#include <gtest/gtest.h>

#include <string>

namespace outrigger {
namespace {

TEST(NamesOfObjects, AreSubdomainsAndLabelsOfDns) {
  for (const char* name : {"a", "outrigger-reward", "0a", "a--b"}) {
    EXPECT_TRUE(IsDnsSubdomain(name) && IsDnsLabel(name)) << name;
  }
  for (const char* name :
       {"", "-a", "a-", "A", "a_b", "a/b", "a b", "ü", ".a", "a.", "a..b", "a.-b"}) {
    EXPECT_FALSE(IsDnsSubdomain(name) || IsDnsLabel(name)) << name;
  }
  EXPECT_TRUE(IsDnsSubdomain("a.b-c.d") && !IsDnsLabel("a.b-c.d"));
  EXPECT_TRUE(IsDnsLabel(std::string(63, 'a')) && !IsDnsLabel(std::string(64, 'a')));
  EXPECT_TRUE(IsDnsSubdomain(std::string(253, 'a')) && !IsDnsSubdomain(std::string(254, 'a')));
}

}  // namespace
}  // namespace outrigger
