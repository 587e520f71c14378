#include "devices/objects/objects.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "devices/objects/admin_access.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace outrigger::devices {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kPoolOfDevices = R"({"apiVersion":"devmgmtproto.k8s.io/v1alpha1",
  "kind":"DevicePool","metadata":{"name":"p","uid":"pu","resourceVersion":"7","generation":3},
  "spec":{"nodeName":"n","driver":"d","devices":[{"name":"a"},{"name":"b"},
    {"name":"s","resources":[{"name":"memory","capacity":"8Gi"},
                             {"name":"lanes","capacity":"4"}]}]}})";
constexpr std::string_view kClaim = R"({"apiVersion":"devmgmtproto.k8s.io/v1alpha1",
  "kind":"DeviceClaim","metadata":{"name":"c","namespace":"ns","uid":"cu","resourceVersion":"9",
    "generation":2,"deletionTimestamp":"2026-01-15T08:00:00Z","ownerReferences":[
      {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","uid":"ru"},
      {"apiVersion":"v1","kind":"Pod","name":"pod","uid":"podu"}]},
  "spec":{"claims":[
    {"deviceClass":"foozer","configs":[{"apiVersion":"v1","kind":"A","name":"a"}]},
    {"oneOf":[{"deviceType":"sriov-nic","configs":[{"apiVersion":"v1","kind":"B","name":"b"}]},
              {"deviceClass":"foozer"}]}]}})";

WallTime At(std::string_view text) {
  absl::Time time;
  std::string error;
  EXPECT_TRUE(absl::ParseTime(absl::RFC3339_full, std::string(text), &time, &error)) << error;
  return absl::ToChronoTime(time);
}

Quantity Q(std::string_view text) {
  return *Quantity::Parse(text);
}

// The object with a status that was merged into it.
std::string Merged(std::string_view object, std::string_view status_patch) {
  json merged = json::parse(object);
  json patch;
  patch["status"] = json::parse(status_patch);
  merged.merge_patch(patch);
  return merged.dump();
}

PoolObject PoolOf(std::string_view text) {
  auto pool = ParsePool(text);
  EXPECT_TRUE(pool.ok()) << pool.status();
  return pool.ok() ? *std::move(pool) : PoolObject();
}

PoolEntry Intent() {
  PoolEntry entry;
  entry.claim_namespace = "ns";
  entry.claim_name = "c";
  entry.claim_uid = "cu";
  entry.pod_name = "pod";
  entry.pod_uid = "podu";
  entry.deadline = At("2026-01-15T08:00:59Z");
  entry.writer = "host_1";
  return entry;
}

TEST(PoolStatus, IsReadAsItWasWritten) {
  const PoolObject pool = PoolOf(kPoolOfDevices);
  EXPECT_EQ(pool.version, (ObjectVersion{"pu", "7", 3, false}));
  PoolEntry intent = Intent();
  intent.holding = {{"p", "a", 1, {}}, {"p", "s", 1, {{"memory", Q("2Gi")}, {"lanes", Q("1")}}}};
  PoolEntry confirmed;
  confirmed.claim_uid = "other";
  confirmed.confirmed = true;
  confirmed.holding = {{"p", "b", 1, {}}};
  const std::vector<PoolEntry> entries = {intent, confirmed};
  const PoolObject again = PoolOf(Merged(kPoolOfDevices, PoolStatusPatch(pool, entries)));
  EXPECT_EQ(again.entries, entries);
  EXPECT_EQ(again.total, 3);
  EXPECT_EQ(again.free, 1);  // a part of s
}

TEST(PoolStatus, ANameThatIsGoneTakesNothing) {
  const PoolObject pool = PoolOf(kPoolOfDevices);
  PoolEntry entry = Intent();
  entry.holding = {{"p", "gone", 1, {}}};
  EXPECT_EQ(json::parse(PoolStatusPatch(pool, std::vector{entry}))["freeDevices"], 3);
}

