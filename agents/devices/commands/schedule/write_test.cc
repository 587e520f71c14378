// What `outrigger schedule --write` writes, on an API server in memory.

#include "devices/commands/schedule/write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/json/body.h"
#include "devices/commands/claims/placement.h"
#include "devices/commands/schedule/live_testing.h"
#include "devices/commands/schedule/schedule_testing.h"
#include "fake_custom_objects.h"

namespace outrigger::cli {
namespace {

using devices::kClaimKind;
using devices::kPoolKind;
using devices::PodOnNode;
using Tree = nlohmann::json;
using testing::CustomWrite;
using ::testing::ElementsAre;
using testing::FakeCustomObjects;
using ::testing::HasSubstr;

constexpr const char* kPodUid = "pod-uid";

/// Pods of which one is bound.
class FakeBinder final : public PodBinder {
 public:
  absl::Status Bind(const PodOnNode& pod, const CallLimits& /*limits*/) override {
    if (answer.ok() || is_lost) bound = pod.node;
    return answer;
  }
  absl::StatusOr<std::string> NodeOf(const PodOnNode& /*pod*/,
                                     const CallLimits& /*limits*/) override {
    if (!read.ok()) return read;
    return bound;
  }

  std::string bound;
  absl::Status answer;
  absl::Status read;
  bool is_lost = false;  // the binding succeeds, its answer does not arrive
};

class WriteScheduleTest : public ::testing::Test {
 protected:
  void Take(DeviceTaker* taker, const std::string& kind, const Tree& object) {
    const std::string text = object.dump();
    const std::string padded = text + std::string(json::kPadding, ' ');
    const std::string version = object.at("apiVersion");
    const absl::Status status = taker->Take({kind, {padded.data(), text.size()}, "", version});
    ASSERT_TRUE(status.ok()) << status;
  }

  /// What the cluster has, with this pod.
  DeviceObjects Read(const Tree& pod) {
    DeviceTaker taker("default");
    taker.BeginCluster("the cluster", true);
    for (const CustomKind* kind :
         {&kPoolKind, &kClaimKind, &devices::kClassKind, &devices::kPrivilegedClaimKind}) {
      for (const Tree& object : api_.All(*kind)) Take(&taker, std::string(kind->kind), object);
    }
    Take(&taker, "Pod", pod);
    std::vector<std::string> notes;
    return taker.Finish(&notes);
  }

  absl::Status Write(const Tree& pod, const std::string& node = "a") {
    DeviceObjects objects = Read(pod);
    return WriteSchedule(objects.pods.front(), node, {}, &objects, {&api_, &binder_, {}});
  }

  static Tree Pod(const Tree& claims) {
    Tree pod = PodWith("web", claims);
    pod["metadata"]["uid"] = kPodUid;
    return pod;
  }

  Tree StateOf(const std::string& claim) {
    return api_.Get(kClaimKind, "default", claim)->at("status").at("state");
  }
  Tree EntriesOf(const std::string& pool) {
    const auto object = api_.Get(kPoolKind, "", pool);
    const Tree status = object->value("status", Tree::object());
    return status.value("allocations", Tree::array());
  }

