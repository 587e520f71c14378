// What expressions of claims cost, which namespace pays, and that others do not wait.
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "devices/allocation/allocator.h"
#include "devices/allocation/demand/matches.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

Claim ClaimIn(std::string_view namespace_, std::string_view expression) {
  Claim claim;
  claim.namespace_ = namespace_;
  claim.name = "c";
  claim.counts = true;
  Detail detail;
  detail.device_class = "any";
  detail.constraints = expression;
  claim.requests.push_back({{detail}});
  return claim;
}

/// Devices of which no two are alike.
Pool PoolOf(const std::string& name, int devices) {
  Pool pool;
  pool.name = name;
  pool.node = "n1";
  pool.driver = "d";
  for (int i = 0; i < devices; ++i) {
    Device device;
    device.name = fmt::format("x{}", i);
    device.attributes = {{"uuid", fmt::format("{}-{}", name, i)}};
    pool.devices.push_back(std::move(device));
  }
  return pool;
}

/// A language in which each evaluation is counted, and costs what the test says. "uuid p-3" matches
/// that device, all else each.
class CountingSelectors final : public Selectors {
 public:
  absl::StatusOr<std::unique_ptr<const Selector>> Compile(std::string_view text,
                                                          Environment /*in*/) const override {
    class Counting final : public Selector {
     public:
      Counting(const CountingSelectors& of, std::string_view text) : of_(of), text_(text) {}
      absl::StatusOr<bool> Matches(const DeviceView& device, int64_t* cost) const override {
        ++of_.evaluations;
        *cost += of_.cost;
        if (of_.on_evaluation != nullptr) of_.on_evaluation(text_);
        const auto* uuid = std::get_if<std::string>(&device.attributes.at(0).value);
        return !text_.starts_with("uuid ") || text_ == "uuid " + *uuid;
      }

     private:
      const CountingSelectors& of_;
      const std::string text_;
    };
    ++compilations;
    return std::make_unique<Counting>(*this, text);
  }
  int64_t cost = 1;
  std::function<void(std::string_view text)> on_evaluation;
  mutable std::atomic<int> evaluations = 0;
  mutable std::atomic<int> compilations = 0;
};

class Expressions : public ::testing::Test {
 protected:
  static constexpr int kDevices = 100;

  Expressions() { inventory_.SetPool(PoolOf("p", kDevices)); }

  Allocator Make() {
    AllocatorOptions options;
    options.now = [this] { return std::chrono::nanoseconds(now_); };
    return Allocator(selectors_, options);
  }
  bool IsKnown(const Allocator& allocator, const Claim& claim) {
    const Claim* claims[] = {&claim};
    return std::holds_alternative<Demand>(allocator.TryResolve(inventory_, claims));
  }
  absl::Status FindOut(const Allocator& allocator, const Claim& claim,
                       const std::stop_token& stop = {}) {
    const Claim* claims[] = {&claim};
    auto resolved = allocator.TryResolve(inventory_, claims);
    if (std::holds_alternative<Demand>(resolved)) return absl::OkStatus();
    return allocator.FindOut(std::get<Pending>(resolved), stop);
  }
  std::string FaultOf(const Allocator& allocator, const Claim& claim) {
    const Claim* claims[] = {&claim};
    const auto resolved = allocator.TryResolve(inventory_, claims);
    const auto* demand = std::get_if<Demand>(&resolved);
    if (demand == nullptr || demand->invalid().empty()) return "";
    return demand->invalid().front().fault;
  }

  CountingSelectors selectors_;
  Inventory inventory_;
  std::chrono::nanoseconds now_ = seconds(1000);
};

TEST_F(Expressions, WhatIsFoundOutOnceIsKnown) {
  const Allocator allocator = Make();
  const Claim claim = ClaimIn("t1", "x");
  EXPECT_FALSE(IsKnown(allocator, claim));
  ASSERT_TRUE(FindOut(allocator, claim).ok());
  EXPECT_TRUE(IsKnown(allocator, claim));
  EXPECT_EQ(selectors_.evaluations, kDevices);
}

TEST_F(Expressions, OfNewDevicesNothingButTheseIsFoundOut) {
  const Allocator allocator = Make();
  const Claim claim = ClaimIn("t1", "x");
  ASSERT_TRUE(FindOut(allocator, claim).ok());
  inventory_.SetPool(PoolOf("q", 7));
  EXPECT_FALSE(IsKnown(allocator, claim));
  ASSERT_TRUE(FindOut(allocator, claim).ok());
  EXPECT_TRUE(IsKnown(allocator, claim));
  EXPECT_EQ(selectors_.evaluations, kDevices + 7);
}

