// The agent as a whole, by what it does in the background.
#include <string>
#include <utility>

#include "devices_testing.h"
#include "gmock/gmock.h"

namespace outrigger::devices::agent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

class DevicesLifecycle : public DevicesTest {
 protected:
  DevicesLifecycle() { cluster_.elections().Give(); }

  absl::Status Bind(const Pod& pod, const std::string& node) {
    auto& agent = dynamic_cast<PreBinder&>(agent_->agent());
    const BindRequest request{pod.namespace_, pod.name, pod.uid, node};
    absl::Status status = agent.PreBind(request);
    if (!status.ok()) {
      agent.UndoPreBind(request, {status, false});
      return status;
    }
    status = cluster_.Bind({pod.namespace_, pod.name, pod.uid}, node, {}, {});
    EXPECT_TRUE(status.ok()) << status;
    agent.PostBind(request);
    return status;
  }
  Json EntriesOf(const std::string& pool) {
    return StatusOf(kPoolKind, pool).value("allocations", Json::array());
  }
  bool IsFree(const std::string& claim) {
    return StatusOf(kClaimKind, claim).value("state", "") != "Allocated" &&
           EntriesOf("n1-0").empty();
  }
  bool HasEvent(const std::string& kind, const std::string& name, const std::string& text) {
    for (const ClusterEvent& event : cluster_.events()) {
      if (event.kind == kind && event.name == name &&
          (event.reason + ": " + event.note).find(text) != std::string::npos) {
        return true;
      }
    }
    return false;
  }
};

TEST_F(DevicesLifecycle, APodEndsAndTheNextGetsItsDevices) {
  PutNodes(1, 4);
  PutClaim("c", 3);
  PutClaim("d", 3);
  Start();
  const Pod first = PutPodOf("p", "c");
  const Pod next = PutPodOf("q", "d");
  ASSERT_TRUE(Bind(first, "n1").ok());
  EXPECT_THAT(Reason(next), HasSubstr("3 in use by default/c"));
  cluster_.Change("p", [](Pod* pod) { pod->phase = "Succeeded"; });
  Await([&] { return IsFree("c"); });
  Await([&] { return !cluster_.nominations().empty(); });
  EXPECT_THAT(cluster_.nominations(), Contains(Pair("q", "n1")));
  EXPECT_TRUE(Bind(next, "n1").ok());
}

TEST_F(DevicesLifecycle, APodThatIsDeletedGivesBackWhatItsEmbeddedClaimHad) {
  PutNodes(1, 4);
  Start();
  const Pod pod = PutPod("p", R"([{"name":"a","claim":{"deviceClass":"foozer"}}])");
  ASSERT_TRUE(Bind(pod, "n1").ok());
  cluster_.RemovePod("p");
  Await([&] { return IsFree("p-a"); });
}

TEST_F(DevicesLifecycle, APodThatIsBoundPastTheAgentIsServedWhereThereIsRoom) {
  PutNodes(1, 4);
  PutClaim("c", 3);
  PutClaim("d", 3);
  Start();
  PutPodOf("p", "c");
  cluster_.Change("p", [](Pod* pod) { pod->node_name = "n1"; });
  Await([&] { return StatusOf(kClaimKind, "c").value("state", "") == "Allocated"; });
  PutPodOf("q", "d");
  cluster_.Change("q", [](Pod* pod) { pod->node_name = "n1"; });
  Await([&] { return HasEvent("Pod", "q", "3 in use by default/c"); });
}

TEST_F(DevicesLifecycle, APodThatIsBoundPastTheAgentGetsNoAdminAccessWithoutTheLabel) {
  PutNodes(1, 4);
  Put(kPrivilegedClaimKind, "all", {{"driver", "foozer.example.com"}});
  Start();
  PutPod("p", R"([{"name":"a","privilegedClaimName":"all"}])");
  cluster_.Change("p", [](Pod* pod) { pod->node_name = "n1"; });
  Await(
      [&] { return HasEvent("Pod", "p", "needs the label resource.kubernetes.io/admin-access"); });
  EXPECT_NE(StatusOf(kPrivilegedClaimKind, "all").value("state", ""), "Allocated");
}

