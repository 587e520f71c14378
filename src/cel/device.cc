#include "cel/device.h"

#include <algorithm>
#include <array>
#include <string>

#include "cel/values/concat.h"
#include "cel/values/semver.h"

namespace outrigger::cel {
namespace {

// A place of a quantity or version in the builder's vectors, until it is stored in the device.
Value Placed(Kind kind, size_t index) {
  return kind == Kind::kQuantity ? Value::Uint(index)
                                 : Value::Duration(static_cast<int64_t>(index));
}

constexpr size_t kRounding = alignof(std::max_align_t);

Value MapOf(Arena& arena, std::span<const MapEntry> entries, bool empty_for_absent) {
  auto* buffer = arena.Allocate<MapBuffer>();
  auto* place = arena.Allocate<MapEntry>(entries.size());
  std::copy(entries.begin(), entries.end(), place);
  *buffer = MapBuffer();
  buffer->used = buffer->capacity = static_cast<uint32_t>(entries.size());
  buffer->entries = place;
  buffer->empty_map_for_absent_keys = empty_for_absent;
  buffer->of_device = true;
  return Value::Map(buffer, buffer->used);
}

}  // namespace

void DeviceBuilder::Add(std::string_view name, const Value& value) {
  attributes_.push_back({name, static_cast<uint32_t>(values_.size()), 1, false});
  values_.push_back(value);
}

// The last `count` values are one attribute.
void DeviceBuilder::AddAll(std::string_view name, size_t count) {
  attributes_.push_back(
      {name, static_cast<uint32_t>(values_.size() - count), static_cast<uint32_t>(count), true});
}

void DeviceBuilder::AddBool(std::string_view name, bool value) {
  Add(name, Value::Bool(value));
}
void DeviceBuilder::AddInt(std::string_view name, int64_t value) {
  Add(name, Value::Int(value));
}
void DeviceBuilder::AddString(std::string_view name, std::string_view value) {
  Add(name, Value::String(value));
}
void DeviceBuilder::AddFault(std::string_view name, std::string_view detail) {
  Add(name, Value::Error(ErrorCode::kConversion, detail));
}

void DeviceBuilder::AddNull(std::string_view name) {
  Add(name, Value::Null());
}

absl::Status DeviceBuilder::AddVersion(std::string_view name, std::string_view text) {
  std::string_view why;
  const auto version = ParseSemver(text, &why);
  if (!version) {
    return absl::InvalidArgumentError(Concat("attribute ", name, ": no semantic version: ", why));
  }
  Add(name, Placed(Kind::kSemver, versions_.size()));
  versions_.push_back(*version);
  return absl::OkStatus();
}

void DeviceBuilder::AddQuantity(std::string_view name, const Quantity& value) {
  Add(name, Placed(Kind::kQuantity, quantities_.size()));
  quantities_.push_back(value);
}

void DeviceBuilder::AddBools(std::string_view name, std::span<const bool> values) {
  for (const bool value : values) values_.push_back(Value::Bool(value));
  AddAll(name, values.size());
}
void DeviceBuilder::AddInts(std::string_view name, std::span<const int64_t> values) {
  for (const int64_t value : values) values_.push_back(Value::Int(value));
  AddAll(name, values.size());
}
void DeviceBuilder::AddStrings(std::string_view name, std::span<const std::string_view> values) {
  for (const std::string_view value : values) values_.push_back(Value::String(value));
  AddAll(name, values.size());
}

absl::Status DeviceBuilder::AddVersions(std::string_view name,
                                        std::span<const std::string_view> texts) {
  for (const std::string_view text : texts) {
    std::string_view why;
    const auto version = ParseSemver(text, &why);
    if (!version) {
      return absl::InvalidArgumentError(Concat("attribute ", name, ": no semantic version: ", why));
    }
    values_.push_back(Placed(Kind::kSemver, versions_.size()));
    versions_.push_back(*version);
  }
  AddAll(name, texts.size());
  return absl::OkStatus();
}

void DeviceBuilder::AddCapacity(std::string_view name, const Quantity& value) {
  capacities_.push_back({name, static_cast<uint32_t>(values_.size()), 1, false});
  values_.push_back(Placed(Kind::kQuantity, quantities_.size()));
  quantities_.push_back(value);
}

Value DeviceBuilder::Stored(Arena& arena, const Value& value) const {
  if (value.Is(Kind::kUint)) return Value::Of(arena.Store(quantities_[value.unsigned_integer()]));
  if (value.Is(Kind::kDuration)) {
    return Value::Of(arena.Store(versions_[static_cast<size_t>(value.nanoseconds())]));
  }
  return value;
}

Value DeviceBuilder::Stored(Arena& arena, const Named& named) const {
  if (!named.list) return Stored(arena, values_[named.first]);
  ListBuffer* list = NewList(arena, named.count);
  for (uint32_t i = 0; i < named.count; ++i) {
    list->items[list->used++] = Stored(arena, values_[named.first + i]);
  }
  return Value::List(list, list->used);
}

// What the parts take together, so that a device is one block.
size_t DeviceBuilder::Bytes(size_t domains) const {
  const size_t entries = attributes_.size() + capacities_.size() + domains + 4;
  const size_t maps = domains + 3;
  return (entries + maps) * (sizeof(MapEntry) + kRounding) + maps * sizeof(MapBuffer) +
         quantities_.size() * (sizeof(Quantity) + kRounding) +
         versions_.size() * (sizeof(Semver) + kRounding) +
         values_.size() * (sizeof(Value) + kRounding) + attributes_.size() * sizeof(ListBuffer);
}

Value DeviceBuilder::Domains(Arena& arena, std::string_view driver,
                             const std::vector<Named>& all) const {
  std::vector<Qualified> names;
  for (const Named& named : all) {
    const size_t slash = named.name.find('/');
    const bool plain = slash == std::string_view::npos;
    names.push_back({plain ? driver : named.name.substr(0, slash),
                     plain ? named.name : named.name.substr(slash + 1), named});
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const Qualified& a, const Qualified& b) { return a.domain < b.domain; });
  std::vector<MapEntry> domains;
  std::vector<MapEntry> entries;
  for (size_t i = 0; i < names.size(); ++i) {
    entries.push_back({Value::String(names[i].id), Stored(arena, names[i].named)});
    if (i + 1 < names.size() && names[i + 1].domain == names[i].domain) continue;
    domains.push_back({Value::String(names[i].domain), MapOf(arena, entries, false)});
    entries.clear();
  }
  return MapOf(arena, domains, true);
}

Device DeviceBuilder::BuildDra(std::string_view driver, bool allow_multiple_allocations) const {
  Device device(Bytes(attributes_.size() + capacities_.size()));
  Arena& arena = device.arena_;
  const std::array<MapEntry, 4> fields = {{
      {Value::String("driver"), Value::String(driver)},
      {Value::String("attributes"), Domains(arena, driver, attributes_)},
      {Value::String("capacity"), Domains(arena, driver, capacities_)},
      {Value::String("allowMultipleAllocations"), Value::Bool(allow_multiple_allocations)},
  }};
  device.value_ = MapOf(arena, fields, false);
  return device;
}

Device DeviceBuilder::BuildPrototype() const {
  Device device(Bytes(0));
  std::vector<MapEntry> entries;
  for (const Named& named : attributes_) {
    entries.push_back({Value::String(named.name), Stored(device.arena_, named)});
  }
  device.value_ = MapOf(device.arena_, entries, false);
  return device;
}

}  // namespace outrigger::cel
