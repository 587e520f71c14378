#include "apiserver/patch/strategic_merge_patch.h"

#include <algorithm>
#include <utility>

#include "apiserver/patch/go_text.h"
#include "apiserver/patch/merge_lists.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

using PatchField = PatchSchema::Field;

constexpr std::string_view kRetainDirective = "$retainKeys";
constexpr std::string_view kOrderDirective = "$setElementOrder";
constexpr std::string_view kDeleteDirective = "$deleteFromPrimitiveList";

// The field's name in `$setElementOrder/name`; nullopt: the key is not of this form.
std::optional<std::string> FieldIn(const std::string& key, std::string_view prefix) {
  if (key.size() <= prefix.size() || key[prefix.size()] != '/') return std::nullopt;
  return key.substr(prefix.size() + 1);
}

bool IsDirective(const Json& value) {
  return value.is_object() && value.contains(kPatchDirective);
}

// What is new in the object: items that are directives are dropped, and so are null members.
Json NewValue(const Json& value, bool keep_nulls) {
  if (!value.is_structured()) return value;
  Json kept = value.is_object() ? Json::object() : Json::array();
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (IsDirective(*item)) continue;
    if (value.is_array()) {
      kept.push_back(NewValue(*item, keep_nulls));
    } else if (keep_nulls || !item->is_null()) {
      kept[item.key()] = NewValue(*item, keep_nulls);
    }
  }
  return kept;
}

std::optional<Failure> FindPatchField(const PatchSchema* schema, const std::string& name,
                                      PatchField* field) {
  if (schema == nullptr) {
    return PatchFault("merging an object in json but data type is not struct, instead is: map");
  }
  const std::optional<PatchField> found = schema->Find(name);
  if (!found) {
    return PatchFault(fmt::format("unable to find api field in struct {} for the json field {}",
                                  schema->Name(), Json(name).dump()));
  }
  *field = *found;
  return std::nullopt;
}

// {$patch: replace} and {$patch: delete} in an object.
std::optional<Failure> ApplyDirective(Json patch, Json* original) {
  const Json directive = patch[kPatchDirective];
  if (directive == "replace") {
    patch.erase(kPatchDirective);
    *original = std::move(patch);
  } else if (directive == "delete") {
    *original = Json::object();
  } else {
    return UnknownPatchType(directive, patch);
  }
  return std::nullopt;
}

std::optional<Failure> RetainKeys(Json* patch, Json* original) {
  const auto found = patch->find(kRetainDirective);
  if (found == patch->end()) return std::nullopt;
  const Json retained = *found;
  patch->erase(found);
  const auto is_retained = [&retained](const std::string& key) {
    return std::find(retained.begin(), retained.end(), Json(key)) != retained.end();
  };
  const Failure malformed = Failure::BadRequest("invalid patch format of retainKeys");
  if (!retained.is_array()) return malformed;
  for (const auto& [key, value] : patch->items()) {
    if (value.is_null() || key.starts_with(kDeleteDirective) || key.starts_with(kOrderDirective))
      continue;
    if (!is_retained(key)) return malformed;
  }
  for (auto item = original->begin(); item != original->end();) {
    item = is_retained(item.key()) ? std::next(item) : original->erase(item);
  }
  return std::nullopt;
}

std::optional<Failure> MergeObjects(Json patch, const PatchSchema* schema, Json* original);

std::optional<Failure> MergeList(const Json& patch, const PatchField& field, bool deletes,
                                 Json* original, Json* unordered) {
  if (!field.merges && !deletes) {
    *original = patch;
    return std::nullopt;
  }
  const auto merge_items = [&field](const Json& item, Json* into) {
    return MergeObjects(item, field.type, into);
  };
  return MergeItems(patch, field.merge_key, deletes, merge_items, original, unordered);
}