  FakeCustomObjects api_;
  FakeBinder binder_;
};

TEST_F(WriteScheduleTest, WritesPoolClaimBindingAndConfirmation) {
  api_.Put(kPoolKind, CountingPool("p0", "a", 4));
  api_.Put(kClaimKind, CountingClaim("two", 2));
  const absl::Status status = Write(Pod({{{"name", "gpus"}, {"claimName", "two"}}}));
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(binder_.bound, "a");
  EXPECT_EQ(StateOf("two"), "Allocated");
  const Tree entry = EntriesOf("p0").at(0);
  EXPECT_EQ(entry.at("state"), "Confirmed");
  EXPECT_EQ(entry.at("deviceCount"), 2);
  EXPECT_EQ(entry.at("podUID"), kPodUid);
  std::vector<std::string> kinds;
  for (const CustomWrite& write : api_.Writes()) kinds.push_back(write.kind);
  EXPECT_THAT(kinds, ElementsAre("DevicePool", "DeviceClaim", "DevicePool"));
}

TEST_F(WriteScheduleTest, CreatesEmbeddedClaims) {
  api_.Put(kPoolKind, CountingPool("p0", "a", 4));
  const absl::Status status =
      Write(Pod({{{"name", "gpus"}, {"claim", {{"deviceClass", "foozer"}}}}}));
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(StateOf("web-gpus"), "Allocated");
  EXPECT_EQ(api_.Get(kClaimKind, "default", "web-gpus")
                ->at("metadata")
                .at("ownerReferences")
                .at(0)
                .at("uid"),
            kPodUid);
}

TEST_F(WriteScheduleTest, GivesBackWhatABindingThatIsRefusedLeaves) {
  api_.Put(kPoolKind, CountingPool("p0", "a", 4));
  api_.Put(kClaimKind, CountingClaim("two", 2));
  binder_.answer = absl::AbortedError("bound to node b");
  const absl::Status status = Write(Pod({{{"name", "gpus"}, {"claimName", "two"}}}));
  EXPECT_EQ(status, binder_.answer);
  EXPECT_EQ(StateOf("two"), "Pending");
  EXPECT_TRUE(EntriesOf("p0").empty());
}

TEST_F(WriteScheduleTest, ABindingWithoutAnAnswerIsLookedUp) {
  api_.Put(kPoolKind, CountingPool("p0", "a", 4));
  api_.Put(kClaimKind, CountingClaim("two", 2));
  binder_.answer = absl::UnavailableError("no connection");
  binder_.is_lost = true;
  const absl::Status status = Write(Pod({{{"name", "gpus"}, {"claimName", "two"}}}));
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(EntriesOf("p0").at(0).at("state"), "Confirmed");
}

// It may still arrive: the devices are the pod's until it is known.
TEST_F(WriteScheduleTest, WhatIsNotKnownStays) {
  api_.Put(kPoolKind, CountingPool("p0", "a", 4));
  api_.Put(kClaimKind, CountingClaim("two", 2));
  binder_.answer = absl::UnavailableError("no connection");
  const absl::Status status = Write(Pod({{{"name", "gpus"}, {"claimName", "two"}}}));
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("it is unknown whether pod default/web"));
  EXPECT_EQ(StateOf("two"), "Allocated");
  EXPECT_EQ(EntriesOf("p0").at(0).at("state"), "Intent");
}

// Another writer takes the devices after the state was read: the pool is read again.
TEST_F(WriteScheduleTest, TakesOtherDevicesIfTheChosenOnesAreGone) {
  const Tree pool = DeviceObject(
      "DevicePool", "cards",
      {{"nodeName", "a"}, {"driver", "d"}, {"devices", {{{"name", "x0"}}, {{"name", "x1"}}}}});
  api_.Put(kPoolKind, pool);
  api_.Put(kClaimKind, CountingClaim("one", 1));
  bool is_first = true;
  api_.Before([&](const CustomWrite& write) {
    if (write.kind != "DevicePool" || !is_first) return absl::OkStatus();
    is_first = false;
    Tree taken = pool;
    taken["status"] = {{"allocations",
                        {{{"claimNamespace", "default"},
                          {"claimName", "other"},
                          {"claimUID", "u9"},
                          {"podUID", "p9"},
                          {"state", "Confirmed"},
                          {"devices", {{{"name", "x0"}}}}}}}};
    api_.Put(kPoolKind, taken);
    return absl::OkStatus();
  });
  const absl::Status status = Write(Pod({{{"name", "gpus"}, {"claimName", "one"}}}));
  ASSERT_TRUE(status.ok()) << status;
  const Tree claim = *api_.Get(kClaimKind, "default", "one");
  EXPECT_EQ(claim.at("status").at("allocations").at(0).at("deviceName"), "x1");
}

TEST_F(WriteScheduleTest, HoldsNothingByAdminAccess) {
  api_.Put(kPoolKind, CountingPool("p0", "a", 2));
  api_.Put(devices::kClassKind,
           DeviceObject("DeviceClass", "foozer",
                        {{"driver", "example.com-foozer"}, {"deviceType", "gpu"}}));
  api_.Put(devices::kClassKind,
           DeviceObject(
               "DeviceClass", "admin",
               {{"driver", "example.com-foozer"}, {"deviceType", "gpu"}, {"adminAccess", true}}));
  api_.Put(kClaimKind,
           DeviceObject("DeviceClaim", "mixed",
                        {{"claims", {{{"deviceClass", "foozer"}}, {{"deviceClass", "admin"}}}}}));
  const absl::Status status = Write(Pod({{{"name", "gpus"}, {"claimName", "mixed"}}}));
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(EntriesOf("p0").at(0).at("deviceCount"), 1);
  EXPECT_EQ(StateOf("mixed"), "Allocated");
  const Tree claim = *api_.Get(kClaimKind, "default", "mixed");
  const Tree& allocations = claim.at("status").at("allocations");
  EXPECT_FALSE(allocations.at(0).contains("adminAccess"));
  EXPECT_EQ(allocations.at(1).at("adminAccess"), true);
}

TEST_F(WriteScheduleTest, RefusesWhatItDoesNotDo) {
  api_.Put(kPoolKind, CountingPool("p0", "a", 1));
  Tree claim = CountingClaim("one", 1);
  claim["spec"]["configs"] = {{{"apiVersion", "g/v1"}, {"kind", "Config"}, {"name", "fast"}}};
  api_.Put(kClaimKind, claim);
  Tree pod = Pod({{{"name", "gpus"}, {"claimName", "one"}}});
  EXPECT_THAT(std::string(Write(pod).message()),
              HasSubstr("claim default/one or its class refers to configurations"));
  Tree member = pod;
  member["metadata"]["labels"] = {{"podGroup", "g"}, {"minAvailable", "2"}};
  EXPECT_EQ(Write(member).message(),
            "pod default/web: gangs with device claims are not planned yet");
  pod["spec"]["nodeName"] = "b";
  EXPECT_EQ(Write(pod).message(), "pod default/web is bound to node b already");
  EXPECT_TRUE(api_.Writes().empty());
}

TEST(ScheduleWrite, IsForALiveCluster) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--write"},
        {"--write", "--cluster", "dump.json"},
        {"--write", "--cluster", "live", "--original-results"}}) {
    const testing::Ran ran = ScheduleOn({}, arguments);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("--write needs --cluster live"));
  }
}

