#include "kube/resource.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kube_testing.h"
#include "sdk/base/url.h"

namespace outrigger::kube {
namespace {

using ::testing::HasSubstr;

TEST(PathOf, NamesCollectionsObjectsAndSubresources) {
  EXPECT_EQ(PathOf(kNodes), "/api/v1/nodes");
  EXPECT_EQ(PathOf(kNodes, "", "a", "status"), "/api/v1/nodes/a/status");
  EXPECT_EQ(PathOf(kPods), "/api/v1/pods");
  EXPECT_EQ(PathOf(kPods, "shop"), "/api/v1/namespaces/shop/pods");
  EXPECT_EQ(PathOf(kPods, "shop", "web-1", "binding"),
            "/api/v1/namespaces/shop/pods/web-1/binding");
  EXPECT_EQ(PathOf(kLeases, "x", "y"), "/apis/coordination.k8s.io/v1/namespaces/x/leases/y");
}

TEST(PathOf, LetsNoNameLeaveItsPlace) {
  EXPECT_EQ(PathOf(kPods, "a/../b", "?c#", "d e"),
            "/api/v1/namespaces/a%2F..%2Fb/pods/%3Fc%23/d%20e");
}

TEST(QueryText, EscapesNamesAndValues) {
  EXPECT_EQ(QueryText({}), "");
  EXPECT_EQ(QueryText({{"a", "b c"}, {"d&", "\xc3\xa9"}}), "?a=b%20c&d%26=%C3%A9");
}

TEST(ParseUrl, TakesServers) {
  const auto plain = ParseUrl("HTTPS://api.example.com");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->scheme, "https");
  EXPECT_EQ(plain->Authority(), "api.example.com:443");
  const auto full = ParseUrl("https://[fd00::1]:6443/a/b//");
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full->host, "fd00::1");
  EXPECT_EQ(full->Authority(), "[fd00::1]:6443");
  EXPECT_EQ(full->path, "/a/b");
}

TEST(ParseUrl, RefusesOthersWithoutShowingThem) {
  for (const char* text :
       {"", "api", "api:6443", "https://", "https://:443", "https://a:0", "https://a:65536",
        "https://a:x", "https://a:", "https://user:secret@a", "https://a b", "https://a/b c",
        "https://a?x=secret", "https://a#b", "https://[::1", "https://[a]", "https://a\nb"}) {
    const auto url = ParseUrl(text);
    EXPECT_FALSE(url.ok()) << text;
    EXPECT_THAT(Text(url.status()), ::testing::Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace outrigger::kube
