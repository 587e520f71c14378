#include "apiserver/crd/definition.h"

#include <algorithm>
#include <string>

#include "golden.h"
#include "gtest/gtest.h"

namespace outrigger::apiserver {
namespace {

// The list of versions is printed by the names that its fields have in Go: only its end is
// compared.
Json Comparable(const std::string& field, const std::string& reason, std::string message) {
  if (field == "spec.versions") message = message.substr(message.rfind(": ") + 2);
  message = message.substr(0, message.find("isn't: "));
  return {field, reason, message};
}

Json CausesOf(const std::optional<Failure>& failure) {
  Json rows = Json::array();
  if (failure) {
    for (const Cause& c : failure->causes) rows.push_back(Comparable(c.field, c.reason, c.message));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Except faults of what clients do not set: spec.version, which v1 has not, and storedVersions.
Json UpstreamCauses(const Json& causes) {
  Json rows = Json::array();
  for (const Json& c : causes) {
    if (c["field"] == "spec.version" || c["field"] == "status.storedVersions") continue;
    rows.push_back(Comparable(c["field"], c["reason"], c["message"]));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(CustomDefinition, IsRefusedAsUpstreamDoes) {
  const Json table = testing::LoadGolden("upstream_definitions.json");
  ASSERT_GT(table.at("definitions").size(), 70);
  for (const Json& row : table.at("definitions")) {
    SCOPED_TRACE(row.dump());
    Json object = row[0];
    SetDefinitionDefaults(&object);
    CustomDefinition definition;
    EXPECT_EQ(CausesOf(CustomDefinition::Read(object, &definition)), UpstreamCauses(row[1]));
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
       {"name":"v0","served":false,"storage":false,"deprecated":true,
        "schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
}

TEST(CustomDefinition, SaysWhatIsServed) {
  Json object = ADefinition();
  SetDefinitionDefaults(&object);
  EXPECT_EQ(object["status"]["storedVersions"], Json({"v1"}));
  CustomDefinition definition;
  const auto failure = CustomDefinition::Read(object, &definition);
  ASSERT_FALSE(failure) << failure->message;
  EXPECT_EQ(definition.singular, "car");
  EXPECT_EQ(definition.list_kind, "CarList");
  EXPECT_FALSE(definition.namespaced);
  EXPECT_EQ(definition.FindServed("v0"), nullptr);
  EXPECT_EQ(definition.versions[1].deprecation_warning, "example.com/v0 Car is deprecated");
  const CustomVersion* version = definition.FindServed("v1");
  ASSERT_NE(version, nullptr);
  EXPECT_TRUE(version->has_status && version->has_scale);
  EXPECT_EQ(version->spec_replicas_path, ".spec.n");
  EXPECT_EQ(version->selectable_fields.back(), "spec.a");
  EXPECT_EQ(version->columns.all().back().name, "A");
  EXPECT_FALSE(version->schema->Validate({{"spec", {{"a", "x"}}}}).empty());
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
            "spec.conversion.strategy: Forbidden: conversion webhooks are not supported here");
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
  EXPECT_EQ(condition["reason"], "ShortNamesConflict");
  EXPECT_EQ(condition["message"], "\"c\" is already in use");
  EXPECT_FALSE(other["status"]["acceptedNames"].contains("shortNames"));

  // A conflict that comes later does not end what is served.
  EXPECT_TRUE(AcceptNames({{"cars"}, {}}, "2027-01-02T00:00:00Z", &object));
  EXPECT_EQ(object["status"]["conditions"][0]["lastTransitionTime"], "2027-01-02T00:00:00Z");
  EXPECT_EQ(object["status"]["conditions"][1]["lastTransitionTime"], "2027-01-01T00:00:00Z");
}

}  // namespace
}  // namespace outrigger::apiserver
