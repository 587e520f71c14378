#include "outrigger/desk/board.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "outrigger/desk/reasons.h"
#include "outrigger/plan/group.h"
#include "outrigger/plan/order.h"
#include "outrigger/plan/room.h"

namespace outrigger::desk {
namespace {

absl::string_view AbslView(std::string_view text) {
  return {text.data(), text.size()};
}

bool WantsPlace(const Pod& pod) {
  return pod.node_name.empty() && !pod.being_deleted && !pod.IsFinished();
}

bool HasPlace(const Pod& pod) {
  return !pod.node_name.empty() && !pod.being_deleted && !pod.IsFinished();
}

// False if rank and pod say all of it.
bool IsSpecial(const plan::Unit& unit) {
  if (unit.key.dialect != plan::Dialect::kNone || unit.members.size() != 1) return true;
  const plan::Member& member = unit.members[0];
  return unit.minimum != 1 || unit.bound != 0 || !unit.roles.empty() ||
         unit.topology != plan::TopologyWish() || !unit.min_resources.empty() ||
         !member.role.empty() || !member.waits_on.empty() || !member.refused.empty() ||
         !member.pinned.empty();
}

// Names of pods would be as many series.
std::string LabelOf(const plan::Cause& cause) {
  const bool of_pod = cause.kind == plan::Cause::Class::kWaiter;
  return of_pod ? "the place of a waiter" : TextOf(cause);
}

}  // namespace

std::chrono::milliseconds Patience::Of(const BoardUnit& unit, bool with_open_claims) const {
  constexpr int64_t kLongest = int64_t{365} * 86'400;  // so that nothing overflows
  const int64_t seconds = unit.schedule_timeout_seconds.value_or(0);
  const std::chrono::milliseconds patience =
      seconds <= 0 ? usual : std::chrono::seconds(std::min(seconds, kLongest));
  return with_open_claims ? std::max(patience, with_claims) : patience;
}

ResourceList RequestsOf(const Pod& pod) {
  ResourceList requests = PodRequestsOnNode(pod);
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
      hold_(input.hold),
      planned_(input.units.size()),
      by_priority_(input.by_priority) {
  AddUnits(input);
  AddKept(input);
  AddPods(input.pods);
  if (holds()) PutInOrder(input.units.size());
}

// What was planned is in order already; units that rest come after it.
void Board::PutInOrder(size_t planned) {
  in_order_.resize(units_.size());
  std::iota(in_order_.begin(), in_order_.end(), size_t{0});
  const auto before = [this](size_t a, size_t b) { return units_[a].rank < units_[b].rank; };
  const auto resting = in_order_.begin() + static_cast<std::ptrdiff_t>(planned);
  std::sort(resting, in_order_.end(), before);
  std::inplace_merge(in_order_.begin(), resting, in_order_.end(), before);
}

const BoardUnit* Board::InFrontOf(const plan::Rank& rank) const {
  const auto at = std::lower_bound(
      in_order_.begin(), in_order_.end(), rank,
      [this](size_t unit, const plan::Rank& of) { return units_[unit].rank < of; });
  return at == in_order_.begin() ? nullptr : &units_[*(at - 1)];
}

bool Board::HasRoom(const std::string& node, const ResourceList& requests) const {
  const plan::SchedulerChecks* const checks = options_.checks.get();
  if (checks != nullptr && !checks->empty()) {
    const auto room = plan::RoomOn(*hold_, node, checks);
    return room && room->free.Covers(requests);
  }
  const std::optional<NodeView> view = hold_->FindNode(node);
  if (!view) return false;
  for (const auto& [resource, asked] : requests) {
    if (asked.IsZero()) continue;
    Quantity free = view->node().allocatable.Get(resource);
    free -= view->Requested(resource);
    if (free < asked) return false;
  }
  return true;
}

plan::Rank Board::RankOfUnseen(const Pod& pod) const {
  return plan::RankOf(pod, by_priority_, nullptr);
}

void Board::AddPod(BoardPod&& pod) {
  const absl::string_view uid = AbslView(pod.pod->uid);
  pods_.try_emplace(uid, std::move(pod));
}

BoardUnit& Board::AddUnit(const plan::Unit& unit, std::span<const std::string> nodes) {
  BoardUnit& entry = units_.emplace_back();
  entry.key = unit.key;
  entry.rank = unit.rank;
  entry.gang = unit.key.dialect != plan::Dialect::kNone;
  entry.minimum = unit.minimum;
  entry.roles = unit.roles;
  entry.has_open_claims = unit.has_open_claims;
  const size_t index = units_.size() - 1;
  if (entry.gang) gangs_.emplace(KeyOf(entry.key), index);
  for (size_t m = 0; m < unit.members.size(); ++m) {
    const plan::Member& member = unit.members[m];
    AddPod({.pod = member.pod,
            .role = member.role,
            .unit = index,
            .node = nodes.empty() ? std::string() : nodes[m],
            .reason = {}});
  }
  return entry;
}

void Board::AddUnits(const Input& input) {
  units_.reserve(input.units.size() + input.resting.size());
  gangs_.reserve(units_.capacity());
  pods_.reserve(input.pods.size());
  for (size_t i = 0; i < input.units.size(); ++i) {
    const plan::Unit& unit = input.units[i];
    const plan::UnitPlan& planned = input.plan.units[i];
    if (holds() && IsSpecial(unit)) special_.emplace(i, unit);
    BoardUnit& entry = AddUnit(unit, planned.fits ? planned.nodes : std::span<const std::string>());
    entry.fits = planned.fits;
    if (!planned.fits) {
      entry.word = TextOf(planned.cause);
      entry.label = LabelOf(planned.cause);
      for (size_t m = 0; m < planned.promised.size(); ++m) {
        if (!planned.promised[m].empty()) {
          AddReservation(i, *unit.members[m].pod, planned.promised[m], input.snapshot);
        }
      }
      continue;
    }
    for (size_t m = 0; m < unit.members.size(); ++m) {
      if ((entry.gang || holds()) && !planned.nodes[m].empty()) {
        AddReservation(i, *unit.members[m].pod, planned.nodes[m], input.snapshot);
      }
    }
  }
  for (const Resting& resting : input.resting) {
    BoardUnit& entry = AddUnit(resting.unit, {});
    entry.word = resting.why;
    entry.label = resting.label.empty() ? LabelOf({plan::Cause::Class::kRefused, {}})
                                        : std::string(resting.label);
  }
}

std::vector<plan::Unit> Board::UnitsOfNextPlan() const {
  std::vector<plan::Unit> units(planned_);
  for (size_t i = 0; i < planned_; ++i) {
    units[i].key = units_[i].key;
    units[i].rank = units_[i].rank;
    units[i].has_open_claims = units_[i].has_open_claims;
  }
  for (const auto& [i, unit] : special_) units[i] = unit;
  for (const auto& [uid, seat] : pods_) {
    if (seat.unit >= planned_) continue;
    std::vector<plan::Member>& members = units[seat.unit].members;
    if (!special_.contains(seat.unit)) members.emplace_back().pod = seat.pod;
    const PodPtr& pod = seat.pod;
    const auto member = std::find_if(members.begin(), members.end(),
                                     [&pod](const plan::Member& own) { return own.pod == pod; });
    if (member != members.end()) member->reserved = seat.node;
  }
  return units;
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
  const auto unit = std::find_if(units_.begin(), units_.end(), [&](const BoardUnit& other) {
    return other.key == *input.kept_for;
  });
  if (unit == units_.end()) return;
  kept_ = input.plan.kept;
  kept_for_ = static_cast<size_t>(unit - units_.begin());
}

void Board::AddPods(std::span<const PodPtr> pods) {
  for (const PodPtr& pod : pods) {
    const bool wants = WantsPlace(*pod);
    if (!wants && !HasPlace(*pod)) continue;
    if (wants && pods_.contains(AbslView(pod->uid))) continue;
    const auto membership = plan::MembershipOf(*pod, nullptr);
    if (!membership) continue;
    const plan::GroupState* group = plan::FindGroup(groups_, *membership);
    if (group == nullptr) continue;
    if (!wants) {
      const auto at = bound_.try_emplace(group->key).first;
      at->second.push_back({pod->uid, std::string(membership->role), pod});
      gang_of_bound_[pod->uid] = &at->first;
    } else if (group->cause != plan::GroupCause::kLeftToScheduler) {
      AddPod({.pod = pod,
              .role = {},
              .node = {},
              .reason = holds() ? CountingText(*group) : WaitingText(*group)});
    }
  }
  for (const plan::GroupState& group : groups_) {
    const auto found = gangs_.find(KeyOf(group.key));
    if (found == gangs_.end()) continue;
    BoardUnit& unit = units_[found->second];
    unit.schedule_timeout_seconds = group.schedule_timeout_seconds;
    const bool is_known = group.admitted && group.started_with != 0;
    unit.started_with = is_known ? group.started_with : group.minimum;
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
  if (group == nullptr) return false;
  return group->cause == plan::GroupCause::kLeftToScheduler ||
         (group->cause == plan::GroupCause::kNone && group->independent);
}

const BoardUnit* Board::FindUnit(const plan::UnitKey& key) const {
  const auto found = gangs_.find(KeyOf(key));
  return found == gangs_.end() ? nullptr : &units_[found->second];
}

const BoardPod* Board::Find(std::string_view uid) const {
  const auto found = pods_.find(AbslView(uid));
  return found == pods_.end() ? nullptr : &found->second;
}

std::span<const BoundMember> Board::BoundOf(const plan::UnitKey& key) const {
  const auto found = bound_.find(key);
  return found == bound_.end() ? std::span<const BoundMember>() : found->second;
}

const plan::UnitKey* Board::GangOfBound(std::string_view uid) const {
  const auto found = gang_of_bound_.find(AbslView(uid));
  return found == gang_of_bound_.end() ? nullptr : found->second;
}

const ReservedNode* Board::ReservationsOn(std::string_view node) const {
  const auto found = reservations_.find(AbslView(node));
  return found == reservations_.end() ? nullptr : &found->second;
}

const BoardUnit* Board::KeptFor(std::string_view node) const {
  const bool kept = std::binary_search(kept_.begin(), kept_.end(), node, std::less<>());
  return kept ? &units_[kept_for_] : nullptr;
}

}  // namespace outrigger::desk
