// Bind calls as the engine makes them: what is written, and what becomes of it.
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "calls/binding.h"
#include "devices_testing.h"
#include "gmock/gmock.h"

namespace outrigger::devices::agent {
namespace {

using testing::CustomWrite;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class DevicesBind : public DevicesTest {
 protected:
  PreBinder& prebinder() { return dynamic_cast<PreBinder&>(agent_->agent()); }

  /// A bind call without another Binder: the engine's own order.
  absl::Status Bind(const Pod& pod, const std::string& node) {
    const BindRequest request{pod.namespace_, pod.name, pod.uid, node};
    absl::Status status = prebinder().PreBind(request);
    if (!status.ok()) {
      prebinder().UndoPreBind(request, {status, false});
      return status;
    }
    status = cluster_.Bind({pod.namespace_, pod.name, pod.uid}, node, {}, {});
    if (status.ok()) {
      prebinder().PostBind(request);
    } else {
      prebinder().UndoPreBind(request, {status, MayBeBound(status)});
    }
    return status;
  }
  template <typename Agent>
  static void Prepare(Agent* agent, const BindRequest& request) {
    const absl::Status status = agent->PreBind(request);
    if (status.ok()) {
      agent->PostBind(request);
    } else {
      agent->UndoPreBind(request, {status, false});
    }
  }
  std::vector<std::string> Written() {
    std::vector<std::string> written;
    for (const CustomWrite& write : cluster_.custom().Writes()) {
      written.push_back(fmt::format("{} {} {}",
                                    write.verb == CustomWrite::Verb::kCreate ? "create" : "patch",
                                    write.kind, write.name));
    }
    return written;
  }
  /// "c: Confirmed 2" of each entry of a pool.
  std::vector<std::string> Entries(const std::string& pool) {
    std::vector<std::string> entries;
    for (const Json& entry : StatusOf(kPoolKind, pool).value("allocations", Json::array())) {
      entries.push_back(fmt::format("{}: {} {}", entry.value("claimName", ""),
                                    entry.value("state", ""), entry.value("deviceCount", 0)));
    }
    return entries;
  }
  std::string StateOf(const std::string& claim) {
    const Json status = StatusOf(kClaimKind, claim);
    return fmt::format("{} on {}", status.value("state", "nothing"), status.value("nodeName", "-"));
  }
};

TEST_F(DevicesBind, ThreeWritesForAClaimOnOnePool) {
  PutNodes(2, 4);
  PutClaim("c", 2);
  Start();
  ASSERT_TRUE(Bind(PutPodOf("p", "c"), "n2").ok());
  EXPECT_EQ(cluster_.Get("p").node_name, "n2");
  EXPECT_EQ(StateOf("c"), "Allocated on n2");
  EXPECT_THAT(Entries("n2-0"), ElementsAre("c: Confirmed 2"));
  EXPECT_THAT(Written(),
              ElementsAre("patch DevicePool n2-0", "patch DeviceClaim c", "patch DevicePool n2-0"));
  EXPECT_EQ(StatusOf(kClaimKind, "c")["podNames"], Json({"p"}));
  EXPECT_EQ(StatusOf(kPoolKind, "n2-0")["freeDevices"], 2);
}

TEST_F(DevicesBind, APodWithoutClaimsWritesNothing) {
  PutNodes(1, 4);
  Start();
  cluster_.Put(Pod(testing::MakePod("p")));
  ASSERT_TRUE(Bind(cluster_.Get("p"), "n1").ok());
  EXPECT_THAT(Written(), IsEmpty());
}

TEST_F(DevicesBind, OwnWritesAreSeenBeforeTheWatchShowsThem) {
  PutNodes(1, 4);
  PutClaim("c", 3);
  PutClaim("d", 3);
  PutClaim("e", 1);
  Start();
  const Pod next = PutPodOf("q", "d");
  EXPECT_THAT(Fitting(next), ElementsAre("n1"));
  cluster_.custom().Pause();
  ASSERT_TRUE(Bind(PutPodOf("p", "c"), "n1").ok());
  EXPECT_THAT(Fitting(next), IsEmpty());
  EXPECT_TRUE(absl::IsFailedPrecondition(Bind(next, "n1")));
  ASSERT_TRUE(Bind(PutPodOf("r", "e"), "n1").ok());
  for (const CustomWrite& write : cluster_.custom().Writes()) {
    EXPECT_TRUE(write.answer.ok()) << write.kind << ": " << write.answer;
  }
  cluster_.custom().Resume();
  EXPECT_THAT(Fitting(next), IsEmpty());
}

TEST_F(DevicesBind, WhatIsBeingWrittenIsInUse) {
  PutNodes(1, 4);
  PutClaim("c", 3);
  PutClaim("d", 3);
  Start();
  const Pod next = PutPodOf("q", "d");
  std::vector<std::string> fitting = {"not asked"};
  bool fails = true;
  cluster_.custom().Before([&](const CustomWrite&) {
    fitting = Fitting(next);
    return fails ? absl::UnavailableError("away") : absl::OkStatus();
  });
  EXPECT_FALSE(Bind(PutPodOf("p", "c"), "n1").ok());
  EXPECT_THAT(fitting, IsEmpty());
  EXPECT_THAT(Fitting(next), ElementsAre("n1")) << "nothing was written";
  fails = false;
  ASSERT_TRUE(Bind(cluster_.Get("p"), "n1").ok());
  EXPECT_THAT(Fitting(next), IsEmpty());
}

TEST_F(DevicesBind, AnEmbeddedClaimIsCreatedForItsPodBeforeAnyIntent) {
  PutNodes(1, 4);
  Start();
  const Pod pod = PutPod("p", R"([{"name":"a","claim":{"deviceClass":"foozer"}}])");
  ASSERT_TRUE(Bind(pod, "n1").ok());
  EXPECT_EQ(Written().front(), "create DeviceClaim p-a");
  EXPECT_THAT(Written(), SizeIs(4));
  EXPECT_EQ(StateOf("p-a"), "Allocated on n1");
  EXPECT_EQ(Get(kClaimKind, "p-a")["metadata"]["ownerReferences"][0]["uid"], pod.uid);
}

// The API server would drop the field, and the claim would get any two devices.
TEST_F(DevicesBind, EmbeddedClaimsOfTwoPodsHaveTwoNames) {
  PutNodes(1, 4);
  Start();
  ASSERT_TRUE(Bind(PutPod("a", R"([{"name":"b-c","claim":{"deviceClass":"foozer"}}])"), "n1").ok());
  const Pod other = PutPod("a-b", R"([{"name":"c","claim":{"deviceClass":"foozer"}}])");
  EXPECT_THAT(Fitting(other), ElementsAre("n1"));
  ASSERT_TRUE(Bind(other, "n1").ok());
  EXPECT_EQ(StateOf("a-b-c.3"), "Allocated on n1");
  EXPECT_EQ(StateOf("a-b-c"), "Allocated on n1");
}

TEST_F(DevicesBind, AnEmbeddedClaimWithAnUnknownFieldIsNotCreated) {
  PutNodes(1, 4);
  Start();
  const Pod pod =
      PutPod("p", R"([{"name":"a","claim":{"deviceClass":"foozer","matchAttribute":["numa"]}}])");
  constexpr const char* kReason =
      "claim default/p-a: spec.matchAttribute: \"matchAttribute\" is not a known field; "
      "did you mean matchAttributes?";
  EXPECT_EQ(Reason(pod), kReason);
  EXPECT_THAT(std::string(Bind(pod, "n1").message()), HasSubstr(kReason));
  EXPECT_THAT(Written(), IsEmpty());
}

TEST_F(DevicesBind, WhatDoesNotFitIsRefusedWithTheReason) {
  PutNodes(1, 4);
  PutClaim("c", 3);
  PutClaim("d", 3);
  Start();
  ASSERT_TRUE(Bind(PutPodOf("p", "c"), "n1").ok());
  const absl::Status refused = Bind(PutPodOf("q", "d"), "n1");
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("3 in use by default/c"));
  EXPECT_EQ(cluster_.Get("q").node_name, "");
  EXPECT_THAT(Entries("n1-0"), ElementsAre("c: Confirmed 3"));
  EXPECT_THAT(StateOf("d"), HasSubstr("on -"));
}

TEST_F(DevicesBind, EveryClaimOfThePodOrNone) {
  PutNodes(1, 4);
  PutClaim("c", 3);
  PutClaim("d", 2);
  Start();
  const Pod pod = PutPod("p", R"([{"name":"x","claimName":"c"},{"name":"y","claimName":"d"}])");
  EXPECT_FALSE(Bind(pod, "n1").ok());
  EXPECT_THAT(Written(), IsEmpty());
  PutPool("n1-1", "n1", 4);
  ASSERT_TRUE(Bind(pod, "n1").ok());
  EXPECT_EQ(StateOf("c"), "Allocated on n1");
  EXPECT_EQ(StateOf("d"), "Allocated on n1");
}

TEST_F(DevicesBind, WhatTheBindingRefusesIsGivenBack) {
  PutNodes(1, 4);
  PutClaim("c", 3);
  Start();
  const Pod pod = PutPodOf("p", "c");
  cluster_.OnBind([](const std::string&) { return absl::AbortedError("bound elsewhere"); });
  EXPECT_FALSE(Bind(pod, "n1").ok());
  EXPECT_THAT(Entries("n1-0"), IsEmpty());
  EXPECT_EQ(StateOf("c"), "Pending on -");
  cluster_.OnBind(nullptr);
  ASSERT_TRUE(Bind(pod, "n1").ok());
  EXPECT_THAT(Entries("n1-0"), ElementsAre("c: Confirmed 3"));
}

TEST_F(DevicesBind, ALostAnswerOfTheBindingIsLookedUp) {
  struct Row {
    std::string name;
    std::function<void(const Pod&)> meanwhile;
    std::string state;
    std::vector<std::string> entries;
  };
  const Row rows[] = {
      {"bound there",
       [&](const Pod& pod) {
         cluster_.Change(pod.name, [](Pod* bound) { bound->node_name = "n1"; });
       },
       "Allocated on n1",
       {"c: Confirmed 3"}},
      {"bound elsewhere",
       [&](const Pod& pod) {
         cluster_.Change(pod.name, [](Pod* bound) { bound->node_name = "n9"; });
       },
       "Pending on -",
       {}},
      {"gone", [&](const Pod& pod) { cluster_.RemovePod(pod.name); }, "Pending on -", {}},
      {"may still be bound", [](const Pod&) {}, "Allocated on n1", {"c: Intent 3"}},
  };
  PutNodes(1, 4);
  Start();
  for (const Row& row : rows) {
    PutPool("n1-0", "n1", 4);
    cluster_.custom().Delete(kClaimKind, "default", "c");
    Json pool = Get(kPoolKind, "n1-0");
    pool.erase("status");
    cluster_.custom().Put(kPoolKind, pool);
    PutClaim("c", 3);
    const Pod pod = PutPodOf("p", "c");
    cluster_.OnBind([&](const std::string&) {
      row.meanwhile(pod);
      return absl::UnavailableError("the answer was lost");
    });
    EXPECT_FALSE(Bind(pod, "n1").ok()) << row.name;
    EXPECT_EQ(StateOf("c"), row.state) << row.name;
    EXPECT_EQ(Entries("n1-0"), row.entries) << row.name;
    cluster_.RemovePod("p");
  }
}

// Of an earlier try, on another node: they serve no more, and are not in the way.
TEST_F(DevicesBind, IntentsOfAnEarlierTryAreTakenOver) {
  PutNodes(1, 4);
  PutClaim("c", 4);
  Start();
  const Pod pod = PutPodOf("p", "c");
  Json pool = Get(kPoolKind, "n1-0");
  pool["status"]["allocations"] = {{{"claimUID", Get(kClaimKind, "c")["metadata"]["uid"]},
                                    {"claimNamespace", "default"},
                                    {"claimName", "c"},
                                    {"podUID", pod.uid},
                                    {"state", "Intent"},
                                    {"deadline", "2999-01-15T08:00:00Z"},
                                    {"writer", "dead"},
                                    {"deviceCount", 4}}};
  cluster_.custom().Put(kPoolKind, pool);
  ASSERT_TRUE(Bind(pod, "n1").ok());
  EXPECT_THAT(Entries("n1-0"), ElementsAre("c: Confirmed 4"));
}

TEST_F(DevicesBind, ConfigsAreCopiedAsOfTheAllocation) {
  constexpr CustomKind kConfigKind{"foozer.example.com", "v1alpha1", "foozerconfigs",
                                   "FoozerConfig", true};
  const auto reference = [](const std::string& name) {
    return Json{{"apiVersion", "foozer.example.com/v1alpha1"},
                {"kind", "FoozerConfig"},
                {"namespace", "default"},
                {"name", name}};
  };
  PutNodes(1, 4);
  Put(kClassKind, "fast",
      {{"deviceType", "gpu"}, {"driver", "foozer.example.com"}, {"configs", {reference("base")}}});
  Put(kClaimKind, "c", {{"deviceClass", "fast"}, {"configs", {reference("superfast")}}});
  cluster_.custom().Put(kConfigKind, {{"metadata", {{"name", "base"}, {"namespace", "default"}}}});
  Start();
  const Pod pod = PutPodOf("p", "c");
  EXPECT_EQ(Bind(pod, "n1").message(),
            "claim default/c: config FoozerConfig default/superfast does not exist");
  EXPECT_THAT(Written(), IsEmpty());
  cluster_.custom().Put(kConfigKind,
                        {{"metadata", {{"name", "superfast"}, {"namespace", "default"}}},
                         {"spec", {{"mode", "superfast"}}}});
  ASSERT_TRUE(Bind(pod, "n1").ok());
  const Json status = StatusOf(kClaimKind, "c");
  EXPECT_EQ(status["claimConfigs"][0]["spec"]["mode"], "superfast");
  EXPECT_EQ(status["classConfigs"][0]["metadata"]["name"], "base");
  EXPECT_THAT(status["classConfigs"], SizeIs(1));
}

TEST_F(DevicesBind, ConfigsThatCannotBeReadAreNamed) {
  struct Row {
    std::string name;
    Json config;
    std::string message;
  };
  PutNodes(1, 4);
  Start();
  const Row rows[] = {
      {"of the core group",
       {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "x"}},
       "apiVersion \"v1\" has no group"},
      {"of a kind that is not served",
       {{"apiVersion", "example.com/v1"}, {"kind", "Policy"}, {"name", "x"}},
       "config Policy default/x does not exist"},
  };
  for (const Row& row : rows) {
    Put(kClaimKind, "c", {{"deviceClass", "foozer"}, {"configs", {row.config}}});
    const absl::Status refused = Bind(PutPodOf("p", "c"), "n1");
    EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << row.name;
    EXPECT_THAT(std::string(refused.message()), HasSubstr(row.message)) << row.name;
  }
}

