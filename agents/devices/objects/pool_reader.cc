#include <utility>

#include "devices/objects/parts.h"
#include "devices/objects/readers.h"

namespace outrigger::device_objects {
namespace {

absl::Status ReadResource(Value value, const Path& at, devices::Resource* resource) {
  std::optional<Quantity> capacity;
  const auto read_capacity = [&](Value amount, const Path& place) {
    return ReadQuantity(amount, place, &capacity);
  };
  const auto read_block = [&](Value amount, const Path& place) {
    return ReadQuantity(amount, place, &resource->block_size);
  };
  absl::Status status =
      ReadSpecFields(value, at, Field{"name", &resource->name}, Field{"capacity", read_capacity},
                     Field{"blockSize", read_block});
  resource->capacity = capacity.value_or(Quantity());
  return status;
}

absl::Status ReadDevice(Value value, const Path& at, devices::Device* device) {
  const auto attributes = [device](Value list, const Path& place) {
    return ReadList(list, place, &device->attributes, ReadAttribute);
  };
  const auto requests = [device](Value map, const Path& place) {
    return ReadAmounts(map, place, &device->requests);
  };
  const auto resources = [device](Value list, const Path& place) {
    return ReadList(list, place, &device->resources, ReadResource);
  };
  return ReadSpecFields(value, at, Field{"name", &device->name}, Field{"attributes", attributes},
                        Field{"requests", requests}, Field{"resources", resources});
}

}  // namespace

absl::Status ReadPool(json::Object object, const Path& at, devices::PoolObject* read) {
  *read = devices::PoolObject();
  devices::Pool* const pool = &read->pool;
  const auto attributes = [pool](Value list, const Path& place) {
    return ReadList(list, place, &pool->attributes, ReadAttribute);
  };
  const auto resources = [pool](Value list, const Path& place) {
    return ReadList(list, place, &pool->resources, ReadResource);
  };
  const auto devices = [pool](Value list, const Path& place) {
    return ReadList(list, place, &pool->devices, ReadDevice);
  };
  const auto spec = [&](Value value, const Path& place) {
    return ReadSpecFields(value, place, Field{"nodeName", &pool->node},
                          Field{"driver", &pool->driver}, Field{"count", &pool->count},
                          Field{"attributes", attributes}, Field{"resources", resources},
                          Field{"devices", devices});
  };
  const auto read_status = [read](Value value, const Path& place) {
    return ReadPoolStatus(value, place, read);
  };
  Metadata metadata;
  absl::Status status = ReadKind(object, at, devices::kPoolKind, &metadata, Field{"spec", spec},
                                 Field{"status", read_status});
  pool->name = std::move(metadata.name);
  read->version = std::move(metadata.version);
  for (devices::PoolEntry& entry : read->entries) {
    for (devices::Allocation& held : entry.holding) held.pool = pool->name;
  }
  return status;
}

}  // namespace outrigger::device_objects
