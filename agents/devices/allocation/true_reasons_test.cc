// Every reason is true: the words are read back, exactly the change that they name is made to a
// copy of the cluster, and there the claims fit; with less, or with a smaller change of the same
// kind anywhere, they do not. What fits is judged by trying every choice, where that is quick.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "devices/allocation/allocator.h"
#include "devices/allocation/cases_testing.h"
#include "devices/allocation/devices_testing.h"
#include "devices/allocation/model/attribute_sets.h"
#include "devices/allocation/reason_parts_testing.h"
#include "devices/allocation/reference_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

// Where steps run out, a change that helps might not be the smallest.
constexpr int64_t kBudget = 1'000'000;
constexpr int64_t kEnough = 1000;
// More devices in addition are too many to try.
constexpr int64_t kMostAdded = 4;

// Reasons that are judged: 500, or few with sanitizers. More of them with
// OUTRIGGER_REASON_CASES=20000.
int Wanted() {
  const char* const text = std::getenv("OUTRIGGER_REASON_CASES");
  return text == nullptr ? DEVICES_CASES / 40 : std::atoi(text);
}

void TightenCounters(Case* of, std::mt19937_64* random) {
  for (Pool& pool : of->pools) {
    if (pool.devices.empty() || !pool.devices[0].resources.empty()) continue;
    const auto most = static_cast<int64_t>((*random)() % 5);
    pool.resources = {{"slots", Quantity::FromInt(most), {}}};
    for (Device& device : pool.devices) {
      device.requests["slots"] = Quantity::FromInt(1 + static_cast<int64_t>((*random)() % 2));
    }
  }
}

void AskForMemory(Case* of, std::mt19937_64* random) {
  Detail& detail = of->claims[0].requests[0].details[0];
  if (of->claims[0].counts) return;
  detail.all = detail.admin_access = false;
  detail.min_count = 1;
  detail.max_count = 1 + static_cast<int64_t>((*random)() % 2);
  detail.amounts["memory"] = Quantity::FromInt(2 + static_cast<int64_t>((*random)() % 5));
}

// The holders of single devices, from more claims than MakeCase() has, and more of them.
Case MakeCrowdedCase(uint64_t seed) {
  Case of = MakeCase(seed);
  std::mt19937_64 random(seed);
  const auto job = [&random] { return fmt::format("default/job-{}", random() % 6); };
  std::map<std::string, std::vector<Allocation>> holdings;
  for (const auto& [claim, held] : of.holdings) {
    for (const Allocation& one : held) holdings[job()].push_back(one);
  }
  for (const Pool& pool : of.pools) {
    for (const Device& device : pool.devices) {
      const auto is_held = [&](const auto& holding) {
        return std::any_of(holding.second.begin(), holding.second.end(), [&](const auto& one) {
          return one.pool == pool.name && one.device == device.name;
        });
      };
      if (!device.resources.empty() || random() % 2 != 0) continue;
      if (std::any_of(holdings.begin(), holdings.end(), is_held)) continue;
      holdings[job()].push_back({pool.name, device.name, 1, {}});
    }
  }
  of.holdings = std::move(holdings);
  // One claim is more often served once something is given back.
  if (seed % 4 != 0) of.claims.resize(1);
  if (seed % 3 == 0) TightenCounters(&of, &random);
  if (seed % 3 == 1) AskForMemory(&of, &random);
  return of;
}

bool FitsByAnyChoice(const Case& of) {
  return TryEveryChoice(of).has_value();
}

int64_t DevicesOf(const std::vector<Allocation>& held) {
  int64_t sum = 0;
  for (const Allocation& one : held) sum += one.count;
  return sum;
}

Case Without(const Case& of, const std::set<std::string>& claims) {
  Case changed = of;
  for (const std::string& claim : claims) changed.holdings.erase(claim);
  return changed;
}

/// One device with the driver and the attributes of its pool.
using Kind = Pool;

bool HasDetail(const Case& of, bool (*is_meant)(const Detail&)) {
  for (const Claim& claim : of.claims) {
    for (const Request& request : claim.requests) {
      if (std::any_of(request.details.begin(), request.details.end(), is_meant)) return true;
    }
  }
  return false;
}

enum class Served : uint8_t { kYes, kNo, kUnknown };