TEST_F(DevicesBind, PodsShareAClaimOnItsNode) {
  PutNodes(2, 4);
  PutClaim("c", 3);
  Start();
  ASSERT_TRUE(Bind(PutPodOf("p", "c"), "n1").ok());
  const Pod second = PutPodOf("q", "c");
  EXPECT_THAT(Fitting(second), ElementsAre("n1"));
  EXPECT_TRUE(absl::IsFailedPrecondition(Bind(second, "n2")));
  ASSERT_TRUE(Bind(second, "n1").ok());
  EXPECT_EQ(StatusOf(kClaimKind, "c")["podNames"], Json({"p", "q"}));
  EXPECT_THAT(Entries("n1-0"), ElementsAre("c: Confirmed 3"));
}

TEST_F(DevicesBind, APrivilegedClaimIsInItsStatusAlone) {
  PutNodes(1, 4);
  PutClaim("c", 4);
  Put(kPrivilegedClaimKind, "all", {{"driver", "foozer.example.com"}});
  LabelNamespace("true");
  Start();
  ASSERT_TRUE(Bind(PutPodOf("p", "c"), "n1").ok());
  ASSERT_TRUE(Bind(PutPod("q", R"([{"name":"a","privilegedClaimName":"all"}])"), "n1").ok());
  const Json status = StatusOf(kPrivilegedClaimKind, "all");
  EXPECT_EQ(status["state"], "Allocated");
  EXPECT_EQ(status["allocations"][0]["deviceCount"], 4);
  EXPECT_THAT(Entries("n1-0"), ElementsAre("c: Confirmed 4"));
}

