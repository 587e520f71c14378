#include "plan/preemption/trials.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "plan/round/kept_places.h"
#include "plan/round/round.h"
#include "plan/search/causes.h"

namespace outrigger::plan {
namespace {

using Records = std::vector<const cluster::PodRecord*>;

/// Nothing: the node is not known, or one of the pods is not on it.
std::optional<Records> RecordsOf(const cluster::Snapshot& snapshot, const Eviction& eviction) {
  const cluster::NodeState* const node = snapshot.FindNode(eviction.node);
  if (node == nullptr) return std::nullopt;
  Records records;
  for (const std::string& uid : eviction.pod_uids) {
    const auto pod =
        std::find_if(node->pods.begin(), node->pods.end(),
                     [&](const cluster::PodPtr& other) { return other->uid() == uid; });
    if (pod == node->pods.end()) return std::nullopt;
    records.push_back(pod->get());
  }
  return records;
}

/// Members of one shape, any of which may go wherever there is room.
bool GoesByRoomAlone(const Unit& unit, const Seats& seats) {
  return seats.plain && seats.shapes.size() == 1 && seats.role_need.empty() &&
         seats.in_all.empty() && unit.topology.required.empty() && unit.topology.preferred.empty();
}

/// True if the unit takes the same steps in each trial in which it ends up with these places. One
/// with more members than it needs may place others first, which leaves other room meanwhile.
bool IsSettled(const Unit& unit, const Seats& seats, const UnitPlan& plan) {
  const auto need = static_cast<size_t>(seats.need);
  if (seats.role_need.empty() && unit.members.size() == need) return true;
  if (seats.has_pairs) return false;
  for (size_t m = 0; m < unit.members.size(); ++m) {
    if (plan.nodes[m] != unit.members[m].reserved) return false;
  }
  return true;
}

}  // namespace

Trials::Trials(Follow follow, std::shared_ptr<const cluster::Snapshot> snapshot,
               std::span<const Unit> units, size_t index, const PlanOptions& options)
    : follow_(std::move(follow)),
      snapshot_(std::move(snapshot)),
      units_(units),
      index_(index),
      options_(options) {
  const Workshop shop = follow_(snapshot_);
  generation_ = shop.generation;
  base_ = Run(shop, units_);
  planned_ = 0;
  // Members over the minimum wait for later units, too.
  const Unit& asks = units_[index_];
  all_matter_ = asks.members.size() != 1 || asks.minimum - asks.bound != 1;
  if (all_matter_) return;
  size_t first_member = 0;
  for (size_t i = 0; i < units_.size() && !all_matter_; ++i) {
    const Unit& unit = units_[i];
    const auto shapes = shop.shapes->learnt().subspan(first_member, unit.members.size());
    first_member += shapes.size();
    if (i > index_) {
      if (HasKeptPlaces(unit)) always_.push_back(i);
      continue;
    }
    const Seats seats = SeatsOf(unit, shop.space, shapes);
    if (base_.units[i].fits) {
      all_matter_ = !IsSettled(unit, seats, base_.units[i]);
    } else if (i != index_ && FindMissing(unit, seats).kind != Cause::Class::kNone) {
      continue;
    } else if (i != index_ && MayLeaveOut(unit, seats)) {
      Alike& alike = waiting_[{seats.likeness, seats.need}];
      alike.shape = seats.shapes[0];
      alike.units.push_back(i);
      continue;
    }
    always_.push_back(i);
  }
}

// What is kept for the two special units is looked at even where they do not fit.
bool Trials::MayLeaveOut(const Unit& unit, const Seats& seats) const {
  return GoesByRoomAlone(unit, seats) && options_.reserve_for != unit.key &&
         !(options_.promise && options_.promise->unit == unit.key);
}

std::string Trials::NodeAfter(const Eviction& eviction, size_t member) {
  const auto records = RecordsOf(*snapshot_, eviction);
  if (!records) return "";
  const Workshop shop = follow_(snapshot_->Without(*records));
  if (!all_matter_ && shop.generation == generation_) {
    const std::vector<size_t> chosen = Chosen(*shop.space, shop.space->Find(eviction.node));
    const Plan plan = Run(shop, Copies(chosen, eviction.node));
    const auto at = std::lower_bound(chosen.begin(), chosen.end(), index_) - chosen.begin();
    const UnitPlan& of_unit = plan.units[static_cast<size_t>(at)];
    if (AllElseIsTheSame(chosen, plan)) return of_unit.fits ? of_unit.nodes[member] : "";
    shop.space->Clear();
  }
  std::vector<size_t> all(units_.size());
  std::iota(all.begin(), all.end(), size_t{0});
  const Plan plan = Run(shop, Copies(all, eviction.node));
  return plan.units[index_].fits ? plan.units[index_].nodes[member] : "";
}

std::vector<size_t> Trials::Chosen(const NodeSpace& space, Slot slot) const {
  std::vector<size_t> chosen = always_;
  for (const auto& [likeness, alike] : waiting_) {
    const auto room = static_cast<size_t>(std::max<int64_t>(0, space.Room(alike.shape, slot)));
    const auto some = static_cast<std::ptrdiff_t>(std::min(room, alike.units.size()));
    chosen.insert(chosen.end(), alike.units.begin(), alike.units.begin() + some);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// What kube-scheduler has refused on the node holds until the pods there change.
std::vector<Unit> Trials::Copies(const std::vector<size_t>& chosen, const std::string& node) const {
  std::vector<Unit> copies;
  copies.reserve(chosen.size());
  for (const size_t i : chosen) {
    for (Member& member : copies.emplace_back(units_[i]).members) {
      std::erase(member.refused, node);
    }
  }
  return copies;
}

bool Trials::AllElseIsTheSame(const std::vector<size_t>& chosen, const Plan& plan) const {
  for (size_t i = 0; i < chosen.size() && chosen[i] < index_; ++i) {
    const UnitPlan& before = base_.units[chosen[i]];
    const UnitPlan& now = plan.units[i];
    if (before.fits && !now.fits) return false;
    for (size_t m = 0; before.fits && m < before.nodes.size(); ++m) {
      if (!before.nodes[m].empty() && now.nodes[m] != before.nodes[m]) return false;
    }
    const UnitKey& key = units_[chosen[i]].key;
    if (options_.reserve_for == key && plan.kept != base_.kept) return false;
    if (options_.promise && options_.promise->unit == key && now.fits != before.fits) return false;
  }
  return true;
}

Plan Trials::Run(const Workshop& shop, std::span<const Unit> units) {
  planned_ += units.size();
  Round round(shop.space, shop.domains, shop.shapes, options_);
  round.Run(units);
  return round.TakePlan();
}

}  // namespace outrigger::plan
