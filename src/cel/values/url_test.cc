#include "cel/values/url.h"

#include <gtest/gtest.h>

namespace outrigger::cel {
namespace {

TEST(Url, HasParts) {
  const auto url = ParseUrl("https://user@example.com:80/a%20b?x=1&x=2#end");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->host, "example.com:80");
  EXPECT_EQ(url->Hostname(), "example.com");
  EXPECT_EQ(url->Port(), "80");
  EXPECT_EQ(url->path, "/a%20b");
  EXPECT_EQ(url->query, "x=1&x=2");
  EXPECT_EQ(ParseUrl("http://[::1]:8080/")->Hostname(), "::1");
  EXPECT_EQ(ParseUrl("/path?q")->path, "/path");
}

TEST(Url, OthersAreRefused) {
  for (const char* wrong :
       {"", "example.com", "1http://x/", "http://a:b/", "http://a/%zz", "a b", "http://x\n/"}) {
    EXPECT_FALSE(ParseUrl(wrong)) << wrong;
  }
}

TEST(Url, QueriesAreUnescaped) {
  const auto parts = QueryParts("a=1&b=%41+c&&d;e=1&bad=%z");
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[1].second, "A c");
}

}  // namespace
}  // namespace outrigger::cel
