#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "actor_testing.h"
#include "kube/view/cluster_actor.h"

namespace outrigger::kube {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kPath = "/apis/scheduling.k8s.io/v1/priorityclasses";

// With a field that is not known here, and all that the server sets by itself.
constexpr const char* kBatch =
    R"({"kind":"PriorityClass","apiVersion":"scheduling.k8s.io/v1","metadata":{"name":"batch",)"
    R"("uid":"u1","resourceVersion":"7","generation":1,"creationTimestamp":"2026-01-15T08:00:01Z",)"
    R"("selfLink":"/x","deletionTimestamp":"2026-01-15T08:00:02Z","deletionGracePeriodSeconds":0,)"
    R"("labels":{"team":"a"},"annotations":{"old":"one"},"managedFields":[{"manager":"helm"}]},)"
    R"("value":1000,"preemptionPolicy":"Never","description":"d","later":{"a":[1,2]}})";

NewPriorityClass Penalised() {
  return {.manifest = kBatch, .value = 400, .annotations = {{"outrigger.dev/base-value", "1000"}}};
}

TEST(PriorityClasses, AreReadWithTheirManifest) {
  ActorScene scene({std::string(kBatch)});
  const auto read = scene.actor.ReadPriorityClass("batch", kLimits);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->value, 1000);
  EXPECT_EQ(read->uid, "u1");
  EXPECT_EQ(read->manifest, kBatch);
  EXPECT_EQ(*scene.actor.ParsePriorityClass(kBatch), *read);
  const auto& asked = scene.api.asked[0];
  EXPECT_EQ(asked.method + " " + asked.path, std::string("GET ") + kPath + "/batch");
  EXPECT_FALSE(asked.rate_limited);
  EXPECT_FALSE(asked.may_retry);
}

TEST(PriorityClasses, AreCreatedWithoutWhatTheServerSets) {
  ActorScene scene({std::string(kBatch)});
  const auto made = scene.actor.CreatePriorityClass(Penalised(), kLimits);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->uid, "u1");
  const auto& asked = scene.api.asked[0];
  EXPECT_EQ(asked.method + " " + asked.path, std::string("POST ") + kPath);
  EXPECT_THAT(asked.query, IsEmpty());
  EXPECT_FALSE(asked.rate_limited);
  EXPECT_FALSE(asked.may_retry);
  EXPECT_EQ(json::parse(asked.body),
            json::parse(R"({"kind":"PriorityClass","apiVersion":"scheduling.k8s.io/v1",)"
                        R"("metadata":{"name":"batch","labels":{"team":"a"},)"
                        R"("annotations":{"outrigger.dev/base-value":"1000"}},"value":400,)"
                        R"("preemptionPolicy":"Never","description":"d","later":{"a":[1,2]}})"));
}

TEST(PriorityClasses, LoseTheAnnotationsThatAreNotGiven) {
  ActorScene scene({std::string(kBatch)});
  EXPECT_TRUE(
      scene.actor.CreatePriorityClass({.manifest = kBatch, .value = 1, .annotations = {}}, kLimits)
          .ok());
  EXPECT_FALSE(json::parse(scene.api.asked[0].body)["metadata"].contains("annotations"));
}

