// Garbage: what is left of owners that have gone, and deletions that wait for their dependents or
// leave them behind.

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "apiserver/controllers/desk.h"
#include "apiserver/select/field_path.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kForeground = "foregroundDeletion";
constexpr const char* kOrphan = "orphan";

class Garbage : public Reconciler {
 public:
  using Reconciler::Reconciler;
  void See(const Change& change) override;
  void Sync(const Collection& collection, const StoredPtr& object) override;

 private:
  void LookAtWaiting(const Stored& dependent);
  ServedPtr Find(const std::function<bool(const Served&)>& is_it) const;
  bool IsAbsent(const Json& owner) const;
  void LeaveBehind(const Served& kind, const Stored& owner);
  void AwaitDependents(const Served& kind, const Stored& owner);
  bool OwnsOneThatWaits(const Stored& object) const;
  void CheckOwners(const Served& kind, const Stored& object, const Json& owners);

  // Owners that are to go after their dependents, by UID.
  std::map<std::string, std::pair<const Collection*, ObjectName>> waiting_;
};

void Garbage::See(const Change& change) {
  const Stored& now = *change.now;
  if (change.kind == Change::Kind::kDeleted) {
    waiting_.erase(now.uid);
    for (const auto& [collection, name] : desk_.store->OwnedBy(now.uid)) Look(collection, name);
    return LookAtWaiting(now);
  }
  if (now.deleting) Look(change.collection, now.name);
  if (change.before != nullptr && change.before->owners == now.owners) return;
  if (change.before != nullptr) LookAtWaiting(*change.before);
  for (const std::string& uid : now.owners) {
    if (!desk_.store->HasUid(uid)) Look(change.collection, now.name);
  }
}

void Garbage::LookAtWaiting(const Stored& dependent) {
  for (const std::string& uid : dependent.owners) {
    const auto owner = waiting_.find(uid);
    if (owner != waiting_.end()) Look(owner->second.first, owner->second.second);
  }
}

ServedPtr Garbage::Find(const std::function<bool(const Served&)>& is_it) const {
  for (ServedPtr& one : desk_.catalog->All()) {
    if (is_it(*one)) return std::move(one);
  }
  return nullptr;
}

void Garbage::Sync(const Collection& collection, const StoredPtr& object) {
  const auto kind = Find([&](const Served& one) { return one.collection == &collection; });
  if (kind == nullptr) return;
  const Json parsed = object->Parse();
  if (!object->deleting) {
    CheckOwners(*kind, *object, ListAt(parsed, "metadata.ownerReferences"));
  } else if (HasFinalizer(parsed, kOrphan)) {
    LeaveBehind(*kind, *object);
  } else if (HasFinalizer(parsed, kForeground)) {
    AwaitDependents(*kind, *object);
  }
}

void RemoveOwners(const std::set<std::string>& uids, Json* object) {
  Json& owners = (*object)["metadata"]["ownerReferences"];
  const auto is_one = [&](const Json& owner) { return uids.contains(TextAt(owner, "uid")); };
  if (owners.is_array()) {
    owners.erase(std::remove_if(owners.begin(), owners.end(), is_one), owners.end());
  }
  if (owners.empty()) (*object)["metadata"].erase("ownerReferences");
}

void Garbage::LeaveBehind(const Served& kind, const Stored& owner) {
  for (const auto& found : desk_.store->OwnedBy(owner.uid)) {
    const Collection* const collection = found.first;
    const StoredPtr dependent = desk_.store->Get(*collection, found.second);
    const auto its_kind = Find([&](const Served& one) { return one.collection == collection; });
    if (dependent == nullptr || its_kind == nullptr) continue;
    desk_.Edit(*its_kind, *dependent, Part::kMain,
               [&](Json* object) { RemoveOwners({owner.uid}, object); });
  }
  if (!desk_.failure()) desk_.RemoveFinalizer(kind, owner, kOrphan);
}

void Garbage::AwaitDependents(const Served& kind, const Stored& owner) {
  bool waits = false;
  for (const auto& [collection, name] : desk_.store->OwnedBy(owner.uid)) {
    const StoredPtr dependent = desk_.store->Get(*collection, name);
    if (dependent == nullptr || dependent->uid == owner.uid) continue;  // one may own itself
    waits = true;
    if (!dependent->deleting) Look(collection, name);
  }
  if (waits) {
    waiting_[owner.uid] = {kind.collection, owner.name};
  } else {
    desk_.RemoveFinalizer(kind, owner, kForeground);
  }
}

// Whether somebody who waits is among what it owns: in a circle one has to go first.
bool Garbage::OwnsOneThatWaits(const Stored& object) const {
  const auto owned = desk_.store->OwnedBy(object.uid);
  return std::any_of(owned.begin(), owned.end(), [&](const auto& one) {
    const StoredPtr stored = desk_.store->Get(*one.first, one.second);
    return stored != nullptr && waiting_.contains(stored->uid);
  });
}

// Of an owner of a kind that nobody knows nothing can be said.
bool Garbage::IsAbsent(const Json& owner) const {
  return !desk_.store->HasUid(TextAt(owner, "uid")) &&
         Find([&](const Served& one) {
           return one.kind == TextAt(owner, "kind") &&
                  one.GroupVersion() == TextAt(owner, "apiVersion");
         }) != nullptr;
}

void Garbage::CheckOwners(const Served& kind, const Stored& object, const Json& owners) {
  std::set<std::string> over;
  size_t references = 0;  // to these: one may be named twice
  Deletion deletion;
  for (const Json& owner : owners) {
    const bool waits = waiting_.contains(TextAt(owner, "uid"));
    if (!waits && !IsAbsent(owner)) continue;
    over.insert(TextAt(owner, "uid"));
    ++references;
    const bool owns = !desk_.store->OwnedBy(object.uid).empty();
    if (waits && owns && !OwnsOneThatWaits(object)) deletion.propagation = "Foreground";
  }
  if (over.empty()) return;
  if (references == owners.size()) {
    desk_.Erase(kind, object, deletion);
  } else {
    desk_.Edit(kind, object, Part::kMain, [&](Json* edited) { RemoveOwners(over, edited); });
  }
}

}  // namespace

ReconcilerPtr MakeGarbage(Desk* desk) {
  return std::make_unique<Garbage>(desk);
}

}  // namespace outrigger::apiserver
