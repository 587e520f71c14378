#include "penalty/classes/edges.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "penalty/classes/policy/text.h"

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

// The completion that was counted was that of a part of the run.
Transition GoOn(const GroupState& state, Phase phase) {
  if (phase == Phase::kRunning) {
    return {.next = {Stage::kRunning, state.epoch, {}},
            .edges = {EdgeKind::kTakenBack},
            .has_new_mark = true};
  }
  return {.next = {Stage::kCompleted, state.epoch, {}},
          .edges = {EdgeKind::kTakenBack, EdgeKind::kCompletion},
          .has_new_mark = true};
}

Transition FromWaiting(const GroupState& state, Phase phase) {
  if (phase != Phase::kRunning && phase != Phase::kCompleted) return Stay(state);
  if (state.completion != Added()) return GoOn(state, phase);
  if (phase == Phase::kRunning) return Start(state.epoch + 1);
  return StartAndComplete(state.epoch + 1);
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

Transition FromCompleted(const GroupState& state, Phase phase, bool is_soon) {
  const bool is_counted = state.epoch > 0;
  if (phase == Phase::kWaiting) {
    return {.next = {Stage::kWaiting, state.epoch, is_soon ? state.completion : Added()},
            .has_new_mark = is_counted};
  }
  if (phase != Phase::kRunning) return Stay(state);
  if (!is_counted) return FromHistory(phase);
  return GoOn(state, phase);
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
  if (mark.stage != Stage::kWaiting) return false;
  // A run that went on has another completion, or none.
  return mark.completion == Added() ||
         (pending.stage == Stage::kCompleted && pending.completion == mark.completion);
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

Transition OnPhase(const GroupState& state, Phase phase, bool is_history, bool is_soon) {
  switch (state.stage) {
    case Stage::kNew:
      return FromNew(state, phase, is_history);
    case Stage::kWaiting:
      return FromWaiting(state, phase);
    case Stage::kRunning:
      return FromRunning(state, phase);
    case Stage::kCompleted:
      return FromCompleted(state, phase, is_soon);
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

// The text form of what is counted of a PodGroup.

namespace {

constexpr int64_t kMostEpoch = 1'000'000'000;

constexpr std::array<std::pair<Stage, std::string_view>, 3> kStages = {
    {{Stage::kWaiting, "waiting"}, {Stage::kRunning, "started"}, {Stage::kCompleted, "completed"}}};

// "20 2026-11-25T21:49:49.123Z".
std::optional<Added> ParseAdded(std::string_view text) {
  const std::optional<double> penalty = NumberOf(TakeWord(&text));
  const std::optional<Millis> at = TimeOf(text);
  if (!penalty || *penalty < 0 || *penalty > kMostPenalty || !at) return std::nullopt;
  return Added{*penalty, *at};
}

std::optional<GroupState> Parsed(std::string_view text) {
  const std::optional<int64_t> epoch = IntegerOf(TakeWord(&text));
  if (!epoch || *epoch < 1 || *epoch > kMostEpoch) return std::nullopt;
  const std::string_view word = text.substr(0, std::min(text.find(' '), text.size()));
  for (const auto& [stage, name] : kStages) {
    if (name != word) continue;
    GroupState state = {stage, *epoch, {}};
    if (text == name) return state;
    if (stage == Stage::kRunning) return std::nullopt;
    const std::optional<Added> added = ParseAdded(text.substr(name.size() + 1));
    if (!added) return std::nullopt;
    state.completion = *added;
    return state;
  }
  return std::nullopt;
}

}  // namespace

bool HasMark(const GroupState& state) {
  return state.stage != Stage::kNew && state.epoch > 0;
}

std::string MarkText(const GroupState& state) {
  std::string text = fmt::format("{}", state.epoch);
  for (const auto& [stage, name] : kStages) {
    if (stage == state.stage) text += fmt::format(" {}", name);
  }
  if (state.completion == Added()) return text;
  return fmt::format("{} {} {}", text, state.completion.penalty, TimeText(state.completion.at));
}

absl::StatusOr<GroupState> ParseMark(std::string_view text) {
  const std::optional<GroupState> state = Parsed(text);
  if (state) return *state;
  return absl::InvalidArgumentError(
      fmt::format("annotation {}: {} is not accepted; expected the number of a run and "
                  "\"waiting\", \"started\" or \"completed\"",
                  kCountedAnnotation, Quoted(text)));
}

}  // namespace outrigger::penalty
