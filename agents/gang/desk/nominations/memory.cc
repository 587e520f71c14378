#include "gang/desk/nominations/memory.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "gang/desk/nominations/life_signs.h"
#include "gang/desk/nominations/waits.h"
#include "gang/desk/reasons.h"
#include "gang/plan/call_resources.h"
#include "gang/plan/room.h"

namespace outrigger::desk {
namespace {

// A gang that is not planned for less than this, as its member is being replaced, is the same.
constexpr std::chrono::seconds kGoneFor{10};
// A change that is older was known to kube-scheduler in the attempt of which is heard now.
constexpr std::chrono::milliseconds kSeenBySchedulers{250};

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

// Specs of one unit, and nodes of all of them: beyond that each member learns for itself.
constexpr size_t kMostSpecs = 8;
constexpr size_t kMostNodes = 500'000;

// A resource that the node has not is not compared, or the node is refused for it.
bool HasRoom(const ResourceList& free, const ResourceList& requests) {
  return std::all_of(requests.begin(), requests.end(), [&](const ResourceList::Entry& request) {
    const Quantity* const left = free.Find(request.name);
    return left == nullptr || request.quantity <= *left;
  });
}

SpecRefusals* FindSpec(const Pod& pod, std::vector<SpecRefusals>* specs) {
  const auto found = std::find_if(specs->begin(), specs->end(),
                                  [&](const SpecRefusals& spec) { return spec.AreFor(pod); });
  return found == specs->end() ? nullptr : &*found;
}

}  // namespace

void Memory::Pause(Time now) {
  if (!paused_since_) paused_since_ = now;
  paused_after_ = round_;
}

void Memory::Resume(Time now) {
  const auto paused = std::exchange(paused_since_, std::nullopt);
  if (!paused) return;
  for (auto& [key, unit] : units_) {
    if (unit.reserved_since) *unit.reserved_since += now - *paused;
  }
  // What the scheduler asked meanwhile was answered with an error, which it wrote to the pod, and
  // is not known here.
  for (auto& [uid, pod] : pods_) pod.nomination.Apply(NominationEvent::kPaused);
  if (now - *paused < options_.nomination_grace) return;
  for (auto& [uid, pod] : pods_) pod.nomination.RestartTime(now);
}

void Memory::Take(const Inbox::Content& content,
                  const std::shared_ptr<const ClusterSnapshot>& snapshot, Time now) {
  Resume(now);
  if (newer_ == nullptr || now - newer_at_ >= kSeenBySchedulers) {
    older_ = std::exchange(newer_, snapshot);
    newer_at_ = now;
  }
  last_call_ = std::max(last_call_, content.last_call);
  asks_about_all_ = content.asks_about_all;
  for (const Inbox::GaveUpEntry& gang : content.gave_up) {
    const auto unit = units_.find(gang.key);
    // Otherwise its reservation has run out before that of its barrier, and began anew.
    const bool same_reservation = unit != units_.end() && unit->second.reserved_since &&
                                  now - *unit->second.reserved_since >= gang.after;
    if (same_reservation) GiveUp(gang.key, gang.after, now, &unit->second);
  }
  for (const auto& [uid, move] : content.moves) pods_[uid].reserved = move.to;
  for (const auto& [uid, ask] : content.asks) OnAsk(ask, &pods_[uid]);
  for (const Inbox::Refusal& refusal : content.refusals) Refuse(refusal, *snapshot, now);
}

void Memory::Prepare(const std::map<plan::UnitKey, std::vector<Waiting>>& waiters,
                     const ClusterSnapshot& snapshot, Time now, std::vector<plan::Unit>* units,
                     std::vector<Resting>* resting) {
  ++round_;
  bool turned = false;  // an order other than BuildUnits'
  for (plan::Unit& unit : *units) {
    const auto known = units_.find(unit.key);
    UnitMemory* const memory = known == units_.end() ? nullptr : &known->second;
    const auto waiting = waiters.find(unit.key);
    const bool waits = waiting != waiters.end();
    if (memory != nullptr && std::exchange(memory->waited, waits) && !waits) {
      ForgetRefusedBesideWaiters(unit, memory, now);
    }
    for (plan::Member& member : unit.members) {
      PrepareMember(waits ? &waiting->second : nullptr, snapshot, now, memory, &member);
    }
    if (memory == nullptr) continue;
    PrepareSpecs(snapshot, now, memory, &unit);
    if (memory->turn != 0 && now - memory->turned_at >= options_.behind_for) memory->turn = 0;
    unit.rank.turn = memory->turn;
    turned |= unit.rank.turn != 0;
  }
  prepared_.EndRound([](const PodMemory*) {});
  turned |= PutWaitersFirst(units);
  const auto rests = [&](const plan::Unit& unit) {
    // Perhaps since a moment ago: Learn() has not seen it yet.
    if (options_.mode == Mode::kAlone && unit.bound > 0) return false;
    const auto known = units_.find(unit.key);
    return known != units_.end() && known->second.rests_until && *known->second.rests_until > now;
  };
  for (plan::Unit& unit : *units) {
    if (rests(unit)) resting->push_back({unit, units_[unit.key].refused});
  }
  if (!resting->empty()) std::erase_if(*units, rests);
  if (!turned) return;
  std::stable_sort(units->begin(), units->end(),
                   [](const plan::Unit& a, const plan::Unit& b) { return a.rank < b.rank; });
}

std::vector<Nomination> Memory::Learn(const Board& board, const ClusterSnapshot& snapshot,
                                      Time now) {
  next_look_ = std::exchange(look_at_, {});
  nominated_ = {};
  awaits_asks_ = false;
  holds_ = board.holds();
  std::vector<Nomination> due;
  Contenders contenders(&board, &snapshot);
  StandIns stand_ins(&board, snapshot.NodeCount(), options_.samples_nodes);
  for (const BoardUnit& unit : board.units()) {
    LearnUnit(unit, board, &contenders, &stand_ins, now);
  }
  for (auto& [key, unit] : units_) {
    if (unit.seen != round_ && !unit.gone_since) unit.gone_since = now;
    if (unit.rests_until && now < *unit.rests_until) next_look_.Add(*unit.rests_until);
    for (const SpecRefusals& spec : unit.specs) {
      if (const auto end = spec.FirstEnd()) next_look_.Add(*end);
    }
  }
  for (const plan::GroupState& group : board.groups()) {
    if (group.bound == 0 || group.bound < group.needed) continue;
    const auto whole = units_.find(group.key);  // on the board it may be no more
    if (whole != units_.end()) whole->second.reserved_since.reset();
  }
  board.ForEachPod([&](const BoardPod& seat) {
    if (seat.unit != nullptr) return LearnPod(seat, *seat.unit, snapshot, now, &due);
    LearnUnplanned(seat, now, &due);
  });
  learnt_.EndRound([](const PodMemory*) {});
  // What is taken back first: kube-scheduler counts it against the pod that has the place now. Then
  // in the order of who is first in the queue.
  std::sort(due.begin(), due.end(), [&](const Nomination& a, const Nomination& b) {
    if (a.node.empty() != b.node.empty()) return a.node.empty();
    const BoardUnit* const of_a = board.Find(a.pod->uid)->unit;
    const BoardUnit* const of_b = board.Find(b.pod->uid)->unit;
    if ((of_a == nullptr) != (of_b == nullptr)) return of_b == nullptr;
    const auto by_rank = of_a == nullptr ? std::strong_ordering::equal : of_a->rank <=> of_b->rank;
    return std::is_neq(by_rank) ? std::is_lt(by_rank) : a.pod->name < b.pod->name;
  });
  ForgetOld();
  return due;
}

void Memory::LearnUnit(const BoardUnit& unit, const Board& board, Contenders* contenders,
                       StandIns* stand_ins, Time now) {
  if (!unit.gang) {
    const auto known = units_.find(unit.key);
    if (known != units_.end()) known->second.seen = round_;
    return;
  }
  UnitMemory& memory = units_[unit.key];
  memory.seen = round_;
  ChoosePlaces(unit, contenders, stand_ins, &memory);
  // Its time begins anew after it was bound or gone, but not with each member that is replaced.
  const auto gone = std::exchange(memory.gone_since, std::nullopt);
  if (gone && now - *gone >= kGoneFor) memory.reserved_since.reset();
  const auto bound = static_cast<int64_t>(board.BoundOf(unit.key).size());
  memory.in_part = options_.mode == Mode::kAlone && bound > 0;
  if (memory.in_part) memory.rests_until.reset();
  if (memory.rests_until && *memory.rests_until <= now) memory.rests_until.reset();
  if (memory.turn != 0) next_look_.Add(memory.turned_at + options_.behind_for);
  // One in part comes before all others as long as that lasts, whatever it gives up.
  if (!unit.fits || bound >= unit.minimum || (memory.in_part && unit.rank.in_part)) {
    memory.reserved_since.reset();
    return;
  }
  // A gang whose turn has not come cannot be complete. One whose nominations or gates the API
  // server refuses would keep its places from all other pods for ever.
  if (!memory.reserved_since || (unit.held && awaiting_turn_.contains(unit.key))) {
    memory.reserved_since = now;
    memory.had_open_claims = false;
  }
  memory.had_open_claims |= unit.has_open_claims;
  const std::chrono::milliseconds limit = options_.patience.Of(unit, memory.had_open_claims);
  if (now - *memory.reserved_since < limit) return next_look_.Add(*memory.reserved_since + limit);
  GiveUp(unit.key, limit, now, &memory);
  if (unit.held || unit.releasing) {
    memory.rests_until = now + kLongestRest;
    memory.refused = fmt::format("it could not be released within {} s",
                                 std::chrono::duration_cast<std::chrono::seconds>(limit).count());
  }
  next_look_.Add(now);  // who comes before it now may have its places
}

void Memory::GiveUp(const plan::UnitKey& gang, std::chrono::milliseconds after, Time now,
                    UnitMemory* memory) {
  ++memory->turn;
  memory->turned_at = now;
  memory->reserved_since.reset();
  timed_out_.push_back({gang, std::chrono::duration_cast<std::chrono::seconds>(after)});
}

std::vector<TimedOut> Memory::TakeTimedOut() {
  return std::exchange(timed_out_, {});
}

void Memory::ForgetOld() {
  constexpr uint64_t kRounds = 64;
  const uint64_t round = round_;
  if (round % kRounds != 0) return;
  const auto is_old = [&](const auto& entry) { return entry.second.seen + kRounds < round; };
  absl::erase_if(pods_, is_old);
  std::erase_if(units_, is_old);
}

// Nominations that no call follows at once: they keep places inside kube-scheduler.

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

// What kube-scheduler refuses to all members of one spec: a filter that no plan knows.

absl::flat_hash_set<std::string> Memory::PlacesOfOthers(const PodMemory& of,
                                                        const SpecRefusals& spec) const {
  absl::flat_hash_set<std::string> places;
  for (const auto& [uid, other] : pods_) {
    if (other.reserved.empty() || &other == &of) continue;
    const bool is_alike = other.unit == of.unit && other.pod != nullptr && spec.AreFor(*other.pod);
    if (!is_alike || IsLetPass(other)) places.insert(other.reserved);
  }
  return places;
}

// Without calls kube-scheduler has tried all nodes by then, and binds where it can.
bool Memory::IsSharedBySpec(const Inbox::Refusal& refusal, const PodMemory& of) const {
  if (refusal.silent || of.pod == nullptr || of.unit.dialect == plan::Dialect::kNone) return false;
  const Pod& pod = *of.pod;
  const bool has_own =
      !pod.claims.empty() || !pod.resource_claims.empty() || pod.claims_to_come > 0;
  return options_.mode != Mode::kAlone && !has_own && !HangsOnOtherPods(pod) &&
         !options_.spreading.contains(pod.scheduler_name);
}

SpecRefusals* Memory::SpecOf(const PodMemory& of) {
  std::vector<SpecRefusals>& specs = units_[of.unit].specs;
  SpecRefusals* const known = FindSpec(*of.pod, &specs);
  if (known != nullptr) return known;
  size_t nodes = 0;
  for (const auto& [key, unit] : units_) {
    for (const SpecRefusals& spec : unit.specs) nodes += spec.size();
  }
  if (specs.size() >= kMostSpecs || nodes >= kMostNodes) return nullptr;
  return &specs.emplace_back(of.pod);
}

void Memory::RefuseToSpec(const Inbox::Refusal& refusal, const PodMemory& of,
                          const ClusterSnapshot& snapshot, Time now) {
  if (older_ == nullptr || !IsSharedBySpec(refusal, of)) return;
  SpecRefusals* const spec = SpecOf(of);
  if (spec == nullptr) return;
  const auto taken = PlacesOfOthers(of, *spec);
  const ResourceList requests = RequestsOf(*of.pod);
  const auto add = [&](const Node& node) {
    if (taken.contains(node.name)) return;
    const auto room = plan::RoomOn(snapshot, node.name);
    const bool is_settled = room && room->stamp == StampOf(*older_, node.name);
    if (is_settled && HasRoom(room->free, requests)) spec->Add(node, now);
  };
  if (const auto node = snapshot.FindNode(refusal.node)) add(node->node());
  if (!refusal.passed) return;
  // Of many it takes a part; where none passes it has tried them all.
  const bool samples =
      options_.samples_nodes && snapshot.NodeCount() > NominationOptions::kAllOffered;
  if (samples && !refusal.passed->empty()) return;
  const absl::flat_hash_set<std::string> passed(refusal.passed->begin(), refusal.passed->end());
  snapshot.ForEachNode([&](const NodeView& node) {
    if (!passed.contains(node.node().name)) add(node.node());
  });
}

void Memory::PrepareSpecs(const ClusterSnapshot& snapshot, Time now, UnitMemory* memory,
                          plan::Unit* unit) {
  if (memory->specs.empty()) return;
  for (SpecRefusals& spec : memory->specs) spec.Update(snapshot, now);
  std::erase_if(memory->specs, [](SpecRefusals& spec) { return spec.nodes() == nullptr; });
  for (plan::Member& member : unit->members) {
    SpecRefusals* const spec = FindSpec(*member.pod, &memory->specs);
    if (spec == nullptr) continue;
    member.refused_to_spec = spec->nodes();
    if (unit->refusal.empty()) unit->refusal = RefusalText(member.pod->unscheduled_message);
  }
}

}  // namespace outrigger::desk
