#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "apiserver/controllers/desk.h"
#include "outrigger/k8s/selector.h"

namespace outrigger::apiserver {

/// Parents that control children: a ReplicaSet its pods. Has the parent looked at when one of its
/// children changes. A child without an owner whose labels a parent selects becomes that parent's,
/// as it does upstream; parents do not let go of theirs.
class Families {
 public:
  Families(Reconciler* reconciler, Desk* desk, const Served& parents, const Served& children,
           bool adopts)
      : reconciler_(*reconciler),
        desk_(*desk),
        parents_(parents),
        children_(children),
        adopts_(adopts) {}

  void See(const Change& change);
  /// Makes those its children that have no owner.
  Result Adopt(const Stored& parent);

 private:
  void SeeParent(const Change& change);
  void SeeChild(const Change& change);
  void LookAtOwnersOf(const Stored& child);
  void OfferOrphan(const Stored& child);

  Reconciler& reconciler_;
  Desk& desk_;
  const Served& parents_;
  const Served& children_;
  const bool adopts_;
  std::unordered_map<std::string, ObjectName> names_;  // by UID
  std::map<ObjectName, LabelSelector> selectors_;
  std::map<ObjectName, std::set<ObjectName>> orphans_;  // by the parent that may have them
};

}  // namespace outrigger::apiserver
