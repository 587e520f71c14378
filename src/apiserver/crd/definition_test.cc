#include "apiserver/crd/definition.h"

#include <algorithm>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "golden.h"
#include "gtest/gtest.h"

namespace outrigger::apiserver {
namespace {

// Of upstream's messages: what is fine here.
constexpr const char* kGivenUp[] = {
    "at the root",
    "because it is defined in",
    "x-kubernetes-",
    "must be empty to be structural",
    "must be object",
    "must be string",
    "must be true or undefined",
    "must not be set in top-level",
    "must not specify anything other than",
    R"(supported values: "atomic")",
    "in body must be of type",
    "must not have unknown fields",
    "a DNS-1035 label",
    "kind and listKind may not be the same",
};

bool IsGivenUp(const std::string& message) {
  return std::any_of(std::begin(kGivenUp), std::end(kGivenUp),
                     [&](const char* part) { return message.find(part) != std::string::npos; });
}

// Upstream names no versions of which there is one.
std::string PlainField(const std::string& field) {
  static const std::regex indexes(R"(versions\[0\]\.|\[\d+\])");
  return absl::AsciiStrToLower(std::regex_replace(field, indexes, ""));
}

TEST(CustomDefinition, IsRefusedWhereUpstreamDoes) {
  const Json table = testing::LoadGolden("upstream_definitions.json");
  ASSERT_GT(table.at("definitions").size(), 70);
  for (const Json& row : table.at("definitions")) {
    SCOPED_TRACE(row.dump());
    Json object = row[0];
    SetDefinitionDefaults(&object);
    CustomDefinition definition;
    const auto failure = CustomDefinition::Read(object, &definition);
    std::set<std::string> upstream;
    bool given_up = true;
    for (const Json& cause : row[1]) {
      if (cause["field"] == "spec.version") continue;  // v1 has it not
      upstream.insert(PlainField(cause["field"]));
      given_up = given_up && IsGivenUp(cause["message"]);
    }
    const auto is_upstreams = [&](const Cause& cause) {
      return upstream.contains(PlainField(cause.field));
    };
    if (!failure) {
      EXPECT_TRUE(given_up);
    } else {
      EXPECT_TRUE(std::any_of(failure->causes.begin(), failure->causes.end(), is_upstreams))
          << failure->message;
    }
  }
}

Json ADefinition() {
  return Json::parse(R"({"metadata":{"name":"cars.example.com"},"spec":{"group":"example.com",
      "scope":"Cluster","names":{"plural":"cars","kind":"Car","shortNames":["c"],"categories":["all"]},
      "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
        "properties":{"spec":{"type":"object","properties":{"a":{"type":"integer"}}}}}},
        "subresources":{"status":{},"scale":{"specReplicasPath":".spec.n","statusReplicasPath":".status.n"}},
        "selectableFields":[{"jsonPath":".spec.a"}],
        "additionalPrinterColumns":[{"name":"A","type":"integer","jsonPath":".spec.a"}]},
       {"name":"v0","served":false,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
}

TEST(CustomDefinition, SaysWhatIsServed) {
  Json object = ADefinition();
  SetDefinitionDefaults(&object);
  EXPECT_EQ(object["status"]["storedVersions"], Json({"v1"}));
  CustomDefinition definition;
  const auto failure = CustomDefinition::Read(object, &definition);
  ASSERT_FALSE(failure) << failure->message;
  EXPECT_EQ(definition.singular, "car");
  EXPECT_FALSE(definition.namespaced);
  ASSERT_EQ(definition.versions.size(), 2);
  EXPECT_FALSE(definition.versions[1].served);
  const CustomVersion* version = &definition.versions[0];
  EXPECT_TRUE(version->has_status);
  EXPECT_EQ(version->selectable_fields.back(), "spec.a");
  EXPECT_EQ(version->columns.all().back().name, "A");
  EXPECT_FALSE(version->schema->Validate({{"spec", {{"a", "x"}}}}).causes.empty());
}

TEST(CustomDefinition, RefusesConversionWebhooksByName) {
  Json object = ADefinition();
  object["spec"]["conversion"] = {{"strategy", "Webhook"}};
  SetDefinitionDefaults(&object);
  CustomDefinition definition;
  const auto failure = CustomDefinition::Read(object, &definition);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message,
            "CustomResourceDefinition.apiextensions.k8s.io \"cars.example.com\" is invalid: "
            "spec.conversion.strategy: Invalid value: \"Webhook\": must be None: custom resources "
            "are not "
            "converted here");
}

TEST(AcceptNames, AcceptsFreeNamesAndTellsConflicts) {
  Json object = ADefinition();
  SetDefinitionDefaults(&object);
  EXPECT_TRUE(AcceptNames({{"pods"}, {"Pod"}}, "2027-01-01T00:00:00Z", &object));
  EXPECT_EQ(object["status"]["acceptedNames"], object["spec"]["names"]);
  EXPECT_EQ(object["status"]["conditions"][0]["reason"], "NoConflicts");
  EXPECT_EQ(object["status"]["conditions"][1]["type"], "Established");

  Json other = ADefinition();
  SetDefinitionDefaults(&other);
  EXPECT_FALSE(AcceptNames({{"c"}, {"Pod"}}, "2027-01-01T00:00:00Z", &other));
  const Json& condition = other["status"]["conditions"][0];
  EXPECT_EQ(condition["status"], "False");
  EXPECT_EQ(condition["reason"], "NamesConflict");
  EXPECT_EQ(condition["message"], "\"c\" is already in use");
  EXPECT_EQ(other["status"]["acceptedNames"]["plural"], "");

  // A conflict that comes later does not end what is served.
  EXPECT_TRUE(AcceptNames({{"cars"}, {}}, "2027-01-02T00:00:00Z", &object));
  EXPECT_EQ(object["status"]["conditions"][0]["lastTransitionTime"], "2027-01-02T00:00:00Z");
  EXPECT_EQ(object["status"]["conditions"][1]["lastTransitionTime"], "2027-01-01T00:00:00Z");
}

}  // namespace
}  // namespace outrigger::apiserver