TEST_F(Expressions, OfNewDevicesTheRightOnesMatch) {
  const Allocator allocator = Make();
  const Claim claim = ClaimIn("t1", "uuid q-3");
  const Claim* claims[] = {&claim};
  ASSERT_TRUE(FindOut(allocator, claim).ok());
  inventory_.SetPool(PoolOf("q", 7));
  const Answer answer = allocator.Allocate(inventory_, allocator.Resolve(inventory_, claims), "n1");
  ASSERT_TRUE(answer.verdict.fits()) << answer.verdict.reason();
  EXPECT_EQ(answer.claims[0].allocations[0].device, "x3");
}

TEST_F(Expressions, WithoutDevicesThereIsNothingToFindOutButWhetherTheyCompile) {
  const Allocator allocator = Make();
  const Inventory none;
  const Claim claim = ClaimIn("t1", "x");
  const Claim* claims[] = {&claim};
  EXPECT_TRUE(allocator.Resolve(none, claims).invalid().empty());
  EXPECT_EQ(selectors_.compilations, 1);
  EXPECT_EQ(selectors_.evaluations, 0);
}

TEST_F(Expressions, NobodyWaitsForThoseOfAnotherNamespace) {
  const Allocator allocator = Make();
  std::promise<void> begun;
  std::promise<void> go_on;
  std::atomic<bool> is_first = true;
  selectors_.on_evaluation = [&](std::string_view text) {
    if (text != "slow" || !is_first.exchange(false)) return;
    begun.set_value();
    go_on.get_future().wait();
  };
  const Claim slow = ClaimIn("t1", "slow");
  auto found = std::async(std::launch::async, [&] { return FindOut(allocator, slow); });
  begun.get_future().wait();
  EXPECT_FALSE(IsKnown(allocator, slow)) << "even to look does not wait";
  const Claim other = ClaimIn("t2", "x");
  EXPECT_TRUE(FindOut(allocator, other).ok());
  EXPECT_TRUE(IsKnown(allocator, other));
  go_on.set_value();
  EXPECT_TRUE(found.get().ok());
  EXPECT_TRUE(IsKnown(allocator, slow));
}

TEST_F(Expressions, WhenTheCallerHasGoneWhatWasFoundOutStays) {
  const Allocator allocator = Make();
  std::stop_source caller;
  selectors_.on_evaluation = [&](std::string_view) {
    if (selectors_.evaluations == 30) caller.request_stop();
  };
  const Claim claim = ClaimIn("t1", "x");
  EXPECT_TRUE(absl::IsCancelled(FindOut(allocator, claim, caller.get_token())));
  EXPECT_EQ(selectors_.evaluations, 30);
  EXPECT_TRUE(FindOut(allocator, claim).ok());
  EXPECT_EQ(selectors_.evaluations, kDevices) << "none was evaluated again";
}

