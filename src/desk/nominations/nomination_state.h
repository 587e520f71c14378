#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace outrigger::desk {

/// What is known of a pod's nomination for one node. docs/desk.md (A pod's nomination) has the same
/// names, and the table of Next().
enum class NominationState : uint8_t {
  kNone,           // nothing is written, or nothing follows from it any more
  kWritten,        // the watch has not shown it yet
  kShown,          // the watch shows it; the scheduler has not answered
  kToRepeat,       // taken back, to be written a second time: the scheduler did nothing
  kRepeatWritten,  // as kWritten, the second time
  kRepeatShown,    // as kShown, the second time
  kDoubted,        // the condition changed, perhaps by an attempt that had begun before the write
  kRetracted,      // taken back because of that; the watch may still show it
  kCleared,        // it is gone from the pod, perhaps by such an attempt
  kLastWritten,    // written again after a doubt: the next sign is a refusal
  kLastShown,      // the watch shows that
  kAnswered,       // the scheduler asked about the pod
  kRefused,        // the scheduler refuses the node
  kLapsed,         // the plan has another place for the pod, or none; it is not answered
  kWithdrawn,      // taken back; the watch may still show it
};
inline constexpr size_t kNominationStates = 15;

enum class NominationEvent : uint8_t {
  kWritten,           // a write of it has succeeded
  kWithdrawn,         // it was taken back
  kWithdrawnAgain,    // it was taken back, to be written for the same node once more
  kShown,             // the watch shows it, and the plan has that place for the pod
  kGone,              // the watch shows none, or that of another
  kConditionChanged,  // the pod's condition has another message, which is not ours
  kSilent,            // the time in which the scheduler should have answered is over
  kAsked,             // the scheduler asked about the pod
  kRefused,           // a call showed that the scheduler refuses the node
  kRefusalOver,       // the node may be tried again
  kMoved,             // the plan has another place for the pod, or none
  kPaused,            // for a while the scheduler's calls were answered with errors
  kSchedulerChanged,  // another instance of the scheduler is at work
  kNotDue,            // no answer is due: the pod is gated, or its place is still used
};
inline constexpr size_t kNominationEvents = 14;

/// The state after an event. Pure; an event that means nothing in a state leaves it as it is.
/// kMoved comes before kWritten if that is for another node.
NominationState Next(NominationState state, NominationEvent event);

/// True if the scheduler has the nomination as far as is known, and has done nothing with it.
bool AwaitsAnswer(NominationState state);
/// True if it was written, and the watch has not shown it yet.
bool IsUnseen(NominationState state);
/// True if the next sign of the scheduler is a refusal: there was a doubt already.
bool IsLastChance(NominationState state);
/// True if it was written and not taken back: it is written for that node again only after a
/// change.
bool Stands(NominationState state);
/// True if it was taken back: the watch may still show it.
bool IsTakenBack(NominationState state);

/// True if nothing is awaited, and the pod may be asleep.
bool IsAnswered(NominationState state);

/// As in docs/desk.md: "LastShown".
std::string_view TextOf(NominationState state);
std::string_view TextOf(NominationEvent event);

}  // namespace outrigger::desk
