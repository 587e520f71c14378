#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "actor_testing.h"
#include "fmt/format.h"
#include "kube/view/cluster_actor.h"

namespace outrigger::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr CustomKind kPools{.group = "devmgmtproto.k8s.io",
                            .version = "v1alpha1",
                            .plural = "devicepools",
                            .kind = "DevicePool",
                            .namespaced = false};
constexpr CustomKind kWishes{.group = "devmgmtproto.k8s.io",
                             .version = "v1alpha1",
                             .plural = "deviceclaims",
                             .kind = "DeviceClaim",
                             .namespaced = true};
constexpr CustomObjectName kGpus{.name = "gpus"};

std::string PoolJson(std::string_view uid, int version) {
  return fmt::format(R"({{"metadata":{{"name":"gpus","uid":"{}","resourceVersion":"{}"}}}})", uid,
                     version);
}

// With the name of what is meant, as of objects; without as of paths that are not served.
absl::Status Status404(bool named) {
  nlohmann::json status = {{"kind", "Status"}, {"reason", "NotFound"}, {"message", "not found"}};
  if (named) status["details"] = {{"name", "gpus"}, {"kind", "devicepools"}};
  return ErrorOfAnswer(404, status.dump(), "");
}

/// "GET path" of each call.
std::vector<std::string> Asked(const ScriptedApi& api) {
  std::vector<std::string> lines;
  for (const auto& asked : api.asked) lines.push_back(asked.method + " " + asked.path);
  return lines;
}

constexpr const char* kGpusPath = "/apis/devmgmtproto.k8s.io/v1alpha1/devicepools/gpus";