/// Whether it fits with more devices: pools that offer any of some kinds, of which as many can be
/// in use as their counter says.
class Additions {
 public:
  Additions(const Allocator& allocator, std::vector<Kind> kinds)
      : allocator_(allocator), kinds_(std::move(kinds)) {}

  Served Serve(const Case& of, int64_t count) const {
    Served served = Served::kNo;
    for (int64_t first = 0; first <= count; ++first) {
      Case with = of;
      with.pools.push_back(Offer("d0", first));
      with.pools.push_back(Offer("d1", count - first));
      const Inventory inventory = InventoryOf(with);
      const Demand demand = allocator_.Resolve(inventory, PointersTo(of.claims));
      const Verdict verdict =
          allocator_.Allocate(inventory, demand, kNode, Parts::kVerdict).verdict;
      if (verdict.fits()) return Served::kYes;
      if (verdict.reason_class() == "search budget") served = Served::kUnknown;
    }
    return served;
  }

 private:
  Pool Offer(const std::string& driver, int64_t count) const {
    Pool pool;
    pool.name = "more-" + driver;
    pool.node = kNode;
    pool.driver = driver;
    pool.resources.push_back({"slots", Quantity::FromInt(count), {}});
    for (const Kind& kind : kinds_) {
      if (kind.driver != driver) continue;
      for (int64_t i = 0; i < count; ++i) {
        Device device = kind.devices[0];
        device.name = fmt::format("x{}", pool.devices.size());
        device.requests["slots"] = Quantity::FromInt(1);
        pool.devices.push_back(std::move(device));
      }
    }
    return pool;
  }

  const Allocator& allocator_;
  const std::vector<Kind> kinds_;
};

Kind KindOf(const Pool& pool, const Device* device) {
  Kind kind;
  kind.node = kNode;
  kind.driver = pool.driver;
  Device one;
  if (device != nullptr) one = *device;
  one.requests.clear();
  one.attributes = MergeAttributes(pool.attributes, one.attributes);
  kind.devices.push_back(std::move(one));
  return kind;
}

// All that generated claims could ask for: with attributes of so many values.
std::vector<Kind> KindsOf(int values) {
  std::vector<Kind> kinds;
  for (const char* driver : {"d0", "d1"}) {
    for (int numa = 0; numa < values; ++numa) {
      for (int64_t model = 0; model < values; ++model) {
        for (const bool shared : {false, true}) {
          Kind& kind = kinds.emplace_back();
          kind.node = kNode;
          kind.driver = driver;
          Device& device = kind.devices.emplace_back();
          device.attributes = {{"numa", fmt::format("{}", numa)}, {"model", model}};
          if (shared) {
            device.resources.push_back({"memory", Quantity::FromInt(8), Quantity::FromInt(1)});
          }
        }
      }
    }
  }
  return kinds;
}

std::vector<Kind> KindsFor(const Case& of) {
  const bool is_any_distinct =
      HasDetail(of, [](const Detail& detail) { return !detail.distinct_attributes.empty(); }) ||
      std::any_of(of.claims.begin(), of.claims.end(),
                  [](const Claim& claim) { return !claim.distinct_attributes.empty(); });
  return KindsOf(is_any_distinct ? 5 : 3);
}

// Those of the cluster, with devices that are in use.
std::vector<Kind> KnownKinds(const Case& of) {
  std::vector<Kind> kinds;
  for (const Pool& pool : of.pools) {
    if (pool.count.has_value()) kinds.push_back(KindOf(pool, nullptr));
    for (const Device& device : pool.devices) {
      Kind kind = KindOf(pool, &device);
      kind.devices[0].name.clear();
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    }
  }
  return kinds;
}

class Judge {
 public:
  void See(const Case& of, const Verdict& verdict);
  void ExpectAllKindsSeen() const {
    // A kind of change that no case names would prove nothing.
    if (Wanted() < 500) return;
    for (const int count : {more_, given_back_, several_, counters_, resources_, contradictions_}) {
      EXPECT_GT(count, Wanted() / 200);
    }
  }
  std::string Summary() const {
    return fmt::format(
        "devices added {} (no end: {}, contradictions: {}), claims given back {} ({} of several), "
        "counters raised {}, resources raised {}",
        more_, unjudged_, contradictions_, given_back_, several_, counters_, resources_);
  }

