#include "recovery.h"

#include <utility>

namespace outrigger::gang {
namespace {

constexpr std::chrono::seconds kEvictTimeout{5};
constexpr std::chrono::seconds kEvictAgain{5};

}  // namespace

std::vector<Recovery::Partial> Recovery::OnPlan(const Board& board, const Barriers& barriers,
                                                Time now) {
  next_look_.reset();
  const auto look = [this](Time at) {
    if (!next_look_ || at < *next_look_) next_look_ = at;
  };
  for (auto& [key, state] : since_) state.seen = false;
  std::vector<Partial> partial;
  for (const plan::GroupState& group : board.groups()) {
    const bool left_alone = group.succeeded > 0 ||
                            group.on_member_loss == plan::OnMemberLoss::kIgnore ||
                            group.cause == plan::GroupCause::kLeftToScheduler;
    if (!group.broken || left_alone || barriers.IsCommitting(group.key)) continue;
    State& state = since_.try_emplace(group.key, State{.since = now}).first->second;
    state.seen = true;
    if (now - state.since < patience_) {
      look(state.since + patience_);
      continue;
    }
    state.restarts = group.on_member_loss == plan::OnMemberLoss::kRestart;
    if (state.restarts) look(now + kEvictAgain);
    if (std::exchange(state.told, true)) continue;
    partial.push_back({group.key, group.bound, group.minimum, state.restarts});
  }
  std::erase_if(since_, [](const auto& entry) { return !entry.second.seen; });
  return partial;
}

void Recovery::Evict(const Board& board, EvictionReports* reports, const std::stop_token& stop) {
  for (const auto& [key, state] : since_) {
    if (!state.restarts) continue;
    for (const BoundMember& member : board.BoundOf(key)) {
      const Pod& pod = *member.pod;
      // What a budget refuses is tried again at the next look.
      reports->OnEviction(pod, cluster_->Evict({pod.namespace_, pod.name, pod.uid},
                                               {.timeout = kEvictTimeout, .stop = stop}));
    }
  }
}

}  // namespace outrigger::gang
