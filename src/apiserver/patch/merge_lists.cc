#include "apiserver/patch/merge_lists.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "apiserver/patch/go_text.h"
#include "apiserver/patch/json_patch.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

const char* GoTypeOf(const Json& value) {
  if (value.is_object()) return "map[string]interface {}";
  if (value.is_array()) return "[]interface {}";
  if (value.is_number()) return value.is_number_float() ? "float64" : "int64";
  if (value.is_boolean()) return "bool";
  return value.is_string() ? "string" : "%!s(<nil>)";
}

Failure NoMergeKey(const Json& item, std::string_view key) {
  return PatchFault(
      fmt::format("map: {} does not contain declared merge key: {}", GoText(item), key));
}

// What tells `item` apart; null where it is missing.
Json IdentityOf(const Json& item, std::string_view key) {
  if (key.empty()) return item;
  const auto member = item.find(key);
  return member == item.end() ? Json() : *member;
}

std::optional<size_t> PositionOf(const Json& identity, const Json& list, std::string_view key) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (IdentityOf(list[i], key) == identity) return i;
  }
  return std::nullopt;
}

std::optional<Failure> CheckIdentities(const Json& items, std::string_view key) {
  for (const Json& item : items) {
    if (!item.is_object()) return NotOfType(Json::object(), item);
    if (!item.contains(key)) return NoMergeKey(item, key);
  }
  return std::nullopt;
}

void SortAs(const Json& order, std::string_view key, Json* items) {
  std::vector<std::pair<size_t, Json>> placed;
  for (Json& item : *items) {
    const std::optional<size_t> position = PositionOf(IdentityOf(item, key), order, key);
    placed.emplace_back(position.value_or(order.size()), std::move(item));
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < placed.size(); ++i) (*items)[i] = std::move(placed[i].second);
}

bool IsBefore(const Json& a, const Json& b, const Json& order, std::string_view key) {
  const std::optional<size_t> first = PositionOf(IdentityOf(a, key), order, key);
  const std::optional<size_t> second = PositionOf(IdentityOf(b, key), order, key);
  return first && second && *first < *second;
}

// Both are in order.
Json Interleaved(Json others, Json ordered, const Json& server_order, std::string_view key) {
  Json all = Json::array();
  size_t i = 0;
  size_t j = 0;
  while (i < others.size() || j < ordered.size()) {
    const bool other = j == ordered.size() ||
                       (i < others.size() && IsBefore(others[i], ordered[j], server_order, key));
    all.push_back(std::move(other ? others[i++] : ordered[j++]));
  }
  return all;
}

void MergePrimitives(const Json& patch, bool deletes, Json* original) {
  Json merged = Json::array();
  for (const Json& item : *original) {
    if (deletes ? !PositionOf(item, patch, "") : !PositionOf(item, merged, "")) {
      merged.push_back(item);
    }
  }
  for (const Json& item : patch) {
    if (!deletes && !PositionOf(item, merged, "")) merged.push_back(item);
  }
  *original = std::move(merged);
}

void EraseAll(const Json& identity, std::string_view key, Json* list) {
  for (size_t i = list->size(); i-- > 0;) {
    const auto member = (*list)[i].find(key);
    if (member != (*list)[i].end() && *member == identity) list->erase(i);
  }
}

// Deletes what {$patch: delete} names, and with {$patch: replace} takes the patch for the list.
// `patch` keeps what is to be merged.
std::optional<Failure> ApplyDirectives(std::string_view key, Json* patch, Json* original) {
  Json others = Json::array();
  bool replace = false;
  for (const Json& item : *patch) {
    const auto directive = item.find(kPatchDirective);
    if (directive == item.end()) {
      others.push_back(item);
    } else if (*directive == "delete") {
      if (!item.contains(key)) return NoMergeKey(item, key);
      EraseAll(item.at(std::string(key)), key, original);
    } else if (*directive == "replace") {
      replace = true;
    } else if (*directive == "merge") {
      return PatchFault("merging lists cannot yet be specified in the patch");
    } else {
      return UnknownPatchType(*directive, item);
    }
  }
  if (replace) *original = std::exchange(others, Json::array());
  *patch = std::move(others);
  return std::nullopt;
}

std::optional<Failure> MergeObjectsOfList(const Json& patch, std::string_view key,
                                          MergeItem merge_item, Json* original) {
  for (const Json& item : patch) {
    if (!item.contains(key)) return NoMergeKey(item, key);
    size_t i = 0;
    while (i < original->size() && (!(*original)[i].contains(key) ||
                                    IdentityOf((*original)[i], key) != IdentityOf(item, key))) {
      ++i;
    }
    if (i == original->size()) {
      original->push_back(item);
    } else if (auto failure = merge_item(item, &(*original)[i])) {
      return failure;
    }
  }
  return std::nullopt;
}

}  // namespace

