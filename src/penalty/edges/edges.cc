#include "outrigger/penalty/edges.h"

namespace outrigger::penalty {
namespace {

Transition Stay(const GroupState& state) {
  return {.next = state};
}

// A run that begins: it is counted.
Transition Start(int64_t epoch) {
  return {.next = {Stage::kRunning, epoch, {}}, .edges = {EdgeKind::kStart}, .has_new_mark = true};
}

// A run of which only the end is seen.
Transition StartAndComplete(int64_t epoch) {
  return {.next = {Stage::kCompleted, epoch, {}},
          .edges = {EdgeKind::kStart, EdgeKind::kCompletion},
          .has_new_mark = true};
}

Transition FromWaiting(const GroupState& state, Phase phase) {
  if (phase == Phase::kRunning) return Start(state.epoch + 1);
  if (phase == Phase::kCompleted) return StartAndComplete(state.epoch + 1);
  return Stay(state);
}

Transition FromHistory(Phase phase) {
  if (phase == Phase::kCompleted) return {.next = {Stage::kCompleted, 0, {}}};
  // Its start is not counted, its completion will be, also after a restart.
  return {.next = {Stage::kRunning, 1, {}}, .has_new_mark = true};
}

Transition FromNew(const GroupState& state, Phase phase, bool is_history) {
  if (phase == Phase::kOther) return Stay(state);
  if (phase == Phase::kWaiting) return {.next = {Stage::kWaiting, 0, {}}};
  return is_history ? FromHistory(phase) : FromWaiting(state, phase);
}

Transition FromRunning(const GroupState& state, Phase phase) {
  if (phase != Phase::kCompleted) return Stay(state);  // a flap to Pending is the same run
  return {.next = {Stage::kCompleted, state.epoch, {}},
          .edges = {EdgeKind::kCompletion},
          .has_new_mark = true};
}

Transition FromCompleted(const GroupState& state, Phase phase) {
  const bool is_counted = state.epoch > 0;
  if (phase == Phase::kWaiting) {
    return {.next = {Stage::kWaiting, state.epoch, {}}, .has_new_mark = is_counted};
  }
  if (phase != Phase::kRunning) return Stay(state);
  if (!is_counted) return FromHistory(phase);
  return {.next = {Stage::kRunning, state.epoch, {}},
          .edges = {EdgeKind::kTakenBack},
          .has_new_mark = true};
}

// All that the phase shows is counted.
GroupState Counted(Phase phase) {
  switch (phase) {
    case Phase::kWaiting:
      return {Stage::kWaiting, 1, {}};
    case Phase::kCompleted:
      return {Stage::kCompleted, 1, {}};
    default:  // Unknown is a phase of groups that have run
      return {Stage::kRunning, 1, {}};
  }
}

// Whether a mark was written after that of `pending`. What is counted goes through the journal
// before it is marked; only the end of a run is marked without it.
bool IsLater(const GroupState& mark, const GroupState& pending) {
  if (mark.epoch != pending.epoch) return mark.epoch > pending.epoch;
  return mark.stage == Stage::kWaiting;
}

}  // namespace

Phase PhaseOf(std::string_view phase) {
  if (phase.empty() || phase == "Pending" || phase == "Inqueue") return Phase::kWaiting;
  if (phase == "Running") return Phase::kRunning;
  return phase == "Completed" ? Phase::kCompleted : Phase::kOther;
}

std::string_view EdgeText(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kStart:
      return "start";
    case EdgeKind::kCompletion:
      return "completion";
    case EdgeKind::kTakenBack:
      return "completion taken back";
  }
  return "";
}

Transition OnPhase(const GroupState& state, Phase phase, bool is_history) {
  switch (state.stage) {
    case Stage::kNew:
      return FromNew(state, phase, is_history);
    case Stage::kWaiting:
      return FromWaiting(state, phase);
    case Stage::kRunning:
      return FromRunning(state, phase);
    case Stage::kCompleted:
      return FromCompleted(state, phase);
  }
  return Stay(state);
}

bool IsHistory(int64_t created_seconds, Millis counting_since) {
  // A creation time lacks its milliseconds: within one second, the group may be the older one.
  return created_seconds <= 0 || created_seconds < (counting_since + 999) / 1000;
}

FirstSight StateAtFirstSight(const std::string* mark, const std::optional<GroupState>& pending,
                             Phase phase) {
  FirstSight sight;
  GroupState marked;
  if (mark != nullptr) {
    const absl::StatusOr<GroupState> parsed = ParseMark(*mark);
    if (parsed.ok()) {
      marked = *parsed;
    } else {
      sight.problem = std::string(parsed.status().message());
    }
  }
  if (pending && !IsLater(marked, *pending)) {
    sight.state = *pending;
  } else if (!sight.problem.empty()) {
    sight.state = Counted(phase);
  } else {
    sight.state = marked;
  }
  sight.needs_mark = !sight.problem.empty() || sight.state != marked;
  return sight;
}

}  // namespace outrigger::penalty