TEST_F(Expressions, ANamespaceThatHasUsedUpItsShareGoesOnLaterAndOthersDoNotPay) {
  const Allocator allocator = Make();
  selectors_.cost = 900'000;  // 90 million on all: more than is given at once
  const Claim claim = ClaimIn("t1", "x");
  const absl::Status refused = FindOut(allocator, claim);
  EXPECT_TRUE(absl::IsUnavailable(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("namespace t1"));
  EXPECT_LT(selectors_.evaluations, 30) << "one call takes a part of it";
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(FindOut(allocator, claim).ok());
  const int at_once = selectors_.evaluations;
  EXPECT_LT(at_once, kDevices);
  EXPECT_FALSE(FindOut(allocator, claim).ok());
  EXPECT_EQ(selectors_.evaluations, at_once) << "no time has passed";
  EXPECT_FALSE(FindOut(allocator, ClaimIn("t1", "y")).ok()) << "nor for another expression";
  selectors_.cost = 1;
  EXPECT_TRUE(FindOut(allocator, ClaimIn("t2", "x")).ok());
  selectors_.cost = 900'000;
  for (int i = 0; i < 10 && !IsKnown(allocator, claim); ++i) {
    now_ += seconds(1);
    (void)FindOut(allocator, claim);
  }
  EXPECT_TRUE(IsKnown(allocator, claim)) << "nothing that is right stays refused";
}

TEST_F(Expressions, OneThatCostsTooMuchIsRefusedWithWhatItCosts) {
  selectors_.cost = 2'000'000;
  const Allocator allocator(selectors_);
  const Claim claim = ClaimIn("t1", "x");
  EXPECT_TRUE(FindOut(allocator, claim).ok());
  EXPECT_THAT(FaultOf(allocator, claim),
              AllOf(HasSubstr("costs too much"), HasSubstr("of 100 kinds of devices"),
                    HasSubstr("make it shorter")));
  EXPECT_LT(selectors_.evaluations, 60);
  const int before = selectors_.evaluations;
  EXPECT_TRUE(FindOut(allocator, claim).ok());
  EXPECT_EQ(selectors_.evaluations, before) << "it is not tried again";
}

TEST_F(Expressions, AClaimIsCheckedWithoutAnyEvaluation) {
  const Allocator allocator = Make();
  const Claim claim = ClaimIn("t1", "x");
  const Claim* claims[] = {&claim};
  auto checked = allocator.TryCheck(inventory_, claims);
  ASSERT_TRUE(std::holds_alternative<Pending>(checked)) << "compiled where no lock is held";
  ASSERT_TRUE(allocator.FindOut(std::get<Pending>(checked), {}).ok());
  checked = allocator.TryCheck(inventory_, claims);
  ASSERT_TRUE(std::holds_alternative<std::vector<InvalidClaim>>(checked));
  EXPECT_EQ(selectors_.compilations, 1);
  EXPECT_EQ(selectors_.evaluations, 0);
}

TEST_F(Expressions, APodThatHasTooManyIsRefused) {
  const Allocator allocator(selectors_);
  std::vector<Claim> claims;
  for (int i = 0; i < 20; ++i) {
    Claim& claim = claims.emplace_back(ClaimIn("t1", ""));
    claim.counts = false;
    claim.requests.assign(30, Request(claim.requests[0]));
    for (int j = 0; j < 30; ++j) {
      claim.requests[static_cast<size_t>(j)].details[0].constraints = fmt::format("x{}-{}", i, j);
    }
  }
  std::vector<const Claim*> of_pod;
  for (const Claim& claim : claims) of_pod.push_back(&claim);
  const Demand demand = allocator.Resolve(inventory_, of_pod);
  ASSERT_FALSE(demand.invalid().empty());
  EXPECT_THAT(demand.invalid()[0].fault, HasSubstr("more than 512 different expressions"));
}

TEST_F(Expressions, APodWithTooLongOnesOrTooManyAttributesIsRefused) {
  const Allocator allocator(selectors_);
  Claim claim = ClaimIn("t1", "");
  claim.counts = false;
  claim.requests.assign(30, Request(claim.requests[0]));
  const Claim* claims[] = {&claim};
  for (size_t i = 0; i < 30; ++i) {
    claim.requests[i].details[0].constraints = std::string(10'000, 'x') + fmt::format("{}", i);
  }
  Demand demand = allocator.Resolve(inventory_, claims);
  ASSERT_FALSE(demand.invalid().empty());
  EXPECT_THAT(demand.invalid()[0].fault, HasSubstr("262144 bytes"));
  claim = ClaimIn("t1", "x");
  for (int i = 0; i < 65; ++i) claim.match_attributes.push_back(fmt::format("a{}", i));
  demand = allocator.Resolve(inventory_, claims);
  ASSERT_FALSE(demand.invalid().empty());
  EXPECT_THAT(demand.invalid()[0].fault, HasSubstr("more than 64 attributes"));
  claim.match_attributes.pop_back();
  EXPECT_TRUE(allocator.Resolve(inventory_, claims).invalid().empty());
}

TEST_F(Expressions, MoreThanAreRememberedAreServedAllTheSame) {
  const Allocator allocator(selectors_);
  for (int i = 0; i < 3000; ++i) {
    const Claim claim = ClaimIn("t1", fmt::format("x{}", i));
    const Claim* claims[] = {&claim};
    ASSERT_TRUE(allocator.Resolve(inventory_, claims).invalid().empty());
  }
  EXPECT_EQ(selectors_.evaluations, 3000 * kDevices);
}

TEST(MatchesOfSets, KeepEachErrorOnceAndTheLastForAllFurtherOnes) {
  Matches matches;
  matches.Add(Match::kMatches, "");
  for (int i = 0; i < 200; ++i) matches.Add(Match::kFails, fmt::format("error {}", i));
  matches.Add(Match::kFails, "error 3");
  matches.Add(Match::kOwnFalse, "");
  EXPECT_TRUE(matches.Has(0));
  EXPECT_EQ(matches.ErrorOf(0), "");
  EXPECT_EQ(matches.ErrorOf(4), "error 3");
  EXPECT_EQ(matches.ErrorOf(201), "error 3");
  EXPECT_EQ(matches.Of(200), Match::kFails);
  EXPECT_EQ(matches.ErrorOf(200), "error 63");
  EXPECT_EQ(matches.Of(202), Match::kOwnFalse);
}

}  // namespace
}  // namespace outrigger::devices
