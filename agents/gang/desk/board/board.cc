#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "gang/desk/board.h"
#include "gang/desk/reasons.h"
#include "gang/plan/call_resources.h"
#include "gang/plan/group.h"
#include "gang/plan/order.h"
#include "gang/plan/planner.h"
#include "gang/plan/room.h"
#include "gang/plan/unit.h"

namespace outrigger::desk {

/// Seats of pods by UID, in shards: a copy shares them with what it was copied from, until it
/// changes one. A copy may be changed while others read the original; the original may not. Seats
/// are not owned.
class SeatIndex {
 public:
  SeatIndex() = default;
  SeatIndex(const SeatIndex& other) : shards_(other.shards_) {}
  SeatIndex& operator=(const SeatIndex&) = delete;

  /// Null: not known.
  const BoardPod* Find(std::string_view uid) const;
  /// False if there is a seat of that UID.
  bool Put(const BoardPod* seat);
  /// Takes out the seat, if it is there.
  void Erase(const BoardPod* seat);

 private:
  static constexpr size_t kShards = 1024;
  using Shard = absl::flat_hash_map<absl::string_view, const BoardPod*>;  // by the UID in the pod

  static size_t ShardOf(std::string_view uid);
  Shard& Own(size_t shard);

  std::array<std::shared_ptr<const Shard>, kShards> shards_;  // null: empty
  std::array<Shard*, kShards> own_ = {};                      // of these; null: shared
};

/// What a board has in common with the one before: of single pods of which the plan says the same
/// as it did, the entries. Gangs, of which there are fewer, are made each time. For use while the
/// board is made.
class UnchangedEntries {
 public:
  /// `before`, which may be null, outlives this; `units` are in order.
  UnchangedEntries(const Board* before, std::span<const plan::Unit> units,
                   std::span<const plan::UnitPlan> plans);

  /// The entry of units[i], or null.
  const std::shared_ptr<const BoardEntry>& Of(size_t i) const;
  /// The seats of single pods of the board before that are among these entries.
  std::unique_ptr<SeatIndex> Seats() const;

 private:
  static constexpr size_t kNone = ~size_t{0};
  size_t Find(const plan::Unit& unit, const plan::UnitPlan& planned);