 private:
  void SeeMore(const Case& of, const ReasonParts& parts);
  void SeeGivenBack(const Case& of, const Verdict& verdict, const ReasonParts& parts);
  void SeeCounters(const Case& of, const ReasonParts& parts);
  void SeeResources(const Case& of, const ReasonParts& parts);

  const std::unique_ptr<const Selectors> selectors_ = MakeCelSelectors();
  const Allocator allocator_{*selectors_};
  int more_ = 0;
  int unjudged_ = 0;
  int contradictions_ = 0;
  int given_back_ = 0;
  int several_ = 0;
  int counters_ = 0;
  int resources_ = 0;
};

bool WantsEvery(const Case& of) {
  return HasDetail(of, [](const Detail& detail) { return detail.all; });
}

// One device more can serve two requests.
bool CanShare(const Case& of) {
  return HasDetail(of, [](const Detail& detail) { return !detail.amounts.empty(); });
}

// Not bound to the counters of what is added here. Reasons.AreTrue judges these.
bool HasAdminAccess(const Case& of) {
  return HasDetail(of, [](const Detail& detail) { return detail.admin_access; });
}

// "device.model == 1" of several different models: what expressions exclude is not known, and
// reasons suppose that they exclude nothing.
bool ExcludesDifferent(const Case& of) {
  return std::any_of(of.claims.begin(), of.claims.end(),
                     [](const Claim& claim) { return !claim.distinct_attributes.empty(); }) &&
         HasDetail(of, [](const Detail& detail) { return !detail.constraints.empty(); });
}

void Judge::SeeMore(const Case& of, const ReasonParts& parts) {
  int64_t missing = 0;
  for (const ReasonParts::More& one : parts.more) {
    if (one.contradicts) {
      ++contradictions_;
      ASSERT_EQ(parts.more.size(), 1U);
      ASSERT_NE(Additions(allocator_, KindsFor(of)).Serve(of, kMostAdded), Served::kYes);
      return;
    }
    ASSERT_GE(one.missing, one.every ? 0 : 1);
    missing += one.missing;
  }
  // More devices are no help to those who want every one.
  if (WantsEvery(of) || HasAdminAccess(of) || ExcludesDifferent(of)) return;
  if (missing > kMostAdded) return;
  const Served served = Additions(allocator_, KindsFor(of)).Serve(of, missing);
  if (served == Served::kUnknown) {
    ++unjudged_;
    return;
  }
  ++more_;
  ASSERT_EQ(served, Served::kYes);
  if (parts.more.size() > 1 && CanShare(of)) return;
  ASSERT_NE(Additions(allocator_, KnownKinds(of)).Serve(of, missing - 1), Served::kYes);
}

void Judge::SeeGivenBack(const Case& of, const Verdict& verdict, const ReasonParts& parts) {
  std::set<std::string> named;
  for (const auto& [claim, devices] : parts.in_use) {
    ASSERT_TRUE(of.holdings.contains(claim));
    ASSERT_GT(devices, 0);
    ASSERT_LE(devices, DevicesOf(of.holdings.at(claim)));
    named.insert(claim);
  }
  Case empty = of;
  empty.holdings.clear();
  const bool would_fit = FitsByAnyChoice(empty);
  ASSERT_EQ(verdict.kind() == Verdict::Kind::kRejected, would_fit);
  if (!would_fit) {
    // Those that are named could not be taken for a remedy: they hold too little.
    int64_t held = 0;
    int64_t missing = 0;
    for (const auto& [claim, devices] : parts.in_use) held += devices;
    for (const ReasonParts::More& one : parts.more) missing += one.missing;
    ASSERT_TRUE(held == 0 || held < missing * static_cast<int64_t>(parts.more.size()));
    return;
  }
  ++given_back_;
  ASSERT_FALSE(named.empty());
  if (!parts.names_all) return;
  if (named.size() > 1) ++several_;
  ASSERT_TRUE(FitsByAnyChoice(Without(of, named)));
  // No set of fewer claims does.
  std::vector<std::string> claims;
  for (const auto& [claim, held] : of.holdings) claims.push_back(claim);
  for (uint32_t set = 1; set < 1U << claims.size(); ++set) {
    std::set<std::string> others;
    for (size_t i = 0; i < claims.size(); ++i) {
      if ((set >> i & 1U) != 0) others.insert(claims[i]);
    }
    if (others.size() >= named.size()) continue;
    ASSERT_FALSE(FitsByAnyChoice(Without(of, others))) << *others.begin();
  }
}

