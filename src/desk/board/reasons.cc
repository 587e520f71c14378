#include "outrigger/desk/reasons.h"

#include "fmt/format.h"

namespace outrigger::desk {

std::string WaitingText(const plan::UnitKey& gang, std::string_view word) {
  return fmt::format("gang {} waits: {} ({})", TextOf(gang), word, kPointer);
}

std::string WaitingText(const plan::GroupState& group) {
  // The text stays the same until the server changes, so it wakes no pod.
  const bool is_stable = group.cause == plan::GroupCause::kUnknownVersion;
  return WaitingText(group.key, is_stable ? std::string_view(group.text) : TextOf(group.cause));
}

std::string CountingText(const plan::GroupState& group) {
  // Each change of a condition is a write, and wakes its pod: that is too much for large groups.
  constexpr int64_t kMostCounted = 100;
  const bool counts =
      group.cause == plan::GroupCause::kTooFewMembers && group.minimum <= kMostCounted;
  return counts ? WaitingText(group.key, group.text) : WaitingText(group);
}

}  // namespace outrigger::desk
