#include "apiserver/crd/structural_schema.h"

#include <algorithm>
#include <utility>

#include "apiserver/crd/schema_rules.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// The schema of a member; nullptr: there is none.
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

bool IsUnwantedNull(const Json& value, const Json* schema) {
  return value.is_null() && schema != nullptr && !IsTrueAt(*schema, "nullable");
}

void DropNulls(const Json* schema, Json* value) {
  if (value->is_array()) {
    for (Json& item : *value) DropNulls(SchemaOfItems(schema), &item);
  }
  if (!value->is_object()) return;
  for (auto member = value->begin(); member != value->end();) {
    const Json* of_member = SchemaOfMember(schema, member.key());
    if (IsUnwantedNull(*member, of_member) && ValueAt(*of_member, "default") == nullptr) {
      member = value->erase(member);
    } else {
      DropNulls(of_member, &*member);
      ++member;
    }
  }
}

void SetDefaultsBy(const Json* schema, Json* value) {
  if (schema == nullptr || !value->is_structured()) return;
  const Json* properties = ValueAt(*schema, "properties");
  if (value->is_object() && properties != nullptr) {
    for (const auto& [key, of_member] : properties->items()) {
      const Json* preset = ValueAt(of_member, "default");
      if (preset == nullptr) continue;
      const auto member = value->find(key);
      if (member == value->end() || IsUnwantedNull(*member, &of_member)) (*value)[key] = *preset;
    }
  }
  for (auto item = value->begin(); item != value->end(); ++item) {
    const Json* of_item =
        value->is_array() ? SchemaOfItems(schema) : SchemaOfMember(schema, item.key());
    if (IsUnwantedNull(*item, of_item) && ValueAt(*of_item, "default") != nullptr) {
      *item = *ValueAt(*of_item, "default");
    }
    SetDefaultsBy(of_item, &*item);
  }
}

bool IsMetaField(const std::string& key) {
  return key == "metadata" || key == "kind" || key == "apiVersion";
}

class Pruning {
 public:
  explicit Pruning(std::vector<std::string>* unknown) : unknown_(unknown) {}

  // `keeps`: the list that the value is in keeps unknown fields.
  void Prune(const Json* schema, bool keeps, bool resource, const std::string& path,
             Json* value) const {
    keeps =
        keeps || (schema != nullptr && IsTrueAt(*schema, "x-kubernetes-preserve-unknown-fields"));
    if (value->is_array()) {
      if (keeps && SchemaOfItems(schema) == nullptr) return;
      for (size_t i = 0; i < value->size(); ++i) {
        Prune(SchemaOfItems(schema), keeps, false, fmt::format("{}[{}]", path, i), &(*value)[i]);
      }
    }
    if (value->is_object()) PruneObject(schema, keeps, resource, path, value);
  }

 private:
  void PruneObject(const Json* schema, bool keeps, bool resource, const std::string& path,
                   Json* value) const {
    if (schema != nullptr && IsTrueAt(*schema, "x-kubernetes-embedded-resource")) resource = true;
    const Json* others = schema == nullptr ? nullptr : ValueAt(*schema, "additionalProperties");
    const bool any = others != nullptr && others->is_boolean();
    for (auto member = value->begin(); member != value->end();) {
      const std::string child = path.empty() ? member.key() : path + "." + member.key();
      const Json* of_member = SchemaOfMember(schema, member.key());
      const bool is_meta = resource && IsMetaField(member.key());
      const bool is_known = !is_meta && (of_member != nullptr || any);
      if (is_known) Prune(of_member, false, false, child, &*member);
      if (is_known || is_meta || keeps) {
        ++member;
        continue;
      }
      if (unknown_ != nullptr) unknown_->push_back(child);
      member = value->erase(member);
    }
  }

  std::vector<std::string>* unknown_;
};

}  // namespace

void PruneBySchema(const Json& schema, bool resource, Json* value,
                   std::vector<std::string>* unknown) {
  Pruning(unknown).Prune(&schema, false, resource, "", value);
}

StructuralSchema::StructuralSchema()
    : schema_({{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}) {}

bool StructuralSchema::Compile(Json schema, const std::string& path, std::vector<Cause>* causes) {
  const std::vector<Cause> found = CheckSchema(schema, path, &patterns_);
  causes->insert(causes->end(), found.begin(), found.end());
  schema_ = std::move(schema);
  return found.empty();
}

void StructuralSchema::SetDefaults(Json* object) const {
  DropNulls(&schema_, object);
  SetDefaultsBy(&schema_, object);
}

void StructuralSchema::Prune(Json* object, std::vector<std::string>* unknown) const {
  PruneBySchema(schema_, true, object, unknown);
  if (unknown != nullptr) std::sort(unknown->begin(), unknown->end());
}

std::vector<Cause> StructuralSchema::Validate(const Json& object) const {
  std::vector<Cause> causes = ValidateBySchema(schema_, patterns_, object);
  FindDuplicates(schema_, object, "", &causes);
  return causes;
}

std::vector<std::string> StructuralSchema::UncheckedRules() const {
  return RulesOf(schema_, "openAPIV3Schema");
}

}  // namespace outrigger::apiserver