TEST(PoolStatus, ASharedDeviceIsFreeWhileAPartIs) {
  struct Row {
    Amounts amounts;
    int free;
  };
  const PoolObject pool = PoolOf(kPoolOfDevices);
  for (const Row& row : {
           Row{{}, 2},
           Row{{{"memory", Q("8Gi")}}, 2},  // and all lanes
           Row{{{"memory", Q("8Gi")}, {"lanes", Q("3")}}, 3},
           Row{{{"memory", Q("8Gi")}, {"lanes", Q("4")}}, 2},
       }) {
    PoolEntry entry = Intent();
    entry.holding = {{"p", "s", 1, row.amounts}};
    EXPECT_EQ(json::parse(PoolStatusPatch(pool, std::vector{entry}))["freeDevices"], row.free);
  }
}

TEST(PoolStatus, OfCountsIsOneNumber) {
  constexpr std::string_view kText =
      R"({"metadata":{"name":"p"},"spec":{"driver":"d","count":5},"status":{"availableDevices":4}})";
  const PoolObject pool = PoolOf(kText);
  PoolEntry entry = Intent();
  entry.holding = {{"p", "", 2, {}}};
  const std::string text = Merged(kText, PoolStatusPatch(pool, std::vector{entry}));
  EXPECT_EQ(json::parse(text)["status"]["availableDevices"], 4);
  const PoolObject again = PoolOf(text);
  EXPECT_THAT(again.entries, ElementsAre(entry));
  EXPECT_EQ(again.total, 5);
  EXPECT_EQ(again.free, 3);
}

TEST(PoolStatus, OfNothingHasEmptyLists) {
  const PoolObject pool = PoolOf(R"({"metadata":{"name":"p"},"spec":{"driver":"d"}})");
  EXPECT_EQ(PoolStatusPatch(pool, {}), R"({"allocations":[],"totalDevices":0,"freeDevices":0})");
  // An entry must have one of two fields.
  PoolEntry empty = Intent();
  EXPECT_THAT(PoolStatusPatch(pool, std::vector{empty}), HasSubstr(R"("devices":[])"));
}

TEST(PoolStatus, NumbersEditedByHandOverflowNothing) {
  const PoolObject pool =
      PoolOf(R"({"metadata":{"name":"p"},"spec":{"driver":"d","count":5},"status":{"allocations":[
        {"claimUID":"a","state":"Intent","deviceCount":9223372036854775807},
        {"claimUID":"b","state":"Intent","deviceCount":9223372036854775807},
        {"claimUID":"c","state":"Intent","deviceCount":-9223372036854775807}]}})");
  EXPECT_EQ(json::parse(PoolStatusPatch(pool, pool.entries))["freeDevices"], 0);
}

TEST(PoolStatus, TakesKeysInAnyCaseAndTimesInAnyZone) {
  const PoolObject pool = PoolOf(R"({"metadata":{"name":"p"},"spec":{"Driver":"d"},
    "Status":{"Allocations":[{"ClaimUID":"u","State":"Intent",
      "Deadline":"2026-01-15T10:00:59.75+02:00","Devices":[{"Name":"a"}]}]}})");
  ASSERT_THAT(pool.entries, SizeIs(1));
  EXPECT_EQ(pool.entries[0].deadline, At("2026-01-15T08:00:59Z"));
  EXPECT_THAT(pool.entries[0].holding, ElementsAre(Allocation{"p", "a", 1, {}}));
}

