#include "gang/plan/groups.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "fmt/format.h"
#include "gang/plan/groups/gang.h"
#include "gang/plan/groups/limits.h"
#include "gang/plan/order.h"
#include "sdk/base/in_step.h"

namespace outrigger::plan {

GroupedUnits BuildUnits(std::span<const std::shared_ptr<const Pod>> pods,
                        std::span<const PodGroupObject> objects, const GroupOptions& options,
                        Notes* notes) {
  UnitTable table;
  table.Update(pods, objects, options, notes);
  return std::move(table.made());
}

const GroupState* FindGroup(std::span<const GroupState> groups, const Membership& membership) {
  using Name = std::tuple<Dialect, std::string_view, std::string_view>;
  const auto name_of = [](const auto& value) {
    return Name(value.dialect, value.namespace_, value.name);
  };
  const auto at = std::lower_bound(groups.begin(), groups.end(), membership,
                                   [&](const GroupState& group, const Membership& wanted) {
                                     return name_of(group.key) < name_of(wanted);
                                   });
  return at != groups.end() && name_of(at->key) == name_of(membership) ? &*at : nullptr;
}

/// Keeps large items in order while some go and others come. Its memory is kept from call to call.
template <typename T>
class Rejoiner {
 public:
  /// Those of the items that stay, as pointers to them.
  std::vector<T*> stay;
  /// What comes to them.
  std::vector<T> fresh;

  /// Makes `items` what stays and what is fresh, in the order of `before`, which must be total, and
  /// forgets both. Moves nothing if all stay in their order, and little if few are replaced.
  template <typename Before>
  void Rejoin(Before before, std::vector<T>* items) {
    const auto comes_first = [&](const T* a, const T* b) { return before(*a, *b); };
    if (!std::is_sorted(stay.begin(), stay.end(), comes_first)) {
      std::sort(stay.begin(), stay.end(), comes_first);
    } else if (fresh.empty() && stay.size() == items->size()) {
      return stay.clear();
    }
    come_.clear();
    come_.reserve(fresh.size());
    for (T& item : fresh) come_.push_back(&item);
    std::sort(come_.begin(), come_.end(), comes_first);
    order_.resize(stay.size() + come_.size());
    std::merge(stay.begin(), stay.end(), come_.begin(), come_.end(), order_.begin(), comes_first);
    if (order_.size() == items->size()) {
      Replace(items);
    } else {
      Move(0, order_.size());
      items->swap(joined_);
    }
    joined_.clear();
    fresh.clear();
    stay.clear();
  }

 private:
  void Move(size_t from, size_t to) {
    joined_.reserve(to - from);
    for (size_t i = from; i < to; ++i) joined_.push_back(std::move(*order_[i]));
  }
  // As many come as go: what is before all of them, and after, stays where it is.
  void Replace(std::vector<T>* items) {
    size_t from = 0;
    size_t to = order_.size();
    while (from < to && order_[from] == &(*items)[from]) ++from;
    while (from < to && order_[to - 1] == &(*items)[to - 1]) --to;
    Move(from, to);
    std::move(joined_.begin(), joined_.end(), items->begin() + static_cast<std::ptrdiff_t>(from));
  }

  std::vector<T*> come_;
  std::vector<T*> order_;
  std::vector<T> joined_;
};

namespace {

using Name = std::tuple<Dialect, std::string_view, std::string_view>;

// A group without its UID, of which only one exists at a time. Views of who is named.
template <typename Named>
Name NameOf(const Named& named) {
  return {named.dialect, named.namespace_, named.name};
}

bool IsNewer(const PodGroupObject& a, const PodGroupObject& b) {
  return std::tie(a.created, a.uid) > std::tie(b.created, b.uid);
}

bool UnitComesFirst(const Unit& a, const Unit& b) {
  const auto by_rank = a.rank <=> b.rank;
  return std::is_neq(by_rank) ? std::is_lt(by_rank) : a.key.dialect < b.key.dialect;
}

bool GroupComesFirst(const GroupState& a, const GroupState& b) {
  return NameOf(a.key) < NameOf(b.key);
}

// The options may have changed since the unit was made.
void Reset(bool first, bool in_part, const GroupOptions& options, Unit* unit) {
  unit->rank.turn = 0;
  unit->rank.first = first;
  unit->rank.in_part = in_part;
  unit->rank.by_priority = options.order_by_pod_priority;
  unit->has_open_claims = false;
  unit->refusal.clear();
  for (Member& member : unit->members) {
    member.waits_on.clear();
    member.reserved.clear();
    member.ahead.clear();
    member.refused.clear();
    member.refused_to_spec.reset();
    member.pinned.clear();
  }
}

}  // namespace

class UnitTable::Content {
 public:
  void Update(std::span<const PodPtr> pods, std::span<const PodGroupObject> objects,
              const GroupOptions& options, Notes* notes, GroupedUnits* made);
  const std::vector<PodPtr>& members() const { return members_; }

