#include "kube/write/status_patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kube/view/actor_testing.h"

namespace outrigger::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

PodGroup GroupOf(Dialect dialect) {
  PodGroup group;
  group.dialect = dialect;
  group.namespace_ = "shop";
  group.name = "train";
  group.uid = "u1";
  return group;
}

PodGroupStatus Waiting() {
  return {.phase = "Scheduling",
          .reason = "anti-affinity",
          .message = "2 short",
          .scheduled = 3,
          .running = 2,
          .succeeded = 1,
          .failed = 4};
}

PodGroupStatus Running() {
  PodGroupStatus status;
  status.phase = "Running";
  return status;
}

struct StatusRow {
  const char* name;
  Dialect dialect;
  PodGroupStatus status;
  const char* path;
  const char* body;
};
class GroupStatus : public ::testing::TestWithParam<StatusRow> {};

// FakeTime begins 1000 hours into 1970.
TEST_P(GroupStatus, IsWrittenInTheWordsOfTheDialect) {
  ActorScene scene({std::string(R"({"metadata":{"uid":"u1"}})")});
  EXPECT_EQ(scene.actor.WriteStatus(GroupOf(GetParam().dialect), GetParam().status, kLimits),
            absl::OkStatus());
  const auto& asked = scene.api.asked.at(0);
  EXPECT_EQ(asked.method, "PATCH");
  EXPECT_EQ(asked.path, std::string("/apis/") + GetParam().path + "/status");
  EXPECT_EQ(asked.content_type, GetParam().dialect == Dialect::kUpstream
                                    ? "application/strategic-merge-patch+json"
                                    : "application/merge-patch+json");
  EXPECT_THAT(asked.query, ElementsAre(Pair("fieldManager", "outrigger")));
  EXPECT_EQ(asked.body, GetParam().body);
  EXPECT_TRUE(asked.rate_limited);
}
INSTANTIATE_TEST_SUITE_P(
    Of, GroupStatus,
    ::testing::Values(
        StatusRow{"SchedulerPlugins", Dialect::kSchedulerPlugins, Waiting(),
                  "scheduling.x-k8s.io/v1alpha1/namespaces/shop/podgroups/train",
                  R"({"metadata":{"uid":"u1"},"status":{"phase":"Scheduling","running":2,)"
                  R"("succeeded":1,"failed":4}})"},
        StatusRow{"Sigs", Dialect::kKoordinator, Waiting(),
                  "scheduling.sigs.k8s.io/v1alpha1/namespaces/shop/podgroups/train",
                  R"({"metadata":{"uid":"u1"},"status":{"phase":"Scheduling","scheduled":3,)"
                  R"("running":2,"succeeded":1,"failed":4}})"},
        StatusRow{"Volcano", Dialect::kVolcano, Waiting(),
                  "scheduling.volcano.sh/v1beta1/namespaces/shop/podgroups/train",
                  R"({"metadata":{"uid":"u1"},"status":{"phase":"Inqueue","running":2,)"
                  R"("succeeded":1,"failed":4,"conditions":[{"type":"Unschedulable",)"
                  R"("status":"True","lastTransitionTime":"1970-02-11T16:00:00Z",)"
                  R"("reason":"anti_affinity","message":"2 short"}]}})"},
        StatusRow{"Upstream", Dialect::kUpstream, Waiting(),
                  "scheduling.k8s.io/v1beta1/namespaces/shop/podgroups/train",
                  R"({"metadata":{"uid":"u1"},"status":{"conditions":[{"type":)"
                  R"("PodGroupInitiallyScheduled",)"
                  R"("status":"False","lastTransitionTime":"1970-02-11T16:00:00Z",)"
                  R"("reason":"anti_affinity","message":"2 short"}]}})"},
        StatusRow{"UpstreamThatIsPlaced", Dialect::kUpstream, Running(),
                  "scheduling.k8s.io/v1beta1/namespaces/shop/podgroups/train",
                  R"({"metadata":{"uid":"u1"},"status":{"conditions":[{"type":)"
                  R"("PodGroupInitiallyScheduled",)"
                  R"("status":"True","lastTransitionTime":"1970-02-11T16:00:00Z",)"
                  R"("reason":"Scheduled","message":""}]}})"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(GroupStatusOf, UpstreamHasTheConditionOfItsVersion) {
  const auto text = [](std::string_view version) {
    return GroupStatusJson(Dialect::kUpstream, version, Waiting(), {});
  };
  EXPECT_THAT(text("v1alpha2"), HasSubstr(R"("type":"PodGroupScheduled")"));
  EXPECT_THAT(text("v1alpha3"), HasSubstr(R"("type":"PodGroupInitiallyScheduled")"));
  EXPECT_THAT(text("v1beta1"), HasSubstr(R"("type":"PodGroupInitiallyScheduled")"));
}

TEST(GroupStatusOf, UpstreamNeverGoesBackOnceTheGroupWasPlaced) {
  PodGroupStatus status = Waiting();
  status.was_placed = true;
  EXPECT_THAT(GroupStatusJson(Dialect::kUpstream, "v1beta1", status, {}),
              HasSubstr(R"("status":"True")"));
}

TEST(GroupStatusOf, VolcanoIsWrittenWhereThereIsNoSubresource) {
  ActorScene scene({Answered(404, "NotFound"), std::string(R"({"metadata":{"uid":"u1"}})")});
  EXPECT_EQ(scene.actor.WriteStatus(GroupOf(Dialect::kVolcano), Waiting(), kLimits),
            absl::OkStatus());
  ASSERT_EQ(scene.api.asked.size(), 2U);
  EXPECT_EQ(scene.api.asked[1].path,
            "/apis/scheduling.volcano.sh/v1beta1/namespaces/shop/podgroups/train");
}

TEST(GroupStatusOf, AnotherGroupOfTheNameIsAborted) {
  ActorScene scene({std::string(R"({"metadata":{"uid":"u2"}})"), Answered(404, "NotFound")});
  const auto write = [&] {
    return scene.actor.WriteStatus(GroupOf(Dialect::kKoordinator), Waiting(), kLimits);
  };
  EXPECT_EQ(write().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(write().code(), absl::StatusCode::kNotFound);
}

TEST(GroupStatusOf, AGroupWithoutAnObjectIsRefused) {
  ActorScene scene({});
  EXPECT_EQ(scene.actor.WriteStatus(GroupOf(Dialect::kLabels), Waiting(), kLimits).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace outrigger::kube