// What a process left that was killed after the first, the second and the third write. By which
// clock the deadlines are is not known: the first two may be of a process that binds their pods.
TEST_F(DevicesLifecycle, WhatADeadProcessBoundIsConfirmedBeforeItIsReadyAndTheRestIsKept) {
  PutNodes(3, 4);
  for (const char* claim : {"early", "late", "done"}) PutClaim(claim, 2);
  const auto uid_of = [&](const std::string& claim) {
    return Get(kClaimKind, claim)["metadata"]["uid"];
  };
  const auto put_intent = [&](const std::string& pool, const std::string& claim) {
    Json object = Get(kPoolKind, pool);
    object["status"]["allocations"] = {{{"claimUID", uid_of(claim)},
                                        {"claimNamespace", "default"},
                                        {"claimName", claim},
                                        {"podUID", "uid-" + claim},
                                        {"state", "Intent"},
                                        {"deadline", "2026-01-15T08:00:00Z"},
                                        {"writer", "dead"},
                                        {"deviceCount", 2}}};
    cluster_.custom().Put(kPoolKind, object);
  };
  const auto put_allocated = [&](const std::string& claim, const std::string& node) {
    Json object = Get(kClaimKind, claim);
    object["status"] = {{"state", "Allocated"},
                        {"nodeName", node},
                        {"pods", {{{"name", claim}, {"uid", "uid-" + claim}}}},
                        {"podNames", {claim}},
                        {"allocations", {{{"devicePoolName", node + "-0"}, {"deviceCount", 2}}}}};
    cluster_.custom().Put(kClaimKind, object);
  };
  put_intent("n1-0", "early");
  put_intent("n2-0", "late");
  put_allocated("late", "n2");
  put_intent("n3-0", "done");
  put_allocated("done", "n3");
  for (const char* pod : {"early", "late", "done"}) PutPodOf(pod, pod);
  cluster_.Change("done", [](Pod* pod) { pod->node_name = "n3"; });
  Start();
  Await([&] { return controller().Ready().ok(); });
  EXPECT_EQ(EntriesOf("n1-0").size(), 1U);
  EXPECT_EQ(StatusOf(kClaimKind, "late")["state"], "Allocated");
  EXPECT_EQ(EntriesOf("n2-0").size(), 1U);
  EXPECT_EQ(StatusOf(kClaimKind, "done")["state"], "Allocated");
  EXPECT_EQ(StatusOf(kPoolKind, "n3-0")["allocations"][0]["state"], "Confirmed");
}

TEST_F(DevicesLifecycle, APodThatNamesItsClaimNoMoreKeepsIt) {
  PutNodes(1, 4);
  PutClaim("c", 3);
  PutClaim("d", 1);
  Start();
  ASSERT_TRUE(Bind(PutPodOf("p", "c"), "n1").ok());
  cluster_.Change("p", [](Pod* pod) { pod->annotations.clear(); });
  ASSERT_TRUE(Bind(PutPodOf("q", "d"), "n1").ok());
  cluster_.Change("q", [](Pod* pod) { pod->phase = "Failed"; });
  Await([&] { return StatusOf(kClaimKind, "d").value("state", "") != "Allocated"; });
  EXPECT_EQ(StatusOf(kClaimKind, "c")["state"], "Allocated");
}

TEST_F(DevicesLifecycle, APoolThatIsMadeAgainIsHeldByAClaimThatHasSomeOfItByAdminAccess) {
  PutNodes(1, 2);
  PutMonitorClass();
  LabelNamespace("true");
  Put(kClaimKind, "c", {{"claims", {{{"deviceClass", "foozer"}}, {{"deviceClass", "monitor"}}}}});
  PutClaim("d", 2);
  Start();
  ASSERT_TRUE(Bind(PutPodOf("p", "c"), "n1").ok());
  MakePoolAgain("n1-0");
  const Pod next = PutPodOf("q", "d");
  EXPECT_THAT(Reason(next), HasSubstr("1 in use by default/c"));
  EXPECT_FALSE(Bind(next, "n1").ok());
  Await([&] { return EntriesOf("n1-0").size() == 1; });
  EXPECT_EQ(EntriesOf("n1-0")[0]["claimName"], "c");
  EXPECT_EQ(EntriesOf("n1-0")[0]["deviceCount"], 1);
}

// By a server without the rule that keeps the spec of a claim with devices.
TEST_F(DevicesLifecycle, AClaimWhoseSpecIsChangedToAdminAccessHoldsWhatItHas) {
  PutNodes(1, 1);
  PutMonitorClass();
  PutClaim("c", 1);
  PutClaim("d", 1);
  Start();
  ASSERT_TRUE(Bind(PutPodOf("p", "c"), "n1").ok());
  Json claim = Get(kClaimKind, "c");
  claim["spec"] = {{"claims", {{{"deviceClass", "monitor"}}}}};
  cluster_.custom().Put(kClaimKind, claim);
  MakePoolAgain("n1-0");
  const Pod next = PutPodOf("q", "d");
  EXPECT_THAT(Reason(next), HasSubstr("1 in use by default/c"));
  EXPECT_FALSE(Bind(next, "n1").ok());
  Await([&] { return EntriesOf("n1-0").size() == 1; });
  EXPECT_EQ(EntriesOf("n1-0")[0]["claimName"], "c");
}

