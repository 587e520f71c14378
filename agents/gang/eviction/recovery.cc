#include "eviction/recovery.h"

#include <algorithm>
#include <utility>

namespace outrigger::gang {
namespace {

// Those whom a disruption budget keeps are asked for again after so long.
constexpr std::chrono::seconds kEvictAgain{5};
// After so long without a plan nothing is known of gangs any more.
constexpr std::chrono::seconds kForgetAfter{10};

// It may be done, or somebody else sees to it.
bool IsLeftAlone(const plan::GroupState& group) {
  return group.succeeded > 0 || group.cause == plan::GroupCause::kLeftToScheduler;
}

bool IsAny(const plan::UnitKey& /*gang*/) {
  return true;
}

}  // namespace

Recovery::Recovery(ClusterWriter* cluster, EvictionReports* reports, RecoveryOptions options)
    : options_(std::move(options)), whole_(cluster, reports, options_.may_write) {}

Recovery::~Recovery() {
  Stop();
}

void Recovery::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void Recovery::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void Recovery::Pause(Time now, bool another_acts) {
  if (!paused_since_) paused_since_ = now;
  another_acted_ |= another_acts;
  if (another_acts) whole_.Spare(IsAny);
}

// What is remembered of a time before another agent was in charge may be of gangs that it has
// repaired since. Without one nobody could: that time counts against no gang.
void Recovery::Resume(Time now) {
  const auto paused = std::exchange(paused_since_, std::nullopt);
  const bool another_acted = std::exchange(another_acted_, false);
  if (!paused || now - *paused < kForgetAfter) return;
  if (!another_acted) {
    for (auto& [gang, state] : since_) state.since += now - *paused;
    return;
  }
  since_.clear();
  whole_.Clear();
}

std::vector<Recovery::Partial> Recovery::OnPlan(const Board& board, const Barriers& barriers,
                                                Time now) {
  Resume(now);
  next_look_.Reset();
  partial_ = 0;
  AdoptBegun(now);
  for (auto& [key, state] : since_) state.seen = false;
  std::vector<Partial> partial;
  for (const plan::GroupState& group : board.groups()) {
    if (!group.broken || IsLeftAlone(group) || barriers.IsCommitting(group.key)) continue;
    OnBroken(group, board, now, &partial);
  }
  for (auto it = since_.begin(); it != since_.end();) {
    State& state = it->second;
    const bool stays = state.seen || GoesOn(it->first, board, now, &state);
    it = stays ? std::next(it) : since_.erase(it);
  }
  // A gang that is whole again before its turn has come stays.
  whole_.Spare([this](const plan::UnitKey& gang) { return !since_.contains(gang); });
  return partial;
}

// Of a gang that was whole again just as its rest was being evicted nothing else is remembered.
void Recovery::AdoptBegun(Time now) {
  for (const auto& [gang, unsettled] : whole_.TakeBegun()) {
    State& state = since_.try_emplace(gang, now).first->second;
    // What became of a call whose answer was lost is to be seen from now on.
    if (unsettled || !state.evicted) state.evicted = now;
  }
}

void Recovery::OnBroken(const plan::GroupState& group, const Board& board, Time now,
                        std::vector<Partial>* partial) {
  State& state = since_.try_emplace(group.key, now, group.bound).first->second;
  state.seen = true;
  if (group.on_member_loss != plan::OnMemberLoss::kIgnore) ++partial_;
  if (GoesOn(group.key, board, now, &state)) return;
  const bool restarts = group.on_member_loss == plan::OnMemberLoss::kRestart;
  if (!restarts) whole_.Drop(group.key);  // if it was to restart a moment ago
  if (options_.mode == desk::Mode::kAlone) SeeGrowth(group, now, &state);
  const Time over = state.since + options_.patience;
  if (now < over) return next_look_.Add(over);
  if (restarts) {
    std::vector<PodPtr> rest;
    for (const BoundMember& member : board.BoundOf(group.key)) rest.push_back(member.pod);
    Restart(group.key, std::move(rest), now, &state);
  }
  if (std::exchange(state.told, true)) return;
  partial->push_back({group.key, group.bound, group.needed, group.on_member_loss});
}

// Members that come in the place of lost ones are no growth: one that fails again and again would
// keep its gang in part for ever. Losses before any growth are of what broke the gang.
void Recovery::SeeGrowth(const plan::GroupState& group, Time now, State* state) {
  const bool grows = group.bound > state->most;
  if (grows || !state->grown) state->most = group.bound;
  if (!grows) return;
  state->grown = true;
  state->since = now;
  whole_.Spare([&](const plan::UnitKey& gang) { return gang == group.key; });
}

void Recovery::Restart(const plan::UnitKey& gang, std::vector<PodPtr> rest, Time now,
                       State* state) {
  if (!state->evicted || now - *state->evicted >= kEvictAgain) {
    state->evicted = now;
    whole_.Ask(gang, std::move(rest));
  }
  next_look_.Add(*state->evicted + kEvictAgain);
}

// Returns the pods left of a gang whose eviction has begun; nullopt if none has begun or restart
// was revoked.
std::optional<std::vector<PodPtr>> Recovery::RestOf(const plan::UnitKey& gang, const Board& board,
                                                    Time now, const State& state) {
  const plan::GroupState* const group = board.FindGroupOf(gang);
  const bool restarts = group == nullptr || (!IsLeftAlone(*group) &&
                                             group->on_member_loss == plan::OnMemberLoss::kRestart);
  // The answers that were lost were refusals: an eviction would have been seen by now.
  const bool was_none =
      !(group != nullptr && group->broken) && state.evicted && now - *state.evicted >= kEvictAgain;
  return whole_.RestOf(gang, board.BoundOf(gang),
                       [&](bool certain) { return restarts && (certain || !was_none); });
}

// Once somebody was evicted all of the rest is, though the gang may be whole again by now: members
// that started at different times would not be a new start. False: nobody of the rest is left.
bool Recovery::GoesOn(const plan::UnitKey& gang, const Board& board, Time now, State* state) {
  std::optional<std::vector<PodPtr>> rest = RestOf(gang, board, now, *state);
  if (!rest) return false;
  if (rest->empty()) {
    // Those that are bound by now are of its new start, which has all of its time.
    *state = State(now);
    state->seen = true;
    return false;
  }
  Restart(gang, *std::move(rest), now, state);
  return true;
}

void Recovery::Run(const std::stop_token& stop) {
  while (whole_.AwaitDue(stop)) EvictDue(stop);
}

void Recovery::EvictDue(const std::stop_token& stop) {
  // Takes its time, so first of all. If another agent is in charge, it evicts what is due.
  if (options_.may_act && !options_.may_act().ok()) return whole_.Spare(IsAny);
  std::vector<plan::Victim> due = whole_.BeginDue();
  whole_.Evict(&due, stop);
}

}  // namespace outrigger::gang
