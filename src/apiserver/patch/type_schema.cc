#include "apiserver/patch/type_schema.h"

namespace outrigger::apiserver {

std::optional<PatchSchema::Field> TypeSchema::Find(std::string_view json_name) const {
  const apiserver::Field* const field = type_.Find(json_name);
  if (field == nullptr) return std::nullopt;
  Field found;
  found.merges = field->merges;
  found.merge_key = field->merge_key;
  if (field->type != nullptr) {
    std::unique_ptr<TypeSchema>& child = children_[field->type];
    if (child == nullptr) child = std::make_unique<TypeSchema>(*field->type);
    found.type = child.get();
  }
  return found;
}

}  // namespace outrigger::apiserver