Failure PatchFault(std::string message) {
  return {.code = 500, .reason = "", .message = std::move(message)};
}

Failure NotOfType(const Json& expected, const Json& value) {
  return PatchFault(
      fmt::format("expected a {}, but received a {}", GoTypeOf(expected), GoTypeOf(value)));
}

Failure UnknownPatchType(const Json& directive, const Json& holder) {
  return PatchFault(
      fmt::format("unknown patch type: {} in map: {}", GoText(directive), GoText(holder)));
}

bool HaveOneType(const Json& a, const Json& b) {
  return std::string_view(GoTypeOf(a)) == GoTypeOf(b);
}

std::optional<Failure> CheckItemTypes(const Json& original, const Json& patch) {
  const Json* first = nullptr;
  for (const Json* list : {&original, &patch}) {
    for (const Json& item : *list) {
      if (first == nullptr) first = &item;
      if (first->is_array()) return RejectedPatch();
      if (item.is_null() || !HaveOneType(*first, item)) {
        return PatchFault(fmt::format("list element types are not identical: [{} {}]",
                                      GoText(original), GoText(patch)));
      }
    }
  }
  if (first == nullptr) return PatchFault("no elements in any of the given slices");
  return std::nullopt;
}

std::optional<Failure> CheckOrder(const Json& patch, const Json& order, std::string_view key) {
  if (patch.empty() || order.empty()) return std::nullopt;
  size_t place = 0;
  for (const Json& item : patch) {
    if (!key.empty() && !item.is_object()) return NotOfType(Json::object(), item);
    const auto directive = item.is_object() ? item.find(kPatchDirective) : item.end();
    if (directive != item.end() && (*directive == "delete" || place < order.size())) continue;
    bool found = false;
    while (!found && place < order.size()) {
      const Json& other = order[place++];
      if (!key.empty()) {
        if (auto failure = CheckIdentities(Json::array({item, other}), key)) return failure;
      }
      found = IdentityOf(item, key) == IdentityOf(other, key);
    }
    if (!found) {
      return PatchFault(
          fmt::format("The order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}\n",
                      GoText(patch), GoText(order)));
    }
  }
  return std::nullopt;
}

std::optional<Failure> PutInOrder(const Json& order, const Json& server_order, std::string_view key,
                                  Json* items) {
  const bool objects = !server_order.empty() && server_order[0].is_object();
  if (objects && key.empty()) return NoMergeKey(server_order[0], key);
  if (items->empty()) return std::nullopt;
  if (!key.empty()) {
    if (auto failure = CheckIdentities(*items, key)) return failure;
    for (size_t i = 0; i < order.size(); ++i) {
      if (!order[i].is_object()) return PatchFault(fmt::format("value for key {} is not a map", i));
    }
    if (auto failure = CheckIdentities(order, key)) return failure;
  }
  Json ordered = Json::array();
  Json others = Json::array();
  for (const Json& item : *items) {
    (PositionOf(IdentityOf(item, key), order, key) ? ordered : others).push_back(item);
  }
  SortAs(order, key, &ordered);
  SortAs(server_order, key, &others);
  *items = Interleaved(std::move(others), std::move(ordered), server_order, key);
  return std::nullopt;
}

std::optional<Failure> MergeItems(const Json& patch, std::string_view key, bool deletes,
                                  MergeItem merge_item, Json* original, Json* server_order) {
  if (original->empty() && patch.empty()) return std::nullopt;
  if (auto failure = CheckItemTypes(*original, patch)) return failure;
  const bool objects = (original->empty() ? patch : *original)[0].is_object();
  const size_t size = original->size();
  Json changes = patch;
  Json order = *original;
  if (!objects) {
    MergePrimitives(patch, deletes, original);
    if (deletes) return std::nullopt;
  } else {
    if (key.empty()) return PatchFault("cannot merge lists without merge key for struct");
    if (auto failure = ApplyDirectives(key, &changes, original)) return failure;
    order = *original;
    if (auto failure = MergeObjectsOfList(changes, key, merge_item, original)) return failure;
    // Upstream's list is overwritten in place: its places are taken by what was added.
    if (server_order != nullptr) {
      *server_order = *original;
      while (server_order->size() > size) server_order->erase(server_order->size() - 1);
    }
  }
  return PutInOrder(changes, order, key, original);
}

}  // namespace outrigger::apiserver