TEST_F(DevicesBind, AdminAccessNeedsALabelledNamespace) {
  PutNodes(1, 4);
  Put(kPrivilegedClaimKind, "all", {{"driver", "foozer.example.com"}});
  Start();
  const absl::Status refused =
      Bind(PutPod("p", R"([{"name":"a","privilegedClaimName":"all"}])"), "n1");
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("needs the label"));
  EXPECT_THAT(Written(), IsEmpty());
}

// The claim is another one when it is written than it was when the pod was looked at.
TEST_F(DevicesBind, AClaimThatIsChangedMeanwhileGetsNoAdminAccess) {
  PutNodes(1, 4);
  Put(kClassKind, "admin",
      {{"driver", "foozer.example.com"}, {"deviceType", "foozer"}, {"adminAccess", true}});
  PutClaim("c", 1);
  Start();
  const Pod pod = PutPodOf("p", "c");
  bool is_first = true;
  cluster_.custom().Before([&](const CustomWrite& write) {
    if (write.kind == "DeviceClaim" && std::exchange(is_first, false)) {
      Put(kClaimKind, "c", {{"claims", {{{"deviceClass", "admin"}}}}});
    }
    return absl::OkStatus();
  });
  const absl::Status refused = Bind(pod, "n1");
  EXPECT_THAT(std::string(refused.message()), HasSubstr("needs the label"));
  EXPECT_EQ(StatusOf(kClaimKind, "c").value("allocations", Json::array()), Json::array());
  EXPECT_THAT(Entries("n1-0"), IsEmpty());
}

