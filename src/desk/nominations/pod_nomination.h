#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "desk/nominations/nomination_state.h"
#include "outrigger/desk/board.h"
#include "outrigger/desk/options.h"
#include "outrigger/desk/participant.h"
#include "outrigger/desk/time.h"

namespace outrigger::desk {

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