  const BoardUnits::Entries* before_;
  const SeatIndex* seats_;
  size_t planned_;             // of before_
  size_t at_ = 0;              // in before_: what is in front of it comes before what is looked for
  std::vector<size_t> found_;  // for each unit, in before_
  std::vector<bool> is_shared_;  // of before_
};

namespace {

absl::string_view KeyOf(std::string_view text) {
  return {text.data(), text.size()};
}

// All of it that a pod which is the same object may change.
auto Changeable(const plan::Rank& rank) {
  return std::tie(rank.first, rank.group_priority, rank.priority, rank.by_priority, rank.in_part,
                  rank.turn, rank.qos, rank.created);
}

bool IsSingle(const plan::Unit& unit) {
  return unit.key.dialect == plan::Dialect::kNone && unit.members.size() == 1 && unit.roles.empty();
}

// Null: the entry is not that of a single pod.
const PodPtr* PodOf(const BoardEntry& entry) {
  return entry.unit.gang || entry.pods.size() != 1 ? nullptr : &entry.pods.front().pod;
}

bool SaysTheSame(const BoardEntry& entry, const plan::Unit& unit, const plan::UnitPlan& planned) {
  const std::string_view node =
      planned.fits && !planned.nodes.empty() ? std::string_view(planned.nodes[0]) : "";
  return entry.unit.fits == planned.fits && entry.cause == planned.cause &&
         entry.pods.front().node == node && entry.unit.minimum == unit.minimum &&
         entry.unit.has_open_claims == unit.has_open_claims &&
         Changeable(entry.unit.rank) == Changeable(unit.rank);
}

absl::string_view AbslView(std::string_view text) {
  return {text.data(), text.size()};
}

bool WantsPlace(const Pod& pod) {
  return pod.node_name.empty() && !pod.being_deleted && !pod.IsFinished();
}

bool HasPlace(const Pod& pod) {
  return !pod.node_name.empty() && !pod.being_deleted && !pod.IsFinished();
}

// Of those that have a place.
void LearnHeld(const std::vector<BoardPod>& pods, BoardUnit* unit) {
  bool some = false;
  bool all = true;
  for (const BoardPod& seat : pods) {
    if (seat.node.empty()) continue;
    const bool is_queued = plan::IsQueued(*seat.pod);
    some |= is_queued;
    all &= is_queued;
  }
  unit->held = some && all;
  unit->releasing = some && !all;
}

bool AreSingle(const plan::GroupState& group) {
  return group.cause == plan::GroupCause::kLeftToScheduler ||
         (group.cause == plan::GroupCause::kNone && group.independent);
}

// kube-scheduler judges taints, labels and volumes itself, of every node that it offers.
bool TakesEqual(const plan::Unit& unit) {
  if (!unit.topology.required.empty() || !unit.topology.preferred.empty()) return false;
  if (unit.has_open_claims) return false;
  return std::all_of(unit.members.begin(), unit.members.end(), [](const plan::Member& member) {
    const Affinity& affinity = member.pod->affinity;
    return member.pinned.empty() && member.pod->topology_spread.empty() &&
           affinity.required_pod.empty() && affinity.required_pod_anti.empty() &&
           affinity.preferred_pod.empty() && affinity.preferred_pod_anti.empty() &&
           affinity.preferred_node.empty();
  });
}

// Names of pods would be as many series.
std::string LabelOf(const plan::Cause& cause) {
  const bool of_pod = cause.kind == plan::Cause::Class::kWaiter;
  return of_pod ? "the place of a waiter" : TextOf(cause);
}

}  // namespace

// By the upper bits: the maps use the lower ones.
size_t SeatIndex::ShardOf(std::string_view uid) {
  constexpr int kBits = 10;
  static_assert(kShards == size_t{1} << kBits);
  return absl::HashOf(KeyOf(uid)) >> (8 * sizeof(size_t) - kBits);
}

SeatIndex::Shard& SeatIndex::Own(size_t shard) {
  Shard*& own = own_[shard];
  if (own == nullptr) {
    const std::shared_ptr<const Shard>& shared = shards_[shard];
    auto made = shared == nullptr ? std::make_shared<Shard>() : std::make_shared<Shard>(*shared);
    own = made.get();
    shards_[shard] = std::move(made);
  }
  return *own;
}

const BoardPod* SeatIndex::Find(std::string_view uid) const {
  const std::shared_ptr<const Shard>& shard = shards_[ShardOf(uid)];
  if (shard == nullptr) return nullptr;
  const auto found = shard->find(KeyOf(uid));
  return found == shard->end() ? nullptr : found->second;
}

bool SeatIndex::Put(const BoardPod* seat) {
  const std::string_view uid = seat->pod->uid;
  return Own(ShardOf(uid)).try_emplace(KeyOf(uid), seat).second;
}

void SeatIndex::Erase(const BoardPod* seat) {
  const std::string_view uid = seat->pod->uid;
  if (Find(uid) == seat) Own(ShardOf(uid)).erase(KeyOf(uid));
}

UnchangedEntries::UnchangedEntries(const Board* before, std::span<const plan::Unit> units,
                                   std::span<const plan::UnitPlan> plans)
    : before_(before == nullptr ? nullptr : &before->units_),
      seats_(before == nullptr ? nullptr : before->singles_.get()),
      planned_(before == nullptr ? 0 : before->planned_),
      found_(units.size(), kNone),
      is_shared_(before == nullptr ? 0 : before_->size()) {
  for (size_t i = 0; i < units.size(); ++i) {
    found_[i] = Find(units[i], plans[i]);
    if (found_[i] != kNone) is_shared_[found_[i]] = true;
  }
}

// Both boards are in order, so one walk finds what they share.
size_t UnchangedEntries::Find(const plan::Unit& unit, const plan::UnitPlan& planned) {
  if (!IsSingle(unit)) return kNone;
  for (; at_ < planned_; ++at_) {
    const BoardEntry& entry = *(*before_)[at_];
    const PodPtr* const pod = PodOf(entry);
    if (pod != nullptr && *pod == unit.members.front().pod) {
      return SaysTheSame(entry, unit, planned) ? at_++ : kNone;
    }
    if (!(entry.unit.rank < unit.rank)) return kNone;
  }
  return kNone;
}

const std::shared_ptr<const BoardEntry>& UnchangedEntries::Of(size_t i) const {
  static const auto* const none = new std::shared_ptr<const BoardEntry>();
  return found_[i] == kNone ? *none : (*before_)[found_[i]];
}

std::unique_ptr<SeatIndex> UnchangedEntries::Seats() const {
  if (before_ == nullptr) return std::make_unique<SeatIndex>();
  auto seats = std::make_unique<SeatIndex>(*seats_);
  for (size_t i = 0; i < before_->size(); ++i) {
    const BoardEntry& entry = *(*before_)[i];
    if (is_shared_[i] || entry.unit.gang) continue;
    for (const BoardPod& pod : entry.pods) seats->Erase(&pod);
  }
  return seats;
}

std::chrono::milliseconds Patience::Of(const BoardUnit& unit, bool with_open_claims) const {
  constexpr int64_t kLongest = int64_t{365} * 86'400;  // so that nothing overflows
  const int64_t seconds = unit.schedule_timeout_seconds.value_or(0);
  const std::chrono::milliseconds patience =
      seconds <= 0 ? usual : std::chrono::seconds(std::min(seconds, kLongest));
  return with_open_claims ? std::max(patience, with_claims) : patience;
}

ResourceList RequestsOf(const Pod& pod) {
  ResourceList requests = PodRequestsOnNode(pod);
  plan::LeaveCallsOutOf(&requests);
  requests.Set(kPods, Quantity::FromInt(1));
  return requests;
}

bool Waits(const plan::GroupState& group) {
  return group.cause != plan::GroupCause::kNone &&
         group.cause != plan::GroupCause::kLeftToScheduler;
}

Board::Board(const Input& input)
    : groups_(input.groups.begin(), input.groups.end()),
      options_(input.options),
      snapshot_(input.snapshot),
      holds_(input.hold),
      by_priority_(input.by_priority) {
  AddUnits(input);
  AddKept(input);
  AddPods(input.pods);
  if (holds()) LearnLowest();
}

Board::~Board() = default;

void Board::LearnLowest() {
  for (size_t i = 0; i < planned_; ++i) {
    const BoardEntry& entry = *units_[i];
    if (!entry.unit.fits) continue;
    const int32_t priority = entry.unit.rank.priority;
    if (!lowest_.empty() && units_[lowest_.back()]->unit.rank.priority <= priority) continue;
    const bool is_let_go =
        std::any_of(entry.pods.begin(), entry.pods.end(), [](const BoardPod& seat) {
          return !seat.node.empty() && seat.pod->scheduling_gates.empty();
        });
    if (is_let_go) lowest_.push_back(i);
  }
}

std::optional<int32_t> Board::LowestPriorityBefore(const plan::Rank& rank) const {
  std::optional<int32_t> lowest;
  for (const size_t i : lowest_) {
    if (!(units_[i]->unit.rank < rank)) break;
    lowest = units_[i]->unit.rank.priority;
  }
  return lowest;
}

const BoardUnit* Board::FirstWithoutPlace() const {
  return first_without_place_ == planned_ ? nullptr : &units_[first_without_place_]->unit;
}

void Board::ForEachWithoutPlaceBefore(const plan::Rank& rank, size_t most,
                                      absl::FunctionRef<bool(const Pod& pod)> visit) const {
  for (size_t i = first_without_place_; i < planned_ && most > 0; ++i) {
    const BoardEntry& entry = *units_[i];
    if (!(entry.unit.rank < rank)) return;
    if (entry.unit.gang || entry.unit.fits || entry.pods.empty()) continue;
    --most;
    if (!visit(*entry.pods.front().pod)) return;
  }
}

const BoardUnit* Board::InFrontOf(const plan::Rank& rank) const {
  const auto end = units_.begin() + static_cast<std::ptrdiff_t>(planned_);
  const auto at = std::lower_bound(
      units_.begin(), end, rank,
      [](const auto& entry, const plan::Rank& of) { return entry->unit.rank < of; });
  return at == units_.begin() ? nullptr : &(*(at - 1))->unit;
}

bool Board::MayHold(const Pod& pod) const {
  return holds_ && !plan::IsNeverHeld(pod);
}

plan::Rank Board::RankOfUnseen(const Pod& pod) const {
  return plan::RankOf(pod, by_priority_, nullptr);
}

BoardUnit& Board::AddUnit(const plan::Unit& unit, std::span<const std::string> nodes,
                          std::span<const std::string> kept, const plan::Cause& cause) {
  const auto made = std::make_shared<BoardEntry>();
  units_.push_back(made);
  BoardUnit& entry = made->unit;
  entry.key = unit.key;
  entry.rank = unit.rank;
  entry.gang = unit.key.dialect != plan::Dialect::kNone;
  entry.minimum = unit.minimum;
  entry.roles = unit.roles;
  entry.has_open_claims = unit.has_open_claims;
  entry.takes_equal = TakesEqual(unit);
  made->cause = cause;
  if (entry.gang) gangs_.emplace(KeyOf(entry.key), &entry);
  made->pods.reserve(unit.members.size());  // they stay where they are
  for (size_t m = 0; m < unit.members.size(); ++m) {
    const plan::Member& member = unit.members[m];
    made->pods.push_back({.pod = member.pod,
                          .role = member.role,
                          .unit = &entry,
                          .node = nodes.empty() ? std::string() : nodes[m],
                          .kept_node = kept.empty() ? std::string() : kept[m],
                          .reason = {}});
    if (!AddSeat(made->pods.back())) made->pods.pop_back();
  }
  return entry;
}

bool Board::AddSeat(const BoardPod& seat) {
  const bool is_single = seat.unit != nullptr && !seat.unit->gang;
  return is_single ? singles_->Put(&seat)
                   : members_.try_emplace(AbslView(seat.pod->uid), &seat).second;
}

void Board::AddUnits(const Input& input) {
  const UnchangedEntries unchanged(input.before, input.units, input.plan.units);
  singles_ = unchanged.Seats();
  planned_ = input.units.size();
  units_.reserve(planned_ + input.resting.size());
  for (size_t i = 0; i < planned_; ++i) {
    const plan::Unit& unit = input.units[i];
    const plan::UnitPlan& planned = input.plan.units[i];
    if (const auto& same = unchanged.Of(i); same != nullptr) {
      units_.push_back(same);
    } else {
      AddPlanned(unit, planned);
    }
    AddReservations(i, unit, planned, *input.snapshot);
    if (planned.fits && first_without_place_ == i) ++first_without_place_;
  }
  for (const Resting& resting : input.resting) {
    const plan::Cause refused{plan::Cause::Class::kRefused, {}};
    BoardUnit& entry = AddUnit(resting.unit, {}, {}, refused);
    entry.word = resting.why;
    entry.label = resting.label.empty() ? LabelOf(refused) : std::string(resting.label);
  }
}

void Board::AddPlanned(const plan::Unit& unit, const plan::UnitPlan& planned) {
  const std::span<const std::string> nodes = planned.nodes;
  const bool keeps = !planned.fits && unit.key.dialect != plan::Dialect::kNone;
  BoardUnit& entry = AddUnit(
      unit, planned.fits ? nodes : nodes.first(0),
      keeps ? std::span<const std::string>(planned.promised) : nodes.first(0), planned.cause);
  entry.fits = planned.fits;
  if (planned.fits) LearnHeld(units_.back()->pods, &entry);
  if (planned.fits) return;
  const bool is_refused = planned.cause.kind == plan::Cause::Class::kRefused;
  entry.word = is_refused && !unit.refusal.empty() ? unit.refusal : TextOf(planned.cause);
  entry.label = LabelOf(planned.cause);
  entry.waits_turn = planned.cause.kind == plan::Cause::Class::kTurn;
}

// Of a unit that does not fit what it was promised.
void Board::AddReservations(size_t index, const plan::Unit& unit, const plan::UnitPlan& planned,
                            const ClusterSnapshot& snapshot) {
  if (!units_[index]->unit.gang && !holds()) return;
  const std::vector<std::string>& nodes = planned.fits ? planned.nodes : planned.promised;
  for (size_t m = 0; m < nodes.size(); ++m) {
    if (!nodes[m].empty()) AddReservation(index, *unit.members[m].pod, nodes[m], snapshot);
  }
}

void Board::AddReservation(size_t unit, const Pod& pod, const std::string& node,
                           const ClusterSnapshot& snapshot) {
  auto [at, is_new] = reservations_.try_emplace(node);
  if (is_new) {
    const auto room = plan::RoomOn(snapshot, node, options_.checks.get());
    if (room) at->second.free = room->free;
  }
  at->second.reservations.push_back({unit, pod.uid, desk::RequestsOf(pod)});
}

ResourceList Board::RequestsOf(const Pod& pod) const {
  const plan::SchedulerChecks* const checks = options_.checks.get();
  if (checks == nullptr || checks->empty()) return desk::RequestsOf(pod);
  Pod compared = pod;
  checks->LeaveOutOf(&compared);
  return desk::RequestsOf(compared);
}

void Board::AddKept(const Input& input) {
  if (input.kept_for == nullptr) return;
  const auto unit = std::find_if(units_.begin(), units_.end(), [&](const auto& other) {
    return other->unit.key == *input.kept_for;
  });
  if (unit == units_.end()) return;
  kept_ = input.plan.kept;
  kept_for_ = static_cast<size_t>(unit - units_.begin());
}

void Board::AddPods(std::span<const PodPtr> pods) {
  for (const PodPtr& pod : pods) {
    const bool wants = WantsPlace(*pod);
    if (!wants && !HasPlace(*pod)) continue;
    if (wants && Find(pod->uid) != nullptr) continue;
    const auto membership = plan::MembershipOf(*pod, nullptr);
    if (!membership) continue;
    const plan::GroupState* group = plan::FindGroup(groups_, *membership);
    if (group == nullptr) continue;
    if (!wants) {
      const auto at = bound_.try_emplace(group->key).first;
      at->second.push_back({pod->uid, std::string(membership->role), pod});
      gang_of_bound_[pod->uid] = &at->first;
    } else if (!AreSingle(*group)) {
      unplanned_.push_back({.pod = pod,
                            .role = {},
                            .node = {},
                            .reason = holds() ? CountingText(*group) : WaitingText(*group)});
      AddSeat(unplanned_.back());
    }
  }
  for (const plan::GroupState& group : groups_) {
    const auto found = gangs_.find(KeyOf(group.key));
    if (found == gangs_.end()) continue;
    BoardUnit& unit = *found->second;
    unit.schedule_timeout_seconds = group.schedule_timeout_seconds;
    const bool is_known = group.admitted && group.started_with != 0;
    unit.started_with = is_known ? group.started_with : std::max(group.minimum, group.starts_with);
  }
}

const plan::GroupState* Board::FindGroupOf(const plan::UnitKey& key) const {
  const auto at = std::lower_bound(groups_.begin(), groups_.end(), key,
                                   [](const plan::GroupState& group, const plan::UnitKey& wanted) {
                                     return group.key < wanted;
                                   });
  return at != groups_.end() && at->key == key ? &*at : nullptr;
}

bool Board::IsLeftToScheduler(const plan::Membership& membership) const {
  const plan::GroupState* group = plan::FindGroup(groups_, membership);
  return group != nullptr && group->cause == plan::GroupCause::kLeftToScheduler;
}

bool Board::MembersAreSingle(const plan::Membership& membership) const {
  const plan::GroupState* group = plan::FindGroup(groups_, membership);
  return group != nullptr && AreSingle(*group);
}

const BoardUnit* Board::FindUnit(const plan::UnitKey& key) const {
  const auto found = gangs_.find(KeyOf(key));
  return found == gangs_.end() ? nullptr : found->second;
}

const BoardPod* Board::Find(std::string_view uid) const {
  const auto found = members_.find(AbslView(uid));
  return found == members_.end() ? singles_->Find(uid) : found->second;
}

void Board::ForEachPod(absl::FunctionRef<void(const BoardPod& pod)> visit) const {
  for (const auto& entry : units_) {
    for (const BoardPod& pod : entry->pods) visit(pod);
  }
  for (const BoardPod& pod : unplanned_) visit(pod);
}

std::span<const BoundMember> Board::BoundOf(const plan::UnitKey& key) const {
  const auto found = bound_.find(key);
  return found == bound_.end() ? std::span<const BoundMember>() : found->second;
}

const plan::UnitKey* Board::GangOfBound(std::string_view uid) const {
  const auto found = gang_of_bound_.find(AbslView(uid));
  return found == gang_of_bound_.end() ? nullptr : found->second;
}

bool Board::IsLeftOut(const Pod& pod) const {
  if (!holds() || Find(pod.uid) != nullptr) return false;
  const std::optional<PodView> seen = snapshot_->FindPod(pod.namespace_, pod.name);
  return seen && seen->Uid() == pod.uid;
}

const ReservedNode* Board::ReservationsOn(std::string_view node) const {
  const auto found = reservations_.find(AbslView(node));
  return found == reservations_.end() ? nullptr : &found->second;
}

const BoardUnit* Board::KeptFor(std::string_view node) const {
  const bool kept = std::binary_search(kept_.begin(), kept_.end(), node, std::less<>());
  return kept ? &units_[kept_for_]->unit : nullptr;
}

}  // namespace outrigger::desk
