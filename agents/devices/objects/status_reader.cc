#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "devices/objects/parts.h"
#include "devices/objects/readers.h"

namespace outrigger::device_objects {
namespace {

using devices::ClaimState;

absl::Status ReadAllocation(Value value, const Path& at, devices::Allocation* allocation) {
  const auto amounts = [allocation](Value list, const Path& place) {
    return ReadAllocatedAmounts(list, place, &allocation->amounts);
  };
  return ReadFields(value, at, Field{"devicePoolName", &allocation->pool},
                    Field{"deviceName", &allocation->device},
                    Field{"deviceCount", &allocation->count}, Field{"allocations", amounts},
                    Field{"adminAccess", &allocation->admin_access});
}

absl::Status ReadPod(Value value, const Path& at, devices::PodReference* pod) {
  return ReadFields(value, at, Field{"name", &pod->name}, Field{"uid", &pod->uid});
}

absl::Status ReadClaimState(Value value, const Path& at, ClaimState* state) {
  std::string_view text;
  absl::Status status = json::Read(value, at, &text);
  if (!status.ok()) return status;
  if (text == "Pending") {
    *state = ClaimState::kPending;
  } else if (text == "Allocated") {
    *state = ClaimState::kAllocated;
  } else if (text == "Invalid") {
    *state = ClaimState::kInvalid;
  } else if (!text.empty()) {
    at.Malformed(text, "Pending, Allocated or Invalid");
  }
  return status;
}

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

absl::Status ReadClaimStatus(Value value, const Path& at, devices::ClaimObject* claim) {
  const auto state = [claim](Value text, const Path& place) {
    return ReadClaimState(text, place, &claim->state);
  };
  const auto allocations = [claim](Value list, const Path& place) {
    return ReadList(list, place, &claim->claim.allocations, ReadAllocation);
  };
  const auto pods = [claim](Value list, const Path& place) {
    return ReadList(list, place, &claim->pods, ReadPod);
  };
  return ReadFields(value, at, Field{"state", state}, Field{"class", &claim->class_text},
                    Field{"nodeName", &claim->node}, Field{"message", &claim->message},
                    Field{"observedGeneration", &claim->observed_generation},
                    Field{"allocations", allocations}, Field{"podNames", &claim->claim.pods},
                    Field{"pods", pods});
}

absl::Status ReadPoolStatus(Value value, const Path& at, devices::PoolObject* pool) {
  const auto entries = [pool](Value list, const Path& place) {
    return ReadList(list, place, &pool->entries, ReadEntry);
  };
  return ReadFields(value, at, Field{"allocations", entries}, Field{"totalDevices", &pool->total},
                    Field{"freeDevices", &pool->free});
}

}  // namespace outrigger::device_objects
