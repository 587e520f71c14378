#include "sdk/base/url.h"

#include <gtest/gtest.h>

namespace outrigger {
namespace {

struct GoodRow {
  std::string name, text, scheme, authority, path;
};
class GoodUrl : public ::testing::TestWithParam<GoodRow> {};

TEST_P(GoodUrl, IsTakenApart) {
  const auto url = ParseUrl(GetParam().text);
  ASSERT_TRUE(url.ok()) << url.status();
  EXPECT_EQ(url->scheme, GetParam().scheme);
  EXPECT_EQ(url->Authority(), GetParam().authority);
  EXPECT_EQ(url->path, GetParam().path);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, GoodUrl,
    ::testing::Values(GoodRow{"Https", "https://api.example.com", "https", "api.example.com:443",
                              ""},
                      GoodRow{"HttpPort", "http://10.0.0.1:80/", "http", "10.0.0.1:80", ""},
                      GoodRow{"Upper", "HTTPS://a:1/b/", "https", "a:1", "/b"},
                      GoodRow{"V6", "https://[::1]:6443/k", "https", "[::1]:6443", "/k"},
                      GoodRow{"Socks", "socks5://proxy", "socks5", "proxy:1080", ""}),
    [](const auto& row) { return row.param.name; });

struct BadRow {
  std::string name, text, error;
};
class BadUrl : public ::testing::TestWithParam<BadRow> {};

TEST_P(BadUrl, SaysWhatIsWrongWithoutQuotingIt) {
  EXPECT_EQ(ParseUrl(GetParam().text).status(), absl::InvalidArgumentError(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadUrl,
    ::testing::Values(
        BadRow{"NoScheme", "10.0.0.1:80", "no scheme such as https:// in it"},
        BadRow{"Password", "https://me:secret@a", "a URL with a user name or password in it"},
        BadRow{"NoHost", "https://:80", "no host"},
        BadRow{"OpenBracket", "https://[::1", "'[' without ']'"},
        BadRow{"PortZero", "https://a:0", "a port is a number from 1 to 65535"},
        BadRow{"PortTooLarge", "https://a:65536", "a port is a number from 1 to 65535"},
        BadRow{"Query", "https://a/b?c",
               "a path has no blanks, control bytes, queries or fragments"},
        BadRow{"Blank", "https://a b", "a host has letters, digits, '-', '.' and '_' only"}),
    [](const auto& row) { return row.param.name; });

TEST(Escape, KeepsLettersDigitsAndFourMarks) {
  EXPECT_EQ(Escape("aZ9-._~"), "aZ9-._~");
  EXPECT_EQ(Escape("a/b c\xff"), "a%2Fb%20c%FF");
  EXPECT_EQ(QueryText({{"a", "b=c"}, {"d", ""}}), "?a=b%3Dc&d=");
  EXPECT_EQ(QueryText({}), "");
}

TEST(HostAndPort, PutsAddressesWithColonsInBrackets) {
  EXPECT_EQ(HostAndPort("127.0.0.1", 80), "127.0.0.1:80");
  EXPECT_EQ(HostAndPort("localhost", 80), "localhost:80");
  EXPECT_EQ(HostAndPort("::", 5401), "[::]:5401");
}

TEST(Loopback, IsKnownByNameAndNumber) {
  for (const char* host : {"localhost", "::1", "127.0.0.1", "127.8.9.10"}) {
    EXPECT_TRUE(IsLoopback(host)) << host;
  }
  for (const char* host : {"127.example.com", "10.0.0.1", "::2", ""}) {
    EXPECT_FALSE(IsLoopback(host)) << host;
  }
}

}  // namespace
}  // namespace outrigger
