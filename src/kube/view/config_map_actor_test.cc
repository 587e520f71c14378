#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "actor_testing.h"
#include "kube/view/cluster_actor.h"

namespace outrigger::kube {
namespace {

using nlohmann::json;
using ::testing::IsEmpty;

constexpr const char* kJournal =
    R"({"metadata":{"name":"journal","namespace":"ops","uid":"u1","resourceVersion":"7",)"
    R"("labels":{"a":"b"},"annotations":{"c":"d"},"managedFields":[]},"data":{"x":"1","y":""},)"
    R"("binaryData":{"x":"e","z":"e"}})";

constexpr const char* kRest =
    R"({"binaryData":{"x":"e","z":"e"},"metadata":{"annotations":{"c":"d"}}})";

ConfigMap Journal(const std::string& uid = "", const std::string& version = "") {
  ConfigMap map;
  map.namespace_ = "ops";
  map.name = "journal";
  map.uid = uid;
  map.resource_version = version;
  map.labels = {{"a", "b"}};
  map.data = {{"x", "1"}, {"y", ""}};
  map.rest = kRest;
  return map;
}

TEST(ConfigMaps, AreRead) {
  ActorScene scene({std::string(kJournal), std::string("[]"), Answered(404, "NotFound")});
  const auto read = scene.actor.ReadConfigMap("ops", "journal", kLimits);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, Journal("u1", "7"));
  EXPECT_EQ(scene.api.asked[0].path, "/api/v1/namespaces/ops/configmaps/journal");
  EXPECT_FALSE(scene.api.asked[0].rate_limited);
  EXPECT_EQ(scene.actor.ReadConfigMap("ops", "journal", kLimits).status().code(),
            absl::StatusCode::kInternal);
  EXPECT_EQ(scene.actor.ReadConfigMap("ops", "journal", kLimits).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(ConfigMaps, AreCreatedWithoutAVersion) {
  ActorScene scene({std::string(kJournal), Answered(409, "AlreadyExists")});
  const auto written = scene.actor.WriteConfigMap(Journal("u0"), kLimits);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(written->resource_version, "7");
  const auto& asked = scene.api.asked[0];
  EXPECT_EQ(asked.method + " " + asked.path, "POST /api/v1/namespaces/ops/configmaps");
  EXPECT_FALSE(asked.rate_limited);
  EXPECT_FALSE(asked.may_retry);
  const json body = json::parse(asked.body);
  EXPECT_EQ(body["metadata"],
            json({{"name", "journal"}, {"namespace", "ops"}, {"labels", {{"a", "b"}}}}));
  EXPECT_EQ(body["data"], json({{"x", "1"}, {"y", ""}}));
  EXPECT_FALSE(body.contains("binaryData"));
  EXPECT_EQ(scene.actor.WriteConfigMap(Journal(), kLimits).status().code(),
            absl::StatusCode::kAlreadyExists);
}

TEST(ConfigMaps, AreReplacedInThatVersionOnly) {
  ActorScene scene({std::string(kJournal), Answered(409, "Conflict"), std::string(kJournal),
                    Answered(404, "NotFound"), Answered(409, "Conflict"), Answered(404, "NotFound"),
                    Answered(409, "Conflict"), Answered(503, "")});
  const auto write = [&] {
    return scene.actor.WriteConfigMap(Journal("u1", "6"), kLimits).status().code();
  };
  EXPECT_EQ(write(), absl::StatusCode::kOk);
  const auto& asked = scene.api.asked[0];
  EXPECT_EQ(asked.method + " " + asked.path, "PUT /api/v1/namespaces/ops/configmaps/journal");
  EXPECT_FALSE(asked.may_retry);
  const json body = json::parse(asked.body);
  EXPECT_EQ(body["metadata"]["uid"], "u1");
  EXPECT_EQ(body["metadata"]["resourceVersion"], "6");
  EXPECT_EQ(write(), absl::StatusCode::kAborted);
  EXPECT_EQ(scene.api.asked.back().method, "GET");
  EXPECT_EQ(write(), absl::StatusCode::kNotFound);
  EXPECT_EQ(write(), absl::StatusCode::kNotFound) << "what an older server calls a conflict";
  EXPECT_EQ(write(), absl::StatusCode::kAborted) << "and it cannot be found out";
}

TEST(ConfigMaps, KeepWhatOthersGaveThem) {
  const auto body_of = [](const std::string& rest) {
    ActorScene scene({std::string(kJournal)});
    ConfigMap map = Journal("u1", "7");
    map.rest = rest;
    EXPECT_TRUE(scene.actor.WriteConfigMap(map, kLimits).ok());
    return json::parse(scene.api.asked[0].body);
  };
  const json body = body_of(
      R"({"metadata":{"annotations":{"c":"d"},"finalizers":["f"],"ownerReferences":[{"uid":"o"}],)"
      R"("name":"other"},"binaryData":{"x":"e","z":"e"},"data":{"w":""}})");
  EXPECT_EQ(body["metadata"], json({{"name", "journal"},
                                    {"namespace", "ops"},
                                    {"uid", "u1"},
                                    {"resourceVersion", "7"},
                                    {"labels", {{"a", "b"}}},
                                    {"annotations", {{"c", "d"}}},
                                    {"finalizers", json::array({"f"})},
                                    {"ownerReferences", json::array({{{"uid", "o"}}})}}));
  EXPECT_EQ(body.value("binaryData", json()), json({{"z", "e"}})) << "a key is in data or here";
  EXPECT_EQ(body["data"], json({{"x", "1"}, {"y", ""}}));
  for (const char* rest : {"", "{", "[]", R"({"metadata":[],"binaryData":""})"}) {
    const json without = body_of(rest);
    EXPECT_FALSE(without.contains("binaryData"));
    EXPECT_EQ(without["metadata"].size(), 5U);
  }
}

TEST(ConfigMaps, AreDeletedInThatVersionOnly) {
  ActorScene scene({std::string("{}")});
  EXPECT_EQ(scene.actor.DeleteConfigMap(Journal("u1", "7"), kLimits), absl::OkStatus());
  const auto& asked = scene.api.asked[0];
  EXPECT_EQ(asked.method, "DELETE");
  EXPECT_EQ(json::parse(asked.body)["preconditions"],
            json({{"uid", "u1"}, {"resourceVersion", "7"}}));
  EXPECT_FALSE(asked.may_retry);
  EXPECT_EQ(scene.actor.DeleteConfigMap(Journal("u1"), kLimits).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(scene.actor.DeleteConfigMap(Journal("", "7"), kLimits).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(scene.api.asked.size(), 1U);
}

TEST(ConfigMaps, HaveANamespaceAndAName) {
  ActorScene scene({});
  ConfigMap map;
  map.name = "journal";
  EXPECT_EQ(scene.actor.WriteConfigMap(map, kLimits).status().code(),
            absl::StatusCode::kInvalidArgument);
  map.namespace_ = "ops";
  map.name.clear();
  EXPECT_EQ(scene.actor.WriteConfigMap(map, kLimits).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(scene.api.asked, IsEmpty());
}

}  // namespace
}  // namespace outrigger::kube