Case WithCounter(const Case& of, size_t pool, int64_t by) {
  Case changed = of;
  Quantity& capacity = changed.pools[pool].resources[0].capacity;
  capacity = Quantity::FromInt(capacity.Value() + by);
  return changed;
}

void Judge::SeeCounters(const Case& of, const ReasonParts& parts) {
  std::optional<ReasonParts::Short> named;
  for (const ReasonParts::Short& one : parts.shorts) {
    if (one.device.empty()) named = one;
  }
  if (named.has_value()) ++counters_;
  bool is_there = false;
  for (size_t i = 0; i < of.pools.size(); ++i) {
    if (of.pools[i].resources.empty()) continue;
    if (named.has_value() && of.pools[i].name == named->pool) {
      is_there = true;
      ASSERT_EQ(named->store, of.pools[i].resources[0].name);
      ASSERT_TRUE(FitsByAnyChoice(WithCounter(of, i, named->by)));
    }
    // Less does not do, nor, where nothing is named, any amount.
    ASSERT_FALSE(FitsByAnyChoice(WithCounter(of, i, named.has_value() ? named->by - 1 : kEnough)));
  }
  ASSERT_EQ(is_there, named.has_value());
}

Case WithResource(const Case& of, size_t pool, size_t device, size_t resource, int64_t by) {
  Case changed = of;
  Quantity& capacity = changed.pools[pool].devices[device].resources[resource].capacity;
  capacity = Quantity::FromInt(capacity.Value() + by);
  return changed;
}

void Judge::SeeResources(const Case& of, const ReasonParts& parts) {
  std::optional<ReasonParts::Short> named;
  for (const ReasonParts::Short& one : parts.shorts) {
    if (!one.device.empty()) named = one;
  }
  if (named.has_value()) ++resources_;
  bool is_there = false;
  for (size_t i = 0; i < of.pools.size(); ++i) {
    for (size_t j = 0; j < of.pools[i].devices.size(); ++j) {
      const Device& device = of.pools[i].devices[j];
      for (size_t k = 0; k < device.resources.size(); ++k) {
        if (device.resources[k].name != "memory") continue;
        if (named.has_value() && of.pools[i].name == named->pool && device.name == named->device) {
          is_there = true;
          ASSERT_TRUE(FitsByAnyChoice(WithResource(of, i, j, k, named->by)));
        }
        // The reference tries every amount: twenty are more than any claims here ask.
        const int64_t less = named.has_value() ? named->by - 1 : 20;
        ASSERT_FALSE(FitsByAnyChoice(WithResource(of, i, j, k, less)));
      }
    }
  }
  ASSERT_EQ(is_there, named.has_value());
}

void Judge::See(const Case& of, const Verdict& verdict) {
  const std::optional<ReasonParts> parts = PartsOf(verdict.reason());
  ASSERT_TRUE(parts.has_value());
  SeeMore(of, *parts);
  if (::testing::Test::HasFatalFailure()) return;
  SeeGivenBack(of, verdict, *parts);
  if (::testing::Test::HasFatalFailure()) return;
  SeeCounters(of, *parts);
  if (::testing::Test::HasFatalFailure()) return;
  SeeResources(of, *parts);
}

TEST(TrueReasons, TheChangeHelpsAndLessDoesNot) {
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors, {.budget = kBudget});
  Judge judge;
  uint64_t seed = 0;
  for (int judged = 0; judged < Wanted();) {
    const Case of = MakeCrowdedCase(++seed);
    const Inventory inventory = InventoryOf(of);
    const Demand demand = allocator.Resolve(inventory, PointersTo(of.claims));
    const Verdict verdict = allocator.Allocate(inventory, demand, kNode).verdict;
    if (verdict.fits()) continue;
    // Every other case is one in which something given back helps.
    if (seed % 2 != 0 && verdict.kind() != Verdict::Kind::kRejected) continue;
    ++judged;
    SCOPED_TRACE(fmt::format("seed {}: {}\n{}", seed, verdict.reason(), Describe(of)));
    judge.See(of, verdict);
    if (HasFatalFailure()) return;
  }
  std::cout << "seeds 1 to " << seed << ": " << judge.Summary() << "\n";
  judge.ExpectAllKindsSeen();
}

}  // namespace
}  // namespace outrigger::devices
