#include "cel/values/network.h"

#include <gtest/gtest.h>

namespace outrigger::cel {
namespace {

TEST(Ip, ReadsBothFamilies) {
  EXPECT_EQ(ParseIp("10.0.0.1")->ToString(), "10.0.0.1");
  EXPECT_EQ(ParseIp("2001:DB8:0:0::1")->ToString(), "2001:db8::1");
  for (const char* wrong :
       {"", "10.0.0", "10.0.0.256", "01.2.3.4", "::ffff:1.2.3.4", "fe80::1%eth0", "g::"}) {
    EXPECT_FALSE(ParseIp(wrong)) << wrong;
  }
}

TEST(Ip, Kinds) {
  EXPECT_TRUE(ParseIp("127.1.2.3")->IsLoopback());
  EXPECT_TRUE(ParseIp("::1")->IsLoopback());
  EXPECT_TRUE(ParseIp("::")->IsUnspecified());
  EXPECT_TRUE(ParseIp("224.0.0.9")->IsLinkLocalMulticast());
  EXPECT_TRUE(ParseIp("ff02::1")->IsLinkLocalMulticast());
  EXPECT_TRUE(ParseIp("169.254.1.1")->IsLinkLocalUnicast());
  EXPECT_TRUE(ParseIp("8.8.8.8")->IsGlobalUnicast());
  EXPECT_FALSE(ParseIp("255.255.255.255")->IsGlobalUnicast());
  EXPECT_FALSE(ParseIp("224.1.1.1")->IsGlobalUnicast());
}

TEST(Cidr, ContainsAddressesAndPrefixes) {
  const Cidr ten = *ParseCidr("10.0.0.0/8");
  EXPECT_TRUE(ten.Contains(*ParseIp("10.255.0.1")));
  EXPECT_FALSE(ten.Contains(*ParseIp("11.0.0.1")));
  EXPECT_FALSE(ten.Contains(*ParseIp("::1")));
  EXPECT_TRUE(ten.Contains(*ParseCidr("10.1.0.0/16")));
  EXPECT_FALSE(ParseCidr("10.1.0.0/16")->Contains(ten));
  EXPECT_EQ(ParseCidr("10.1.2.3/16")->Masked().ToString(), "10.1.0.0/16");
  EXPECT_EQ(ParseCidr("2001:db8::1/32")->Masked().ToString(), "2001:db8::/32");
}

TEST(Cidr, WrongPrefixesAreRefused) {
  for (const char* wrong :
       {"10.0.0.0", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/", "::/129", "10.0.0.0/-1"}) {
    EXPECT_FALSE(ParseCidr(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace outrigger::cel