// The list `name` with the order that the patch gives: takes it out of the patch.
std::optional<Failure> MergeInOrder(const std::string& name, const Json& order,
                                    const PatchSchema* schema, Json* patch, Json* original) {
  if (!order.is_array()) return NotOfType(Json::array(), order);
  const auto in_object = original->find(name);
  const auto in_patch = patch->find(name);
  const bool has_object = in_object != original->end();
  const bool has_patch = in_patch != patch->end();
  if (has_object && !in_object->is_array()) return NotOfType(Json::array(), *in_object);
  if (has_patch && !in_patch->is_array()) return NotOfType(Json::array(), *in_patch);
  PatchField field;
  if (auto failure = FindPatchField(schema, name, &field)) return failure;
  const Json before = has_object ? *in_object : Json::array();
  const Json changes = has_patch ? *in_patch : Json::array();
  if (auto failure = CheckOrder(changes, order, field.merge_key)) return failure;
  if (!has_object && !has_patch) return std::nullopt;

  Json merged = has_object ? before : NewValue(changes, true);
  Json server_order = before;
  if (has_object && has_patch) {
    if (auto failure = MergeList(changes, field, false, &merged, &server_order)) return failure;
  }
  if (auto failure = PutInOrder(order, server_order, field.merge_key, &merged)) return failure;
  if (auto failure = CheckItemTypes(before, changes)) return failure;
  (*original)[name] = std::move(merged);
  patch->erase(name);
  return std::nullopt;
}

std::optional<Failure> MergeOrderedLists(const PatchSchema* schema, Json* patch, Json* original) {
  const Json all = *patch;
  for (const auto& [key, order] : all.items()) {
    if (!key.starts_with(kOrderDirective)) continue;
    patch->erase(key);
    const std::optional<std::string> name = FieldIn(key, kOrderDirective);
    if (!name) {
      if (!order.is_array()) return NotOfType(Json::array(), order);
      return Failure::BadRequest("invalid patch format of setElementOrder list");
    }
    if (auto failure = MergeInOrder(*name, order, schema, patch, original)) return failure;
  }
  return std::nullopt;
}

std::optional<Failure> MergeMember(const std::string& key, const Json& value,
                                   const PatchSchema* schema, Json* original) {
  const bool deletes = key.starts_with(kDeleteDirective);
  const std::optional<std::string> name = deletes ? FieldIn(key, kDeleteDirective) : key;
  if (!name) return Failure::BadRequest("invalid patch format of primitive list");
  if (value.is_null()) {
    original->erase(*name);
    return std::nullopt;
  }
  const auto current = original->find(*name);
  if (current == original->end() || !HaveOneType(*current, value)) {
    if (deletes) return std::nullopt;
    if (IsDirective(value)) {
      original->erase(*name);
    } else {
      (*original)[*name] = NewValue(value, false);
    }
    return std::nullopt;
  }
  if (!value.is_structured()) {
    *current = value;
    return std::nullopt;
  }
  PatchField field;
  if (auto failure = FindPatchField(schema, *name, &field)) return failure;
  if (value.is_array()) return MergeList(value, field, deletes, &*current, nullptr);
  if (!field.replaces) return MergeObjects(value, field.type, &*current);
  *current = value;
  return std::nullopt;
}

std::optional<Failure> MergeObjects(Json patch, const PatchSchema* schema, Json* original) {
  if (IsDirective(patch)) return ApplyDirective(std::move(patch), original);
  if (auto failure = RetainKeys(&patch, original)) return failure;
  if (auto failure = MergeOrderedLists(schema, &patch, original)) return failure;
  for (const auto& [key, value] : patch.items()) {
    if (auto failure = MergeMember(key, value, schema, original)) return failure;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Failure> ApplyStrategicMergePatch(const Json& patch, const PatchSchema& schema,
                                                Json* object) {
  if (patch.is_null()) return std::nullopt;
  if (!patch.is_object()) {
    return Failure::BadRequest(
        fmt::format("json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                    JsonTypeName(patch)));
  }
  return MergeObjects(patch, &schema, object);
}

}  // namespace outrigger::apiserver
