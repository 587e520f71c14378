#include "gang/desk/release/gates.h"

#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gang/desk/nominations/waits.h"
#include "sdk/base/backoff.h"

namespace outrigger::desk {
namespace {

// Each write is a round trip: so many at once keep an API server busy that takes 400 a second.
constexpr size_t kGatesAtOnce = 16;

// Released pods that are neither bound nor gone after so long are stuck: storage is out, say.
constexpr std::chrono::seconds kSlotFor{30};

// Autoscalers look every 10 s: what waits is to be seen, also where places are taken all the time.
constexpr std::chrono::seconds kAheadPatience{5};

// A watch that works shows what was written in a fraction of a second.
constexpr std::chrono::seconds kLate{10};

StringMap AnnotationsOf(const Release& release) {
  StringMap annotations;
  if (release.started_with != 0) {
    annotations.Set(plan::kStartedWith, std::to_string(release.started_with));
  }
  return annotations;
}

// What an admission policy answers.
bool IsRefusal(const absl::Status& status) {
  return absl::IsPermissionDenied(status) || absl::IsInvalidArgument(status);
}

}  // namespace

Gates::Gates(ClusterWriter* cluster, ReleaseOptions options, Hooks hooks, SteadyNow now)
    : cluster_(cluster),
      options_(options),
      may_write_(hooks.may_write),
      warn_(std::move(hooks.warn)),
      writer_(kGatesAtOnce,
              {.may_write = std::move(hooks.may_write),
               .write = [this](const Release& release,
                               const CallLimits& limits) { return Remove(release, limits); },
               .answered = std::move(hooks.answered),
               .changed = std::move(hooks.changed)},
              std::move(now)) {}

// A gate policy of an earlier version lets the agent remove the gate, and refuses the annotation.
absl::Status Gates::Remove(const Release& release, const CallLimits& limits) {
  const Pod& pod = *release.pod;
  const PodId id{pod.namespace_, pod.name, pod.uid};
  absl::Status status = cluster_->RemoveGate(id, plan::kQueueGate, AnnotationsOf(release), limits);
  if (release.started_with == 0 || !IsRefusal(status)) return status;
  const auto permit = AskToWrite(may_write_, limits);
  if (!permit.ok()) return status;
  absl::Status plain = cluster_->RemoveGate(id, plan::kQueueGate, {}, permit->limits);
  if (plain.ok() && warn_ && !has_warned_.exchange(true)) {
    warn_(
        fmt::format("the annotation {} of pod {}/{} is rejected, so the agent cannot notice if its "
                    "gang loses members: apply deploy/guard-policy.yaml of this version ({})",
                    plan::kStartedWith, pod.namespace_, pod.name, std::string(status.message())));
  }
  return plain;
}

void Gates::Start() {
  writer_.Start();
}

Releases Gates::OnPlan(const TurnInput& plan, Time now) {
  ++round_;
  // What is under way counts as released: an order that has changed since would let go another unit
  // in its place, past the window. Nothing more begins until the turn is known.
  next_look_.Reset();
  Settle(now);
  ForgetGone(plan.pods);
  JudgeView(now);
  const auto is_released = [this](const std::string& uid) { return IsReleased(uid); };
  const auto is_stale = [&](const plan::UnitKey& unit) { return IsStale(unit, now); };
  const auto has_waited = [&](const plan::UnitKey& unit) { return HasWaited(unit, now); };
  Turn turn = FindTurn(plan, {.options = options_,
                              .is_released = is_released,
                              .is_stale = is_stale,
                              .has_waited = has_waited,
                              .ahead_has_waited = AheadHasWaited(now)});
  NoteAhead(turn.ahead_is_held, now);
  NoteUnits(turn, now);
  writer_.Offer(Due(turn.due, plan.board, now));
  TellFailing(&turn.state, plan.board);
  return std::move(turn.state);
}

void Gates::Settle(Time now) {
  writer_.Drop();
  TakeWritten(now);
}

bool Gates::IsReleased(const std::string& uid) const {
  const auto found = pods_.find(uid);
  return under_way_.contains(uid) || (found != pods_.end() && found->second.is_released);
}

// What has no gate any more, as the view has it, needs no memory.
void Gates::ForgetGone(std::span<const PodPtr> pods) {
  if (pods_.empty()) return;
  for (const PodPtr& pod : pods) {
    if (pod->scheduling_gates.empty()) continue;
    if (const auto found = pods_.find(pod->uid); found != pods_.end()) found->second.seen = round_;
  }
  absl::erase_if(pods_, [this](const auto& entry) { return entry.second.seen != round_; });
}

// What is left of those is what the view still shows with the gate.
void Gates::JudgeView(Time now) {
  is_view_late_ = false;
  for (const auto& [uid, memory] : pods_) {
    if (!memory.is_released) continue;
    const Time late = memory.released_at + kLate;
    is_view_late_ |= now >= late;
    if (now < late) next_look_.Add(late);
  }
}

bool Gates::AheadHasWaited(Time now) const {
  return ahead_held_since_.has_value() && now - *ahead_held_since_ >= kAheadPatience;
}

void Gates::NoteAhead(bool is_held, Time now) {
  if (!is_held) {
    ahead_held_since_.reset();
    return;
  }
  if (!ahead_held_since_.has_value()) ahead_held_since_ = now;
  next_look_.Add(*ahead_held_since_ + kAheadPatience);
}

bool Gates::IsStale(const plan::UnitKey& unit, Time now) const {
  const auto known = units_.find(unit);
  return known != units_.end() && known->second.released != 0 &&
         now - known->second.progress >= kSlotFor;
}

bool Gates::HasWaited(const plan::UnitKey& unit, Time now) const {
  const auto known = units_.find(unit);
  return known != units_.end() && known->second.awaits_window &&
         now - *known->second.awaits_window >= options_.passed_for;
}

void Gates::NoteUnits(const Turn& turn, Time now) {
  for (const auto& [key, released] : turn.released) {
    UnitMemory& unit = units_[key];
    if (std::exchange(unit.released, released) != released) unit.progress = now;
    unit.seen = round_;
    if (now - unit.progress < kSlotFor) next_look_.Add(unit.progress + kSlotFor);
  }
  // It goes on waiting for the window while its places are not its own for a moment.
  for (const HeldUnit& held : turn.state.units) {
    const auto known = units_.find(held.key);
    if (held.by != HeldBy::kWindow && known == units_.end()) continue;
    UnitMemory& unit = known == units_.end() ? units_[held.key] : known->second;
    unit.seen = round_;
    if (held.by == HeldBy::kNothing) unit.awaits_window.reset();
    if (held.by == HeldBy::kWindow && !unit.awaits_window) unit.awaits_window = now;
    if (unit.awaits_window && now < *unit.awaits_window + options_.passed_for) {
      next_look_.Add(*unit.awaits_window + options_.passed_for);
    }
  }
  std::erase_if(units_, [this](const auto& entry) { return entry.second.seen != round_; });
}

// An agent that binds members says it with the binding. Here kube-scheduler does.
int64_t Gates::StartedWith(const Board& board, const Pod& pod) const {
  if (options_.mode != Mode::kAlone) return 0;
  const BoardPod* const seat = board.Find(pod.uid);
  const bool is_member = seat != nullptr && seat->unit != nullptr && seat->unit->gang;
  return is_member ? seat->unit->started_with : 0;
}

std::vector<Release> Gates::Due(const std::vector<PodPtr>& turn, const Board& board, Time now) {
  std::vector<Release> due;
  due.reserve(turn.size());
  for (const PodPtr& pod : turn) {
    const auto known = pods_.find(pod->uid);
    if (known != pods_.end() && now < known->second.write_after) {
      next_look_.Add(known->second.write_after);
    } else {
      due.push_back({pod, StartedWith(board, *pod)});
    }
  }
  return due;
}

void Gates::TakeWritten(Time now) {
  auto written = writer_.Take();
  under_way_ = std::move(written.under_way);
  for (const auto& result : written.results) {
    PodMemory& memory = pods_[result.wish.pod->uid];
    if (result.status.ok()) {
      memory = {
          .is_released = true, .released_at = now, .write_after = {}, .error = {}, .seen = round_};
    } else {
      memory.write_after = now + Backoff<std::chrono::milliseconds>::After(
                                     ++memory.failures, kFirstRetry, kLongestRetry);
      memory.error = std::string(result.status.message());
      next_look_.Add(memory.write_after);
    }
  }
}

// One pod of each unit is enough.
void Gates::TellFailing(Releases* releases, const Board& board) const {
  const auto fail = [releases](size_t pods) {
    releases->pods[static_cast<size_t>(HeldBy::kNothing)] -= pods;
    releases->pods[static_cast<size_t>(HeldBy::kFailing)] += pods;
  };
  absl::flat_hash_map<const BoardUnit*, std::string> failing;
  for (const auto& [uid, memory] : pods_) {
    if (memory.failures == 0 || memory.seen != round_) continue;
    const BoardPod* const seat = board.Find(uid);
    if (seat == nullptr || seat->unit == nullptr || !seat->unit->gang) {
      fail(1);
    } else {
      failing[seat->unit] = fmt::format("{}: {}", seat->pod->name, memory.error);
    }
  }
  if (failing.empty()) return;
  for (HeldUnit& held : releases->units) {
    const auto found = failing.find(board.FindUnit(held.key));
    if (held.by != HeldBy::kNothing || found == failing.end()) continue;
    held.by = HeldBy::kFailing;
    held.why = found->second;
    fail(held.pods);
  }
}

}  // namespace outrigger::desk
