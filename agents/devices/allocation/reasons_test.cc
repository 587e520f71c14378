// Every reason is true: with the change that it names all fits, with less it does not.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "devices/allocation/allocator.h"
#include "devices/allocation/cases_testing.h"
#include "devices/allocation/devices_testing.h"
#include "devices/allocation/model/attribute_sets.h"
#include "devices/allocation/pools/inventory_state.h"
#include "devices/allocation/reasons/shortage.h"
#include "devices/allocation/search/ground.h"
#include "devices/allocation/search/search.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kBudget = 100'000;

bool HasOddities(const Case& of) {
  for (const Claim& claim : of.claims) {
    if (!claim.distinct_attributes.empty()) return true;
    for (const Request& request : claim.requests) {
      for (const Detail& detail : request.details) {
        if (detail.all || !detail.distinct_attributes.empty()) return true;
      }
    }
  }
  return false;
}

bool FitsOn(const Allocator& allocator, const Case& of) {
  const Inventory inventory = InventoryOf(of);
  const Demand demand = allocator.Resolve(inventory, PointersTo(of.claims));
  return allocator.Allocate(inventory, demand, kNode, Parts::kVerdict).verdict.fits();
}

/// All kinds of devices that generated claims could ask for.
std::vector<Pool> Kinds() {
  std::vector<Pool> kinds;
  for (const char* driver : {"d0", "d1"}) {
    for (const char* numa : {"0", "1", "2"}) {
      for (const int64_t model : {0, 1}) {
        for (const bool shared : {false, true}) {
          Pool& pool = kinds.emplace_back();
          pool.node = kNode;
          pool.driver = driver;
          pool.attributes = {{"numa", std::string(numa)}, {"model", model}};
          Device device;
          if (shared) {
            device.resources.push_back({"memory", Quantity::FromInt(4), Quantity::FromInt(1)});
          }
          pool.devices.push_back(std::move(device));
        }
      }
    }
  }
  return kinds;
}

/// Those that the cluster has: a reason supposes no others.
std::vector<Pool> KnownKinds(const Inventory& inventory) {
  std::vector<Pool> known;
  const AttributeSets& sets = inventory.state().sets();
  for (Pool& kind : Kinds()) {
    const Attributes attributes = MergeAttributes(kind.attributes, {});
    for (size_t i = 0; i < sets.size(); ++i) {
      const AttributeSet& set = sets[static_cast<SetId>(i)];
      if (set.driver == kind.driver && set.attributes == attributes) known.push_back(kind);
    }
  }
  return known;
}

// With so many devices of one kind for each of the shorts, some kinds make it fit.
bool FitsWithMore(const Allocator& allocator, const Case& of, const std::vector<Pool>& kinds,
                  const std::vector<int64_t>& more, size_t from = 0) {
  if (from == more.size()) return FitsOn(allocator, of);
  for (const Pool& kind : kinds) {
    Case with = of;
    Pool pool = kind;
    pool.name = fmt::format("more-{}", from);
    const Device device = kind.devices[0];
    pool.devices.clear();
    for (int64_t i = 0; i < more[from]; ++i) {
      pool.devices.push_back(device);
      pool.devices.back().name = fmt::format("more-{}", i);
    }
    with.pools.push_back(std::move(pool));
    if (FitsWithMore(allocator, with, kinds, more, from + 1)) return true;
  }
  return false;
}

