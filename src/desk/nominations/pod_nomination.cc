#include "desk/nominations/pod_nomination.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "desk/board/same_pod.h"
#include "desk/nominations/life_signs.h"
#include "desk/nominations/waits.h"
#include "outrigger/desk/reasons.h"

namespace outrigger::desk {

bool PodNomination::IsSame(const Nomination& planned) const {
  return Stands(state_) && IsFor(planned.node) && stamp_ == planned.stamp &&
         AskTheSame(pod_, planned.pod);
}

bool PodNomination::IsFromBeforeRelease() const {
  return pod_ != nullptr && !pod_->scheduling_gates.empty();
}

bool PodNomination::IsConditionChanged(const Pod& pod) const {
  // A rejection of ours is no refusal of the scheduler's.
  return pod.unscheduled_message != message_before_ &&
         pod.unscheduled_message.find(kOurs) == std::string::npos;
}

Time PodNomination::AnswerDue(std::optional<Time> last_sign,
                              const NominationOptions& options) const {
  // The scheduler may refuse in the same words as before, and does not write these again.
  const int graces = IsLastChance(state_) ? 1 : NominationOptions::kBusyGraces;
  // The first attempt shows in the condition: until then the pod is in its queue.
  if (options.mode == Mode::kAlone && !WasTried(*pod_)) {
    return at_ + NominationOptions::kBusyGraces * options.nomination_grace;
  }
  const Time longest = at_ + graces * options.nomination_grace;
  if (!last_sign) return longest;
  return std::min(std::max(at_, *last_sign) + options.nomination_grace, longest);
}

std::optional<Time> PodNomination::RepeatDue(std::optional<Time> last_sign,
                                             const NominationOptions& options) const {
  if (state_ != NominationState::kShown) return std::nullopt;
  return std::max(at_, last_sign.value_or(at_)) + options.repeat_after;
}

bool PodNomination::Apply(NominationEvent event) {
  const NominationState before = state_;
  state_ = Next(before, event);
  return state_ == NominationState::kRefused && before != NominationState::kRefused;
}

void PodNomination::Remember(const Nomination& nomination, Time now) {
  node_ = nomination.node;
  stamp_ = nomination.stamp;
  pod_ = nomination.pod;
  message_before_ = nomination.pod->unscheduled_message;
  round_ = nomination.round;
  at_ = now;
}

void PodNomination::OnWritten(const Nomination& written, bool answered, Time now) {
  failures_ = 0;
  if (written.node != node_) Apply(NominationEvent::kMoved);
  Apply(NominationEvent::kWritten);
  Remember(written, now);
  written_at_ = now;
  if (answered) Apply(NominationEvent::kAsked);
}

void PodNomination::Adopt(const Nomination& shown, bool answered, Time now) {
  Apply(NominationEvent::kWritten);
  Remember(shown, now);
  if (answered) Apply(NominationEvent::kAsked);
}

bool PodNomination::IsKept(const Pod& pod, const std::string& node) const {
  if (node.empty()) return false;
  const bool unseen = IsFor(node) && IsUnseen(state_);
  const bool taken_back = IsFor(node) && IsTakenBack(state_);
  return unseen || (pod.nominated_node_name == node && !taken_back);
}

std::optional<Time> PodNomination::LostDue(const NominationOptions& options) const {
  if (!IsUnseen(state_)) return std::nullopt;
  return written_at_ + options.shown_within;
}

void PodNomination::OnWithdrawn(const Nomination& withdrawn) {
  failures_ = 0;
  node_ = withdrawn.pod->nominated_node_name;
  Apply(withdrawn.again ? NominationEvent::kWithdrawnAgain : NominationEvent::kWithdrawn);
}

void PodNomination::OnWriteFailed(Time now) {
  write_after_ = now + Doubled(kFirstRetry, failures_++, kLongestRetry);
}

bool PodNomination::OnPlan(const Nomination& planned, Time now) {
  if (node_.empty()) return false;
  if (planned.node != node_) Apply(NominationEvent::kMoved);
  const NominationState before = state_;
  const std::string& shown = planned.pod->nominated_node_name;
  if (shown != node_) {
    const bool refused = Apply(NominationEvent::kGone);
    if (IsTakenBack(before) && state_ == NominationState::kNone) node_.clear();
    return refused;
  }
  if (planned.node == node_) Apply(NominationEvent::kShown);
  // The scheduler's time begins now.
  if (AwaitsAnswer(state_) && !AwaitsAnswer(before)) Remember(planned, now);
  return false;
}

void PodNomination::OnNotDue(const Nomination& planned, Time now) {
  OnPlan(planned, now);
  Apply(NominationEvent::kNotDue);
  if (AwaitsAnswer(state_) && IsFor(planned.node)) Remember(planned, now);
}

void PodNomination::OnSchedulerChanged(Time now) {
  Apply(NominationEvent::kSchedulerChanged);
  RestartTime(now);
}

void PodNomination::RestartTime(Time now) {
  at_ = std::max(at_, now);
}

}  // namespace outrigger::desk
