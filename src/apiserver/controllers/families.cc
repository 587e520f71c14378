#include "apiserver/controllers/families.h"

#include "apiserver/select/label_selector.h"

namespace outrigger::apiserver {

void Families::See(const Change& change) {
  if (change.collection == parents_.collection) SeeParent(change);
  if (change.collection == children_.collection) SeeChild(change);
}

void Families::SeeParent(const Change& change) {
  const Stored& parent = *change.now;
  reconciler_.Look(change.collection, parent.name);
  if (change.kind == Change::Kind::kDeleted) {
    names_.erase(parent.uid);
    selectors_.erase(parent.name);
    orphans_.erase(parent.name);
    return;
  }
  names_[parent.uid] = parent.name;
  if (!adopts_ || change.kind != Change::Kind::kAdded) return;
  // Selectors never change.
  const Json spec = parent.Parse().value("spec", Json::object());
  const LabelSelector& selector = selectors_[parent.name] =
      ReadLabelSelector(spec.value("selector", Json()));
  for (const StoredPtr& child :
       desk_.store->List(*children_.collection, parent.name.namespace_).objects) {
    if (child->owners.empty() && selector.Matches(child->labels)) {
      orphans_[parent.name].insert(child->name);
    }
  }
}

void Families::SeeChild(const Change& change) {
  LookAtOwnersOf(*change.now);
  if (change.before != nullptr && change.before->owners != change.now->owners) {
    LookAtOwnersOf(*change.before);
  }
  if (change.kind != Change::Kind::kDeleted) OfferOrphan(*change.now);
}

void Families::LookAtOwnersOf(const Stored& child) {
  for (const std::string& uid : child.owners) {
    const auto owner = names_.find(uid);
    if (owner != names_.end()) reconciler_.Look(parents_.collection, owner->second);
  }
}

void Families::OfferOrphan(const Stored& child) {
  if (!adopts_ || !child.owners.empty() || child.deleting) return;
  for (auto at = selectors_.lower_bound({child.name.namespace_, ""}); at != selectors_.end();
       ++at) {
    if (at->first.namespace_ != child.name.namespace_) return;
    if (!at->second.Matches(child.labels)) continue;
    orphans_[at->first].insert(child.name);
    reconciler_.Look(parents_.collection, at->first);
  }
}

Result Families::Adopt(const Stored& parent) {
  const auto offered = orphans_.find(parent.name);
  if (offered == orphans_.end() || parent.deleting) return std::nullopt;
  const Json reference = ControllerReference(parents_, parent);
  for (const ObjectName& name : offered->second) {
    const StoredPtr child = desk_.store->Get(*children_.collection, name);
    if (child == nullptr || !child->owners.empty() || child->deleting) continue;
    const bool is_pod = &children_ == &desk_.pods;
    if (is_pod && desk_.FactsOf(child).IsFinished()) continue;
    const auto adopt = [&](Json* object) {
      Json& owners = (*object)["metadata"]["ownerReferences"];
      if (!owners.is_array()) owners = Json::array();
      if (owners.empty()) owners.push_back(reference);
    };
    if (auto failure = desk_.Edit(children_, *child, Part::kMain, adopt)) return failure;
  }
  orphans_.erase(parent.name);
  return std::nullopt;
}

}  // namespace outrigger::apiserver
