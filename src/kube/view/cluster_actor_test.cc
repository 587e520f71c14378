#include "kube/view/cluster_actor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <string>
#include <thread>

#include "actor_testing.h"

namespace outrigger::kube {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr PodId kPod{"shop", "web-1", "u1"};

std::string PodOf(const std::string& uid) {
  return R"({"metadata":{"name":"web-1","namespace":"shop","uid":")" + uid + R"("}})";
}

TEST(Nominate, MergesTheNodeIntoTheStatusOfThatVersion) {
  ActorScene scene({PodOf("u1")});
  EXPECT_EQ(scene.actor.Nominate(kPod, "n1", "17", kLimits), absl::OkStatus());
  ASSERT_EQ(scene.api.asked.size(), 1U);
  const auto& asked = scene.api.asked[0];
  EXPECT_EQ(asked.method, "PATCH");
  EXPECT_EQ(asked.path, "/api/v1/namespaces/shop/pods/web-1/status");
  EXPECT_EQ(asked.content_type, "application/merge-patch+json");
  EXPECT_THAT(asked.query, ElementsAre(Pair("fieldManager", "outrigger")));
  EXPECT_EQ(
      asked.body,
      R"({"metadata":{"uid":"u1","resourceVersion":"17"},"status":{"nominatedNodeName":"n1"}})");
  EXPECT_FALSE(asked.rate_limited);
  EXPECT_TRUE(asked.may_retry);
}

TEST(Nominate, WithdrawsWithoutANode) {
  ActorScene scene({PodOf("u1")});
  EXPECT_EQ(scene.actor.Nominate(kPod, "", "", kLimits), absl::OkStatus());
  EXPECT_EQ(scene.api.asked[0].body,
            R"({"metadata":{"uid":"u1"},"status":{"nominatedNodeName":null}})");
}

struct ErrorRow {
  const char* name;
  Answers answers;
  absl::StatusCode code;
};
class NominateErrors : public ::testing::TestWithParam<ErrorRow> {};

TEST_P(NominateErrors, AreTold) {
  ActorScene scene(GetParam().answers);
  EXPECT_EQ(scene.actor.Nominate(kPod, "n1", "", kLimits).code(), GetParam().code);
  EXPECT_EQ(scene.api.asked.size(), GetParam().answers.size());
}
INSTANTIATE_TEST_SUITE_P(
    Of, NominateErrors,
    ::testing::Values(
        ErrorRow{"Gone", {Answered(404, "NotFound")}, absl::StatusCode::kNotFound},
        ErrorRow{"AnotherVersion", {Answered(409, "Conflict")}, absl::StatusCode::kAborted},
        ErrorRow{"AnotherPod", {Answered(422, "Invalid"), PodOf("u2")}, absl::StatusCode::kAborted},
        ErrorRow{"GoneMeanwhile",
                 {Answered(422, "Invalid"), Answered(404, "NotFound")},
                 absl::StatusCode::kNotFound},
        ErrorRow{"InvalidOtherwise",
                 {Answered(422, "Invalid"), PodOf("u1")},
                 absl::StatusCode::kInvalidArgument},
        ErrorRow{"InvalidAndNotKnownWhy",
                 {Answered(422, "Invalid"), Answered(503, "")},
                 absl::StatusCode::kInvalidArgument},
        ErrorRow{"Forbidden", {Answered(403, "Forbidden")}, absl::StatusCode::kPermissionDenied}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(RemoveGate, DeletesThatGateAloneOfThePodOfThatUid) {
  ActorScene scene({PodOf("u1")});
  EXPECT_EQ(scene.actor.RemoveGate(kPod, "outrigger.dev/queue", {}, kLimits), absl::OkStatus());
  ASSERT_EQ(scene.api.asked.size(), 1U);
  const auto& asked = scene.api.asked[0];
  EXPECT_EQ(asked.method, "PATCH");
  EXPECT_EQ(asked.path, "/api/v1/namespaces/shop/pods/web-1");
  EXPECT_EQ(asked.content_type, "application/strategic-merge-patch+json");
  EXPECT_EQ(asked.body, R"({"metadata":{"uid":"u1"},"spec":{"schedulingGates":)"
                        R"([{"$patch":"delete","name":"outrigger.dev/queue"}]}})");
  EXPECT_FALSE(asked.rate_limited);
  EXPECT_TRUE(asked.may_retry);
}

TEST(RemoveGate, AnnotatesThePodInTheSamePatch) {
  ActorScene scene({PodOf("u1")});
  StringMap annotations;
  annotations.Set("outrigger.dev/started-with", "3");
  EXPECT_EQ(scene.actor.RemoveGate(kPod, "g", annotations, kLimits), absl::OkStatus());
  ASSERT_EQ(scene.api.asked.size(), 1U);
  EXPECT_EQ(scene.api.asked[0].body,
            R"({"metadata":{"uid":"u1","annotations":{"outrigger.dev/started-with":"3"}},)"
            R"("spec":{"schedulingGates":[{"$patch":"delete","name":"g"}]}})");
}

TEST_P(NominateErrors, AreThoseOfARemovedGate) {
  if (std::string_view(GetParam().name) == "AnotherVersion") return;  // it asks for none
  ActorScene scene(GetParam().answers);
  EXPECT_EQ(scene.actor.RemoveGate(kPod, "g", {}, kLimits).code(), GetParam().code);
  EXPECT_EQ(scene.api.asked.size(), GetParam().answers.size());
}

TEST(Actor, WantsAUid) {
  ActorScene scene({});
  const PodId without{"shop", "web-1", ""};
  EXPECT_EQ(scene.actor.Nominate(without, "n", "", kLimits).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(scene.actor.RemoveGate(without, "g", {}, kLimits).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(scene.actor.Evict(without, kLimits).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(scene.actor.Bind(without, "n", {}, kLimits).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(scene.api.asked, IsEmpty());
}

TEST(Actor, Binds) {
  ActorScene scene({std::string("{}")});
  EXPECT_EQ(scene.actor.Bind(kPod, "n1", {}, kLimits), absl::OkStatus());
  EXPECT_EQ(scene.api.asked[0].path, "/api/v1/namespaces/shop/pods/web-1/binding");
  EXPECT_FALSE(scene.api.asked[0].rate_limited);
}

// Answers once it is told to.
class HeldApi : public Api {
 public:
  absl::StatusOr<ApiResponse> Call(const ApiRequest& /*request*/) override {
    asked.count_down();
    answer.wait();
    return ApiResponse{.code = 201, .body = "{}"};
  }
  absl::Status Stream(const ApiRequest& /*request*/, ByteSink /*sink*/) override {
    return absl::UnimplementedError("no streams");
  }

  std::latch asked{1};
  std::latch answer{1};
};

TEST(Actor, SendsSoManyBindingsAtOnceAndNoMore) {
  ActorScene scene({});
  HeldApi api;
  ClusterActor actor(&api, &scene.cluster, &scene.watch, &scene.custom, &scene.changes,
                     {.bindings_at_once = 1});
  std::jthread first([&] { EXPECT_EQ(actor.Bind(kPod, "n1", {}, kLimits), absl::OkStatus()); });
  api.asked.wait();
  const absl::Status late = actor.Bind(kPod, "n1", {}, {.timeout = std::chrono::milliseconds(0)});
  EXPECT_EQ(late.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(late.message()), HasSubstr("was not sent within 0 ms"));
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_EQ(actor.Bind(kPod, "n1", {}, {.stop = stopped.get_token()}).code(),
            absl::StatusCode::kCancelled);
  api.answer.count_down();
  first.join();
  EXPECT_EQ(actor.Bind(kPod, "n1", {}, kLimits), absl::OkStatus());
}

TEST(Actor, EvictsThatPodOnly) {
  ActorScene scene(
      {std::string("{}"), Answered(429, "TooManyRequests"), Answered(409, "Conflict")});
  EXPECT_EQ(scene.actor.Evict(kPod, kLimits), absl::OkStatus());
  const auto& asked = scene.api.asked[0];
  EXPECT_EQ(asked.path, "/api/v1/namespaces/shop/pods/web-1/eviction");
  EXPECT_EQ(json::parse(asked.body)["deleteOptions"]["preconditions"], json({{"uid", "u1"}}));
  EXPECT_FALSE(asked.rate_limited);
  EXPECT_EQ(scene.actor.Evict(kPod, kLimits).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(scene.actor.Evict(kPod, kLimits).code(), absl::StatusCode::kAborted);
}

TEST(Actor, AsksWhetherAPodMayBeEvictedAndEvictsNobody) {
  ActorScene scene({std::string("{}"), Answered(429, "TooManyRequests")});
  EXPECT_EQ(scene.actor.MayEvict(kPod, kLimits), absl::OkStatus());
  const json options = json::parse(scene.api.asked[0].body)["deleteOptions"];
  EXPECT_EQ(options["dryRun"], json({"All"}));
  EXPECT_EQ(options["preconditions"], json({{"uid", "u1"}}));
  EXPECT_EQ(scene.actor.MayEvict(kPod, kLimits).code(), absl::StatusCode::kResourceExhausted);
}

TEST(Actor, ReadsAPodInFull) {
  ActorScene scene(
      {std::string(
           R"({"metadata":{"name":"web-1","namespace":"shop","uid":"u1","resourceVersion":"8",)"
           R"("labels":{"a":"b"}},"spec":{"nodeName":"n1","priority":5},)"
           R"("status":{"phase":"Running","nominatedNodeName":"n2"}})"),
       std::string("{"), Answered(404, "NotFound")});
  const auto pod = scene.actor.Read("shop", "web-1", kLimits);
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_EQ(pod->node_name, "n1");
  EXPECT_EQ(pod->resource_version, "8");
  EXPECT_EQ(pod->labels.Get("a"), "b");
  EXPECT_EQ(pod->priority, 5);
  EXPECT_EQ(pod->nominated_node_name, "n2");
  EXPECT_EQ(scene.api.asked[0].path, "/api/v1/namespaces/shop/pods/web-1");
  EXPECT_FALSE(scene.api.asked[0].rate_limited);
  const absl::Status broken = scene.actor.Read("shop", "web-1", kLimits).status();
  EXPECT_EQ(broken.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(Text(broken), HasSubstr("pods shop/web-1 cannot be read: "));
  EXPECT_EQ(scene.actor.Read("shop", "web-1", kLimits).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(Actor, ReadsAllPodsOfANamespace) {
  ActorScene scene(
      {std::string(R"({"metadata":{"resourceVersion":"9"},"items":[)"
                   R"({"metadata":{"name":"a","namespace":"shop","uid":"u1"},"spec":{}},)"
                   R"({"metadata":{"name":"b","namespace":"shop","uid":"u2"},)"
                   R"("spec":{"nodeName":"n1"}}]})"),
       Answered(403, "Forbidden")});
  const auto pods = scene.actor.ReadAll("shop", kLimits);
  ASSERT_TRUE(pods.ok()) << pods.status();
  ASSERT_EQ(pods->size(), 2U);
  EXPECT_EQ((*pods)[0].name + (*pods)[0].node_name, "a");
  EXPECT_EQ((*pods)[1].name + (*pods)[1].node_name, "bn1");
  EXPECT_EQ(scene.api.asked[0].path, "/api/v1/namespaces/shop/pods");
  EXPECT_FALSE(scene.api.asked[0].rate_limited);
  EXPECT_EQ(scene.actor.ReadAll("shop", kLimits).status().code(),
            absl::StatusCode::kPermissionDenied);
}

TEST(Actor, SaysWhoHoldsALease) {
  ActorScene scene({std::string(R"({"spec":{"holderIdentity":"host_1","leaseDurationSeconds":15,)"
                                R"("renewTime":"2026-01-02T03:04:05.678901Z"}})"),
                    std::string(R"({"spec":{}})"), std::string("[]"), Answered(404, "NotFound")});
  const auto read = [&] { return scene.actor.ReadLease("kube-system", "s", kLimits); };
  const auto held = read();
  EXPECT_EQ(held->holder, "host_1");
  EXPECT_EQ(held->renewed, "2026-01-02T03:04:05.678901Z");
  EXPECT_EQ(held->duration, std::chrono::seconds(15));
  EXPECT_EQ(scene.api.asked[0].path,
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/s");
  EXPECT_FALSE(scene.api.asked[0].rate_limited);
  const auto bare = read();
  EXPECT_EQ(bare->holder + bare->renewed, "");
  EXPECT_EQ(bare->duration, std::chrono::seconds(0));
  EXPECT_EQ(read().status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(read().status().code(), absl::StatusCode::kNotFound);
}

TEST(Actor, RecordsEvents) {
  ActorScene scene({std::string("{}")});
  scene.actor.Record({.namespace_ = "shop",
                      .name = "web-1",
                      .uid = "u1",
                      .warning = true,
                      .reason = "GangWaiting",
                      .action = "Scheduling",
                      .note = "waits"});
  scene.actor.FlushEvents();
  ASSERT_EQ(scene.api.asked.size(), 1U);
  const json event = json::parse(scene.api.asked[0].body);
  EXPECT_EQ(event["regarding"]["kind"], "Pod");
  EXPECT_EQ(event["regarding"]["uid"], "u1");
  EXPECT_EQ(event["type"], "Warning");
  EXPECT_EQ(event["reason"], "GangWaiting");
  EXPECT_EQ(event["reportingController"], "c");
}

TEST(Actor, AssumesAndForgets) {
  ActorScene scene({});
  EXPECT_EQ(scene.actor.Assume(kPod, "n1").code(), absl::StatusCode::kNotFound);
  Pod pod;
  pod.namespace_ = "shop";
  pod.name = "web-1";
  pod.uid = "u1";
  scene.cluster.UpsertPod(pod);
  EXPECT_EQ(scene.actor.Assume(kPod, "n1"), absl::OkStatus());
  EXPECT_TRUE(scene.cluster.Take()->FindPod("shop", "web-1")->is_assumed());
  EXPECT_EQ(scene.actor.Assume(kPod, "n2").code(), absl::StatusCode::kFailedPrecondition);
  scene.actor.Forget(kPod);
  EXPECT_FALSE(scene.cluster.Take()->FindPod("shop", "web-1")->is_assumed());
}

}  // namespace
}  // namespace outrigger::kube
