// What claims hold, by two sources that never agree for long.
#include "store/ledger.h"

#include "gmock/gmock.h"

namespace outrigger::devices::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Quantity Gigabytes(int64_t count) {
  return Quantity::FromInt(count * 1'000'000'000);
}

Allocation Counted(const std::string& pool, int64_t count) {
  Allocation one;
  one.pool = pool;
  one.count = count;
  return one;
}

Allocation Named(const std::string& pool, const std::string& device, Amounts amounts = {}) {
  Allocation one;
  one.pool = pool;
  one.device = device;
  one.amounts = std::move(amounts);
  return one;
}

TEST(DevicesUnion, NeverLessThanEitherSource) {
  struct Row {
    std::string name;
    std::vector<Allocation> a, b, expected;
  };
  const Amounts two = {{"memory", Gigabytes(2)}};
  const Amounts three = {{"memory", Gigabytes(3)}, {"cores", Quantity::FromInt(1)}};
  const Row rows[] = {
      {"the same in both counts once", {Counted("p", 2)}, {Counted("p", 2)}, {Counted("p", 2)}},
      {"the larger count", {Counted("p", 1)}, {Counted("p", 3)}, {Counted("p", 3)}},
      {"parts of one source add up",
       {Counted("p", 1), Counted("p", 2)},
       {Counted("p", 2)},
       {Counted("p", 3)}},
      {"a count that was edited by hand", {Counted("p", -2)}, {}, {}},
      {"different devices",
       {Named("p", "a")},
       {Named("p", "b")},
       {Named("p", "a"), Named("p", "b")}},
      {"different pools", {Counted("p", 1)}, {Counted("q", 1)}, {Counted("p", 1), Counted("q", 1)}},
      {"the larger amount of each resource",
       {Named("p", "a", two)},
       {Named("p", "a", three)},
       {Named("p", "a", three)}},
      {"the whole device is more than a part",
       {Named("p", "a", two)},
       {Named("p", "a")},
       {Named("p", "a")}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(UnionOf(row.a, row.b), row.expected) << row.name;
    EXPECT_EQ(UnionOf(row.b, row.a), UnionOf(row.expected, {})) << row.name;
  }
}

class DevicesLedger : public ::testing::Test {
 protected:
  DevicesLedger() { inventory_.SetPool(PoolOf("p", 8)); }
  static Pool PoolOf(const std::string& name, int64_t count) {
    Pool pool;
    pool.name = name;
    pool.node = "n1";
    pool.driver = "d";
    pool.count = count;
    return pool;
  }
  static PoolEntry Entry(const std::string& claim, const std::string& uid, int64_t count) {
    PoolEntry entry;
    entry.claim_namespace = "default";
    entry.claim_name = claim;
    entry.claim_uid = uid;
    entry.holding = {Counted("", count)};  // as ParsePool() may leave it
    return entry;
  }
  int64_t Used(const std::string& pool = "p") { return inventory_.UseOf(pool).used; }

  Inventory inventory_;
  Ledger ledger_{&inventory_};
};

TEST_F(DevicesLedger, AnIntentCountsBeforeTheClaimSaysIt) {
  ledger_.SetEntries("p", std::vector{Entry("c", "u1", 3)});
  EXPECT_EQ(Used(), 3);
  ledger_.SetClaim("default/c", "u1", {});
  EXPECT_EQ(Used(), 3);
  EXPECT_THAT(inventory_.UseOf("p").claims, ElementsAre("default/c"));
}

TEST_F(DevicesLedger, WhatBothSayCountsOnce) {
  ledger_.SetClaim("default/c", "u1", {Counted("p", 3)});
  ledger_.SetEntries("p", std::vector{Entry("c", "u1", 3)});
  EXPECT_EQ(Used(), 3);
  ledger_.SetEntries("p", {});
  EXPECT_EQ(Used(), 3) << "its status still says it";
  ledger_.SetClaim("default/c", "u1", {});
  EXPECT_EQ(Used(), 0);
  EXPECT_THAT(ledger_.HeldBy("default/c"), IsEmpty());
}

TEST_F(DevicesLedger, EntriesOfAClaimThatIsGoneCountNextToOnesOfItsName) {
  ledger_.SetClaim("default/c", "u1", {Counted("p", 3)});
  ledger_.SetEntries("p", std::vector{Entry("c", "u1", 3)});
  ledger_.SetClaim("default/c", "u2", {});
  ledger_.SetEntries("p", std::vector{Entry("c", "u1", 3), Entry("c", "u2", 2)});
  EXPECT_EQ(Used(), 5);
  EXPECT_THAT(inventory_.UseOf("p").claims, ElementsAre("default/c", "default/c (gone, UID u1)"));
  ledger_.SetEntries("p", std::vector{Entry("c", "u2", 2)});
  EXPECT_EQ(Used(), 2);
}

TEST_F(DevicesLedger, AClaimThatIsDeletedKeepsWhatPoolsSay) {
  ledger_.SetClaim("default/c", "u1", {Counted("p", 3), Counted("q", 1)});
  ledger_.SetEntries("p", std::vector{Entry("c", "u1", 3)});
  ledger_.RemoveClaim("default/c");
  EXPECT_EQ(Used(), 3);
  inventory_.SetPool(PoolOf("q", 1));
  EXPECT_EQ(Used("q"), 0);
}

TEST_F(DevicesLedger, WhatIsBeingWrittenCountsUntilThatEnds) {
  ledger_.SetClaim("default/c", "u1", {});
  ledger_.Assume("default/c", "u1", {Counted("p", 3)});
  EXPECT_EQ(Used(), 3);
  ledger_.SetEntries("p", std::vector{Entry("c", "u1", 3)});
  EXPECT_EQ(Used(), 3);
  ledger_.Assume("default/c", "u1", {});
  EXPECT_EQ(Used(), 3);
  ledger_.SetEntries("p", {});
  EXPECT_EQ(Used(), 0);
}

TEST_F(DevicesLedger, ManyChangesOfOnePoolAreTakenAtOnce) {
  std::vector<PoolEntry> entries;
  for (int i = 0; i < 7; ++i) entries.push_back(Entry("c" + std::to_string(i), "u", 1));
  ledger_.SetEntries("p", entries);
  EXPECT_EQ(Used(), 7);
  entries.resize(2);
  ledger_.SetEntries("p", entries);
  EXPECT_EQ(Used(), 2);
}

}  // namespace
}  // namespace outrigger::devices::agent
