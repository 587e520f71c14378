#include "desk/nominations/nomination_state.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace outrigger::desk {
namespace {

using enum NominationState;
using Event = NominationEvent;

constexpr size_t At(NominationState state) {
  return static_cast<size_t>(state);
}
constexpr size_t At(Event event) {
  return static_cast<size_t>(event);
}

/// A set of states, a bit each.
using States = uint32_t;
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

using Table = std::array<std::array<NominationState, kNominationEvents>, kNominationStates>;

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

}  // namespace outrigger::desk
