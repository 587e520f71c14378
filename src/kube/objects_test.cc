#include "kube/objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kube/errors.h"
#include "kube_testing.h"
#include "nlohmann/json.hpp"
#include "scripted_testing.h"

namespace outrigger::kube {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr ObjectName kPod{"shop", "web-1"};

TEST(Objects, GetsByName) {
  ScriptedApi api({std::string("{\"a\":1}")});
  EXPECT_EQ(*Get(api, kNodes, {"", "node-1"}), "{\"a\":1}");
  EXPECT_EQ(api.asked[0].path, "/api/v1/nodes/node-1");
}

TEST(Objects, WantNameAndNamespaceWhereTheyBelong) {
  ScriptedApi api({});
  for (const ObjectName& wrong : {ObjectName{"shop", ""}, ObjectName{"", "web-1"}}) {
    EXPECT_EQ(Get(api, kPods, wrong).status().code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(Get(api, kNodes, {"shop", "n"}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Create(api, kPods, "", "{}").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(api.asked.empty());
}

std::string Page(const std::string& version, const std::string& next, const std::string& items) {
  return R"({"kind":"PodList","metadata":{"resourceVersion":")" + version + R"(","continue":")" +
         next + R"("},"items":)" + items + "}";
}

TEST(List, FollowsPagesToTheEnd) {
  ScriptedApi api({Page("7", "more", R"([{"a":1},{"a":2}])"), Page("7", "", R"([{"a":3}])")});
  ListOptions options;
  options.label_selector = "app=web";
  options.resource_version = "5";
  options.page_size = 2;
  const auto list = List(api, kPods, "shop", options);
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(list->items, ElementsAre(R"({"a":1})", R"({"a":2})", R"({"a":3})"));
  EXPECT_EQ(list->resource_version, "7");
  EXPECT_EQ(api.asked[0].path, "/api/v1/namespaces/shop/pods");
  EXPECT_THAT(api.asked[0].query,
              UnorderedElementsAre(Pair("labelSelector", "app=web"), Pair("limit", "2"),
                                   Pair("resourceVersion", "5")));
  EXPECT_THAT(api.asked[1].query,
              UnorderedElementsAre(Pair("labelSelector", "app=web"), Pair("limit", "2"),
                                   Pair("continue", "more")));
}

TEST(List, BeginsAnewInOnePieceWhereThePagesHaveExpired) {
  ScriptedApi api({Page("7", "more", R"([{"a":1}])"), ErrorOfAnswer(410, "", ""),
                   Page("9", "", R"([{"a":8},{"a":9}])")});
  const auto list = List(api, kPods, "");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(list->items, ElementsAre(R"({"a":8})", R"({"a":9})"));
  EXPECT_EQ(list->resource_version, "9");
  EXPECT_TRUE(api.asked[2].query.empty());
}

TEST(List, TellsThatItsOwnVersionHasExpired) {
  ScriptedApi api({ErrorOfAnswer(410, "", "")});
  EXPECT_EQ(List(api, kPods, "").status().code(), absl::StatusCode::kOutOfRange);
}

TEST(List, TakesNullForNoItems) {
  ScriptedApi api({Page("7", "", "null")});
  EXPECT_TRUE(List(api, kPods, "")->items.empty());
}

TEST(List, RefusesWhatIsNoList) {
  for (const char* body : {"", "[]", "{\"metadata\":5}", "{\"metadata\":{},\"items\":{}}",
                           "{\"metadata\":{},\"items\":[1]}", "{\"metadata\":{},\"items\":[{}"}) {
    ScriptedApi api({std::string(body)});
    EXPECT_EQ(List(api, kPods, "").status().code(), absl::StatusCode::kInternal) << body;
  }
}

TEST(Objects, CreatesOnceOnly) {
  ScriptedApi api({std::string("{}")});
  EXPECT_TRUE(Create(api, kLeases, "kube-system", "{\"a\":1}").ok());
  EXPECT_EQ(api.asked[0].method, "POST");
  EXPECT_EQ(api.asked[0].path, "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases");
  EXPECT_EQ(api.asked[0].body, "{\"a\":1}");
  EXPECT_FALSE(api.asked[0].may_retry);
}

TEST(Objects, UpdatesTheObjectOrItsStatus) {
  ScriptedApi api({std::string("{}"), std::string("{}")});
  EXPECT_TRUE(Update(api, kPods, kPod, "{}").ok());
  EXPECT_TRUE(UpdateStatus(api, kPods, kPod, "{}").ok());
  EXPECT_EQ(api.asked[0].method, "PUT");
  EXPECT_EQ(api.asked[0].path, "/api/v1/namespaces/shop/pods/web-1");
  EXPECT_EQ(api.asked[1].path, "/api/v1/namespaces/shop/pods/web-1/status");
}

TEST(Patch, SaysWhichKindItIs) {
  ScriptedApi api({std::string("{}"), std::string("{}"), std::string("{}")});
  EXPECT_TRUE(Patch(api, kPods, kPod, "{}", {}).ok());
  EXPECT_TRUE(PatchStatus(api, kPods, kPod, "{}", {PatchType::kStrategicMerge, "", false}).ok());
  EXPECT_TRUE(Patch(api, kPods, kPod, "{}", {PatchType::kApply, "outrigger", true}).ok());
  EXPECT_EQ(api.asked[0].method, "PATCH");
  EXPECT_EQ(api.asked[0].content_type, "application/merge-patch+json");
  EXPECT_TRUE(api.asked[0].query.empty());
  EXPECT_EQ(api.asked[1].content_type, "application/strategic-merge-patch+json");
  EXPECT_EQ(api.asked[1].path, "/api/v1/namespaces/shop/pods/web-1/status");
  EXPECT_EQ(api.asked[2].content_type, "application/apply-patch+yaml");
  EXPECT_THAT(api.asked[2].query,
              ElementsAre(Pair("fieldManager", "outrigger"), Pair("force", "true")));
  EXPECT_EQ(Patch(api, kPods, kPod, "{}", {PatchType::kApply, "", false}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Delete, SendsItsPreconditions) {
  ScriptedApi api({std::string("{}"), std::string("{}")});
  EXPECT_TRUE(Delete(api, kPods, kPod, {"uid-1", "12", 0, "Background"}).ok());
  EXPECT_TRUE(Delete(api, kPods, kPod).ok());
  EXPECT_EQ(api.asked[0].method, "DELETE");
  EXPECT_EQ(json::parse(api.asked[0].body), json::parse(R"({
    "apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":0,
    "preconditions":{"uid":"uid-1","resourceVersion":"12"},"propagationPolicy":"Background"})"));
  EXPECT_EQ(json::parse(api.asked[1].body),
            json::parse(R"({"apiVersion":"v1","kind":"DeleteOptions"})"));
}

TEST(Evict, AsksOnceAndTellsWhatABudgetForbids) {
  ScriptedApi api({std::string("{}"), ErrorOfAnswer(429, "", "10")});
  EXPECT_TRUE(Evict(api, "shop", "web-1", {"uid-1", "", {}, ""}).ok());
  EXPECT_EQ(api.asked[0].path, "/api/v1/namespaces/shop/pods/web-1/eviction");
  EXPECT_FALSE(api.asked[0].may_retry);
  EXPECT_EQ(json::parse(api.asked[0].body), json::parse(R"({
    "apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"web-1","namespace":"shop"},
    "deleteOptions":{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"uid-1"}}})"));
  EXPECT_EQ(Evict(api, "shop", "web-1").code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace outrigger::kube
