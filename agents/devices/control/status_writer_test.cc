// What statuses say of claims without devices, of classes and pools, and which Events are written.
#include <algorithm>
#include <string>
#include <vector>

#include "control/pool_reports.h"
#include "control/status_writer.h"
#include "devices_testing.h"
#include "gmock/gmock.h"

namespace outrigger::devices::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class DevicesStatuses : public DevicesTest {
 protected:
  DevicesStatuses() {
    clock_.now = [this] { return now_; };
    clock_.wall = [this] {
      return std::chrono::system_clock::time_point() + now_.time_since_epoch();
    };
    store_.Follow(&cluster_);
  }
  ~DevicesStatuses() override { store_.Stop(); }

  std::optional<Clock::Duration> Round() { return statuses_.Round({}); }
  /// A round after the time that a new claim is left alone.
  void Settle() {
    (void)Round();
    now_ += std::chrono::seconds(2);
    (void)Round();
  }
  /// "claim c: Pending", of each write so far.
  std::vector<std::string> Written() {
    std::vector<std::string> written;
    for (const auto& write : cluster_.custom().Writes()) {
      written.push_back(fmt::format("{} {}", write.kind, write.name));
    }
    return written;
  }
  std::vector<std::string> Events() {
    std::vector<std::string> events;
    for (const ClusterEvent& event : cluster_.events()) {
      events.push_back(
          fmt::format("{} {}: {}: {}", event.kind, event.name, event.reason, event.note));
    }
    return events;
  }