struct RoomRow {
  const char* name;
  void (*change)(Tree* node, Tree* pod, Tree* other);
  const char* error;
};
class ScheduleWriteRoom : public ::testing::TestWithParam<RoomRow> {};

// A node with the devices, and a pod of others on it.
TEST_P(ScheduleWriteRoom, IsWhatKubeSchedulerComparesToo) {
  Tree node = NodeNamed("a");
  Tree pod = Asking(PodWith("web", {{{"name", "gpus"}, {"claimName", "one"}}}), "1");
  Tree other = Asking(PodWith("other", Tree::array()), "1", "a");
  GetParam().change(&node, &pod, &other);
  const Tree of = DeviceObject("DeviceClass", "foozer",
                               {{"driver", "example.com-foozer"}, {"deviceType", "gpu"}});
  const Tree volume = {{"metadata", {{"name", "data"}, {"namespace", "default"}}},
                       {"spec", {{"storageClassName", "local"}}},
                       {"status", {{"phase", "Pending"}}}};
  const ObjectServer server({{"nodes", ObjectServer::List({node})},
                             {"pods", ObjectServer::List({pod, other})},
                             {"persistentvolumeclaims", ObjectServer::List({volume})},
                             {"devicepools", ObjectServer::List({CountingPool("p0", "a", 2)})},
                             {"deviceclasses", ObjectServer::List({of})},
                             {"devicedrivers", ObjectServer::List({})},
                             {"deviceclaims", ObjectServer::List({CountingClaim("one", 1)})},
                             {"deviceprivilegedclaims", ObjectServer::List({})},
                             {"namespaces", ObjectServer::List({})},
                             {"default/pods/web", pod}});
  const testing::Ran ran = testing::RunProgram({"schedule", "--cluster", "live", "--kubeconfig",
                                                server.kubeconfig(), "--pod", "web", "--write"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ScheduleWriteRoom,
    ::testing::Values(
        RoomRow{"Enough",  // the pool is read then, and is not there by itself
                [](Tree*, Tree*, Tree*) {}, "the node has no pools"},
        RoomRow{"Cordoned",
                [](Tree* node, Tree*, Tree*) { (*node)["spec"]["unschedulable"] = true; },
                "nothing is written\na: has the devices, but no room for the pod: the node is "
                "cordoned"},
        RoomRow{"Taint",
                [](Tree* node, Tree*, Tree*) {
                  (*node)["spec"]["taints"] = {
                      {{"key", "dedicated"}, {"value", "db"}, {"effect", "NoSchedule"}}};
                },
                "the pod does not tolerate the taint dedicated=db:NoSchedule"},
        RoomRow{"TaintThatEvicts",
                [](Tree* node, Tree*, Tree*) {
                  (*node)["spec"]["taints"] = {{{"key", "gone"}, {"effect", "NoExecute"}}};
                },
                "the pod does not tolerate the taint gone:NoExecute"},
        RoomRow{"Selector",
                [](Tree*, Tree* pod, Tree*) {
                  (*pod)["spec"]["nodeSelector"] = {{"disk", "ssd"}};
                },
                "the pod's node selector or affinity leaves the node out"},
        RoomRow{"Cpu", [](Tree*, Tree* pod, Tree*) { *pod = Asking(*pod, "3500m"); },
                "cpu: 3500m requested, 3 free"},
        RoomRow{"Pods",
                [](Tree* node, Tree*, Tree*) { (*node)["status"]["allocatable"]["pods"] = "1"; },
                "pods: 1 requested, 0 free"},
        RoomRow{"HostPort",
                [](Tree*, Tree* pod, Tree* other) {
                  const Tree ports = {{{"containerPort", 80}, {"hostPort", 80}}};
                  (*pod)["spec"]["containers"][0]["ports"] = ports;
                  (*other)["spec"]["containers"][0]["ports"] = ports;
                },
                "a host port that it requests is in use"},
        RoomRow{"AntiAffinity",
                [](Tree*, Tree* pod, Tree* other) {
                  (*other)["metadata"]["labels"] = {{"app", "db"}};
                  (*pod)["spec"]["affinity"]["podAntiAffinity"]
                        ["requiredDuringSchedulingIgnoredDuringExecution"] = {
                            {{"topologyKey", "kubernetes.io/hostname"},
                             {"labelSelector", {{"matchLabels", {{"app", "db"}}}}}}};
                },
                "has the devices, but no room for the pod: pod anti-affinity"},
        RoomRow{"Volume",
                [](Tree*, Tree* pod, Tree*) {
                  (*pod)["spec"]["volumes"] = {
                      {{"name", "d"}, {"persistentVolumeClaim", {{"claimName", "data"}}}}};
                },
                "pod default/web is not bound by this command: it has volumes or resource claims"}),
    [](const auto& row) { return row.param.name; });

TEST(ScheduleWrite, FilesSayWhichPodIsMeant) {
  const ObjectServer server(
      {{"nodes", ObjectServer::List({NodeNamed("a")})},
       {"devicepools", ObjectServer::List({})},
       {"deviceclasses", ObjectServer::List({})},
       {"devicedrivers", ObjectServer::List({})},
       {"deviceclaims", ObjectServer::List({CountingClaim("two", 2)})},
       {"deviceprivilegedclaims", ObjectServer::List({})},
       {"namespaces", ObjectServer::List({})},
       {"pods", ObjectServer::List({PodWith("web", Tree::array())})},
       {"default/pods/web", PodWith("web", {{{"name", "gpus"}, {"claimName", "two"}}})}});
  // The pool of the file is not the cluster's.
  const testing::Ran ran =
      ScheduleOn({CountingPool("p0", "a", 2), PodWith("web", Tree::array())},
                 {"--cluster", "live", "--kubeconfig", server.kubeconfig(), "--write"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err,
              HasSubstr("no node has devices and room for pod default/web: nothing is written\n"
                        "a: could not satisfy these claims: two\n"));
  const testing::Ran without =
      ScheduleOn({CountingPool("p0", "a", 2)},
                 {"--cluster", "live", "--kubeconfig", server.kubeconfig(), "--write"});
  EXPECT_THAT(without.err, HasSubstr("--write needs a pod: the files have none"));
}

}  // namespace
}  // namespace outrigger::cli
