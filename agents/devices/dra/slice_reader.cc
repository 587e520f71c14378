// A ResourceSlice.
#include <optional>
#include <string>
#include <utility>

#include "codec/json/object_readers.h"
#include "devices/dra/read_parts.h"

namespace outrigger::dra {
namespace {

absl::Status ReadAttribute(Value value, const Path& at, AttributeValue* attribute) {
  std::optional<std::string> text;
  std::optional<int64_t> number;
  std::optional<bool> flag;
  std::optional<std::string> version;
  absl::Status status = json::ReadObject(value, at, Field{"string", &text}, Field{"int", &number},
                                         Field{"bool", &flag}, Field{"version", &version});
  if (text) *attribute = *std::move(text);
  if (number) *attribute = *number;
  if (flag) *attribute = *flag;
  if (version) *attribute = Version{*std::move(version)};
  return status;
}

absl::Status ReadAttributes(Value value, const Path& at, Attributes* attributes) {
  return json::ForEachField(value, at, [&](std::string_view key, Value item) {
    return ReadAttribute(item, at.Key(key), &(*attributes)[std::string(key)]);
  });
}

absl::Status ReadRange(Value value, const Path& at, RequestPolicy* policy) {
  const auto into = [](std::optional<Quantity>* quantity) {
    return
        [quantity](Value part, const Path& place) { return ReadQuantity(part, place, quantity); };
  };
  policy->has_range = true;
  return json::ReadObject(value, at, Field{"min", into(&policy->min)},
                          Field{"max", into(&policy->max)}, Field{"step", into(&policy->step)});
}

absl::Status ReadPolicy(Value value, const Path& at, RequestPolicy* policy) {
  const auto by_default = [policy](Value part, const Path& place) {
    return ReadQuantity(part, place, &policy->default_value);
  };
  const auto range = [policy](Value part, const Path& place) {
    return ReadRange(part, place, policy);
  };
  const auto values = [policy](Value list, const Path& place) {
    return json::ForEachElement(list, place, [policy](Value item, const Path& where) {
      std::optional<Quantity> quantity;
      absl::Status status = ReadQuantity(item, where, &quantity);
      if (quantity.has_value()) policy->valid_values.push_back(*quantity);
      return status;
    });
  };
  return json::ReadObject(value, at, Field{"default", by_default}, Field{"validRange", range},
                          Field{"validValues", values});
}

absl::Status ReadCapacity(Value value, const Path& at, Capacity* capacity) {
  std::optional<Quantity> amount;
  const auto read = [&amount](Value part, const Path& place) {
    return ReadQuantity(part, place, &amount);
  };
  const auto policy = [capacity](Value part, const Path& place) {
    return ReadPolicy(part, place, &capacity->policy.emplace());
  };
  absl::Status status =
      json::ReadObject(value, at, Field{"value", read}, Field{"requestPolicy", policy});
  if (amount.has_value()) capacity->value = *amount;
  return status;
}

absl::Status ReadCounters(Value value, const Path& at, Quantities* counters) {
  return json::ForEachField(value, at, [&](std::string_view key, Value item) {
    Capacity counter;
    absl::Status status = ReadCapacity(item, at.Key(key), &counter);
    (*counters)[std::string(key)] = counter.value;
    return status;
  });
}

absl::Status ReadCounterSet(Value value, const Path& at, CounterSet* set) {
  const auto counters = [set](Value part, const Path& place) {
    return ReadCounters(part, place, &set->counters);
  };
  return json::ReadObject(value, at, Field{"name", &set->name}, Field{"counters", counters});
}

// What a device takes of a set.
absl::Status ReadConsumed(Value value, const Path& at, CounterSet* set, bool* has_groups) {
  const auto counters = [set](Value part, const Path& place) {
    return ReadCounters(part, place, &set->counters);
  };
  const auto groups = [has_groups](Value part, const Path& place) {
    return json::ForEachElement(part, place, [has_groups](Value item, const Path& where) {
      *has_groups = true;
      return json::SkipValue(item, where);
    });
  };
  return json::ReadObject(value, at, Field{"counterSet", &set->name}, Field{"counters", counters},
                          Field{"compatibilityGroups", groups});
}

// There is at least one element.
auto Any(bool* any) {
  return [any](Value list, const Path& place) {
    return json::ForEachElement(list, place, [any](Value item, const Path& where) {
      *any = true;
      return json::SkipValue(item, where);
    });
  };
}

absl::Status ReadDevice(Value value, const Path& at, Device* device, bool* has_groups) {
  const auto attributes = [device](Value part, const Path& place) {
    return ReadAttributes(part, place, &device->attributes);
  };
  const auto capacity = [device](Value part, const Path& place) {
    return json::ForEachField(part, place, [&](std::string_view key, Value item) {
      return ReadCapacity(item, place.Key(key), &device->capacity[std::string(key)]);
    });
  };
  const auto consumed = [has_groups](Value part, const Path& place, CounterSet* set) {
    return ReadConsumed(part, place, set, has_groups);
  };
  return json::ReadObject(
      value, at, Field{"name", &device->name}, Field{"attributes", attributes},
      Field{"capacity", capacity}, Field{"consumesCounters", ListOf(&device->consumes, consumed)},
      Field{"nodeName", &device->nodes.node}, Field{"allNodes", &device->nodes.all},
      Field{"nodeSelector", &device->nodes.selector},
      Field{"taints", ListOf(&device->taints, ReadTaint)},
      Field{"bindsToNode", &device->binds_to_node},
      Field{"bindingConditions", Any(&device->has_binding_conditions)},
      Field{"allowMultipleAllocations", &device->shared});
}

absl::Status ReadPool(Value value, const Path& at, Slice* slice) {
  return json::ReadObject(value, at, Field{"name", &slice->pool},
                          Field{"generation", &slice->generation},
                          Field{"resourceSliceCount", &slice->slice_count});
}

absl::Status ReadSliceSpec(Value value, const Path& at, Slice* slice) {
  const auto pool = [slice](Value part, const Path& place) { return ReadPool(part, place, slice); };
  const auto device = [slice](Value part, const Path& place, Device* to) {
    return ReadDevice(part, place, to, &slice->has_compatibility_groups);
  };
  return json::ReadObject(value, at, Field{"driver", &slice->driver}, Field{"pool", pool},
                          Field{"nodeName", &slice->nodes.node},
                          Field{"allNodes", &slice->nodes.all},
                          Field{"nodeSelector", &slice->nodes.selector},
                          Field{"perDeviceNodeSelection", &slice->per_device},
                          Field{"sharedCounters", ListOf(&slice->counters, ReadCounterSet)},
                          Field{"devices", ListOf(&slice->devices, device)});
}

}  // namespace

absl::Status ReadSlice(json::Object object, const Path& at, Slice* slice) {
  Metadata metadata;
  const auto read_metadata = [&metadata](Value part, const Path& place) {
    return ReadMetadata(part, place, &metadata);
  };
  const auto spec = [slice](Value part, const Path& place) {
    return ReadSliceSpec(part, place, slice);
  };
  absl::Status status =
      json::ReadObject(object, at, Field{"metadata", read_metadata}, Field{"spec", spec});
  slice->name = std::move(metadata.name);
  return status;
}

}  // namespace outrigger::dra
