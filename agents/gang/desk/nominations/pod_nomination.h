#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gang/desk/board.h"
#include "gang/desk/options.h"
#include "gang/desk/participant.h"
#include "gang/desk/time.h"

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

/// What is known of one pod's nomination: its state, and the node and the times that go with it.
/// Not thread-safe.
class PodNomination {
 public:
  NominationState state() const { return state_; }
  /// True if the last one that was written, or taken back, is for this node. Empty: never.
  bool IsFor(const std::string& node) const { return !node.empty() && node == node_; }
  /// True if it stands as `planned` would write it: same node, nothing changed there, same pod.
  bool IsSame(const Nomination& planned) const;
  /// True if the pod has lost its place since the plan that asked for the nomination.
  bool IsBefore(uint64_t place_lost_round) const { return round_ < place_lost_round; }
  /// True if the message of the pod's condition is the scheduler's, and came after the nomination.
  bool IsConditionChanged(const Pod& pod) const;

  /// True if the pod had a gate when the watch showed it: no attempt can have begun before it.
  bool IsFromBeforeRelease() const;

  /// When the scheduler should have answered. `last_sign`: when it was last seen at work; nothing:
  /// it may be at work on pods of which nothing is heard.
  Time AnswerDue(std::optional<Time> last_sign, const NominationOptions& options) const;
  /// When it is taken back to be written once more, of a pod that was tried; nothing: never.
  std::optional<Time> RepeatDue(std::optional<Time> last_sign,
                                const NominationOptions& options) const;
  /// Before then nothing is to be written: writes have failed.
  Time write_after() const { return write_after_; }
  /// When the last one was written.
  Time written_at() const { return written_at_; }
  /// True if kube-scheduler has it in mind for `pod` as the watch shows it, or will once the watch
  /// has shown what was written.
  bool IsKept(const Pod& pod, const std::string& node) const;
  /// When one that the watch has not shown since is taken to have been cleared before it did.
  std::optional<Time> LostDue(const NominationOptions& options) const;

  /// Any event but a write. True if the state becomes kRefused by it.
  bool Apply(NominationEvent event);
  /// A nomination for a node was written. `answered`: the scheduler has asked about the pod since
  /// the write began.
  void OnWritten(const Nomination& written, bool answered, Time now);
  /// A nomination was taken back.
  void OnWithdrawn(const Nomination& withdrawn);
  void OnWriteFailed(Time now);
  /// The watch shows `planned.pod`, and the plan has `planned.node` for it, or nothing. True if the
  /// state becomes kRefused by it.
  bool OnPlan(const Nomination& planned, Time now);
  /// In the place of OnPlan() while no answer is due: whatever becomes of the nomination is no
  /// refusal, and the scheduler's time begins with the next OnPlan().
  void OnNotDue(const Nomination& planned, Time now);
  /// The watch shows one that was written before anything was known of the pod. `answered`: as for
  /// OnWritten().
  void Adopt(const Nomination& shown, bool answered, Time now);
  /// Another instance of the scheduler has all of its time to answer.
  void OnSchedulerChanged(Time now);
  /// No time before `now` counts.
  void RestartTime(Time now);

 private:
  /// What a nomination is compared with later.
  void Remember(const Nomination& nomination, Time now);

  NominationState state_ = NominationState::kNone;
  std::string node_;            // that was written, or taken back
  uint64_t stamp_ = 0;          // of the node
  PodPtr pod_;                  // as it was
  std::string message_before_;  // of its condition
  uint64_t round_ = 0;          // of the plan that asked for it
  Time at_;                     // when it was written, or its time began
  Time written_at_;
  int64_t failures_ = 0;  // of writes, one after another
  Time write_after_;
};

}  // namespace outrigger::desk