TEST_F(DevicesLifecycle, StatusesThatContradictEachOtherAreReported) {
  PutNodes(1, 4);
  PutClaim("c", 3);
  Start();
  ASSERT_TRUE(Bind(PutPodOf("p", "c"), "n1").ok());
  Json pool = Get(kPoolKind, "n1-0");
  Json second = pool["status"]["allocations"][0];
  second["claimUID"] = "by-hand";
  second["claimName"] = "by-hand";
  second["podUID"] = cluster_.Get("p").uid;
  pool["status"]["allocations"].push_back(second);
  cluster_.custom().Put(kPoolKind, pool);
  Await([&] { return HasEvent("DevicePool", "n1-0", "DevicesConflict: "); });
}

TEST_F(DevicesLifecycle, EntriesOfClaimsThatAreGoneAreRemoved) {
  PutNodes(1, 4);
  Json pool = Get(kPoolKind, "n1-0");
  pool["status"]["allocations"] = {{{"claimUID", "no-such-claim"},
                                    {"claimNamespace", "default"},
                                    {"claimName", "gone"},
                                    {"state", "Confirmed"},
                                    {"deviceCount", 4}}};
  cluster_.custom().Put(kPoolKind, pool);
  PutClaim("c", 1);
  Start();
  const Pod pod = PutPodOf("p", "c");
  Await([&] { return !Fitting(pod).empty(); });
  EXPECT_TRUE(StatusOf(kPoolKind, "n1-0")["allocations"].empty());
}

TEST_F(DevicesLifecycle, AClaimThatIsDeletedBeforeTheAnswerOfItsWriteLeavesNoTrace) {
  PutNodes(1, 4);
  PutClaim("c", 3);
  PutClaim("d", 3);
  Start();
  cluster_.custom().After([&](const testing::CustomWrite& write) {
    if (write.name == "c") cluster_.custom().Delete(kClaimKind, "default", "c");
    return absl::OkStatus();
  });
  const Pod pod = PutPodOf("p", "c");
  (void)Bind(pod, "n1");
  EXPECT_THAT(Reason(pod), HasSubstr("there is no DeviceClaim with that name"));
  cluster_.RemovePod("p");
  const Pod next = PutPodOf("q", "d");
  Await([&] { return !Fitting(next).empty(); });
}

TEST_F(DevicesLifecycle, ReadyOnceWhatWasBegunIsSettled) {
  PutNodes(1, 4);
  cluster_.elections().Take("");
  Start();
  EXPECT_EQ(std::string(controller().Ready().message()),
            "starting: earlier allocations must be completed or undone first; waiting for the "
            "Lease kube-system/outrigger-devices, which no process holds");
  cluster_.elections().Give();
  Await([&] { return controller().Ready().ok(); });
  cluster_.custom().SetUsable(absl::UnavailableError("too old"));
  EXPECT_TRUE(absl::IsUnavailable(controller().Ready()));
}

TEST_F(DevicesLifecycle, ReadyWithoutTheKindsAndRecoveredOnceTheyAreThere) {
  cluster_.custom().SetServed(kPoolKind, false);
  cluster_.elections().Take("");
  Start();
  EXPECT_TRUE(controller().Ready().ok()) << controller().Ready();
  cluster_.custom().SetServed(kPoolKind, true);
  Await([&] { return absl::IsUnavailable(controller().Ready()); });
  cluster_.elections().Give();
  Await([&] { return controller().Ready().ok(); });
}

TEST_F(DevicesLifecycle, ReadyWhileAnotherProcessLeads) {
  PutNodes(1, 4);
  cluster_.elections().Take("another");
  Start();
  EXPECT_TRUE(controller().Ready().ok()) << controller().Ready();
}

TEST_F(DevicesLifecycle, TheLeaderWritesStatusesAsThingsChange) {
  PutNodes(1, 4);
  Start();
  Await([&] { return StatusOf(kPoolKind, "n1-0").value("totalDevices", 0) == 4; });
  PutPool("n1-0", "n1", 6);
  Await([&] { return StatusOf(kPoolKind, "n1-0").value("totalDevices", 0) == 6; });
  EXPECT_EQ(StatusOf(kClassKind, "foozer")["conditions"][0]["status"], "True");
}

TEST_F(DevicesLifecycle, ThePageShowsWhoHasWhat) {
  PutNodes(2, 4);
  PutClaim("c", 3);
  Start();
  ASSERT_TRUE(Bind(PutPodOf("p", "c"), "n1").ok());
  const auto& source = dynamic_cast<const PageSource&>(agent_->agent());
  const PageSpec page = source.Pages()[0];
  EXPECT_EQ(FaultOf(page), "");
  PageTable table(page.columns, 100);
  ASSERT_TRUE(source.FillPage(page.name, &table).ok());
  EXPECT_EQ(table.fault(), "");
  ASSERT_EQ(table.rows().size(), 2u);
  EXPECT_EQ(table.rows()[0],
            (std::vector<PageCell>{"n1-0", "n1", "foozer.example.com", int64_t{4}, int64_t{3},
                                   int64_t{1}, "default/c", PageCell()}));
}

}  // namespace
}  // namespace outrigger::devices::agent