  std::vector<std::string> said_;  // in the log
  Clock::TimePoint now_{std::chrono::hours(500'000)};
  std::unique_ptr<const Selectors> selectors_ = MakeCelSelectors();
  Allocator allocator_{*selectors_, {.always_resolve = true}};
  DeviceStore store_;
  StatusWriter statuses_{
      {&cluster_,
       &cluster_,
       NoMetrics::Instance(),
       {.now = [this] { return now_; },
        .wall =
            [this] { return std::chrono::system_clock::time_point() + now_.time_since_epoch(); }},
       [this](std::string_view line) { said_.emplace_back(line); }},
      &store_,
      allocator_,
      *selectors_};
};

TEST_F(DevicesStatuses, SayWhatIsInTheWayOfAClaim) {
  struct Row {
    std::string name;
    Json spec;
    std::string state;
    std::string message;
    std::string event;
  };
  PutNodes(1, 4);
  Put(kClassKind, "two", {{"deviceType", "gpu"}, {"driver", "d"}, {"maxDeviceCount", 2}});
  const Row rows[] = {
      {"good", {{"deviceClass", "foozer"}}, "Pending", "", ""},
      {"class-missing",
       {{"deviceClass", "none"}},
       "Pending",
       "there is no DeviceClass \"none\"",
       "ClaimWaits"},
      {"type-missing",
       {{"claims", {{{"deviceType", "none"}}}}},
       "Pending",
       "there is no DeviceClass of type \"none\"",
       "ClaimWaits"},
      {"above-the-class",
       {{"deviceClass", "two"}, {"maxDeviceCount", 3}},
       "Invalid",
       "maxDeviceCount above that of the class",
       "ClaimInvalid"},
      {"broken",
       {{"deviceClass", "foozer"}, {"constraints", "device.model =="}},
       "Invalid",
       "^",
       "ClaimInvalid"},
      {"asks-for-nothing", Json::object(), "Invalid", "neither deviceClass", "ClaimInvalid"},
      {"minus-two",
       {{"deviceClass", "foozer"}, {"minDeviceCount", -2}},
       "Invalid",
       "must be from 1",
       "ClaimInvalid"},
      {"too-many",
       {{"deviceClass", "foozer"}, {"minDeviceCount", 1'000'000'001}},
       "Invalid",
       "1000000001",
       "ClaimInvalid"},
      {"unknown-field",
       {{"deviceClass", "foozer"}, {"matchAttribute", {"numa"}}},
       "Invalid",
       "spec.matchAttribute: \"matchAttribute\" is not a known field; did you mean "
       "matchAttributes?",
       "ClaimInvalid: spec.matchAttribute: "},
      {"two-names",
       {{"deviceClass", "foozer"}, {"matchAttributes", {"a"}}, {"attributeMatches", {"b"}}},
       "Invalid",
       "spec.attributeMatches: \"attributeMatches\" is not equal to matchAttributes, its new name",
       "ClaimInvalid: spec.attributeMatches: "},
      {"old-name", {{"deviceClass", "foozer"}, {"attributeMatches", {"numa"}}}, "Pending", "", ""},
      {"both-dialects",
       {{"deviceClass", "foozer"}, {"claims", {{{"deviceClass", "foozer"}}}}},
       "Invalid",
       "exclude each other",
       "ClaimInvalid"},
  };
  for (const Row& row : rows) Put(kClaimKind, row.name, row.spec);
  Settle();
  const std::vector<std::string> events = Events();
  for (const Row& row : rows) {
    const Json status = StatusOf(kClaimKind, row.name);
    EXPECT_EQ(status.value("state", ""), row.state) << row.name;
    EXPECT_THAT(status.value("message", ""), HasSubstr(row.message)) << row.name;
    EXPECT_EQ(status.value("observedGeneration", 0), 1) << row.name;
    const std::string about = fmt::format("DeviceClaim {}: {}", row.name, row.event);
    EXPECT_EQ(std::count_if(events.begin(), events.end(),
                            [&](const std::string& event) { return event.find(about) == 0; }),
              row.event.empty() ? 0 : 1)
        << row.name;
  }
  EXPECT_EQ(StatusOf(kClaimKind, "good").value("class", ""), "foozer");
}

TEST_F(DevicesStatuses, NameTheDeviceOnWhichConstraintsFail) {
  PutNodes(1, 4);
  const Json speed = {{{"name", "speed"}, {"intValue", 9}}};
  const auto put_pool = [&](const Json& of_second) {
    Put(kPoolKind, "listed",
        {{"nodeName", "n1"},
         {"driver", "d"},
         {"devices",
          {{{"name", "x0"}, {"attributes", speed}}, {{"name", "x1"}, {"attributes", of_second}}}}});
  };
  put_pool(Json::array());
  Put(kClassKind, "listed",
      {{"deviceType", "gpu"}, {"driver", "d"}, {"constraints", "!has(device.vendor)"}});
  Put(kClaimKind, "fails", {{"deviceClass", "listed"}, {"constraints", "device.speed > 3"}});
  Put(kClaimKind, "good", {{"deviceClass", "listed"}, {"constraints", "has(device.speed)"}});
  Settle();
  EXPECT_EQ(StatusOf(kClaimKind, "fails")["state"], "Pending");
  const std::string message =
      "constraints fail on 1 device, first device x1 of pool listed: no such key: speed";
  EXPECT_EQ(StatusOf(kClaimKind, "fails")["message"], message);
  EXPECT_EQ(StatusOf(kClaimKind, "good").value("message", ""), "");
  EXPECT_THAT(Events(), ElementsAre("DeviceClaim fails: ClaimWaits: " + message));
  put_pool(speed);
  now_ += std::chrono::seconds(30);
  Settle();
  EXPECT_EQ(StatusOf(kClaimKind, "fails").value("message", ""), "");
}

TEST_F(DevicesStatuses, SayThatTheNamespaceLacksTheLabel) {
  Put(kPrivilegedClaimKind, "all", {{"driver", "d"}});
  Settle();
  EXPECT_EQ(StatusOf(kPrivilegedClaimKind, "all").value("state", ""), "Pending");
  EXPECT_EQ(StatusOf(kPrivilegedClaimKind, "all").value("message", ""),
            "admin access to devices needs the label resource.kubernetes.io/admin-access: \"true\" "
            "on namespace default");
  LabelNamespace("true");
  Settle();
  EXPECT_EQ(StatusOf(kPrivilegedClaimKind, "all").value("message", ""), "");
}

TEST_F(DevicesStatuses, AreWrittenWhenTheyChangeAndNotAgain) {
  PutNodes(1, 4);
  Put(kClaimKind, "c", {{"deviceClass", "late"}});
  Settle();
  const size_t written = Written().size();
  EXPECT_THAT(Written(), SizeIs(3)) << "class, pool, claim";
  Settle();
  EXPECT_THAT(Written(), SizeIs(written));
  Put(kClassKind, "late", {{"deviceType", "gpu"}, {"driver", "d"}});
  Settle();
  EXPECT_EQ(StatusOf(kClaimKind, "c").value("message", ""), "");
  EXPECT_THAT(Written(), SizeIs(written + 2));
  PutPool("n1-0", "n1", 8);
  Settle();
  EXPECT_EQ(StatusOf(kPoolKind, "n1-0").value("totalDevices", 0), 8);
  EXPECT_THAT(Written(), SizeIs(written + 3));
}

// Most claims are allocated at once, and a status would be in the way.
TEST_F(DevicesStatuses, ANewClaimIsLeftAloneAtFirst) {
  PutClaim("c", 1);
  EXPECT_EQ(Round(), std::optional<Clock::Duration>(std::chrono::seconds(1)));
  EXPECT_THAT(Written(), IsEmpty());
  now_ += std::chrono::milliseconds(999);
  (void)Round();
  EXPECT_THAT(Written(), IsEmpty());
  now_ += std::chrono::milliseconds(1);
  (void)Round();
  EXPECT_THAT(Written(), ElementsAre("DeviceClaim c"));
}

TEST_F(DevicesStatuses, AConfigThatIsMissingIsSaidAndLookedForAgain) {
  constexpr CustomKind kConfigKind{"foozer.example.com", "v1alpha1", "foozerconfigs",
                                   "FoozerConfig", true};
  PutNodes(1, 4);
  Put(kClaimKind, "c",
      {{"deviceClass", "foozer"},
       {"configs",
        {{{"apiVersion", "foozer.example.com/v1alpha1"},
          {"kind", "FoozerConfig"},
          {"name", "x"}}}}});
  Settle();
  EXPECT_EQ(StatusOf(kClaimKind, "c")["state"], "Pending");
  EXPECT_EQ(StatusOf(kClaimKind, "c")["message"], "config FoozerConfig default/x does not exist");
  cluster_.custom().Put(kConfigKind, {{"metadata", {{"name", "x"}, {"namespace", "default"}}}});
  now_ += std::chrono::seconds(30);
  Settle();
  EXPECT_EQ(StatusOf(kClaimKind, "c").value("message", ""), "");
}

TEST_F(DevicesStatuses, AnAllocatedClaimIsNotTouched) {
  Json object = Object(kClaimKind, "c", {{"deviceClass", "none"}});
  object["status"] = {{"state", "Allocated"},
                      {"nodeName", "n1"},
                      {"allocations", {{{"devicePoolName", "n1-0"}, {"deviceCount", 1}}}}};
  cluster_.custom().Put(kClaimKind, object);
  Settle();
  EXPECT_THAT(Written(), IsEmpty());
}

TEST_F(DevicesStatuses, AClassIsReadyWithADriver) {
  struct Row {
    std::string name;
    Json spec;
    std::string ready;
    std::string reason;
    std::string message;
    std::vector<std::string> drivers;
  };
  cluster_.custom().Put(kDriverKind, {{"metadata", {{"name", "d1"}}}, {"deviceTypes", {"gpu"}}});
  cluster_.custom().Put(kDriverKind,
                        {{"metadata", {{"name", "d2"}}}, {"deviceTypes", {"nic", "gpu"}}});
  const Row rows[] = {
      {"named", {{"deviceType", "gpu"}, {"driver", "d1"}}, "True", "DriverFound", "", {"d1"}},
      {"of-pools",
       {{"deviceType", "gpu"}, {"driver", "d3"}},
       "True",
       "PoolsFound",
       "there is no DeviceDriver \"d3\", but pools of it",
       {"d3"}},
      {"of-nothing",
       {{"deviceType", "gpu"}, {"driver", "d4"}},
       "False",
       "NoDriver",
       "there is no DeviceDriver \"d4\", and no DevicePool of it",
       {}},
      {"of-type", {{"deviceType", "gpu"}}, "True", "DriverFound", "", {"d1", "d2"}},
      {"without",
       {{"deviceType", "fpga"}},
       "False",
       "NoDriver",
       "no DeviceDriver has the type \"fpga\"",
       {}},
      {"broken", {{"deviceType", "gpu"}, {"constraints", "1 +"}}, "False", "Invalid", "", {}},
  };
  Put(kPoolKind, "p3", {{"nodeName", "n1"}, {"driver", "d3"}, {"count", 1}});
  for (const Row& row : rows) Put(kClassKind, row.name, row.spec);
  Settle();
  for (const Row& row : rows) {
    const Json status = StatusOf(kClassKind, row.name);
    ASSERT_THAT(status.value("conditions", Json::array()), SizeIs(1)) << row.name;
    const Json& condition = status["conditions"][0];
    EXPECT_EQ(condition["status"], row.ready) << row.name;
    EXPECT_EQ(condition["reason"], row.reason) << row.name;
    if (row.reason != "Invalid") {
      EXPECT_EQ(condition["message"], row.message) << row.name;
    }
    EXPECT_EQ(status.value("drivers", std::vector<std::string>()), row.drivers) << row.name;
  }
  EXPECT_THAT(Events(), ElementsAre(HasSubstr("DeviceClass broken: ClassInvalid: ")));
  cluster_.custom().Delete(kDriverKind, "", "d1");
  Settle();
  EXPECT_EQ(StatusOf(kClassKind, "of-type")["drivers"], Json({"d2"}));
  cluster_.custom().Delete(kPoolKind, "", "p3");
  Put(kPoolKind, "p4", {{"nodeName", "n1"}, {"driver", "d4"}, {"count", 1}});
  Settle();
  EXPECT_EQ(StatusOf(kClassKind, "of-pools")["conditions"][0]["status"], "False");
  EXPECT_EQ(StatusOf(kClassKind, "of-nothing")["conditions"][0]["status"], "True");
}

TEST_F(DevicesStatuses, AClassWithAnUnknownFieldIsInvalidAndSoAreItsClaims) {
  constexpr const char* kFault =
      "spec.matchAttribute: \"matchAttribute\" is not a known field; did you mean matchAttributes?";
  Put(kClassKind, "odd", {{"deviceType", "gpu"}, {"driver", "d"}, {"matchAttribute", {"numa"}}});
  Put(kClaimKind, "c", {{"deviceClass", "odd"}});
  Settle();
  const Json condition = StatusOf(kClassKind, "odd").at("conditions").at(0);
  EXPECT_EQ(condition["status"], "False");
  EXPECT_EQ(condition["reason"], "Invalid");
  EXPECT_EQ(condition["message"], kFault);
  EXPECT_EQ(StatusOf(kClaimKind, "c")["message"],
            fmt::format("DeviceClass \"odd\" is invalid: {}", kFault));
  EXPECT_THAT(Events(),
              ::testing::Contains(fmt::format("DeviceClass odd: ClassInvalid: {}", kFault)));
}

TEST_F(DevicesStatuses, WhatCouldNotBeWrittenIsWrittenLater) {
  PutNodes(1, 4);
  bool is_away = true;
  cluster_.custom().Before(
      [&](const auto&) { return is_away ? absl::UnavailableError("away") : absl::OkStatus(); });
  EXPECT_EQ(Round(), std::optional<Clock::Duration>(std::chrono::seconds(2)));
  (void)Round();
  EXPECT_THAT(said_, ElementsAre("status of DeviceClass foozer: away"));  // once a minute
  now_ += std::chrono::minutes(1);
  (void)Round();
  EXPECT_THAT(said_, SizeIs(2));
  is_away = false;
  (void)Round();
  EXPECT_EQ(StatusOf(kPoolKind, "n1-0").value("totalDevices", 0), 4);
  EXPECT_EQ(StatusOf(kPoolKind, "n1-0").value("freeDevices", 0), 4);
}

TEST_F(DevicesStatuses, PoolsThatCannotBeUsedAreReportedOnce) {
  PutNodes(1, 4);
  PutPool("lost", "n9", 1);
  Put(kPoolKind, "twice",
      {{"nodeName", "n1"},
       {"driver", "d"},
       {"attributes",
        {{{"name", "a"}, {"stringValue", "x"}}, {{"name", "a"}, {"stringValue", "y"}}}},
       {"count", 1}});
  PoolReports reports({&cluster_, NoMetrics::Instance(), clock_});
  (void)reports.Round(store_);
  EXPECT_THAT(Events(), ElementsAre(HasSubstr("DevicePool twice: PoolInvalid: the pool offers")));
  for (int i = 0; i < 3; ++i) {
    now_ += std::chrono::seconds(60);
    (void)reports.Round(store_);
  }
  EXPECT_THAT(Events(), ElementsAre(HasSubstr("DevicePool twice: "),
                                    "DevicePool lost: NodeMissing: there is no node n9"));
}

}  // namespace
}  // namespace outrigger::devices::agent
