#include "gang/desk/nominations/pod_nomination.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "gang/desk/nominations/life_signs.h"
#include "gang/desk/nominations/refusals.h"
#include "gang/desk/nominations/waits.h"
#include "gang/desk/reasons.h"
#include "sdk/base/backoff.h"

namespace outrigger::desk {
namespace {

using enum NominationState;
using Event = NominationEvent;
using States = uint32_t;
using Table = std::array<std::array<NominationState, kNominationEvents>, kNominationStates>;

constexpr size_t At(NominationState state) {
  return static_cast<size_t>(state);
}
constexpr size_t At(Event event) {
  return static_cast<size_t>(event);
}

/// A set of states, a bit each.
constexpr States Of(std::initializer_list<NominationState> states) {
  States all = 0;
  for (const NominationState state : states) all |= States{1} << At(state);
  return all;
}
constexpr bool Has(States states, NominationState state) {
  return (states & Of({state})) != 0;
}

constexpr States kUnseen = Of({kWritten, kRepeatWritten, kLastWritten});
constexpr States kSeen = Of({kShown, kRepeatShown, kLastShown});
constexpr States kAwaiting = kUnseen | kSeen;
constexpr States kSettled = Of({kAnswered, kRefused, kLapsed});
constexpr States kTakenBack = Of({kToRepeat, kRetracted, kWithdrawn});

// In the order in which it is read.
struct Rule {  // NOLINT(clang-analyzer-optin.performance.Padding)
  Event event;
  States from;
  NominationState to;
};

// All that changes a state.
constexpr Rule kRules[] = {
    {Event::kWritten, Of({kNone, kWritten, kShown, kWithdrawn}) | kSettled, kWritten},
    {Event::kWritten, Of({kToRepeat, kRepeatWritten, kRepeatShown}), kRepeatWritten},
    {Event::kWritten, Of({kDoubted, kRetracted, kCleared, kLastWritten, kLastShown}), kLastWritten},

    {Event::kWithdrawn, Of({kNone, kDoubted, kCleared}) | kAwaiting | kSettled | kTakenBack,
     kWithdrawn},
    {Event::kWithdrawnAgain, Of({kDoubted, kRetracted, kLastWritten, kLastShown}), kRetracted},
    {Event::kWithdrawnAgain, Of({kLapsed}), kWithdrawn},
    // kCleared: the watch was first with what we did ourselves. The write succeeds only on the pod
    // as it was when that was decided, so the scheduler had not cleared it.
    {Event::kWithdrawnAgain,
     Of({kNone, kWritten, kShown, kToRepeat, kRepeatWritten, kRepeatShown, kCleared, kAnswered,
         kRefused, kWithdrawn}),
     kToRepeat},

    {Event::kShown, Of({kWritten, kLapsed}), kShown},
    {Event::kShown, Of({kRepeatWritten}), kRepeatShown},
    // kCleared: the watch was late, and it is there.
    {Event::kShown, Of({kLastWritten, kCleared}), kLastShown},

    {Event::kGone, Of({kShown, kRepeatShown, kRetracted}), kCleared},
    {Event::kGone, Of({kLastShown}), kRefused},
    {Event::kGone, Of({kWithdrawn}), kNone},

    {Event::kConditionChanged, Of({kWritten, kRepeatWritten}), kCleared},
    {Event::kConditionChanged, Of({kShown, kRepeatShown}), kDoubted},
    {Event::kConditionChanged, Of({kLastWritten, kLastShown}), kRefused},
    {Event::kSilent, kAwaiting, kRefused},

    {Event::kAsked, Of({kRefused, kLapsed}) | kAwaiting, kAnswered},
    // It may be gone from the pod: then it is written again.
    {Event::kAsked, Of({kDoubted, kCleared}), kNone},
    {Event::kAsked, Of({kToRepeat, kRetracted}), kWithdrawn},
    {Event::kRefused, Of({kDoubted}) | kAwaiting | kSettled, kRefused},
    {Event::kRefusalOver, kSettled, kNone},

    {Event::kMoved, Of({kDoubted}) | kAwaiting, kLapsed},
    {Event::kMoved, Of({kCleared}), kNone},
    {Event::kMoved, Of({kToRepeat, kRetracted}), kWithdrawn},

    // What the scheduler wrote meanwhile is no refusal.
    {Event::kPaused, Of({kLastWritten}), kRepeatWritten},
    {Event::kPaused, Of({kLastShown}), kRepeatShown},
    {Event::kSchedulerChanged, Of({kRepeatWritten, kLastWritten}), kWritten},
    {Event::kSchedulerChanged, Of({kDoubted, kRepeatShown, kLastShown}), kShown},
    {Event::kSchedulerChanged, Of({kCleared}) | kSettled | kTakenBack, kNone},
    {Event::kNotDue, Of({kRepeatWritten, kLastWritten}), kWritten},
    {Event::kNotDue, Of({kDoubted, kRepeatShown, kLastShown}), kShown},
    {Event::kNotDue, Of({kCleared}) | kSettled, kNone},
};

constexpr Table MakeTable() {
  Table table{};
  for (size_t state = 0; state < kNominationStates; ++state) {
    const auto from = static_cast<NominationState>(state);
    for (NominationState& to : table[state]) to = from;
    for (const Rule& rule : kRules) {
      if (Has(rule.from, from)) table[state][At(rule.event)] = rule.to;
    }
  }
  return table;
}

// No two rules are about the same state and event.
constexpr bool AreApart() {
  for (const Rule& a : kRules) {
    for (const Rule& b : kRules) {
      if (&a != &b && a.event == b.event && (a.from & b.from) != 0) return false;
    }
  }
  return true;
}

constexpr Table kTable = MakeTable();
static_assert(AreApart());
static_assert(At(kWithdrawn) + 1 == kNominationStates);
static_assert(At(Event::kNotDue) + 1 == kNominationEvents);

}  // namespace

NominationState Next(NominationState state, NominationEvent event) {
  return kTable[At(state)][At(event)];
}

bool AwaitsAnswer(NominationState state) {
  return Has(kAwaiting, state);
}

bool IsUnseen(NominationState state) {
  return Has(kUnseen, state);
}

bool IsLastChance(NominationState state) {
  return state == kLastWritten || state == kLastShown;
}

bool Stands(NominationState state) {
  return Has(kAwaiting | kSettled, state);
}

bool IsTakenBack(NominationState state) {
  return Has(kTakenBack, state);
}

bool IsAnswered(NominationState state) {
  return state == kNone || state == kAnswered;
}

std::string_view TextOf(NominationState state) {
  constexpr std::array<std::string_view, kNominationStates> kNames = {
      "None",        "Written",  "Shown",     "ToRepeat", "RepeatWritten",
      "RepeatShown", "Doubted",  "Retracted", "Cleared",  "LastWritten",
      "LastShown",   "Answered", "Refused",   "Lapsed",   "Withdrawn"};
  return kNames[At(state)];
}

std::string_view TextOf(NominationEvent event) {
  constexpr std::array<std::string_view, kNominationEvents> kNames = {
      "Written", "Withdrawn", "WithdrawnAgain", "Shown", "Gone",   "ConditionChanged", "Silent",
      "Asked",   "Refused",   "RefusalOver",    "Moved", "Paused", "SchedulerChanged", "NotDue"};
  return kNames[At(event)];
}

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
  write_after_ =
      now + Backoff<std::chrono::milliseconds>::After(++failures_, kFirstRetry, kLongestRetry);
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
