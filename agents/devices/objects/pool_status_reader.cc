#include <cstdint>
#include <optional>
#include <string_view>

#include "devices/objects/parts.h"
#include "devices/objects/readers.h"

namespace outrigger::device_objects {
namespace {

absl::Status ReadEntryState(Value value, const Path& at, bool* confirmed) {
  std::string_view text;
  absl::Status status = json::Read(value, at, &text);
  *confirmed = text == "Confirmed";
  if (status.ok() && !*confirmed && text != "Intent") at.Malformed(text, "Intent or Confirmed");
  return status;
}

absl::Status ReadHeldDevice(Value value, const Path& at, devices::Allocation* held) {
  const auto amounts = [held](Value list, const Path& place) {
    return ReadAllocatedAmounts(list, place, &held->amounts);
  };
  return ReadFields(value, at, Field{"name", &held->device}, Field{"allocations", amounts});
}

absl::Status ReadEntry(Value value, const Path& at, devices::PoolEntry* entry) {
  const auto state = [entry](Value text, const Path& place) {
    return ReadEntryState(text, place, &entry->confirmed);
  };
  const auto deadline = [entry](Value text, const Path& place) {
    return ReadWallTime(text, place, &entry->deadline);
  };
  const auto devices = [entry](Value list, const Path& place) {
    return ReadList(list, place, &entry->holding, ReadHeldDevice);
  };
  std::optional<int64_t> count;
  absl::Status status = ReadFields(
      value, at, Field{"claimUID", &entry->claim_uid},
      Field{"claimNamespace", &entry->claim_namespace}, Field{"claimName", &entry->claim_name},
      Field{"podName", &entry->pod_name}, Field{"podUID", &entry->pod_uid}, Field{"state", state},
      Field{"deadline", deadline}, Field{"writer", &entry->writer}, Field{"deviceCount", &count},
      Field{"devices", devices});
  if (count.has_value()) {
    entry->holding.push_back({.pool = {}, .device = {}, .count = *count, .amounts = {}});
  }
  return status;
}

}  // namespace

absl::Status ReadPoolStatus(Value value, const Path& at, devices::PoolObject* pool) {
  const auto entries = [pool](Value list, const Path& place) {
    return ReadList(list, place, &pool->entries, ReadEntry);
  };
  return ReadFields(value, at, Field{"allocations", entries}, Field{"totalDevices", &pool->total},
                    Field{"freeDevices", &pool->free});
}

}  // namespace outrigger::device_objects
