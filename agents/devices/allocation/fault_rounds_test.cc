// Rounds of claims with faults on one node: expressions that do not end or that fail on a device,
// and as many alternatives as may be. Each answer comes within its budget, says what is wrong, and
// gives nothing that is in use.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "devices/allocation/allocator.h"
#include "devices/allocation/cases_testing.h"
#include "devices/allocation/devices_testing.h"
#include "devices/allocation/reference_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// 10 rounds, or few with sanitizers. More of them with OUTRIGGER_DEVICE_FAULT_ROUNDS=1000.
uint64_t Rounds() {
  const char* const text = std::getenv("OUTRIGGER_DEVICE_FAULT_ROUNDS");
  return text == nullptr ? std::max(1, DEVICES_CASES / 800) : std::strtoull(text, nullptr, 10);
}

constexpr const char* kNumbers = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";

// Ten to the seventh steps, which the limit of one evaluation ends.
std::string Endless() {
  std::string text = "size(device.serial + string(x)) >= 0";
  for (const char* name : {"x", "a", "b", "c", "e", "f", "g"}) {
    text = fmt::format("{}.all({}, {})", kNumbers, name, text);
  }
  return text;
}

enum class Fault : uint8_t { kNone, kEndless, kFailsOnSome, kManyAlternatives };
constexpr Fault kCheapFaults[] = {Fault::kNone, Fault::kFailsOnSome, Fault::kManyAlternatives};

/// Makes pools, and claims with faults, from a seed.
class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  int Pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  // Each second device, about, has no numa. Some neighbours are equal.
  Pool MakePool(int index) {
    Pool pool;
    pool.name = fmt::format("p{}", index);
    pool.node = kNode;
    pool.driver = fmt::format("d{}", index % 2);
    const int devices = Pick(1, 8);
    for (int i = 0; i < devices; ++i) {
      Device device;
      device.name = fmt::format("x{}", i);
      device.attributes = {{"serial", fmt::format("{}-{}", index, i / 3)}};
      if (Pick(0, 1) == 0) device.attributes.push_back({"numa", fmt::format("{}", Pick(0, 2))});
      pool.devices.push_back(std::move(device));
    }
    return pool;
  }

  Claim MakeClaim(int index, Fault fault) {
    Claim claim;
    claim.namespace_ = "default";
    claim.name = fmt::format("c{}", index);
    if (fault == Fault::kManyAlternatives) {
      AddAlternatives(&claim);
      return claim;
    }
    Detail detail = SomeDetail();
    if (fault == Fault::kEndless) detail.constraints = Endless();
    if (fault == Fault::kFailsOnSome) detail.constraints = "int(device.numa) >= 0";
    claim.counts = Pick(0, 1) == 0;
    claim.requests.push_back({{std::move(detail)}});
    return claim;
  }

 private:
  Detail SomeDetail() {
    Detail detail;
    detail.device_class = "any";
    detail.min_count = Pick(1, 3);
    if (Pick(0, 3) == 0) detail.match_attributes = {"numa"};
    return detail;
  }

  void AddAlternatives(Claim* claim) {
    if (Pick(0, 1) == 0) claim->match_attributes = {"numa"};
    for (size_t i = 0; i < kMostRequests; ++i) {
      Request& request = claim->requests.emplace_back();
      for (size_t j = 0; j < kMostAlternatives; ++j) {
        Detail detail = SomeDetail();
        detail.driver = fmt::format("d{}", Pick(0, 2));
        detail.min_count = Pick(1, 2);
        if (Pick(0, 2) == 0) detail.constraints = fmt::format("device.serial != '{}-0'", j);
        request.details.push_back(std::move(detail));
      }
    }
  }

  std::mt19937_64 random_;
};

bool HasNuma(const Case& of, const Allocation& given) {
  for (const Pool& pool : of.pools) {
    for (const Device& device : pool.devices) {
      if (pool.name == given.pool && device.name == given.device) {
        return device.attributes.size() > 1;
      }
    }
  }
  return false;
}

/// One round: claims come one after the other, and what they get stays in use.
class Round {
 public:
  Round(const Selectors& selectors, uint64_t seed)
      : maker_(seed),
        budget_(maker_.Pick(100, 20'000)),
        allocator_(selectors, {.budget = budget_}) {
    const int pools = maker_.Pick(2, 5);
    for (int i = 0; i < pools; ++i) of_.pools.push_back(maker_.MakePool(i));
  }

  // How many claims were served.
  int Run() {
    int served = 0;
    for (int i = 0; i < 8; ++i) {
      const Fault fault =
          maker_.Pick(0, 7) == 0 ? Fault::kEndless : kCheapFaults[maker_.Pick(0, 2)];
      served += Serve(i, fault) ? 1 : 0;
    }
    return served;
  }

 private:
  bool Serve(int index, Fault fault) {
    of_.claims = {maker_.MakeClaim(index, fault)};
    const Inventory inventory = InventoryOf(of_);
    const Demand demand = allocator_.Resolve(inventory, PointersTo(of_.claims));
    const Answer answer = allocator_.Allocate(inventory, demand, kNode);
    // The search, and three times as much for the reason; a step that was begun is ended.
    EXPECT_LE(answer.steps, 4 * budget_ + 1000);
    CheckFailures(DescribeFailures(inventory, demand), fault);
    EXPECT_FALSE(fault == Fault::kEndless && answer.verdict.fits());
    if (!answer.verdict.fits()) {
      CheckReason(answer.verdict.reason(), fault);
      return false;
    }
    EXPECT_EQ(FindFault(of_, answer), "") << Describe(of_);
    for (const Allocation& one : answer.claims[0].allocations) {
      EXPECT_TRUE(fault != Fault::kFailsOnSome || HasNuma(of_, one)) << one.pool << one.device;
    }
    of_.holdings[NameOf(of_.claims[0])] = answer.claims[0].holding;
    return true;
  }

  static void CheckFailures(const std::string& text, Fault fault) {
    if (fault == Fault::kNone || fault == Fault::kManyAlternatives) {
      EXPECT_EQ(text, "");
    }
    if (fault != Fault::kEndless) return;
    EXPECT_THAT(text, HasSubstr("first device x0 of pool p0: "));
    EXPECT_THAT(text, HasSubstr("cost limit exceeded"));
  }

  void CheckReason(const std::string& reason, Fault fault) const {
    EXPECT_THAT(reason, AnyOf(HasSubstr(NameOf(of_.claims[0])),
                              fmt::format("search budget of {} steps spent", budget_)));
    if (fault != Fault::kEndless) return;
    EXPECT_THAT(reason, HasSubstr("first device x0 of pool p0: "));
    EXPECT_THAT(reason, HasSubstr("cost limit exceeded"));
  }

  Maker maker_;
  const int64_t budget_;
  const Allocator allocator_;
  Case of_;
};

TEST(FaultRounds, EndInTimeWithAnAnswerAndGiveNothingTwice) {
  const auto selectors = MakeCelSelectors();
  int served = 0;
  for (uint64_t seed = 1; seed <= Rounds(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    served += Round(*selectors, seed).Run();
    if (::testing::Test::HasFailure()) return;
  }
  // Rounds in which nothing is given would prove little.
  EXPECT_GT(served, static_cast<int>(Rounds()));
}

}  // namespace
}  // namespace outrigger::devices
