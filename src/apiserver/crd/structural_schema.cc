#include "apiserver/crd/structural_schema.h"

#include <algorithm>
#include <utility>

#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {

const Json* SchemaOfMember(const Json* schema, const std::string& key) {
  if (schema == nullptr) return nullptr;
  if (const Json* properties = ValueAt(*schema, "properties")) {
    const auto found = properties->find(key);
    if (found != properties->end()) return &*found;
  }
  const Json* others = ValueAt(*schema, "additionalProperties");
  return others == nullptr || !others->is_object() ? nullptr : others;
}

const Json* SchemaOfItems(const Json* schema) {
  return schema == nullptr ? nullptr : ValueAt(*schema, "items");
}

namespace {

bool IsUnwantedNull(const Json& value, const Json* schema) {
  return value.is_null() && schema != nullptr && !IsTrueAt(*schema, "nullable");
}

void SetDefaultsBy(const Json* schema, Json* value);

// False: the member is to go.
bool CompleteMember(const Json* schema, Json* member) {
  if (IsUnwantedNull(*member, schema)) {
    const Json* preset = ValueAt(*schema, "default");
    if (preset == nullptr) return false;
    *member = *preset;
  }
  SetDefaultsBy(schema, member);
  return true;
}

void SetDefaultsBy(const Json* schema, Json* value) {
  if (value->is_array()) {
    // A null that has no default stays: an item does not go.
    for (Json& item : *value) CompleteMember(SchemaOfItems(schema), &item);
  }
  if (!value->is_object()) return;
  const Json* properties = schema == nullptr ? nullptr : ValueAt(*schema, "properties");
  if (properties != nullptr) {
    for (const auto& [key, of_member] : properties->items()) {
      const Json* preset = ValueAt(of_member, "default");
      if (preset != nullptr) value->emplace(key, *preset);
    }
  }
  for (auto member = value->begin(); member != value->end();) {
    const bool stays = CompleteMember(SchemaOfMember(schema, member.key()), &*member);
    member = stays ? std::next(member) : value->erase(member);
  }
}

bool IsMetaField(const std::string& key) {
  return key == "metadata" || key == "kind" || key == "apiVersion";
}

// `keeps`: what `value` is in keeps unknown fields.
void PruneValue(const Json* schema, bool keeps, bool resource, const std::string& path, Json* value,
                std::vector<std::string>* unknown) {
  const auto is_set = [schema](const char* word) {
    return schema != nullptr && IsTrueAt(*schema, word);
  };
  keeps = keeps || is_set("x-kubernetes-preserve-unknown-fields");
  resource = resource || is_set("x-kubernetes-embedded-resource");
  if (schema == nullptr && keeps) return;
  for (size_t i = 0; value->is_array() && i < value->size(); ++i) {
    PruneValue(SchemaOfItems(schema), keeps, false, fmt::format("{}[{}]", path, i), &(*value)[i],
               unknown);
  }
  if (!value->is_object()) return;
  const bool any = is_set("additionalProperties");
  for (auto member = value->begin(); member != value->end();) {
    const std::string child = path.empty() ? member.key() : path + "." + member.key();
    const Json* of_member = SchemaOfMember(schema, member.key());
    const bool is_meta = resource && IsMetaField(member.key());
    const bool is_known = !is_meta && (of_member != nullptr || any);
    if (is_known) PruneValue(of_member, false, false, child, &*member, unknown);
    const bool stays = is_known || is_meta || keeps;
    if (!stays && unknown != nullptr) unknown->push_back(child);
    member = stays ? std::next(member) : value->erase(member);
  }
}

}  // namespace

bool StructuralSchema::Compile(Json schema, const std::string& path, std::vector<Cause>* causes) {
  const std::vector<Cause> found = CheckSchema(schema, path, &patterns_);
  causes->insert(causes->end(), found.begin(), found.end());
  schema_ = std::move(schema);
  rules_.Compile(schema_);
  return found.empty();
}

void StructuralSchema::SetDefaults(Json* object) const {
  SetDefaultsBy(&schema_, object);
}

void StructuralSchema::Prune(Json* object, std::vector<std::string>* unknown) const {
  PruneValue(&schema_, false, true, "", object, unknown);
  if (unknown != nullptr) std::sort(unknown->begin(), unknown->end());
}

SchemaFindings StructuralSchema::Validate(const Json& object) const {
  SchemaFindings findings = ValidateBySchema(schema_, patterns_, object, &rules_);
  rules_.AddSkipped(&findings.causes);
  return findings;
}

void StructuralSchema::CheckRules(const Json& object, const Json* old,
                                  std::vector<Cause>* causes) const {
  rules_.Check(schema_, object, old, causes);
}

}  // namespace outrigger::apiserver
