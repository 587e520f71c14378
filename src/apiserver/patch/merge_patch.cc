#include "apiserver/patch/patch.h"

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
  if (!patch.is_object()) {
    return Failure::BadRequest("error decoding patch: a merge patch is an object");
  }
  MergeMembers(patch, object);
  return std::nullopt;
}

}  // namespace outrigger::apiserver
