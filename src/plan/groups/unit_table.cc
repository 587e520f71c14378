#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "outrigger/plan/groups.h"
#include "outrigger/plan/order.h"
#include "plan/groups/gang.h"
#include "plan/groups/limits.h"
#include "plan/groups/rejoin.h"

namespace outrigger::plan {
namespace {

// A group without its UID, of which only one exists at a time. Views of who is named.
using Name = std::tuple<Dialect, std::string_view, std::string_view>;

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
void Reset(bool first, const GroupOptions& options, Unit* unit) {
  unit->rank.turn = 0;
  unit->rank.first = first;
  unit->rank.by_priority = options.order_by_pod_priority;
  unit->has_open_claims = false;
  for (Member& member : unit->members) {
    member.waits_on.clear();
    member.reserved.clear();
    member.refused.clear();
    member.pinned.clear();
  }
}

}  // namespace

class UnitTable::Content {
 public:
  void Update(std::span<const PodPtr> pods, std::span<const PodGroupObject> objects,
              const GroupOptions& options, Notes* notes, GroupedUnits* made);

 private:
  struct KeptGang {
    Gang gang;
    bool changed = true;   // since it was last looked at
    bool first = false;    // the rank of its unit says so
    size_t units = 0;      // that it made: one, or one for each of its pods
    size_t units_now = 0;  // of these, how many are still there
  };

  struct KeptPod {
    PodPtr pod;
    KeptGang* gang = nullptr;
    bool is_single = false;  // that wants a place
    uint64_t seen = 0;       // the update that last gave it
    uint64_t in_unit = 0;    // the update that last found the single's unit
  };

  void TakeObjects(std::span<const PodGroupObject> objects);
  void TakePod(const PodPtr& pod, Notes* notes);
  KeptGang* GangOf(const Membership& of);
  void DropGone();
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
  absl::flat_hash_map<const Pod*, KeptPod> pods_;
  absl::flat_hash_map<Name, std::unique_ptr<KeptGang>> gangs_;
  uint64_t round_ = 0;
  // For one update only.
  std::vector<KeptPod*> of_unit_;   // the first member of each unit, or nullptr: it is gone
  std::vector<KeptGang*> changed_;  // in the order of their names
  Rejoiner<Unit> units_;
  Rejoiner<GroupState> groups_;
};

void UnitTable::Content::Update(std::span<const PodPtr> pods,
                                std::span<const PodGroupObject> objects,
                                const GroupOptions& options, Notes* notes, GroupedUnits* made) {
  if (options != options_) {
    options_ = options;
    pods_.clear();
    gangs_.clear();
  }
  ++round_;
  TakeObjects(objects);
  pods_.reserve(pods.size());
  for (const PodPtr& pod : pods) TakePod(pod, notes);
  if (pods_.size() > pods.size()) DropGone();
  FindUnits(&made->units);
  KeepUnits(&made->units);
  AddSingles(notes);
  if (FindChanged(made->groups.size())) {
    KeepGroups(&made->groups);
    for (KeptGang* kept : changed_) LookAt(kept, notes);
    groups_.Rejoin(GroupComesFirst, &made->groups);
  }
  units_.Rejoin(UnitComesFirst, &made->units);
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

void UnitTable::Content::TakePod(const PodPtr& pod, Notes* notes) {
  KeptPod& kept = pods_[pod.get()];
  kept.seen = round_;
  if (kept.pod != nullptr) return;
  kept.pod = pod;
  const Standing standing = StandingOf(*pod, options_);
  const auto membership = MembershipOf(*pod, notes);
  const std::string excess = WantsPlace(standing) ? ExcessOf(*pod) : "";
  if (!excess.empty() && notes != nullptr) {
    notes->Add(NoteKind::kTooMuch, fmt::format("{}/{}", pod->namespace_, pod->name), excess);
  }
  if (!membership) {
    kept.is_single = WantsPlace(standing) && excess.empty();
    return;
  }
  kept.gang = GangOf(*membership);
  kept.gang->changed = true;
  kept.gang->gang.members.push_back({pod, standing, membership->minimum, membership->minimum_key,
                                     !excess.empty(), membership->role});
}

void UnitTable::Content::DropGone() {
  std::vector<KeptGang*> left;
  for (const auto& [address, pod] : pods_) {
    if (pod.seen != round_ && pod.gang != nullptr) left.push_back(pod.gang);
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
  absl::erase_if(pods_, [this](const auto& entry) { return entry.second.seen != round_; });
}

// A gang whose unit was taken out is looked at again.
void UnitTable::Content::FindUnits(std::vector<Unit>* units) {
  of_unit_.clear();
  of_unit_.reserve(units->size());
  for (const Unit& unit : *units) {
    const auto found = pods_.find(unit.members[0].pod.get());
    KeptPod* const pod = found == pods_.end() ? nullptr : &found->second;
    if (pod != nullptr && pod->gang != nullptr) ++pod->gang->units_now;
    of_unit_.push_back(pod);
  }
  for (const auto& [name, kept] : gangs_) {
    kept->changed |= std::exchange(kept->units_now, 0) != kept->units;
  }
}

void UnitTable::Content::KeepUnits(std::vector<Unit>* units) {
  for (size_t i = 0; i < units->size(); ++i) {
    KeptPod* const pod = of_unit_[i];
    if (pod == nullptr || (pod->gang == nullptr ? !pod->is_single : pod->gang->changed)) continue;
    Unit& unit = (*units)[i];
    const bool is_gang = unit.key.dialect != Dialect::kNone;
    Reset(is_gang ? pod->gang->first : ComesFirst(*pod->pod), options_, &unit);
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
  for (const auto& [address, pod] : pods_) {
    if (pod.is_single && pod.in_unit != round_)
      units_.fresh.push_back(UnitOf(pod.pod, options_, notes));
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
    if (gang.object != nullptr && gang.object->independent) {
      for (const GangMember& member : gang.members) {
        if (WantsPlace(member.standing) && !member.asks_too_much)
          units_.fresh.push_back(UnitOf(member.pod, options_, notes));
      }
    } else if (state.existing - state.held > state.bound) {
      units_.fresh.push_back(UnitOf(gang, std::move(findings), options_, notes));
      kept->first = units_.fresh.back().rank.first;
    }
  }
  kept->units = units_.fresh.size() - before;
  kept->changed = false;
}

UnitTable::UnitTable() : content_(std::make_unique<Content>()) {}
UnitTable::~UnitTable() = default;

void UnitTable::Update(std::span<const PodPtr> pods, std::span<const PodGroupObject> objects,
                       const GroupOptions& options, Notes* notes) {
  content_->Update(pods, objects, options, notes, &made_);
}

}  // namespace outrigger::plan