TEST_F(DevicesBind, MembersOfGangsAreNotHalfAllocated) {
  PutNodes(1, 4);
  PutClaim("c", 1);
  Start();
  cluster_.Put(Pod(testing::MakePod("p")
                       .Label("podGroup", "g")
                       .Label("minAvailable", "2")
                       .Annotation(kClaimsAnnotation, R"([{"name":"a","claimName":"c"}])")));
  EXPECT_EQ(Bind(cluster_.Get("p"), "n1").message(),
            "gangs with device claims are not planned yet");
  EXPECT_THAT(Written(), IsEmpty());
}

TEST_F(DevicesBind, APodThatTheViewLacksIsRead) {
  PutNodes(1, 4);
  PutClaim("c", 1);
  Start();
  const Pod pod = PutPodOf("p", "c");
  cluster_.SetUsable(absl::UnavailableError("too old"));
  ASSERT_TRUE(Bind(pod, "n1").ok());
  EXPECT_EQ(StateOf("c"), "Allocated on n1");
  Pod another = pod;
  another.uid = "uid-of-an-earlier-pod";
  EXPECT_TRUE(absl::IsAborted(Bind(another, "n1")));
}

// Two schedulers, or two agents, that do not know of each other.
TEST_F(DevicesBind, NoDeviceIsGivenTwiceByCallsAtTheSameTime) {
  constexpr int kPods = 24;
  PutNodes(1, 16);
  for (int i = 0; i < kPods; ++i) PutClaim(fmt::format("c{}", i), 1);
  Start();
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors, {.always_resolve = true});
  DeviceStore store;
  store.Follow(&cluster_);
  const Judge judge(store, allocator);
  Binding second({&cluster_, NoMetrics::Instance(), {.identity = "second"}}, &store, judge,
                 allocator);
  std::vector<Pod> pods;
  for (int i = 0; i < kPods; ++i) {
    pods.push_back(PutPodOf(fmt::format("p{}", i), fmt::format("c{}", i)));
  }
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      for (int i = caller; i < kPods; i += 4) {
        const Pod& pod = pods[static_cast<size_t>(i)];
        const BindRequest request{pod.namespace_, pod.name, pod.uid, "n1"};
        if (caller % 2 == 0) {
          Prepare(&prebinder(), request);
        } else {
          Prepare(&second, request);
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  store.Stop();
  int allocated = 0;
  for (int i = 0; i < kPods; ++i) {
    allocated += StateOf(fmt::format("c{}", i)) == "Allocated on n1" ? 1 : 0;
  }
  EXPECT_LE(allocated, 16);
  EXPECT_THAT(Entries("n1-0"), SizeIs(allocated));
  EXPECT_GE(allocated, 8) << "conflicts end in success, but for the last devices";
}

}  // namespace
}  // namespace outrigger::devices::agent
