#include "recovery.h"

#include <utility>

#include "evictions.h"

namespace outrigger::gang {
namespace {

// Those whom a disruption budget keeps are asked for again after so long.
constexpr std::chrono::seconds kEvictAgain{5};

}  // namespace

Recovery::Recovery(ClusterAccess* cluster, EvictionReports* reports,
                   std::chrono::milliseconds patience, std::function<absl::Status()> may_act)
    : cluster_(cluster), reports_(reports), patience_(patience), may_act_(std::move(may_act)) {}

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

void Recovery::Look(Time at) {
  if (!next_look_ || at < *next_look_) next_look_ = at;
}

std::vector<Recovery::Partial> Recovery::OnPlan(const Board& board, const Barriers& barriers,
                                                Time now) {
  next_look_.reset();
  for (auto& [key, state] : since_) state.seen = false;
  std::vector<Partial> partial;
  for (const plan::GroupState& group : board.groups()) {
    const bool left_alone = group.succeeded > 0 ||
                            group.on_member_loss == plan::OnMemberLoss::kIgnore ||
                            group.cause == plan::GroupCause::kLeftToScheduler;
    if (!group.broken || left_alone || barriers.IsCommitting(group.key)) continue;
    State& state =
        since_
            .try_emplace(group.key, State{.since = now, .told = false, .seen = true, .evicted = {}})
            .first->second;
    state.seen = true;
    if (now - state.since < patience_) {
      Look(state.since + patience_);
      continue;
    }
    const bool restarts = group.on_member_loss == plan::OnMemberLoss::kRestart;
    if (restarts) Restart(group.key, board.BoundOf(group.key), now, &state);
    if (std::exchange(state.told, true)) continue;
    partial.push_back({group.key, group.bound, group.minimum, restarts});
  }
  std::erase_if(since_, [](const auto& entry) { return !entry.second.seen; });
  // Who is whole again before its turn has come stays.
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(due_, [this](const auto& entry) { return !since_.contains(entry.first); });
  return partial;
}

void Recovery::Restart(const plan::UnitKey& gang, std::span<const BoundMember> rest, Time now,
                       State* state) {
  if (!state->evicted || now - *state->evicted >= kEvictAgain) {
    state->evicted = now;
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<PodPtr>& due = due_[gang];
    due.clear();
    for (const BoundMember& member : rest) due.push_back(member.pod);
    wake_.notify_one();
  }
  Look(*state->evicted + kEvictAgain);
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
  std::vector<PodPtr> due;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [gang, rest] : std::exchange(due_, {})) {
      due.insert(due.end(), rest.begin(), rest.end());
    }
  }
  // Whoever is in charge by now sees to it.
  if (due.empty() || (may_act_ && !may_act_().ok())) return;
  EvictAll(cluster_, reports_, &due, stop);
}

}  // namespace outrigger::gang
