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

}  // namespace outrigger::device_objects
