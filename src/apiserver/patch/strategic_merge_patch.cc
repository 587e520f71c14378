#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/patch/merge_lists.h"
#include "apiserver/patch/patch.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr std::string_view kRetainDirective = "$retainKeys";
constexpr std::string_view kOrderDirective = "$setElementOrder/";
constexpr std::string_view kDeleteDirective = "$deleteFromPrimitiveList/";

bool HasDirective(const Json& value) {
  return value.is_object() && value.contains(kPatchDirective);
}

// What is new in the object: items that are directives are dropped, and so are null members.
Json NewValue(const Json& value) {
  if (!value.is_structured()) return value;
  Json kept = value.is_object() ? Json::object() : Json::array();
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (HasDirective(*item)) continue;
    if (value.is_array()) {
      kept.push_back(NewValue(*item));
    } else if (!item->is_null()) {
      kept[item.key()] = NewValue(*item);
    }
  }
  return kept;
}

// Of what is no struct nothing is known: it is merged as in a merge patch.
const Field& FieldOf(const Type* type, std::string_view name) {
  static const Field unknown;
  const Field* const found = type == nullptr ? nullptr : type->Find(name);
  return found == nullptr ? unknown : *found;
}

// {$patch: replace} and {$patch: delete} in an object.
std::optional<Failure> ApplyDirective(Json patch, Json* original) {
  const Json directive = patch[kPatchDirective];
  if (directive != "replace" && directive != "delete") return UnknownPatchType(patch);
  patch.erase(kPatchDirective);
  *original = directive == "replace" ? std::move(patch) : Json::object();
  return std::nullopt;
}

std::optional<Failure> RetainKeys(const Json& patch, Json* original) {
  const auto retained = patch.find(kRetainDirective);
  if (retained == patch.end()) return std::nullopt;
  const auto is_retained = [&retained](const std::string& key) {
    return std::find(retained->begin(), retained->end(), Json(key)) != retained->end();
  };
  bool well_formed = retained->is_array();
  for (const auto& [key, value] : patch.items()) {
    well_formed &= value.is_null() || key.starts_with('$') || is_retained(key);
  }
  if (!well_formed) return Failure::BadRequest("invalid patch format of retainKeys");
  for (auto item = original->begin(); item != original->end();) {
    item = is_retained(item.key()) ? std::next(item) : original->erase(item);
  }
  return std::nullopt;
}

std::optional<Failure> MergeObjects(const Json& patch, const Type* type, Json* original);

std::optional<Failure> MergeMember(const std::string& name, const Json& value, const Type* type,
                                   Json* original) {
  const auto current = original->find(name);
  if (value.is_null() || (current == original->end() && HasDirective(value))) {
    original->erase(name);
    return std::nullopt;
  }
  if (current == original->end() || !value.is_structured() || value.type() != current->type()) {
    (*original)[name] = NewValue(value);
    return std::nullopt;
  }
  const Field& field = FieldOf(type, name);
  if (value.is_array() ? !field.merges : field.replaces) {
    *current = value;
    return std::nullopt;
  }
  const Type* const inner = field.map ? nullptr : field.type;
  if (value.is_object()) return MergeObjects(value, inner, &*current);
  const auto merge_item = [inner](const Json& item, Json* into) {
    return MergeObjects(item, inner, into);
  };
  return MergeLists(value, field.merge_key, merge_item, &*current);
}

// Merges the list `name`, and puts it into the order that the patch gives.
std::optional<Failure> MergeInOrder(const std::string& name, const Json& order, const Json& patch,
                                    const Type* type, Json* original) {
  const Json before = original->value(name, Json::array());
  const Json changes = patch.value(name, Json::array());
  if (!order.is_array() || !before.is_array() || !changes.is_array()) {
    return PatchFault(fmt::format("{}{} is no order of a list", kOrderDirective, name));
  }
  if (patch.contains(name)) {
    if (auto failure = MergeMember(name, changes, type, original)) return failure;
  }
  if (original->contains(name)) {
    PutInOrder(order, before, FieldOf(type, name).merge_key, &(*original)[name]);
  }
  return std::nullopt;
}

std::optional<Failure> DeletePrimitives(const std::string& name, const Json& values,
                                        Json* original) {
  const auto list = original->find(name);
  if (list == original->end()) return std::nullopt;
  if (!list->is_array() || !values.is_array()) {
    return PatchFault(fmt::format("{}{} is of no list", kDeleteDirective, name));
  }
  std::erase_if(list->get_ref<Json::array_t&>(), [&values](const Json& item) {
    return std::find(values.begin(), values.end(), item) != values.end();
  });
  return std::nullopt;
}

std::optional<Failure> MergeObjects(const Json& patch, const Type* type, Json* original) {
  if (HasDirective(patch)) return ApplyDirective(patch, original);
  if (auto failure = RetainKeys(patch, original)) return failure;
  const auto name_of = [](const std::string& key) { return key.substr(key.find('/') + 1); };
  for (const auto& [key, order] : patch.items()) {
    if (!key.starts_with(kOrderDirective)) continue;
    if (auto failure = MergeInOrder(name_of(key), order, patch, type, original)) return failure;
  }
  for (const auto& [key, value] : patch.items()) {
    if (key == kRetainDirective || key.starts_with(kOrderDirective)) continue;
    if (patch.contains(std::string(kOrderDirective) + key)) continue;
    auto failure = key.starts_with(kDeleteDirective)
                       ? DeletePrimitives(name_of(key), value, original)
                       : MergeMember(key, value, type, original);
    if (failure) return failure;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Failure> ApplyStrategicMergePatch(const Json& patch, const Type& type, Json* object) {
  if (patch.is_null()) return std::nullopt;
  if (!patch.is_object()) return Failure::BadRequest("a strategic merge patch is an object");
  return MergeObjects(patch, &type, object);
}

}  // namespace outrigger::apiserver
