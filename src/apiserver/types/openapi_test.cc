#include "apiserver/types/openapi.h"

#include <algorithm>

#include "gmock/gmock.h"

// That the schemas are upstream's is compared in the suite `oracles`.

namespace outrigger::apiserver {
namespace {

Json At(const Json& document, const std::string& pointer) {
  return document.value(Json::json_pointer(pointer), Json());
}

TEST(OpenApi, SaysWhatKubectlMakesPatchesOf) {
  const Json document = OpenApiDocument("apps", "v1");
  const std::string schemas = "/components/schemas/";
  EXPECT_EQ(At(document, schemas + "io.k8s.api.core.v1.Container/properties/ports"),
            Json::parse(R"({
      "type": "array", "items": {"$ref": "#/components/schemas/io.k8s.api.core.v1.ContainerPort"},
      "x-kubernetes-patch-merge-key": "containerPort", "x-kubernetes-patch-strategy": "merge"})"));
  EXPECT_EQ(At(document, schemas + "io.k8s.api.apps.v1.DeploymentSpec/properties/strategy"),
            Json::parse(R"({"x-kubernetes-patch-strategy": "retainKeys", "allOf": [
                {"$ref": "#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy"}]})"));
  EXPECT_EQ(At(document, schemas + "io.k8s.api.apps.v1.Deployment/x-kubernetes-group-version-kind"),
            Json::parse(R"([{"group": "apps", "version": "v1", "kind": "Deployment"}])"));
}

TEST(OpenApi, SaysThatPatchesAreValidated) {
  for (const Resource& one : TypeTable::Get().resources()) {
    const Json document = OpenApiDocument(one.group, one.version);
    bool found = std::find(one.verbs.begin(), one.verbs.end(), "patch") == one.verbs.end();
    for (const Json& path : document.at("paths")) {
      if (At(path, "/patch/x-kubernetes-group-version-kind/kind") != one.kind) continue;
      EXPECT_TRUE(At(path, "/patch/requestBody/content")
                      .contains("application/strategic-merge-patch+json"));
      for (const Json& parameter : path["patch"]["parameters"]) {
        found = found || (parameter["name"] == "fieldValidation" && parameter["in"] == "query");
      }
    }
    EXPECT_TRUE(found) << one.plural;
  }
}

TEST(OpenApi, HasWhatItRefersTo) {
  for (const Resource& one : TypeTable::Get().resources()) {
    const Json document = OpenApiDocument(one.group, one.version);
    const Json flat = document.flatten();
    for (const auto& [place, value] : flat.items()) {
      if (!place.ends_with("/$ref")) continue;
      EXPECT_TRUE(document.contains(Json::json_pointer(value.get<std::string>().substr(1))))
          << place;
    }
  }
}

TEST(OpenApi, OfAnUnknownVersionIsNothing) {
  EXPECT_EQ(OpenApiDocument("apps", "v2"), nullptr);
}

TEST(OpenApi, CanHaveCustomKinds) {
  Json document;
  AddCustomKind({.group = "example.com", .version = "v1", .kind = "Crane", .plural = "cranes"},
                {{"type", "object"}}, &document);
  EXPECT_EQ(document["components"]["schemas"]["example.com.v1.Crane"]["type"], "object");
  EXPECT_TRUE(
      document["paths"].contains("/apis/example.com/v1/namespaces/{namespace}/cranes/{name}"));
}

}  // namespace
}  // namespace outrigger::apiserver