TEST(ClaimStatus, IsReadAsItWasWritten) {
  ClaimStatus status;
  status.state = ClaimState::kAllocated;
  status.class_text = "foozer, sriov-nic";
  status.node = "n";
  status.message = "m";
  status.observed_generation = 2;
  status.allocations = {
      {"p", "a", 1, {{"memory", Q("1Gi")}}}, {"q", "", 3, {}}, {"q", "", 2, {}, true}};
  status.pods = {{"pod", "podu"}, {"other", "otheru"}};
  status.class_configs = {R"({"kind":"A","metadata":{"name":"a","managedFields":[{}]}})",
                          "nothing"};
  const std::string text = Merged(kClaim, ClaimStatusPatch(status));
  const auto claim = ParseClaim(text);
  ASSERT_TRUE(claim.ok()) << claim.status();
  EXPECT_EQ(claim->version, (ObjectVersion{"cu", "9", 2, true}));
  EXPECT_EQ(claim->claim.uid, "cu");
  EXPECT_EQ(claim->owner_pod_uid, "podu");
  EXPECT_FALSE(claim->privileged);
  EXPECT_EQ(claim->state, ClaimState::kAllocated);
  EXPECT_EQ(claim->class_text, status.class_text);
  EXPECT_EQ(claim->node, "n");
  EXPECT_EQ(claim->message, "m");
  EXPECT_EQ(claim->observed_generation, 2);
  EXPECT_EQ(claim->claim.allocations, status.allocations);
  EXPECT_EQ(claim->pods, status.pods);
  EXPECT_THAT(claim->claim.pods, ElementsAre("pod", "other"));
  EXPECT_EQ(json::parse(text)["status"]["classConfigs"],
            json::parse(R"([{"kind":"A","metadata":{"name":"a"}}])"));
  EXPECT_EQ(ClassText(claim->claim), status.class_text);
}

TEST(ClaimStatus, HoldsWhatIsNotOfAdminAccess) {
  ClaimObject claim;
  claim.claim.allocations = {{"p", "a", 1, {}, true}, {"p", "b", 1, {}}};
  EXPECT_THAT(HoldingOf(claim), ElementsAre(Allocation{"p", "b", 1, {}}));
  claim.privileged = true;
  EXPECT_TRUE(HoldingOf(claim).empty());
}

TEST(ClaimStatus, WhatIsEmptyIsRemoved) {
  ClaimStatus full;
  full.state = ClaimState::kAllocated;
  full.node = "n";
  full.message = "m";
  full.allocations = {{"p", "a", 1, {}}};
  full.pods = {{"pod", "podu"}};
  const std::string allocated = Merged(kClaim, ClaimStatusPatch(full));
  const json freed = json::parse(Merged(allocated, ClaimStatusPatch(ClaimStatus())));
  EXPECT_EQ(freed["status"], json::parse(R"({"state":"Pending","observedGeneration":0})"));
}

TEST(ClaimStatus, UseAloneLeavesTheRest) {
  ClaimStatus status;
  status.state = ClaimState::kAllocated;
  status.allocations = {{"p", "a", 1, {}}};
  status.pods = {{"pod", "podu"}};
  const std::vector<PodReference> pods = {{"other", "otheru"}};
  const std::string allocated = Merged(kClaim, ClaimStatusPatch(status));
  const auto claim = ParseClaim(Merged(allocated, ClaimUsePatch(pods, "m")));
  ASSERT_TRUE(claim.ok()) << claim.status();
  EXPECT_EQ(claim->state, ClaimState::kAllocated);
  EXPECT_EQ(claim->claim.allocations, status.allocations);
  EXPECT_EQ(claim->pods, pods);
  EXPECT_EQ(claim->message, "m");
}

