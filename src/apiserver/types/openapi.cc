#include "apiserver/types/openapi.h"

#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kKindsOfSchema = "x-kubernetes-group-version-kind";

Json KindJsonOf(const Resource& resource) {
  return {{"group", resource.group}, {"version", resource.version}, {"kind", resource.kind}};
}

// Makes the schemas of types, and of those that they refer to.
class SchemaMaker {
 public:
  void Add(const Type& type) {
    if (schemas_.contains(type.name)) return;
    schemas_[type.name] = nullptr;  // a type may refer to itself
    Json schema = {{"type", "object"}};
    for (const Field* field : type.flat()) {
      schema["properties"][std::string(field->name)] = Property(*field);
      if (field->required) schema["required"].push_back(field->name);
    }
    for (const Resource& resource : TypeTable::Get().resources()) {
      if (resource.type == &type) schema[kKindsOfSchema].push_back(KindJsonOf(resource));
    }
    schemas_[type.name] = std::move(schema);
  }

  Json& schemas() { return schemas_; }

 private:
  Json Property(const Field& field) {
    Json property = field.map ? MapOf(field) : ElementOrList(field);
    if (property.contains("$ref")) property = {{"allOf", Json::array({std::move(property)})}};
    if (!field.merge_key.empty()) property["x-kubernetes-patch-merge-key"] = field.merge_key;
    std::vector<const char*> strategies;
    if (field.merges) strategies.push_back("merge");
    if (field.retains_keys) strategies.push_back("retainKeys");
    if (field.replaces) strategies.push_back("replace");
    if (!strategies.empty()) {
      property["x-kubernetes-patch-strategy"] = fmt::format("{}", fmt::join(strategies, ","));
    }
    return property;
  }

  Json MapOf(const Field& field) {
    return {{"type", "object"}, {"additionalProperties", ElementOrList(field)}};
  }

  Json ElementOrList(const Field& field) {
    if (!field.list) return Element(field);
    return {{"type", "array"}, {"items", Element(field)}};
  }

  Json Element(const Field& field) {
    if (field.kind == FieldKind::kMessage) {
      Add(*field.type);
      return Reference(field.type->name);
    }
    const KindFacts& facts = FactsOf(field.kind);
    if (facts.schema_name == nullptr) return Json::parse(facts.schema);
    schemas_[facts.schema_name] = Json::parse(facts.schema);
    return Reference(facts.schema_name);
  }

  static Json Reference(const std::string& name) {
    return {{"$ref", fmt::format("#/components/schemas/{}", name)}};
  }

  Json schemas_ = Json::object();
};

std::string PathOf(const Resource& resource) {
  const std::string prefix = resource.group.empty()
                                 ? fmt::format("/api/{}", resource.version)
                                 : fmt::format("/apis/{}/{}", resource.group, resource.version);
  return fmt::format("{}{}/{}/{{name}}", prefix,
                     resource.namespaced ? "/namespaces/{namespace}" : "", resource.plural);
}

Json PatchOf(const Resource& resource) {
  Json parameters = Json::array();
  for (const char* name : {"dryRun", "fieldManager", "fieldValidation"}) {
    parameters.push_back({{"name", name}, {"in", "query"}, {"schema", {{"type", "string"}}}});
  }
  Json content = Json::object();
  for (const char* type : {"application/json-patch+json", "application/merge-patch+json",
                           "application/strategic-merge-patch+json"}) {
    content[type] = {{"schema", {{"type", "object"}}}};
  }
  return {{"parameters", std::move(parameters)},
          {"requestBody", {{"content", std::move(content)}, {"required", true}}},
          {"responses", {{"200", {{"description", "OK"}}}}},
          {"x-kubernetes-action", "patch"},
          {kKindsOfSchema, KindJsonOf(resource)}};
}

Json DocumentOf(Json schemas, Json paths) {
  return {{"openapi", "3.0.0"},
          {"info", {{"title", "Kubernetes"}, {"version", "unversioned"}}},
          {"components", {{"schemas", std::move(schemas)}}},
          {"paths", std::move(paths)}};
}

}  // namespace

Json OpenApiDocument(std::string_view group, std::string_view version) {
  SchemaMaker maker;
  Json paths = Json::object();
  for (const Resource& resource : TypeTable::Get().resources()) {
    if (resource.group != group || resource.version != version) continue;
    maker.Add(*resource.type);
    Json path = Json::object();
    for (const std::string& verb : resource.verbs) {
      if (verb == "patch") path["patch"] = PatchOf(resource);
    }
    paths[PathOf(resource)] = std::move(path);
  }
  if (paths.empty()) return nullptr;
  return DocumentOf(std::move(maker.schemas()), std::move(paths));
}

void AddCustomKind(const Resource& resource, Json schema, Json* document) {
  if (document->is_null()) *document = DocumentOf(Json::object(), Json::object());
  schema["x-kubernetes-group-version-kind"] = Json::array({KindJsonOf(resource)});
  // What every object has, and schemas need not name.
  SchemaMaker maker;
  const std::string metadata = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
  maker.Add(*TypeTable::Get().FindType(metadata));
  Json& schemas = (*document)["components"]["schemas"];
  for (auto& [key, value] : maker.schemas().items()) schemas[key] = std::move(value);
  Json& properties = schema["properties"];
  properties["apiVersion"] = properties["kind"] = {{"type", "string"}};
  properties["metadata"] = {{"$ref", fmt::format("#/components/schemas/{}", metadata)}};
  const std::string name = fmt::format("{}.{}.{}", resource.group, resource.version, resource.kind);
  schemas[name] = std::move(schema);
  (*document)["paths"][PathOf(resource)] = {{"patch", PatchOf(resource)}};
}

}  // namespace outrigger::apiserver
