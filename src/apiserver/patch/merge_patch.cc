#include "apiserver/patch/merge_patch.h"

#include "apiserver/patch/go_text.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

Json WithoutNullMembers(const Json& value) {
  if (!value.is_structured()) return value;
  Json kept = value.is_object() ? Json::object() : Json::array();
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (value.is_array()) {
      kept.push_back(WithoutNullMembers(*item));
    } else if (!item->is_null()) {
      kept[item.key()] = WithoutNullMembers(*item);
    }
  }
  return kept;
}

void MergeMembers(const Json& patch, Json* object) {
  for (auto item = patch.begin(); item != patch.end(); ++item) {
    if (item->is_null()) {
      object->erase(item.key());
      continue;
    }
    Json& member = (*object)[item.key()];
    if (!member.is_object()) {
      member = WithoutNullMembers(*item);
    } else if (item->is_object()) {
      MergeMembers(*item, &member);
    } else {
      member = *item;
    }
  }
}

}  // namespace

std::optional<Failure> ApplyMergePatch(const Json& patch, Json* object) {
  if (patch.is_null()) return Failure::BadRequest("Invalid JSON Patch");
  if (!patch.is_object()) {
    return Failure::BadRequest(
        fmt::format("error decoding patch: json: cannot unmarshal {} into Go value of type "
                    "map[string]interface {{}}",
                    JsonTypeName(patch)));
  }
  MergeMembers(patch, object);
  return std::nullopt;
}

}  // namespace outrigger::apiserver
