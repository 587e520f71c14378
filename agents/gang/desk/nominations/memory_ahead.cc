// Nominations that no call follows at once: they keep places inside kube-scheduler.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "gang/desk/nominations/life_signs.h"
#include "gang/desk/nominations/memory.h"
#include "gang/plan/call_resources.h"

namespace outrigger::desk {
namespace {

bool AnyWaits(const plan::Unit& unit) {
  return std::any_of(unit.members.begin(), unit.members.end(),
                     [](const plan::Member& member) { return !member.waits_on.empty(); });
}

// kube-scheduler evicts pods of a lower priority than the pod's own.
bool EvictsUnasked(const plan::Unit& unit, int32_t priority) {
  if (unit.key.dialect != plan::Dialect::kNone || unit.rank.priority <= priority) return false;
  const Pod& pod = *unit.members[0].pod;
  return !pod.never_preempts && !plan::CallsAskedBy(pod).in_cycle;
}

}  // namespace

bool Memory::PutWaitersFirst(std::vector<plan::Unit>* units) const {
  if (asks_about_all_ || options_.mode == Mode::kAlone) return false;
  std::optional<int32_t> lowest;  // priority of a gang that waits
  for (const plan::Unit& unit : *units) {
    if (AnyWaits(unit)) lowest = std::min(lowest.value_or(unit.rank.priority), unit.rank.priority);
  }
  if (!lowest) return false;
  bool any = false;
  for (plan::Unit& unit : *units) {
    if (!EvictsUnasked(unit, *lowest)) continue;
    unit.rank.first = false;
    any = true;
  }
  if (!any) return false;
  for (plan::Unit& unit : *units) unit.rank.first |= AnyWaits(unit);
  return true;
}

const std::string& Memory::AheadOf(const PodMemory* known, const Pod& pod) {
  const bool is_new = known == nullptr || known->pod == nullptr;
  return is_new ? pod.nominated_node_name : known->kept;
}

bool Memory::IsBeforeRelease(const BoardPod& seat) {
  return !seat.pod->scheduling_gates.empty() || (seat.unit->gang && seat.unit->releasing);
}

bool Memory::IsLetPass(const PodMemory& memory) {
  return memory.call && !memory.call->rejected && memory.call->at >= memory.placed_at;
}

// From 1.35 on kube-scheduler nominates each pod that waits for its binding.
void Memory::LearnPutAt(const Pod& pod, Time now, PodMemory* memory) const {
  const std::string& shown = pod.nominated_node_name;
  if (shown == memory->put_at) return;
  memory->put_at.clear();
  // Another agent may have been in charge meanwhile.
  const bool was_away = round_ == paused_after_ + 1;
  if (was_away || memory->pod == nullptr || memory->pod->nominated_node_name == shown) return;
  // None of ours comes after that of another: each is written on the pod as it was planned.
  const bool is_ours = memory->to_write.contains(shown);
  memory->to_write.clear();
  if (is_ours) memory->to_write.insert(shown);
  if (is_ours || !pod.scheduling_gates.empty()) return;
  // A call may be here before the view of the nomination that it is about.
  const std::vector<std::string> refused = memory->refusals.Nodes(now);
  if (std::find(refused.begin(), refused.end(), shown) == refused.end()) memory->put_at = shown;
}

// kube-scheduler preempts for members that it places as single pods, and nominates them. Of those
// that it asks about the preempt call gives none.
bool Memory::IsSurelyOurs(const Pod& pod, bool gang) const {
  if (!pod.scheduling_gates.empty()) return true;
  // Where it makes no calls it preempts for members, too, unless these never do.
  if (options_.mode == Mode::kAlone) return gang && pod.never_preempts;
  return gang && IsAskedAbout(pod);
}

bool Memory::IsKept(const PodNomination& nomination, const Pod& pod, const std::string& node,
                    Time now) {
  if (!nomination.IsKept(pod, node)) return false;
  const auto lost = nomination.LostDue(options_);
  return !lost || !IsTime(*lost, now);
}

bool Memory::HoldsRefused(const Nomination& planned, const PodMemory& memory) const {
  return options_.mode == Mode::kAlone && memory.nomination.state() == NominationState::kRefused &&
         memory.nomination.IsFor(planned.node);
}

std::string_view Memory::SilenceText() const {
  return options_.mode == Mode::kAlone ? "it did nothing with the pod"
                                       : "it did not ask about the pod";
}

bool Memory::IsOfOthers(const Pod& pod, bool gang, const PodMemory& memory) const {
  const std::string& shown = pod.nominated_node_name;
  return !shown.empty() && !IsSurelyOurs(pod, gang) && !memory.nomination.IsFor(shown);
}

bool Memory::IsAsleepAtItsPlace(const BoardUnit& unit, const PodMemory& memory, Time now) {
  if (!unit.gang || !memory.call || !memory.call->rejected) return false;
  if (memory.call->at <= memory.nomination.written_at()) return false;
  // Mostly a later event of another pod wakes it; to renew the nomination leaves the place open for
  // as long as two writes take.
  return IsTime(std::max(memory.call->at, memory.placed_at) + options_.repeat_after, now);
}

bool Memory::IsBeforeTheView(const PodMemory& memory, Time now) {
  if (!IsToNominate(memory.unit) && !memory.was_kept) return false;  // no other took part of it
  return !IsTime(memory.placed_at + options_.moves_after, now);
}

bool Memory::IsAskedAbout(const Pod& pod) const {
  return asks_about_all_ || plan::CallsAskedBy(pod).in_cycle;
}

bool Memory::WasTried(const Pod& pod, const PodMemory& memory) {
  return (memory.call && memory.call->rejected) || desk::WasTried(pod);
}

std::optional<Time> Memory::LastSign() const {
  if (!asks_about_all_ && options_.mode == Mode::kExtender) return std::nullopt;
  return last_call_;
}

// Each nomination is a write, which costs an API server as much as the binding itself.
void Memory::ChoosePlaces(const BoardUnit& unit, Contenders* contenders, StandIns* stand_ins,
                          UnitMemory* memory) {
  if (options_.mode == Mode::kAlone) {
    memory->places = Places::kContested;
    return;
  }
  if (!unit.fits) return;
  if (!unit.releasing && memory->places != Places::kContested) {
    const bool nominates = !stand_ins->AreEnoughFor(unit) || contenders->AnyFor(unit);
    memory->places = nominates ? Places::kNominated : Places::kOptimistic;
  }
  if (memory->places == Places::kOptimistic) nominated_.NeedsNone(unit.key);
}

void Memory::Contest(const plan::UnitKey& unit) {
  const auto known = units_.find(unit);
  if (known != units_.end()) known->second.places = Places::kContested;
}

bool Memory::IsToNominate(const plan::UnitKey& unit) const {
  const auto known = units_.find(unit);
  return known == units_.end() || known->second.places != Places::kOptimistic;
}

bool Memory::HoldsBack(const plan::Unit& unit, const plan::UnitPlan& planned,
                       std::vector<std::string>* kept) const {
  if (unit.key.dialect == plan::Dialect::kNone) return false;
  bool moves = false;
  kept->assign(unit.members.size(), "");
  for (size_t m = 0; m < unit.members.size(); ++m) {
    // Of a pod that may preempt kube-scheduler clears the nomination whenever it tries it in vain:
    // nothing would be kept by waiting.
    const Pod& pod = *unit.members[m].pod;
    if (!pod.never_preempts && pod.scheduling_gates.empty()) return false;
    if (!unit.members[m].waits_on.empty()) return false;
    const auto found = pods_.find(unit.members[m].pod->uid);
    if (found == pods_.end() || found->second.kept.empty()) continue;
    (*kept)[m] = found->second.kept;
    moves |= !planned.nodes[m].empty() && planned.nodes[m] != found->second.kept;
  }
  return moves;
}

void Memory::KeepAhead(std::span<const plan::Unit> units, Time now, plan::Plan* plan) {
  std::vector<std::string> kept;
  for (size_t i = 0; i < units.size(); ++i) {
    plan::UnitPlan& planned = plan->units[i];
    const auto known = units_.find(units[i].key);
    if (known == units_.end()) continue;
    UnitMemory& memory = known->second;
    if (!planned.fits) {
      memory.cause = planned.cause;
      memory.moves_since.reset();
      continue;
    }
    if (!HoldsBack(units[i], planned, &kept)) continue;
    if (!memory.moves_since) memory.moves_since = now;
    if (now - *memory.moves_since >= options_.moves_after) continue;
    look_at_.Add(*memory.moves_since + options_.moves_after);
    planned.fits = false;
    planned.cause = memory.cause;
    planned.promised = kept;
  }
}

void Memory::AdoptShown(const Nomination& planned, Time now, PodMemory* memory) {
  if (planned.node.empty()) return;
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
  const bool is_kept = IsKept(nomination, *seat.pod, planned.node, now);
  if (!seat.node.empty()) {
    nominated_.Add(seat.unit->key, (is_kept && planned.node == seat.node) || IsLetPass(*memory));
  }
  if (is_kept) return;
  // One for another node has to go: the scheduler would count the pod there.
  const bool takes_its_place = !seat.node.empty() && !IsToNominate(seat.unit->key);
  if (takes_its_place && seat.pod->nominated_node_name.empty()) return;
  // The scheduler may have taken it back; then it does so whenever it has tried the pod.
  const bool gone = nomination.IsFor(planned.node) && !IsTakenBack(nomination.state());
  if (gone && !IsTime(nomination.written_at() + options_.write_again_after, now)) return;
  Write(planned, now, memory, due);
}

}  // namespace outrigger::desk
