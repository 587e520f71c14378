#include "eviction/recovery.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "eviction/evictions.h"

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

}  // namespace

Recovery::Recovery(ClusterWriter* cluster, EvictionReports* reports, RecoveryOptions options)
    : cluster_(cluster), reports_(reports), options_(std::move(options)) {}

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
  if (!another_acts) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  due_.clear();
  running_.clear();
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
  const std::lock_guard<std::mutex> lock(mutex_);
  due_.clear();
  running_.clear();
  begun_.clear();
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
  // Who is whole again before its turn has come stays.
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto is_over = [this](const plan::UnitKey& gang) { return !since_.contains(gang); };
  std::erase_if(due_, [&](const auto& entry) { return is_over(entry.first); });
  std::erase_if(running_, is_over);
  return partial;
}

// Of a gang that was whole again just as its rest was being evicted nothing else is remembered.
void Recovery::AdoptBegun(Time now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [gang, begun] : begun_) {
    State& state = since_.try_emplace(gang, now).first->second;
    // What became of a call whose answer was lost is to be seen from now on.
    const bool unsettled = std::exchange(begun.unsettled, false);
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
  if (!restarts) {
    const std::lock_guard<std::mutex> lock(mutex_);
    StayAsItIs(group.key);  // if it was to restart a moment ago
  }
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
  const std::lock_guard<std::mutex> lock(mutex_);
  due_.erase(group.key);  // none of it was evicted
  running_.erase(group.key);
}

void Recovery::Restart(const plan::UnitKey& gang, std::vector<PodPtr> rest, Time now,
                       State* state) {
  if (!state->evicted || now - *state->evicted >= kEvictAgain) {
    state->evicted = now;
    const std::lock_guard<std::mutex> lock(mutex_);
    due_[gang] = std::move(rest);
    wake_.notify_one();
  }
  next_look_.Add(*state->evicted + kEvictAgain);
}

// With the lock held. Members that were bound before anybody was evicted are of the rest, too.
void Recovery::AddToBegun(const plan::UnitKey& gang, const std::vector<PodPtr>& rest) {
  const auto begun = begun_.find(gang);
  if (begun == begun_.end()) return;
  std::set<std::string_view> known;
  for (const PodPtr& pod : begun->second.rest) known.insert(pod->uid);
  for (const PodPtr& pod : rest) {
    if (!known.contains(pod->uid)) begun->second.rest.push_back(pod);
  }
}

// With the lock held. Nobody else of it is evicted.
void Recovery::StayAsItIs(const plan::UnitKey& gang) {
  begun_.erase(gang);
  due_.erase(gang);
  running_.erase(gang);
}

// Who is left of a gang of which somebody was evicted; nothing: nobody was, or it is to restart no
// more.
std::optional<std::vector<PodPtr>> Recovery::RestOf(const plan::UnitKey& gang, const Board& board,
                                                    Time now, const State& state) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto begun = begun_.find(gang);
  if (begun == begun_.end()) return std::nullopt;
  const plan::GroupState* const group = board.FindGroupOf(gang);
  const bool restarts = group == nullptr || (!IsLeftAlone(*group) &&
                                             group->on_member_loss == plan::OnMemberLoss::kRestart);
  const auto bound = board.BoundOf(gang);
  Begun& known = begun->second;
  const size_t gone = std::erase_if(known.rest, [&](const PodPtr& pod) {
    return std::none_of(bound.begin(), bound.end(),
                        [&](const BoundMember& member) { return member.uid == pod->uid; });
  });
  known.certain |= gone > 0;
  if (!known.certain) {
    known.rest.clear();
    for (const BoundMember& member : bound) known.rest.push_back(member.pod);
  }
  // The answers that were lost were refusals: an eviction would have been seen by now.
  const bool was_none = !known.certain && !(group != nullptr && group->broken) && state.evicted &&
                        now - *state.evicted >= kEvictAgain;
  if (!restarts || was_none) {
    StayAsItIs(gang);
    return std::nullopt;
  }
  std::vector<PodPtr> rest = known.rest;
  if (rest.empty()) begun_.erase(begun);
  return rest;
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
  while (true) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return !due_.empty(); })) return;
    }
    EvictDue(stop);
  }
}

void Recovery::EvictDue(const std::stop_token& stop) {
  // Takes its time, so first of all.
  const bool may_act = !options_.may_act || options_.may_act().ok();
  std::map<plan::UnitKey, std::vector<PodPtr>> due;
  std::vector<PodPtr> pods;
  std::map<std::string_view, plan::UnitKey> gang_of;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    due = std::exchange(due_, {});
    if (!may_act) return;  // whoever is in charge by now sees to it
    for (const auto& [gang, rest] : due) {
      running_.insert(gang);
      AddToBegun(gang, rest);
      for (const PodPtr& pod : rest) gang_of[pod->uid] = gang;
      pods.insert(pods.end(), rest.begin(), rest.end());
    }
  }
  EvictionHooks hooks;
  hooks.may_write = options_.may_write;
  hooks.wanted = [&](const Pod& pod) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const plan::UnitKey& gang = gang_of.at(pod.uid);
    return running_.contains(gang) || begun_.contains(gang);
  };
  hooks.answered = [&](const Pod& pod, const absl::Status& status) {
    if (!MayBeEvicted(status)) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    const plan::UnitKey& gang = gang_of.at(pod.uid);
    const auto [begun, is_new] = begun_.try_emplace(gang);
    if (is_new) {
      AddToBegun(gang, due.at(gang));
      const auto again = due_.find(gang);  // this took its time
      if (again != due_.end()) AddToBegun(gang, again->second);
    }
    (status.ok() ? begun->second.certain : begun->second.unsettled) = true;
  };
  EvictAll(cluster_, reports_, &pods, stop, hooks);
  const std::lock_guard<std::mutex> lock(mutex_);
  running_.clear();
}

}  // namespace outrigger::gang
