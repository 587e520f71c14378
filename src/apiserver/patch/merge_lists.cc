#include "apiserver/patch/merge_lists.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

using Places = std::map<Json, size_t>;  // of items, by what tells them apart

Json IdentityOf(const Json& item, std::string_view key) {
  if (key.empty()) return item;
  const auto member = item.find(key);
  return member == item.end() ? Json() : *member;
}

Places PlacesIn(const Json& list, std::string_view key) {
  Places places;
  for (size_t i = 0; i < list.size(); ++i) places.emplace(IdentityOf(list[i], key), i);
  return places;
}

std::optional<size_t> PlaceOf(const Json& item, const Places& places, std::string_view key) {
  const auto found = places.find(IdentityOf(item, key));
  if (found == places.end()) return std::nullopt;
  return found->second;
}

void SortByPlaces(const Places& places, std::string_view key, std::vector<Json>* items) {
  std::stable_sort(items->begin(), items->end(), [&](const Json& a, const Json& b) {
    return PlaceOf(a, places, key).value_or(SIZE_MAX) < PlaceOf(b, places, key).value_or(SIZE_MAX);
  });
}

// What is to be merged. Deletes what {$patch: delete} names; with {$patch: replace} the changes
// are all that stays.
std::optional<Failure> ApplyDirectives(const Json& patch, std::string_view key, Json* changes,
                                       Json* original) {
  bool replaces = false;
  for (const Json& item : patch) {
    const auto directive = item.find(kPatchDirective);
    if (directive != item.end() && *directive == "replace") {
      replaces = true;
      continue;
    }
    if (IdentityOf(item, key).is_null()) {
      return PatchFault(
          fmt::format("map: {} does not contain declared merge key: {}", item.dump(), key));
    }
    if (directive == item.end()) {
      changes->push_back(item);
    } else if (*directive == "delete") {
      auto& items = original->get_ref<Json::array_t&>();
      std::erase_if(items,
                    [&](const Json& one) { return IdentityOf(one, key) == IdentityOf(item, key); });
    } else {
      return UnknownPatchType(item);
    }
  }
  if (replaces) *original = std::exchange(*changes, Json::array());
  return std::nullopt;
}

}  // namespace

Failure PatchFault(std::string message) {
  return {.code = 500, .reason = "", .message = std::move(message)};
}

Failure UnknownPatchType(const Json& holder) {
  const Json& directive = holder.at(kPatchDirective);
  return PatchFault(fmt::format("unknown patch type: {} in map: {}",
                                directive.is_string() ? directive.get<std::string>() : "",
                                holder.dump()));
}

std::optional<Failure> MergeLists(const Json& patch, std::string_view key, MergeItem merge_item,
                                  Json* original) {
  Json changes = Json::array();
  if (key.empty()) {
    changes = patch;
  } else if (auto failure = ApplyDirectives(patch, key, &changes, original)) {
    return failure;
  }
  const Json kept = *original;
  Places places = PlacesIn(kept, key);
  for (const Json& item : changes) {
    const auto [place, is_new] = places.emplace(IdentityOf(item, key), original->size());
    if (is_new) {
      original->push_back(item);
    } else if (key.empty()) {
      continue;
    } else if (auto failure = merge_item(item, &(*original)[place->second])) {
      return failure;
    }
  }
  PutInOrder(changes, kept, key, original);
  return std::nullopt;
}

void PutInOrder(const Json& order, const Json& server_order, std::string_view key, Json* items) {
  const Places wanted = PlacesIn(order, key);
  const Places served = PlacesIn(server_order, key);
  std::vector<Json> ordered;
  std::vector<Json> others;
  for (Json& item : *items) {
    (PlaceOf(item, wanted, key) ? ordered : others).push_back(std::move(item));
  }
  SortByPlaces(wanted, key, &ordered);
  SortByPlaces(served, key, &others);
  *items = Json::array();
  auto other = others.begin();
  for (Json& item : ordered) {
    const std::optional<size_t> place = PlaceOf(item, served, key);
    while (place && other != others.end() && PlaceOf(*other, served, key) < place &&
           PlaceOf(*other, served, key)) {
      items->push_back(std::move(*other++));
    }
    items->push_back(std::move(item));
  }
  std::move(other, others.end(), std::back_inserter(*items));
}

}  // namespace outrigger::apiserver
