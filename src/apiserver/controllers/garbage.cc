// Garbage: what is left of owners that have gone, and deletions that wait for their dependents or
// leave them behind.

#include <algorithm>
#include <map>
#include <string>

#include "apiserver/controllers/reconcilers.h"
#include "apiserver/select/field_path.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kForeground = "foregroundDeletion";
constexpr const char* kOrphan = "orphan";
// Objects that are made with an owner that is not there may come before it.
constexpr std::chrono::seconds kMoment{1};

class Garbage : public Reconciler {
 public:
  using Reconciler::Reconciler;

  std::vector<const Collection*> Watched() const override { return {}; }
  void See(const Change& change) override;
  Result Sync(const Collection& collection, const ObjectName& name) override;

 private:
  enum class OwnerState : uint8_t { kSolid, kWaiting, kAbsent };
  void SeeGone(const Change& change);
  void LookAtWaiting(const Stored& dependent);
  ServedPtr ServedOf(const Collection& collection) const;
  OwnerState StateOf(const Json& reference, const std::string& namespace_) const;
  Result LeaveBehind(const Served& kind, const Stored& owner);
  Result AwaitDependents(const Served& kind, const Stored& owner);
  Result CheckOwners(const Served& kind, const Stored& object, const Json& metadata);

  // Owners that are to go after their dependents, by UID.
  std::map<std::string, std::pair<const Collection*, ObjectName>> waiting_;
};

void Garbage::See(const Change& change) {
  const Stored& now = *change.now;
  if (change.kind == Change::Kind::kDeleted) return SeeGone(change);
  if (now.deleting) Look(change.collection, now.name);
  if (change.before != nullptr && change.before->owners != now.owners) {
    LookAtWaiting(*change.before);
  }
  if (now.owners.empty()) return;
  const bool is_new = change.before == nullptr || change.before->owners != now.owners;
  const auto is_here = [&](const std::string& uid) { return desk_.store->HasUid(uid); };
  if (is_new && !std::all_of(now.owners.begin(), now.owners.end(), is_here)) {
    LookAfter(change.collection, now.name, kMoment);
  }
}

void Garbage::SeeGone(const Change& change) {
  waiting_.erase(change.now->uid);
  for (const auto& [collection, name] : desk_.store->OwnedBy(change.now->uid)) {
    Look(collection, name);
  }
  LookAtWaiting(*change.now);
}

void Garbage::LookAtWaiting(const Stored& dependent) {
  for (const std::string& uid : dependent.owners) {
    const auto owner = waiting_.find(uid);
    if (owner != waiting_.end()) Look(owner->second.first, owner->second.second);
  }
}

ServedPtr Garbage::ServedOf(const Collection& collection) const {
  for (ServedPtr& one : desk_.catalog->All()) {
    if (one->collection == &collection) return std::move(one);
  }
  return nullptr;
}

Result Garbage::Sync(const Collection& collection, const ObjectName& name) {
  const StoredPtr stored = desk_.store->Get(collection, name);
  const ServedPtr kind = ServedOf(collection);
  if (stored == nullptr || kind == nullptr) return std::nullopt;
  const Json object = stored->Parse();
  if (!stored->deleting) return CheckOwners(*kind, *stored, object["metadata"]);
  if (HasFinalizer(object, kOrphan)) return LeaveBehind(*kind, *stored);
  return HasFinalizer(object, kForeground) ? AwaitDependents(*kind, *stored) : std::nullopt;
}

void RemoveOwners(const std::function<bool(const Json&)>& is_one, Json* object) {
  Json kept = Json::array();
  for (const Json& owner : ListAt(*object, "metadata.ownerReferences")) {
    if (!is_one(owner)) kept.push_back(owner);
  }
  (*object)["metadata"].erase("ownerReferences");
  if (!kept.empty()) (*object)["metadata"]["ownerReferences"] = std::move(kept);
}

Result Garbage::LeaveBehind(const Served& kind, const Stored& owner) {
  const auto is_owner = [&](const Json& one) { return one.value("uid", "") == owner.uid; };
  for (const auto& [collection, name] : desk_.store->OwnedBy(owner.uid)) {
    const StoredPtr dependent = desk_.store->Get(*collection, name);
    const ServedPtr its_kind = ServedOf(*collection);
    if (dependent == nullptr || its_kind == nullptr) continue;
    const auto edit = [&](Json* object) { RemoveOwners(is_owner, object); };
    if (auto failure = desk_.Edit(*its_kind, *dependent, Part::kMain, edit)) return failure;
  }
  return desk_.Edit(kind, owner, Part::kMain,
                    [](Json* object) { RemoveFinalizer(kOrphan, object); });
}

// Those that block it, by their own word, go first.
Result Garbage::AwaitDependents(const Served& kind, const Stored& owner) {
  waiting_[owner.uid] = {kind.collection, owner.name};
  bool is_blocked = false;
  for (const auto& [collection, name] : desk_.store->OwnedBy(owner.uid)) {
    const StoredPtr dependent = desk_.store->Get(*collection, name);
    if (dependent == nullptr) continue;
    const Json object = dependent->Parse();
    for (const Json& one : ListAt(object, "metadata.ownerReferences")) {
      is_blocked |= one.value("uid", "") == owner.uid && one.value("blockOwnerDeletion", false);
    }
    if (!dependent->deleting) Look(collection, name);
  }
  if (is_blocked) return std::nullopt;
  return desk_.Edit(kind, owner, Part::kMain,
                    [](Json* object) { RemoveFinalizer(kForeground, object); });
}

Garbage::OwnerState Garbage::StateOf(const Json& reference, const std::string& namespace_) const {
  const std::string uid = reference.value("uid", "");
  if (waiting_.contains(uid)) return OwnerState::kWaiting;
  const ServedPtr kind = desk_.KindOf(reference);
  // Of a kind that nobody knows nothing can be said.
  if (kind == nullptr || kind->collection == nullptr) return OwnerState::kSolid;
  const StoredPtr owner = desk_.store->Get(
      *kind->collection, {kind->namespaced ? namespace_ : "", reference.value("name", "")});
  return owner != nullptr && owner->uid == uid ? OwnerState::kSolid : OwnerState::kAbsent;
}

Result Garbage::CheckOwners(const Served& kind, const Stored& object, const Json& metadata) {
  bool has_solid = false;
  bool has_waiting = false;
  bool has_absent = false;
  const auto state_of = [&](const Json& one) { return StateOf(one, object.name.namespace_); };
  const Json owners = metadata.value("ownerReferences", Json::array());
  for (const Json& owner : owners) {
    const OwnerState state = state_of(owner);
    has_solid |= state == OwnerState::kSolid;
    has_waiting |= state == OwnerState::kWaiting;
    has_absent |= state == OwnerState::kAbsent;
  }
  if (!has_waiting && !has_absent) return std::nullopt;
  if (has_solid) {
    const auto is_over = [&](const Json& one) { return state_of(one) != OwnerState::kSolid; };
    return desk_.Edit(kind, object, Part::kMain,
                      [&](Json* edited) { RemoveOwners(is_over, edited); });
  }
  Deletion deletion;
  if (has_waiting && !desk_.store->OwnedBy(object.uid).empty()) deletion.propagation = "Foreground";
  return desk_.Erase(kind, object, deletion);
}

}  // namespace

ReconcilerPtr MakeGarbage(Desk* desk, WorkQueue* queue) {
  return std::make_unique<Garbage>(desk, queue);
}

}  // namespace outrigger::apiserver