 private:
  struct KeptGang {
    Gang gang;
    bool changed = true;   // since it was last looked at
    bool first = false;    // the rank of its unit says so
    bool in_part = false;  // and this
    size_t units = 0;      // that it made: one, or one for each of its pods
    size_t units_now = 0;  // of these, how many are still there
  };

  struct KeptPod {
    PodPtr pod;
    KeptGang* gang = nullptr;
    bool is_single = false;  // that wants a place
    bool first = false;      // it comes before everything else, if it is a unit of its own
    uint64_t seen = 0;       // the update that last gave it
    uint64_t in_unit = 0;    // the update that last found the single's unit
  };

  void Forget();
  void TakeObjects(std::span<const PodGroupObject> objects);
  const KeptPod& TakePod(const PodPtr& pod, Notes* notes);
  KeptGang* GangOf(const Membership& of);
  void DropGone();
  void ForgetGoneBefore();
  void FindUnits(std::vector<Unit>* units);
  void KeepUnits(std::vector<Unit>* units);
  void KeepGroups(std::vector<GroupState>* groups);
  void AddSingles(Notes* notes);
  bool FindChanged(size_t groups_before);
  void LookAt(KeptGang* kept, Notes* notes);

  GroupOptions options_;
  std::vector<PodGroupObject> objects_;
  absl::flat_hash_map<Name, const PodGroupObject*> newest_;  // of objects_
  // A pod is held, so that no other one has its address.
  absl::node_hash_map<const Pod*, KeptPod> pods_;
  InStep<const Pod*, KeptPod> pods_in_step_;
  InStep<const Pod*, KeptPod> units_in_step_;  // by their first members; null: it is gone
  std::vector<PodPtr> members_;                // pods with a gang, in the order in which they came
  size_t singles_ = 0;                         // pods that are
  std::vector<KeptPod*> gone_before_;          // pods that were in the round before the last
  absl::flat_hash_map<Name, std::unique_ptr<KeptGang>> gangs_;
  uint64_t round_ = 0;
  // For one update only.
  std::vector<KeptPod*> of_unit_;   // the first member of each unit, or nullptr: it is gone
  std::vector<KeptPod*> new_;       // pods
  std::vector<KeptPod*> gone_;      // pods
  size_t kept_singles_ = 0;         // units
  std::vector<KeptGang*> changed_;  // in the order of their names
  Rejoiner<Unit> units_;
  Rejoiner<GroupState> groups_;
};

void UnitTable::Content::Update(std::span<const PodPtr> pods,
                                std::span<const PodGroupObject> objects,
                                const GroupOptions& options, Notes* notes, GroupedUnits* made) {
  if (options != options_) {
    options_ = options;
    Forget();
  }
  ++round_;
  TakeObjects(objects);
  new_.clear();
  size_t members = 0;
  for (const PodPtr& pod : pods) {
    if (TakePod(pod, notes).gang == nullptr) continue;
    if (members == members_.size()) {
      members_.push_back(pod);
    } else if (members_[members] != pod) {
      members_[members] = pod;
    }
    ++members;
  }
  members_.resize(members);
  DropGone();
  FindUnits(&made->units);
  ForgetGoneBefore();
  KeepUnits(&made->units);
  AddSingles(notes);
  if (FindChanged(made->groups.size())) {
    KeepGroups(&made->groups);
    for (KeptGang* kept : changed_) LookAt(kept, notes);
    groups_.Rejoin(GroupComesFirst, &made->groups);
  }
  units_.Rejoin(UnitComesFirst, &made->units);
}

void UnitTable::Content::Forget() {
  pods_.clear();
  pods_in_step_ = {};
  units_in_step_ = {};
  singles_ = 0;
  gone_before_.clear();
  gangs_.clear();
}

void UnitTable::Content::TakeObjects(std::span<const PodGroupObject> objects) {
  if (std::equal(objects.begin(), objects.end(), objects_.begin(), objects_.end(),
                 SameButForStatus)) {
    return;
  }
  // What gangs point to is compared with what comes in its place.
  const auto before =
      std::exchange(objects_, std::vector<PodGroupObject>(objects.begin(), objects.end()));
  newest_.clear();
  for (const PodGroupObject& object : objects_) {
    const auto [at, is_new] = newest_.try_emplace(NameOf(object), &object);
    if (!is_new && IsNewer(object, *at->second)) at->second = &object;
  }
  for (const auto& [name, kept] : gangs_) {
    const auto found = newest_.find(name);
    const PodGroupObject* const now = found == newest_.end() ? nullptr : found->second;
    const PodGroupObject* const then = std::exchange(kept->gang.object, now);
    const bool same =
        now != nullptr && then != nullptr ? SameButForStatus(*now, *then) : now == then;
    kept->changed |= !same;
  }
}

UnitTable::Content::KeptGang* UnitTable::Content::GangOf(const Membership& of) {
  if (const auto found = gangs_.find(NameOf(of)); found != gangs_.end()) return &*found->second;
  auto kept = std::make_unique<KeptGang>();
  const auto object = newest_.find(NameOf(of));
  kept->gang = {of.dialect,
                std::string(of.namespace_),
                std::string(of.name),
                object == newest_.end() ? nullptr : object->second,
                {}};
  KeptGang* const made = kept.get();
  gangs_.emplace(NameOf(made->gang), std::move(kept));
  return made;
}

const UnitTable::Content::KeptPod& UnitTable::Content::TakePod(const PodPtr& pod, Notes* notes) {
  KeptPod& kept =
      *pods_in_step_.Find(pod.get(), [this](const Pod* address) { return &pods_[address]; });
  if (kept.seen != 0 && kept.seen + 1 == round_) {
    kept.seen = round_;
    return kept;
  }
  kept = {.pod = pod, .first = IsNeverHeld(*pod), .seen = round_};
  new_.push_back(&kept);
  const Standing standing = StandingOf(*pod, options_);
  const auto membership = MembershipOf(*pod, notes);
  const std::string excess = standing == Standing::kPending ? ExcessOf(*pod) : "";
  if (!excess.empty() && notes != nullptr) {
    notes->Add(NoteKind::kTooMuch, fmt::format("{}/{}", pod->namespace_, pod->name), excess);
  }
  if (!membership) {
    kept.is_single = standing == Standing::kPending && excess.empty();
    singles_ += kept.is_single ? 1 : 0;
    return kept;
  }
  kept.gang = GangOf(*membership);
  kept.gang->changed = true;
  kept.gang->gang.members.push_back({pod, standing, membership->minimum, membership->minimum_key,
                                     !excess.empty(), membership->role});
  return kept;
}

void UnitTable::Content::DropGone() {
  gone_.clear();
  pods_in_step_.EndRound([this](KeptPod* pod) {
    if (pod->seen != round_) gone_.push_back(pod);
  });
  std::vector<KeptGang*> left;
  for (const KeptPod* pod : gone_) {
    if (pod->gang != nullptr) left.push_back(pod->gang);
    singles_ -= pod->is_single ? 1 : 0;
  }
  std::sort(left.begin(), left.end());
  left.erase(std::unique(left.begin(), left.end()), left.end());
  for (KeptGang* kept : left) {
    kept->changed = true;
    std::erase_if(kept->gang.members, [this](const GangMember& member) {
      return pods_.find(member.pod.get())->second.seen != round_;
    });
    if (kept->gang.members.empty()) gangs_.erase(NameOf(kept->gang));
  }
}

// Their units, which are known by their addresses, have gone by now.
void UnitTable::Content::ForgetGoneBefore() {
  for (const KeptPod* pod : gone_before_) {
    if (pod->seen != round_) pods_.erase(pod->pod.get());
  }
  gone_before_.swap(gone_);
}

// A gang whose unit was taken out is looked at again.
void UnitTable::Content::FindUnits(std::vector<Unit>* units) {
  of_unit_.clear();
  of_unit_.reserve(units->size());
  const auto find = [this](const Pod* address) {
    const auto found = pods_.find(address);
    return found == pods_.end() ? nullptr : &found->second;
  };
  for (const Unit& unit : *units) {
    KeptPod* pod = units_in_step_.Find(unit.members[0].pod.get(), find);
    if (pod != nullptr && pod->seen != round_) pod = nullptr;
    if (pod != nullptr && pod->gang != nullptr) ++pod->gang->units_now;
    of_unit_.push_back(pod);
  }
  units_in_step_.EndRound([](const KeptPod*) {});
  for (const auto& [name, kept] : gangs_) {
    kept->changed |= std::exchange(kept->units_now, 0) != kept->units;
  }
}

void UnitTable::Content::KeepUnits(std::vector<Unit>* units) {
  kept_singles_ = 0;
  for (size_t i = 0; i < units->size(); ++i) {
    KeptPod* const pod = of_unit_[i];
    if (pod == nullptr || (pod->gang == nullptr ? !pod->is_single : pod->gang->changed)) continue;
    Unit& unit = (*units)[i];
    const bool is_gang = unit.key.dialect != Dialect::kNone;
    kept_singles_ += pod->is_single ? 1 : 0;
    Reset(is_gang ? pod->gang->first : pod->first, is_gang && pod->gang->in_part, options_, &unit);
    units_.stay.push_back(&unit);
    pod->in_unit = round_;
  }
}

void UnitTable::Content::KeepGroups(std::vector<GroupState>* groups) {
  for (GroupState& group : *groups) {
    const auto found = gangs_.find(NameOf(group.key));
    if (found != gangs_.end() && !found->second->changed) groups_.stay.push_back(&group);
  }
}

void UnitTable::Content::AddSingles(Notes* notes) {
  const auto add = [&](const KeptPod& pod) {
    if (!pod.is_single || pod.in_unit == round_) return;
    units_.fresh.push_back(UnitOf(pod.pod, options_, notes));
    ++kept_singles_;
  };
  for (const KeptPod* pod : new_) add(*pod);
  if (kept_singles_ == singles_) return;
  // Some were taken out.
  units_.fresh.clear();
  for (const auto& [address, pod] : pods_) {
    if (pod.seen == round_) add(pod);
  }
}

// False if the groups are as they were.
bool UnitTable::Content::FindChanged(size_t groups_before) {
  changed_.clear();
  for (const auto& [name, kept] : gangs_) {
    if (kept->changed) changed_.push_back(kept.get());
  }
  std::sort(changed_.begin(), changed_.end(),
            [](const KeptGang* a, const KeptGang* b) { return NameOf(a->gang) < NameOf(b->gang); });
  return !changed_.empty() || gangs_.size() != groups_before;
}

void UnitTable::Content::LookAt(KeptGang* kept, Notes* notes) {
  const Gang& gang = kept->gang;
  const size_t before = units_.fresh.size();
  Findings findings = Examine(gang, options_, notes);
  const GroupState& state = groups_.fresh.emplace_back(findings.state);
  if (state.cause == GroupCause::kNone) {
    if (state.independent) {
      for (const GangMember& member : gang.members) {
        if (member.standing == Standing::kPending && !member.asks_too_much)
          units_.fresh.push_back(UnitOf(member.pod, options_, notes));
      }
    } else if (state.existing > state.bound) {
      units_.fresh.push_back(UnitOf(gang, std::move(findings), options_, notes));
      kept->first = units_.fresh.back().rank.first;
      kept->in_part = units_.fresh.back().rank.in_part;
    }
  }
  kept->units = units_.fresh.size() - before;
  kept->changed = false;
}

UnitTable::UnitTable() : content_(std::make_unique<Content>()) {}
UnitTable::~UnitTable() = default;

const std::vector<PodPtr>& UnitTable::members() const {
  return content_->members();
}

void UnitTable::Update(std::span<const PodPtr> pods, std::span<const PodGroupObject> objects,
                       const GroupOptions& options, Notes* notes) {
  content_->Update(pods, objects, options, notes, &made_);
}

}  // namespace outrigger::plan