TEST(ClaimStatus, TextsAreCutToTheirBounds) {
  ClaimStatus status;
  status.class_text = std::string(5000, 'x');
  status.message = std::string(50'000, 'x');
  const json patch = json::parse(ClaimStatusPatch(status));
  EXPECT_EQ(patch["class"].get<std::string>().size(), 1024U);
  EXPECT_EQ(patch["message"].get<std::string>().size(), 32'768U);
}

TEST(ClaimObject, HasConfigsInOrder) {
  const auto claim = ParseClaim(kClaim);
  ASSERT_TRUE(claim.ok()) << claim.status();
  EXPECT_THAT(claim->configs, ElementsAre(ConfigReference{"v1", "A", "", "a", 0, -1},
                                          ConfigReference{"v1", "B", "", "b", 1, 0}));
}

TEST(ClaimObject, IsPrivilegedByItsKindWhereverThatStands) {
  const auto claim = ParseClaim(
      R"({"metadata":{"name":"c"},"spec":{"driver":"d"},"kind":"DevicePrivilegedClaim"})");
  ASSERT_TRUE(claim.ok()) << claim.status();
  EXPECT_TRUE(claim->privileged);
  EXPECT_TRUE(claim->claim.requests.at(0).details.at(0).admin_access);
}

TEST(Namespace, AllowsAdminAccessByItsLabelAlone) {
  const auto of = [](std::string_view labels) {
    const auto read = ParseNamespace(
        std::string(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n","labels":)") +
        std::string(labels) + R"(},"status":{"phase":"Active"}})");
    EXPECT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->name, "n");
    return read->admin_access;
  };
  EXPECT_TRUE(of(R"({"a":"b","resource.kubernetes.io/admin-access":"true"})"));
  for (const std::string_view labels :
       {"null", "{}", R"({"resource.kubernetes.io/admin-access":"True"})",
        R"({"resource.kubernetes.io/admin-access":"false"})",
        R"({"resource.kubernetes.io/admin-access":""})", R"({"admin-access":"true"})"}) {
    EXPECT_FALSE(of(labels)) << labels;
  }
  EXPECT_EQ(ParseNamespace(R"({"metadata":{}})").status().message(), "metadata.name: is empty");
  EXPECT_TRUE(absl::IsInvalidArgument(ParseNamespace(R"({"metadata":{"name":"n"})").status()));
}

TEST(ClassStatus, KeepsTheTimeOfItsLastChange) {
  constexpr std::string_view kText =
      R"({"kind":"DeviceClass","metadata":{"name":"k","generation":4},
    "spec":{"deviceType":"t","configs":[
      {"apiVersion":"v1","kind":"A","namespace":"ns","name":"a"}]}})";
  const WallTime first = At("2026-01-15T08:00:00Z");
  const WallTime second = At("2026-01-15T09:00:00Z");
  const std::vector<std::string> drivers = {"d", "e"};
  const auto none = ParseClass(kText);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_THAT(none->configs, ElementsAre(ConfigReference{"v1", "A", "ns", "a"}));
  EXPECT_EQ(none->ready, std::nullopt);
  const std::string text =
      Merged(kText, ClassStatusPatch(*none, true, "Served", "", drivers, first));
  const auto ready = ParseClass(text);
  ASSERT_TRUE(ready.ok()) << ready.status();
  EXPECT_EQ(ready->ready, true);
  EXPECT_EQ(ready->ready_since, first);
  EXPECT_EQ(ready->ready_reason, "Served");
  EXPECT_EQ(ready->drivers, drivers);
  const auto same =
      ParseClass(Merged(text, ClassStatusPatch(*ready, true, "Served", "now", drivers, second)));
  EXPECT_EQ(same->ready_since, first);
  EXPECT_EQ(same->ready_message, "now");
  const auto other =
      ParseClass(Merged(text, ClassStatusPatch(*ready, false, "NoDriver", "", {}, second)));
  EXPECT_EQ(other->ready, false);
  EXPECT_EQ(other->ready_since, second);
  EXPECT_THAT(other->drivers, IsEmpty());
}