TEST(CustomObjects, AreRead) {
  ActorScene scene({PoolJson("u", 7), Status404(true), Status404(false),
                    ErrorOfAnswer(404, "404 page not found", "")});
  const auto read = [&] { return scene.actor.ReadCustomObject(kPools, kGpus, kLimits); };
  EXPECT_EQ(read().value(), PoolJson("u", 7));
  EXPECT_THAT(Asked(scene.api), ElementsAre(std::string("GET ") + kGpusPath));
  EXPECT_FALSE(scene.api.asked[0].rate_limited);
  const absl::Status no_object = read().status();
  EXPECT_EQ(no_object.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(no_object.message()), HasSubstr("404 NotFound: not found"));
  for (int i = 0; i < 2; ++i) {
    const absl::Status no_kind = read().status();
    EXPECT_EQ(no_kind.code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(no_kind.message(),
              "DevicePool of devmgmtproto.k8s.io/v1alpha1 is not served by the API server: apply "
              "its CustomResourceDefinition");
  }
}

TEST(CustomObjects, AreCreatedAndSentOnce) {
  ActorScene scene({PoolJson("u", 1), Answered(409, "AlreadyExists"), Answered(422, "Invalid"),
                    absl::DeadlineExceededError("no answer")});
  const auto create = [&] {
    return scene.actor.CreateCustomObject(kWishes, "shop", "{\"a\":1}", kLimits);
  };
  EXPECT_EQ(create().value(), PoolJson("u", 1));
  const ScriptedApi::Asked& asked = scene.api.asked[0];
  EXPECT_EQ(asked.method + " " + asked.path,
            "POST /apis/devmgmtproto.k8s.io/v1alpha1/namespaces/shop/deviceclaims");
  EXPECT_EQ(asked.body, "{\"a\":1}");
  EXPECT_FALSE(asked.rate_limited);
  EXPECT_FALSE(asked.may_retry);
  EXPECT_EQ(create().status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(create().status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(create().status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(scene.api.asked.size(), 4U);
}

TEST(CustomObjects, ArePatchedInThatVersionAndSentOnce) {
  ActorScene scene({PoolJson("u", 8), Answered(409, "Conflict"), Answered(422, "Invalid"),
                    absl::UnavailableError("connection lost"), Status404(false)});
  const auto patch = [&] {
    return scene.actor
        .PatchCustomStatus(kPools, {.name = "gpus", .uid = "u", .resource_version = "7"},
                           "{\"n\": 123456789012345678901234567890}", kLimits)
        .status();
  };
  EXPECT_EQ(patch(), absl::OkStatus());
  const ScriptedApi::Asked& asked = scene.api.asked[0];
  EXPECT_EQ(asked.method + " " + asked.path, std::string("PATCH ") + kGpusPath + "/status");
  EXPECT_EQ(asked.body,
            "{\"metadata\":{\"resourceVersion\":\"7\"},"
            "\"status\":{\"n\": 123456789012345678901234567890}}");
  EXPECT_EQ(asked.content_type, "application/merge-patch+json");
  EXPECT_THAT(asked.query, ElementsAre(Pair("fieldManager", "outrigger")));
  EXPECT_FALSE(asked.rate_limited);
  EXPECT_FALSE(asked.may_retry);
  EXPECT_EQ(patch().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(patch().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(patch().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(patch().message()), HasSubstr("is not served"));
  EXPECT_EQ(scene.api.asked.size(), 5U) << "nothing is sent twice, and nothing is read";
}

TEST(CustomObjects, ArePatchedWhateverTheyAreWithoutAVersionAndAUid) {
  ActorScene scene({PoolJson("u", 8)});
  EXPECT_EQ(scene.actor.PatchCustomStatus(kPools, kGpus, "{}", kLimits).value(), PoolJson("u", 8));
  EXPECT_EQ(scene.api.asked[0].body, R"({"status":{}})");
}

TEST(CustomObjects, OfAUidAreReadBeforeTheyArePatched) {
  ActorScene scene({PoolJson("u", 7), Answered(409, "Conflict"), PoolJson("u", 8), PoolJson("u", 9),
                    PoolJson("other", 3), Status404(true)});
  const auto patch = [&] {
    return scene.actor
        .PatchCustomStatus(kPools, {.name = "gpus", .uid = "u"}, R"({"free":1})", kLimits)
        .status();
  };
  EXPECT_EQ(patch(), absl::OkStatus());
  const std::string get = std::string("GET ") + kGpusPath;
  const std::string write = std::string("PATCH ") + kGpusPath + "/status";
  EXPECT_THAT(Asked(scene.api), ElementsAre(get, write, get, write));
  EXPECT_EQ(scene.api.asked[3].body, R"({"metadata":{"resourceVersion":"8"},"status":{"free":1}})");
  const absl::Status another = patch();
  EXPECT_EQ(another.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(another.message(),
            "devicepools.devmgmtproto.k8s.io /gpus was replaced: it no longer has the UID u");
  EXPECT_EQ(patch().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(scene.api.asked.size(), 6U) << "neither was patched";
}

TEST(CustomObjects, OfAUidThatChangeAllTheTimeAreGivenUp) {
  Answers answers;
  for (int i = 0; i < 5; ++i) {
    answers.emplace_back(PoolJson("u", i));
    answers.emplace_back(Answered(409, "Conflict"));
  }
  ActorScene scene(std::move(answers));
  EXPECT_EQ(scene.actor.PatchCustomStatus(kPools, {.name = "gpus", .uid = "u"}, "{}", kLimits)
                .status()
                .code(),
            absl::StatusCode::kAborted);
  EXPECT_EQ(scene.api.asked.size(), 10U);
}

TEST(CustomObjects, ThatAreNotThoseOfTheVersionAreTold) {
  ActorScene scene({PoolJson("other", 8)});
  const absl::Status mixed_up =
      scene.actor
          .PatchCustomStatus(kPools, {.name = "gpus", .uid = "u", .resource_version = "7"}, "{}",
                             kLimits)
          .status();
  EXPECT_EQ(mixed_up.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(mixed_up.message()), HasSubstr("that of the UID other and not u"));
}

TEST(CustomObjects, TakeNoPatchThatIsNoObject) {
  ActorScene scene({});
  for (const char* patch : {"", " ", "[]", "null", "7", "{", "{\"a\":}", "{} {}", "\"{}\""}) {
    EXPECT_EQ(scene.actor.PatchCustomStatus(kPools, kGpus, patch, kLimits).status().code(),
              absl::StatusCode::kInvalidArgument)
        << patch;
  }
  EXPECT_THAT(Asked(scene.api), IsEmpty());
}

}  // namespace
}  // namespace outrigger::kube