TEST(PriorityClasses, AreTriedWithoutBeingMade) {
  ActorScene scene({std::string(kBatch), Answered(409, "AlreadyExists"), Answered(422, "Invalid"),
                    Answered(409, "Conflict")});
  EXPECT_EQ(scene.actor.TryCreatePriorityClass(Penalised(), kLimits), absl::OkStatus());
  EXPECT_THAT(scene.api.asked[0].query, ElementsAre(Pair("dryRun", "All")));
  EXPECT_FALSE(scene.api.asked[0].may_retry);
  EXPECT_EQ(scene.actor.TryCreatePriorityClass(Penalised(), kLimits), absl::OkStatus())
      << "it would be made, were there none";
  EXPECT_EQ(scene.actor.TryCreatePriorityClass(Penalised(), kLimits).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(scene.actor.TryCreatePriorityClass(Penalised(), kLimits).code(),
            absl::StatusCode::kAborted)
      << "not every conflict";
}

TEST(PriorityClasses, ShowWhatAPodBecomesThatNamesThem) {
  constexpr const char* kPod =
      R"({"kind":"Pod","spec":{"priorityClassName":"batch-at-900","priority":900}})";
  const absl::Status unknown =
      ErrorOfAnswer(403,
                    R"({"kind":"Status","reason":"Forbidden","message":"pods \"x\" is forbidden: )"
                    R"(no PriorityClass with name batch was found"})",
                    "");
  ActorScene scene({std::string(kPod), unknown, Answered(403, "Forbidden"), std::string("{}")});
  const auto pod = scene.actor.TryPod("kube-system", "batch", kLimits);
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_EQ(pod->priority_class_name, "batch-at-900");
  EXPECT_EQ(pod->priority, 900);
  const auto& asked = scene.api.asked[0];
  EXPECT_EQ(asked.method + " " + asked.path, "POST /api/v1/namespaces/kube-system/pods");
  EXPECT_THAT(asked.query, ElementsAre(Pair("dryRun", "All")));
  EXPECT_EQ(json::parse(asked.body)["spec"]["priorityClassName"], "batch");
  const auto code = [&] { return scene.actor.TryPod("d", "batch", kLimits).status().code(); };
  EXPECT_EQ(code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(code(), absl::StatusCode::kInternal);
}

TEST(PriorityClasses, AreDeletedInThatVersionOnly) {
  ActorScene scene({std::string("{}"), Answered(409, "Conflict"), Answered(404, "NotFound")});
  const auto remove = [&] {
    return scene.actor.DeletePriorityClass("batch", "u1", "7", kLimits).code();
  };
  EXPECT_EQ(remove(), absl::StatusCode::kOk);
  const auto& asked = scene.api.asked[0];
  EXPECT_EQ(asked.method + " " + asked.path, std::string("DELETE ") + kPath + "/batch");
  const json body = json::parse(asked.body);
  EXPECT_EQ(body["preconditions"], json({{"uid", "u1"}, {"resourceVersion", "7"}}));
  EXPECT_EQ(body["propagationPolicy"], "Background");
  EXPECT_FALSE(asked.rate_limited);
  EXPECT_FALSE(asked.may_retry);
  EXPECT_EQ(remove(), absl::StatusCode::kAborted);
  EXPECT_EQ(remove(), absl::StatusCode::kNotFound);
}

TEST(PriorityClasses, AreNeverDeletedWithoutPreconditions) {
  ActorScene scene({});
  EXPECT_EQ(scene.actor.DeletePriorityClass("batch", "", "7", kLimits).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(scene.actor.DeletePriorityClass("batch", "u1", "", kLimits).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(scene.api.asked, IsEmpty());
}

TEST(PriorityClasses, HaveManifestsThatAreNotBelieved) {
  ActorScene scene({});
  for (const char* manifest :
       {"", "{", "[]", "{}", R"({"metadata":[]})", R"({"metadata":{"name":"x"},"kind":"Pod"})"}) {
    const auto parsed = scene.actor.ParsePriorityClass(manifest);
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument) << manifest;
    EXPECT_EQ(
        scene.actor
            .CreatePriorityClass({.manifest = manifest, .value = 1, .annotations = {}}, kLimits)
            .status()
            .code(),
        absl::StatusCode::kInvalidArgument)
        << manifest;
  }
  EXPECT_THAT(scene.api.asked, IsEmpty());
}

TEST(PriorityClasses, OfAnswersThatAreNoneAreInternal) {
  ActorScene scene({std::string("[]"), std::string(R"({"metadata":{"name":"x"},"value":"y"})")});
  EXPECT_EQ(scene.actor.ReadPriorityClass("x", kLimits).status().code(),
            absl::StatusCode::kInternal);
  const absl::Status status = scene.actor.ReadPriorityClass("x", kLimits).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("PriorityClass.value"));
}

const OwnerReference kOwner{"Tenant", "blue", "u9", "example.com/v1"};
constexpr const char* kTenants =
    R"({"resources":[{"name":"tenants/status","kind":"Tenant","namespaced":false},)"
    R"({"name":"rooms","kind":"Room","namespaced":true},)"
    R"({"name":"tenants","kind":"Tenant","namespaced":false}]})";

