#include "cel/values/collections.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "cel/values/equality.h"

namespace outrigger::cel {
namespace {

constexpr uint32_t kIndexedFrom = 16;
const Value kOutOfMemory = Value::Error(ErrorCode::kCost, "memory limit exceeded");

uint64_t HashOfKey(const Value& key) {
  switch (key.kind()) {
    case Kind::kString:
      return std::hash<std::string_view>()(key.text());
    case Kind::kBool:
      return key.boolean() ? 1 : 2;
    default: {
      // Numbers that are equal must meet, whatever their kinds: the double decides.
      const double number = AsDouble(key) + 0.0;
      return std::hash<double>()(number) * 0x9E3779B97F4A7C15ULL;
    }
  }
}

void Enter(MapBuffer& buffer, uint32_t entry) {
  uint64_t slot = HashOfKey(buffer.entries[entry].key);
  while (buffer.index[slot & (buffer.slots - 1)] != 0) ++slot;
  buffer.index[slot & (buffer.slots - 1)] = entry + 1;
}

bool BuildIndex(Arena& arena, MapBuffer& buffer) {
  buffer.slots = std::bit_ceil(buffer.capacity * 2);
  buffer.index = arena.Allocate<uint32_t>(buffer.slots);
  if (buffer.index == nullptr) return false;
  std::fill_n(buffer.index, buffer.slots, 0U);
  for (uint32_t i = 0; i < buffer.used; ++i) Enter(buffer, i);
  return true;
}

MapBuffer* NewMap(Arena& arena, uint32_t capacity) {
  auto* buffer = arena.Allocate<MapBuffer>();
  auto* entries = arena.Allocate<MapEntry>(capacity);
  if (buffer == nullptr || entries == nullptr) return nullptr;
  *buffer = MapBuffer();
  buffer->capacity = capacity;
  buffer->entries = entries;
  if (capacity >= kIndexedFrom && !BuildIndex(arena, *buffer)) return nullptr;
  return buffer;
}

void Add(MapBuffer& buffer, const MapEntry& entry) {
  buffer.entries[buffer.used++] = entry;
  if (buffer.index != nullptr) Enter(buffer, buffer.used - 1);
}

MapEntry* FindEntry(const MapBuffer& buffer, uint32_t size, const Value& key) {
  if (buffer.index == nullptr) {
    for (uint32_t i = 0; i < size; ++i) {
      if (KeysEqual(buffer.entries[i].key, key)) return &buffer.entries[i];
    }
    return nullptr;
  }
  for (uint64_t slot = HashOfKey(key);; ++slot) {
    const uint32_t entry = buffer.index[slot & (buffer.slots - 1)];
    if (entry == 0) return nullptr;
    if (KeysEqual(buffer.entries[entry - 1].key, key)) {
      return entry - 1 < size ? &buffer.entries[entry - 1] : nullptr;
    }
  }
}

bool CanBeKey(const Value& key) {
  return key.IsNumber() || key.Is(Kind::kString) || key.Is(Kind::kBool);
}

}  // namespace

ListBuffer* NewList(Arena& arena, size_t capacity) {
  auto* buffer = arena.Allocate<ListBuffer>();
  auto* items = arena.Allocate<Value>(capacity);
  if (buffer == nullptr || items == nullptr) return nullptr;
  *buffer = ListBuffer{0, static_cast<uint32_t>(capacity), items, false};
  return buffer;
}

Value MakeList(Arena& arena, std::span<const Value> items) {
  if (items.empty()) return Value::List(nullptr, 0);
  ListBuffer* buffer = NewList(arena, items.size());
  if (buffer == nullptr) return kOutOfMemory;
  std::copy(items.begin(), items.end(), buffer->items);
  buffer->used = buffer->capacity;
  return Value::List(buffer, buffer->used);
}

Value AppendedList(Arena& arena, const Value& list, std::span<const Value> items) {
  if (items.empty()) return list;
  const uint64_t size = uint64_t{list.size()} + items.size();
  if (size > UINT32_MAX / sizeof(Value)) return kOutOfMemory;
  auto* buffer = const_cast<ListBuffer*>(list.list());
  if (buffer == nullptr || buffer->used != list.size() || size > buffer->capacity) {
    buffer = NewList(arena, std::max<uint64_t>(8, size * 2));
    if (buffer == nullptr) return kOutOfMemory;
    const std::span<const Value> kept = ItemsOf(list);
    std::copy(kept.begin(), kept.end(), buffer->items);
  }
  std::copy(items.begin(), items.end(), buffer->items + list.size());
  buffer->used = static_cast<uint32_t>(size);
  return Value::List(buffer, buffer->used);
}

Value MakeMap(Arena& arena, std::span<const MapEntry> entries) {
  if (entries.empty()) return Value::Map(nullptr, 0);
  MapBuffer* buffer = NewMap(arena, static_cast<uint32_t>(entries.size()));
  if (buffer == nullptr) return kOutOfMemory;
  for (const MapEntry& entry : entries) {
    if (!CanBeKey(entry.key))
      return Value::Error(ErrorCode::kInvalidArgument, "unsupported key type");
    if (MapEntry* known = FindEntry(*buffer, buffer->used, entry.key)) {
      known->value = entry.value;
    } else {
      Add(*buffer, entry);
    }
  }
  return Value::Map(buffer, buffer->used);
}

Value InsertedMap(Arena& arena, const Value& map, const Value& key, const Value& value) {
  if (!CanBeKey(key)) return Value::Error(ErrorCode::kInvalidArgument, "unsupported key type");
  if (FindKey(map, key) != nullptr) return Value::Error(ErrorCode::kDuplicateKey);
  auto* buffer = const_cast<MapBuffer*>(map.map());
  if (buffer == nullptr || buffer->used != map.size() || buffer->used == buffer->capacity) {
    buffer = NewMap(arena, std::max<uint32_t>(8, (map.size() + 1) * 2));
    if (buffer == nullptr) return kOutOfMemory;
    for (const MapEntry& entry : EntriesOf(map)) Add(*buffer, entry);
  }
  Add(*buffer, {key, value});
  return Value::Map(buffer, buffer->used);
}

bool IsUnhashable(const Value& map, const Value& key) {
  const bool unhashable = key.Is(Kind::kBytes) || key.Is(Kind::kSemver) || key.Is(Kind::kFormat);
  return unhashable && map.size() > 0 && !map.map()->of_device;
}

const Value* FindKey(const Value& map, const Value& key) {
  if (map.map() == nullptr || !CanBeKey(key)) return nullptr;
  const MapEntry* entry = FindEntry(*map.map(), map.size(), key);
  return entry == nullptr ? nullptr : &entry->value;
}

const Value* FindKeyOrDefault(const Value& map, const Value& key) {
  const Value* found = FindKey(map, key);
  if (found == nullptr && map.map() != nullptr && map.map()->empty_map_for_absent_keys) {
    static const MapBuffer buffer{0, 0, nullptr, nullptr, 0, false, true};
    static const Value empty = Value::Map(&buffer, 0);
    return &empty;
  }
  return found;
}

}  // namespace outrigger::cel
