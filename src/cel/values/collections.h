#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cel/values/arena.h"
#include "cel/values/value.h"

namespace outrigger::cel {

/// Items that several list values share: each is a beginning of it. Only the value that holds all
/// of `used` may be appended to in place, which makes a list that grows item by item cheap.
struct ListBuffer {
  uint32_t used = 0;
  uint32_t capacity = 0;
  Value* items = nullptr;
  bool in_any_order = false;  // equal to a list with the same items at other places
};

struct MapEntry {
  Value key;
  Value value;
};

/// Entries that several map values share, as ListBuffer. Keys are unique within a buffer.
struct MapBuffer {
  uint32_t used = 0;
  uint32_t capacity = 0;
  MapEntry* entries = nullptr;
  uint32_t* index = nullptr;               // hash table of entry numbers + 1; none for small maps
  uint32_t slots = 0;                      // a power of two
  bool empty_map_for_absent_keys = false;  // a lookup of an absent key finds {}
  bool of_device = false;                  // keys are texts; others are absent, never an error
};

inline std::span<const Value> ItemsOf(const Value& list) {
  return list.list() == nullptr ? std::span<const Value>()
                                : std::span<const Value>(list.list()->items, list.size());
}

inline std::span<const MapEntry> EntriesOf(const Value& map) {
  return map.map() == nullptr ? std::span<const MapEntry>()
                              : std::span<const MapEntry>(map.map()->entries, map.size());
}

/// A list with room for `capacity` items, of which none is used; nullptr if the arena is exhausted.
ListBuffer* NewList(Arena& arena, size_t capacity);

/// A list of `items`. kCost where the arena is exhausted.
Value MakeList(Arena& arena, std::span<const Value> items);

/// `list` and then `items`; in place where `list` is the end of its buffer.
Value AppendedList(Arena& arena, const Value& list, std::span<const Value> items);

/// A map of `entries`; of equal keys the last one counts, at the place of the first.
Value MakeMap(Arena& arena, std::span<const MapEntry> entries);

/// `map` with one more entry; kDuplicateKey if it has the key.
Value InsertedMap(Arena& arena, const Value& map, const Value& key, const Value& value);

/// Whether a lookup of `key` in `map` fails: upstream cannot look for bytes, versions and formats,
/// but in empty maps and those of a device.
bool IsUnhashable(const Value& map, const Value& key);

/// The value at `key`, numbers compared by value; nullptr if absent.
const Value* FindKey(const Value& map, const Value& key);

/// FindKey, but of an absent key the empty map where the map says so.
const Value* FindKeyOrDefault(const Value& map, const Value& key);

}  // namespace outrigger::cel