TEST(Owners, AreFoundByTheirKindAndComparedByUid) {
  const auto blue = [](const std::string& uid) {
    return R"({"metadata":{"name":"blue","uid":")" + uid + R"("}})";
  };
  ActorScene scene({std::string(kTenants), blue("u9"), std::string(kTenants), blue("u8")});
  EXPECT_EQ(*scene.actor.OwnerExists(kOwner, kLimits), true);
  EXPECT_EQ(scene.api.asked[0].path, "/apis/example.com/v1");
  EXPECT_EQ(scene.api.asked[1].path, "/apis/example.com/v1/tenants/blue");
  EXPECT_FALSE(scene.api.asked[0].rate_limited || scene.api.asked[1].rate_limited);
  EXPECT_EQ(*scene.actor.OwnerExists(kOwner, kLimits), false) << "another one of that name";
}

TEST(Owners, OfTheCoreGroupAreFound) {
  ActorScene scene(
      {std::string(
           R"({"resources":[{"name":"namespaces","kind":"Namespace","namespaced":false}]})"),
       std::string(R"({"metadata":{"uid":"u9"}})")});
  EXPECT_EQ(*scene.actor.OwnerExists({"Namespace", "blue", "u9", "v1"}, kLimits), true);
  EXPECT_EQ(scene.api.asked[1].path, "/api/v1/namespaces/blue");
}

TEST(Owners, ThatCannotBeThereAreNot) {
  ActorScene scene({Answered(404, "NotFound"), std::string(kTenants), Answered(404, "NotFound"),
                    std::string(kTenants), std::string(R"({"kind":"x"})")});
  EXPECT_EQ(*scene.actor.OwnerExists(kOwner, kLimits), false) << "the group is not served";
  EXPECT_EQ(*scene.actor.OwnerExists(kOwner, kLimits), false) << "there is none of that name";
  EXPECT_EQ(*scene.actor.OwnerExists({"Room", "r", "u9", "example.com/v1"}, kLimits), false)
      << "a class cannot be owned by what lives in a namespace";
  EXPECT_EQ(*scene.actor.OwnerExists(kOwner, kLimits), false) << "no resources at all";
}

TEST(Owners, ThatMayNotBeSeenAreAnError) {
  ActorScene scene({std::string(kTenants), Answered(403, "Forbidden"), Answered(503, "")});
  EXPECT_EQ(scene.actor.OwnerExists(kOwner, kLimits).status().code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(scene.actor.OwnerExists(kOwner, kLimits).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(scene.actor.OwnerExists({"Tenant", "blue", "u9", ""}, kLimits).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Actor, AnnotatesThatPodGroup) {
  PodGroup group;
  group.dialect = Dialect::kVolcano;
  group.namespace_ = "shop";
  group.name = "train";
  group.uid = "u1";
  const std::string answer = R"({"metadata":{"uid":"u1"}})";
  const std::string another = R"({"metadata":{"uid":"u2"}})";
  ActorScene scene({answer, answer, Answered(422, "Invalid"), another, Answered(404, "NotFound")});
  const auto annotate = [&](std::string_view value) {
    return scene.actor.AnnotateGroup(group, "outrigger.dev/x", value, kLimits);
  };
  EXPECT_EQ(annotate("1 started"), absl::OkStatus());
  const auto& asked = scene.api.asked[0];
  EXPECT_EQ(asked.method + " " + asked.path,
            "PATCH /apis/scheduling.volcano.sh/v1beta1/namespaces/shop/podgroups/train");
  EXPECT_EQ(asked.content_type, "application/merge-patch+json");
  EXPECT_EQ(asked.body,
            R"({"metadata":{"uid":"u1","annotations":{"outrigger.dev/x":"1 started"}}})");
  EXPECT_FALSE(asked.rate_limited);
  EXPECT_EQ(annotate(""), absl::OkStatus());
  EXPECT_EQ(scene.api.asked[1].body,
            R"({"metadata":{"uid":"u1","annotations":{"outrigger.dev/x":null}}})");
  EXPECT_EQ(annotate("2").code(), absl::StatusCode::kAborted) << "another one has the name";
  EXPECT_EQ(annotate("2").code(), absl::StatusCode::kNotFound);
  group.uid.clear();
  EXPECT_EQ(annotate("2").code(), absl::StatusCode::kInvalidArgument);
  group.uid = "u1";
  group.dialect = Dialect::kLabels;
  EXPECT_EQ(annotate("2").code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace outrigger::kube