// Each names the field, the value and what is accepted.
TEST(Objects, RefuseWhatTheyCannotRead) {
  struct Row {
    const char* text;
    const char* error;
  };
  for (const Row& row : {
           Row{"", "body"},
           Row{"[]", "body: expected a JSON object"},
           Row{R"({"kind":"DevicePool","spec":{}})", "metadata.name: is empty"},
           Row{R"({"kind":"DeviceClass","metadata":{"name":"p"}})",
               "kind: \"DeviceClass\" is not DevicePool"},
           Row{R"({"apiVersion":"resource.k8s.io/v1","kind":"DevicePool","metadata":{"name":"p"}})",
               "apiVersion: \"resource.k8s.io/v1\" is not devmgmtproto.k8s.io/v1alpha1"},
           Row{R"({"metadata":{"name":"p"},"spec":{"attributes":[
                 {"name":"m","quantityValue":"8Gx"}]}})",
               "spec.attributes[0].quantityValue: \"8Gx\" is not a quantity such as"},
           Row{R"({"metadata":{"name":"p"},"status":{"allocations":[{"state":"Maybe"}]}})",
               "status.allocations[0].state: \"Maybe\" is not Intent or Confirmed"},
           Row{R"({"metadata":{"name":"p"},"status":{"allocations":[{"deadline":"soon"}]}})",
               "status.allocations[0].deadline: \"soon\" is not a time such as"},
           Row{R"({"metadata":{"name":"p"},"status":{"allocations":[
                 {"deadline":"infinite-future"}]}})",
               "is not a time such as"},
           Row{R"({"metadata":{"name":"p"},"status":{"allocations":[{"deviceCount":"2"}]}})",
               "status.allocations[0].deviceCount"},
           Row{R"({"metadata":{"name":"p"},"status":{"allocations":[{"devices":[
                 {"name":"a","allocations":[{"name":"m","allocation":"1Q"}]}]}]}})",
               "status.allocations[0].devices[0].allocations[0].allocation: \"1Q\" is not a "
               "quantity"},
       }) {
    const auto pool = ParsePool(row.text);
    EXPECT_EQ(pool.status().code(), absl::StatusCode::kInvalidArgument) << row.text;
    EXPECT_THAT(std::string(pool.status().message()), HasSubstr(row.error));
  }
}

TEST(Objects, ClaimsOfKindsThatAreNotScheduledAreRefused) {
  struct Row {
    const char* kind;
    const char* error;
  };
  for (const Row& row : {
           Row{"DeviceSetClaim", "kind: \"DeviceSetClaim\" is not scheduled, unlike DeviceClaim"},
           Row{"DeviceClaimTemplate", "is not scheduled, unlike DeviceClaim"},
           Row{"DevicePool", "kind: \"DevicePool\" is not DeviceClaim or DevicePrivilegedClaim"},
       }) {
    const auto claim =
        ParseClaim(std::string(R"({"metadata":{"name":"c"},"kind":")") + row.kind + "\"}");
    EXPECT_EQ(claim.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(claim.status().message()), HasSubstr(row.error));
  }
}

// A claim that was edited by hand stays known, so that its devices are not taken for free.
TEST(Objects, WhatIsMalformedInAClaimIsItsFault) {
  struct Row {
    const char* status;
    const char* fault;
  };
  for (const Row& row : {
           Row{R"({"state":"Mine"})",
               "status.state: \"Mine\" is not Pending, Allocated or Invalid"},
           Row{R"({"allocations":[{"devicePoolName":"p","deviceName":"a","allocations":[
                 {"name":"m","allocation":"much"}]}]})",
               "status.allocations[0].allocations[0].allocation: \"much\" is not a quantity"},
       }) {
    const auto claim = ParseClaim(std::string(
                                      R"({"metadata":{"name":"c"},"spec":{"deviceClass":"k"},
      "status":)") + row.status + "}");
    ASSERT_TRUE(claim.ok()) << claim.status();
    EXPECT_THAT(claim->claim.fault, HasSubstr(row.fault));
  }
}

TEST(Objects, DriversHaveTypes) {
  const auto driver = ParseDriver(R"({"kind":"DeviceDriver","metadata":{"name":"d"},
    "deviceTypes":["gpu"]})");
  ASSERT_TRUE(driver.ok()) << driver.status();
  EXPECT_THAT(driver->device_types, ElementsAre("gpu"));
}

}  // namespace
}  // namespace outrigger::devices
