// What the table of the prototype's answers does not show: a pool without a matched attribute.

#include <string>
#include <utility>
#include <vector>

#include "devices/allocation/devices_testing.h"
#include "devices/allocation/original.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

Pool PoolOf(const std::string& name, Attributes attributes) {
  Pool pool;
  pool.name = name;
  pool.node = "n";
  pool.attributes = std::move(attributes);
  pool.count = 1;
  return pool;
}

// What the second pool of a set of two says; the claim wants two devices of one numa.
std::string FailureOfSecond(const Attributes& first, const Attributes& second) {
  const std::vector<Pool> pools = {PoolOf("p0", first), PoolOf("p1", second)};
  Detail detail;
  detail.min_count = 2;
  detail.match_attributes = {"numa"};
  Claim claim;
  claim.name = "c";
  claim.counts = true;
  claim.requests = {{{detail}}};
  const std::vector<Claim> claims = {claim};
  const auto nodes = OriginalResults(PointersTo(claims), PointersTo(pools), *MakeCelSelectors());
  EXPECT_TRUE(nodes.ok()) << nodes.status();
  const OriginalClaimResult& result = nodes->at(0).claims.at(0);
  return result.sets.at(2).pools.at(1).failure;
}

TEST(OriginalResults, OnlyAPoolWithTheAttributeCanDiffer) {
  constexpr const char* kFailed = "claim MatchAttributes constraint failed";
  const Attribute zero = {"numa", std::string("0")};
  const Attribute one = {"numa", std::string("1")};
  EXPECT_EQ(FailureOfSecond({zero}, {zero}), "");
  EXPECT_EQ(FailureOfSecond({zero}, {one}), kFailed);
  EXPECT_EQ(FailureOfSecond({zero}, {}), "");
  EXPECT_EQ(FailureOfSecond({}, {zero}), kFailed);
  EXPECT_EQ(FailureOfSecond({}, {}), "");
  // Of a name that is there twice the first pool's last one binds, and each of another pool's must
  // be equal.
  EXPECT_EQ(FailureOfSecond({one, zero}, {zero}), "");
  EXPECT_EQ(FailureOfSecond({zero}, {one, zero}), kFailed);
  // Without a value it equals nothing.
  const Attribute none = {"numa", {}};
  EXPECT_EQ(FailureOfSecond({none}, {none}), kFailed);
}

}  // namespace
}  // namespace outrigger::devices