TEST(Reasons, AreTrue) {
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors);
  int alone = 0;
  int several = 0;
  for (uint64_t seed = 1; seed <= DEVICES_CASES / 10; ++seed) {
    const Case of = MakeCase(seed);
    if (HasOddities(of)) continue;
    const Inventory inventory = InventoryOf(of);
    const Demand demand = allocator.Resolve(inventory, PointersTo(of.claims));
    const Answer answer = allocator.Allocate(inventory, demand, kNode);
    if (answer.verdict.fits()) continue;
    SCOPED_TRACE(fmt::format("seed {}: {}\n{}", seed, answer.verdict.reason(), Describe(of)));
    const Ground ground(inventory.state().StocksOf(kNode), {}, Contents::kFree);
    Steps steps{.most = kBudget, .left = 100 * kBudget};
    const std::vector<Short> shorts = FindShortage(demand.data(), ground, &steps);
    ASSERT_FALSE(shorts.empty());
    if (shorts.size() > 2) continue;
    std::vector<int64_t> more;
    for (const Short& one : shorts) more.push_back(one.missing);
    ASSERT_TRUE(FitsWithMore(allocator, of, Kinds(), more));
    ++(shorts.size() == 1 ? alone : several);
    if (demand.data().slots.size() <= 3 && shorts.size() == 1 && more[0] > 1) {
      ASSERT_FALSE(FitsWithMore(allocator, of, KnownKinds(inventory), {more[0] - 1}));
    }
  }
  EXPECT_GT(alone, DEVICES_CASES / 200);
  EXPECT_GE(several, DEVICES_CASES / 2000);
}

TEST(Reasons, RejectedIsWhatFitsOnEmptyPools) {
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors);
  int rejected = 0;
  for (uint64_t seed = 1; seed <= DEVICES_CASES / 10; ++seed) {
    const Case of = MakeCase(seed);
    const Inventory inventory = InventoryOf(of);
    const Demand demand = allocator.Resolve(inventory, PointersTo(of.claims));
    const Verdict verdict = allocator.Allocate(inventory, demand, kNode).verdict;
    if (verdict.fits()) continue;
    Case empty = of;
    empty.holdings.clear();
    const bool fits = FitsOn(allocator, empty);
    ASSERT_EQ(verdict.kind() == Verdict::Kind::kRejected, fits) << Describe(of);
    if (fits) ++rejected;
  }
  EXPECT_GT(rejected, DEVICES_CASES / 400);
}

// One request alone would need three more. One more for each of both is cheaper, and of the kind
// that a device in use has.
TEST(Reasons, NameTheCheapestChangeOverSeveralRequests) {
  Case of;
  const auto add = [&of](const char* name, const char* numa, int64_t model, int64_t count) {
    of.pools.push_back(
        {name, kNode, "d", {{"numa", std::string(numa)}, {"model", model}}, count, {}, {}});
  };
  add("a", "0", 0, 3);
  add("b", "0", 1, 1);
  add("c", "2", 0, 1);
  add("d", "2", 1, 1);
  of.holdings["default/job"] = {{"b", "", 1, {}}};
  Claim claim;
  claim.match_attributes = {"numa"};
  Detail detail;
  detail.device_class = "any";
  detail.constraints = "device.model == 1";
  claim.requests.push_back({{detail}});
  detail.constraints.clear();
  detail.min_count = 4;
  claim.requests.push_back({{detail}});
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors);
  const Inventory inventory = InventoryOf(of);
  const Claim* claims[] = {&claim};
  const Demand demand = allocator.Resolve(inventory, claims);
  const Ground ground(inventory.state().StocksOf(kNode), {}, Contents::kFree);
  Steps steps{.most = kBudget, .left = 100 * kBudget};
  const std::vector<Short> shorts = FindShortage(demand.data(), ground, &steps);
  ASSERT_EQ(shorts.size(), 2u);
  EXPECT_EQ(shorts[0].missing, 1);
  EXPECT_EQ(shorts[1].missing, 1);
}

/// One node with two pools of two devices each on their own numa.
class ReasonTexts : public ::testing::Test {
 protected:
  ReasonTexts() {
    for (const char* numa : {"0", "1"}) {
      Pool pool;
      pool.name = fmt::format("p{}", numa);
      pool.node = kNode;
      pool.driver = "foo";
      pool.attributes = {{"numa", std::string(numa)}, {"model", std::string("x")}};
      pool.count = 2;
      inventory_.SetPool(std::move(pool));
    }
    detail_.device_class = "foozer";
  }

