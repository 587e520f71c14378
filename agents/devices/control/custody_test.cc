// The custodian by itself, round by round.
#include "control/custody.h"

#include <algorithm>
#include <string>
#include <vector>

#include "calls/binding.h"
#include "devices_testing.h"
#include "gmock/gmock.h"

namespace outrigger::devices::agent {
namespace {

using ::testing::AllOf;
using testing::CustomWrite;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class DevicesCustody : public DevicesTest {
 protected:
  DevicesCustody() {
    store_.OnChange([this] { custody_.OnChange(); });
    store_.Follow(&cluster_);
  }
  ~DevicesCustody() override { store_.Stop(); }

  std::chrono::system_clock::time_point Wall() const {
    return std::chrono::system_clock::time_point() +
           std::chrono::duration_cast<std::chrono::system_clock::duration>(now_.time_since_epoch());
  }
  Clock::Duration Round() { return custody_.Round({}); }
  /// Rounds as they fall due.
  void RunFor(Clock::Duration time) {
    const Clock::TimePoint until = now_ + time;
    while (now_ < until) {
      ++rounds_;
      now_ += std::max<Clock::Duration>(Round(), std::chrono::milliseconds(50));
    }
  }
  void PutBound(const std::string& name, std::string_view claims) {
    PutPod(name, claims);
    cluster_.Change(name, [](Pod* pod) { pod->node_name = "n1"; });
  }
  /// An entry of a claim that is gone.
  void PutLeftover() {
    Json pool = Get(kPoolKind, "n1-0");
    pool["status"]["allocations"] = {{{"claimUID", "no-such-claim"},
                                      {"claimNamespace", "default"},
                                      {"claimName", "gone"},
                                      {"state", "Confirmed"},
                                      {"deviceCount", 4}}};
    cluster_.custom().Put(kPoolKind, pool);
  }
  /// Writes of objects of this name get this answer, and are counted.
  void Refuse(const std::string& name, absl::Status answer) {
    cluster_.custom().Before([this, name, answer](const CustomWrite& write) {
      if (write.name != name) return absl::OkStatus();
      ++refused_;
      return answer;
    });
  }
  std::vector<std::string> Events() {
    std::vector<std::string> events;
    for (const ClusterEvent& event : cluster_.events()) {
      events.push_back(fmt::format("{} {} {}: {}", event.kind.empty() ? "Pod" : event.kind,
                                   event.name, event.reason, event.note));
    }
    return events;
  }
  std::string StateOf(const std::string& claim) {
    return StatusOf(kClaimKind, claim).value("state", "nothing");
  }

  static constexpr const char* kEmbedded = R"([{"name":"a","claim":{"deviceClass":"foozer"}}])";

  Clock::TimePoint now_{std::chrono::hours(500'000)};
  int rounds_ = 0;
  int refused_ = 0;
  std::vector<std::string> said_;  // in the log
  std::unique_ptr<const Selectors> selectors_ = MakeCelSelectors();
  Allocator allocator_{*selectors_, {.always_resolve = true}};
  DeviceStore store_;
  Judge judge_{store_, allocator_};
  Binding binding_{{&cluster_,
                    NoMetrics::Instance(),
                    {.identity = "me",
                     .intent_time = std::chrono::seconds(60),
                     .wall = [this] { return Wall(); }}},
                   &store_,
                   judge_,
                   allocator_};
  Custody custody_{{&cluster_,
                    NoMetrics::Instance(),
                    [this](std::string_view line) { said_.emplace_back(line); },
                    {.now = [this] { return now_; }, .wall = [this] { return Wall(); }}},
                   &store_,
                   &binding_};
};

TEST_F(DevicesCustody, AClaimThatIsRefusedHoldsUpNothingElse) {
  struct Row {
    absl::Status answer;
    std::string note;
  };
  const Row rows[] = {
      {absl::InvalidArgumentError("spec: Invalid value"), "spec: Invalid value"},
      {absl::PermissionDeniedError("deviceclaims is forbidden"), "deviceclaims is forbidden"},
      {absl::AlreadyExistsError("taken"), "taken"}};
  PutNodes(1, 4);
  int64_t i = 0;
  for (const Row& row : rows) {
    const std::string name = fmt::format("p{}", ++i);
    const size_t before = Events().size();
    refused_ = 0;
    Refuse(name + "-a", row.answer);
    PutLeftover();
    PutBound(name, kEmbedded);
    custody_.OnChange();
    now_ += std::chrono::seconds(1);
    (void)Round();
    EXPECT_TRUE(custody_.Recovered().ok()) << custody_.Recovered();
    EXPECT_TRUE(StatusOf(kPoolKind, "n1-0")["allocations"].empty());
    RunFor(std::chrono::minutes(10));
    EXPECT_GE(refused_, 5) << "what is in the way may go";
    EXPECT_LE(refused_, 14);
    ASSERT_THAT(Events(), SizeIs(before + 1)) << "once";
    EXPECT_THAT(Events().back(),
                AllOf(StartsWith("Pod " + name + " DevicesRefused: "), HasSubstr(row.note)));
    cluster_.RemovePod(name);
  }
}

TEST_F(DevicesCustody, AClaimWhoseStatusIsRefusedSaysSo) {
  PutNodes(1, 4);
  PutClaim("c", 1);
  Refuse("c", absl::InvalidArgumentError("status: Invalid value"));
  PutBound("p", R"([{"name":"a","claimName":"c"}])");
  (void)Round();
  EXPECT_THAT(
      Events(),
      ElementsAre(AllOf(StartsWith("Pod p DevicesRefused: "), HasSubstr("Invalid value")),
                  AllOf(StartsWith("DeviceClaim c DevicesRefused: "), HasSubstr("Invalid value"))));
}

TEST_F(DevicesCustody, ARefusedActionOfNoPodIsSaidAtItsClaim) {
  PutNodes(1, 4);
  PutLeftover();
  Refuse("n1-0", absl::PermissionDeniedError("devicepools/status is forbidden"));
  RunFor(std::chrono::minutes(1));
  EXPECT_TRUE(custody_.Recovered().ok());
  EXPECT_THAT(Events(), ElementsAre(AllOf(StartsWith("DeviceClaim gone DevicesRefused: "),
                                          HasSubstr("devicepools/status is forbidden"))));
  EXPECT_LE(refused_, 8);
}

TEST_F(DevicesCustody, APodWithoutRoomIsLookedAtNowAndThenAndServedOnceThereIsSome) {
  PutNodes(1, 4);
  PutClaim("c", 4);
  PutBound("p", R"([{"name":"a","claimName":"c"}])");
  (void)Round();
  ASSERT_EQ(StateOf("c"), "Allocated");
  PutClaim("d", 4);
  PutBound("q", R"([{"name":"a","claimName":"d"}])");
  custody_.OnChange();
  rounds_ = 0;
  RunFor(std::chrono::minutes(2));
  EXPECT_LE(rounds_, 15);
  EXPECT_TRUE(custody_.Recovered().ok());
  EXPECT_THAT(Events(), ElementsAre(AllOf(StartsWith("Pod q DevicesConflict: "),
                                          HasSubstr("4 in use by default/c"))));
  cluster_.RemovePod("p");
  custody_.OnChange();
  RunFor(std::chrono::seconds(40));
  EXPECT_EQ(StateOf("d"), "Allocated");
}

TEST_F(DevicesCustody, ABoundPodWhoseAnnotationCannotBeReadSaysSo) {
  PutNodes(1, 4);
  PutBound("p", R"([{"name":"a"}])");
  PutPod("waits", R"([{"name":"a"}])");
  RunFor(std::chrono::minutes(2));
  EXPECT_TRUE(custody_.Recovered().ok());
  EXPECT_THAT(Events(), ElementsAre(AllOf(StartsWith(
                            "Pod p DevicesConflict: the pod is bound, its claims cannot "
                            "be read: annotation devmgmtproto.k8s.io/device-claims: claims[0]"))));
}

// A driver may have given the devices to the pod, which runs.
TEST_F(DevicesCustody, WhatABoundPodGotItKeepsWhereAnotherClaimIsRefused) {
  PutNodes(1, 4);
  PutClaim("c", 2);
  PutClaim("d", 2);
  PutBound("p", R"([{"name":"a","claimName":"c"},{"name":"b","claimName":"d"}])");
  Refuse("d", absl::InvalidArgumentError("no"));
  (void)Round();
  EXPECT_EQ(StateOf("c"), "Allocated");
  ASSERT_THAT(StatusOf(kPoolKind, "n1-0")["allocations"], SizeIs(1));
  EXPECT_EQ(StatusOf(kPoolKind, "n1-0")["allocations"][0]["claimName"], "c");
  Refuse("", {});
  RunFor(std::chrono::minutes(1));
  EXPECT_EQ(StateOf("d"), "Allocated");
  EXPECT_EQ(StatusOf(kPoolKind, "n1-0")["allocations"][0]["state"], "Confirmed");
}

TEST_F(DevicesCustody, WhatRecoveryWaitsForIsSaid) {
  PutNodes(1, 4);
  PutLeftover();
  PutBound("p", kEmbedded);
  EXPECT_THAT(std::string(custody_.Recovered().message()), HasSubstr("first look"));
  cluster_.SetUsable(absl::UnavailableError("pods are not known yet"));
  (void)Round();
  EXPECT_THAT(std::string(custody_.Recovered().message()), HasSubstr("pods are not known yet"));
  cluster_.SetUsable(absl::OkStatus());
  std::vector<std::string> causes;
  cluster_.custom().Before([&](const CustomWrite&) {
    causes.emplace_back(custody_.Recovered().message());
    return absl::UnavailableError("away");
  });
  (void)Round();
  ASSERT_GE(causes.size(), 2U);
  EXPECT_THAT(causes.front(), HasSubstr("0 of 2 tried, now RemoveEntry default/gone in pool n1-0"));
  EXPECT_THAT(causes.back(), HasSubstr("1 of 2 tried, now ServeBoundPod default/p"));
  EXPECT_TRUE(custody_.Recovered().ok());
}

}  // namespace
}  // namespace outrigger::devices::agent
