// Nominations that no call follows at once: they keep places inside kube-scheduler.

#include <algorithm>

#include "desk/nominations/memory.h"
#include "outrigger/plan/call_resources.h"

namespace outrigger::desk {

const std::string& Memory::AheadOf(const PodMemory* known, const Pod& pod) {
  const bool is_new = known == nullptr || known->pod == nullptr;
  return is_new ? pod.nominated_node_name : known->kept;
}

bool Memory::IsLetPass(const PodMemory& memory) {
  return memory.call && !memory.call->rejected && memory.call->at >= memory.placed_at;
}

// kube-scheduler preempts for members that it places as single pods, and nominates them.
bool Memory::IsSurelyOurs(const Pod& pod, bool gang) const {
  if (!options_.nominate_ahead) return gang;
  return !pod.scheduling_gates.empty() || plan::CallsAskedBy(pod).in_cycle;
}

bool Memory::IsOfOthers(const Pod& pod, bool gang, const PodMemory& memory) const {
  const std::string& shown = pod.nominated_node_name;
  if (!options_.nominate_ahead || shown.empty()) return false;
  return !IsSurelyOurs(pod, gang) && !memory.nomination.IsFor(shown);
}

bool Memory::IsAsleepAtItsPlace(const BoardUnit& unit, const PodMemory& memory, Time now) {
  if (!options_.nominate_ahead || !unit.gang || !memory.call || !memory.call->rejected)
    return false;
  if (memory.call->at <= memory.nomination.written_at()) return false;
  return IsTime(std::max(memory.call->at, memory.placed_at) + options_.awake_for, now);
}

void Memory::AdoptShown(const Nomination& planned, Time now, PodMemory* memory) {
  if (!options_.nominate_ahead || planned.node.empty()) return;
  if (memory->nomination.state() != NominationState::kNone) return;
  if (planned.pod->nominated_node_name != planned.node) return;
  memory->nomination.Adopt(planned, IsLetPass(*memory), now);
}

void Memory::LearnAhead(const BoardPod& seat, const Nomination& planned, Time now,
                        PodMemory* memory, std::vector<Nomination>* due) {
  PodNomination& nomination = memory->nomination;
  nomination.OnNotDue(planned, now);
  if (planned.node.empty()) {
    memory->place_lost_round = round_;
    return Withdraw(seat, /*ours=*/true, /*again=*/false, now, memory, due);
  }
  if (IsOfOthers(*seat.pod, seat.unit->gang, *memory)) return;
  const bool is_kept = nomination.IsKept(*seat.pod, planned.node);
  if (!seat.node.empty()) nominated_.Add(seat.unit->key, is_kept);
  if (is_kept) return;
  // The scheduler may have taken it back; then it does so whenever it has tried the pod.
  const bool gone = nomination.IsFor(planned.node) && !IsTakenBack(nomination.state());
  if (gone && !IsTime(nomination.written_at() + options_.write_again_after, now)) return;
  Write(planned, *memory, now, due);
}

}  // namespace outrigger::desk