  std::string Reason() {
    Claim claim;
    claim.namespace_ = "default";
    claim.name = "c";
    claim.counts = true;
    claim.requests.push_back({{detail_}});
    const Claim* claims[] = {&claim};
    const Demand demand = allocator_.Resolve(inventory_, claims);
    const Verdict verdict = allocator_.Allocate(inventory_, demand, kNode).verdict;
    const bool rejected = verdict.kind() == Verdict::Kind::kRejected;
    return (rejected ? "rejected: " : "unresolvable: ") + verdict.reason();
  }

  const std::unique_ptr<const Selectors> selectors_ = MakeCelSelectors();
  Allocator allocator_{*selectors_};
  Inventory inventory_;
  Detail detail_;
};

TEST_F(ReasonTexts, NameWhatIsInUseInTheBestGroup) {
  detail_.min_count = 2;
  detail_.match_attributes = {"numa"};
  inventory_.SetHolding("default/job-1", {{"p0", "", 1, {}}});
  inventory_.SetHolding("default/job-2", {{"p1", "", 2, {}}});
  EXPECT_EQ(Reason(),
            "rejected: claim default/c: 2 foozer on one numa wanted, best has 1 free (1 in use by "
            "default/job-1)");
}

TEST_F(ReasonTexts, CountWhatIsThere) {
  detail_.min_count = 5;
  EXPECT_EQ(Reason(), "unresolvable: claim default/c: 5 foozer wanted, 4 free");
}

TEST_F(ReasonTexts, NameWhyNothingMatches) {
  detail_.constraints = "device.model == 'y'";
  EXPECT_EQ(Reason(),
            "unresolvable: claim default/c: 1 foozer wanted, no device matches (4 excluded by the "
            "claim)");
  detail_.constraints = "device.absent == 'y'";
  EXPECT_EQ(Reason(),
            "unresolvable: claim default/c: 1 foozer wanted, no device matches (4 fail, first "
            "pool p0: no such key: absent)");
  detail_.constraints.clear();
  detail_.match_attributes = {"pcie"};
  EXPECT_EQ(Reason(),
            "unresolvable: claim default/c: 1 foozer on one pcie wanted, no device matches (4 "
            "without an attribute that must be equal)");
}

TEST_F(ReasonTexts, NameFailuresNextToWhatMatches) {
  Pool other = *inventory_.FindPool("p0");
  other.name = "p2";
  other.attributes.clear();
  inventory_.SetPool(other);
  detail_.constraints = "device.numa != '9'";
  detail_.min_count = 5;
  EXPECT_EQ(Reason(),
            "unresolvable: claim default/c: 5 foozer wanted, 4 free (2 fail, first pool p2: "
            "no such key: numa)");
}

TEST_F(ReasonTexts, NameInvalidPoolsAndTheLackOfPools) {
  Pool twice = *inventory_.FindPool("p0");
  twice.attributes.push_back(twice.attributes[0]);
  inventory_.SetPool(twice);
  inventory_.RemovePool("p1");
  EXPECT_THAT(Reason(), HasSubstr("pool p0 is invalid: the pool has attribute \"numa\" twice"));
  inventory_.RemovePool("p0");
  EXPECT_EQ(Reason(), "unresolvable: claim default/c: 1 foozer wanted, the node has no pools");
}

TEST_F(ReasonTexts, NameCounters) {
  Pool cards = *inventory_.FindPool("p0");
  cards.count.reset();
  cards.resources = {{"slots", Quantity::FromInt(3), {}}};
  Device half;
  half.requests["slots"] = Quantity::FromInt(2);
  half.name = "a";
  cards.devices.push_back(half);
  half.name = "b";
  cards.devices.push_back(half);
  inventory_.SetPool(cards);
  inventory_.RemovePool("p1");
  inventory_.SetHolding("default/job-1", {{"p0", "a", 1, {}}});
  EXPECT_EQ(
      Reason(),
      "rejected: claim default/c: 1 foozer wanted, 0 free (1 in use by default/job-1, pool p0 "
      "lacks 1 slots)");
}

}  // namespace
}  // namespace outrigger::devices
