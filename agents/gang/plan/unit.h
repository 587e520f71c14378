#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/pod_group.h"
#include "outrigger/k8s/resources.h"
#include "outrigger/k8s/selector.h"

// What is planned: units, each a gang or a single pod. Plain values.

namespace outrigger::plan {

using outrigger::Dialect;

/// Which unit: the same name in two namespaces, in two dialects, or of an object that was deleted
/// and created again, is another one.
struct UnitKey {
  Dialect dialect = Dialect::kNone;
  std::string namespace_;
  std::string name;
  std::string uid;  // of the group's object, or of a single pod; empty where there is no object
  // clang-tidy 14 takes the 0 that a comparison of ordered keys is rewritten with for a pointer.
  friend auto operator<=>(const UnitKey&,
                          const UnitKey&) = default;  // NOLINT(modernize-use-nullptr)
};

/// status.qosClass; a larger one comes first.
enum class QosClass : uint8_t { kBestEffort, kBurstable, kGuaranteed };

/// A unit's place in the queue. `a < b`: a comes before b. Total over units of one cluster.
struct Rank {
  /// The unit comes before everything else: its priority is system-critical, or it is a single pod
  /// for which IsNeverHeld() of plan/order.h holds.
  bool first = false;
  int64_t group_priority = 0;
  /// The unit's own, always: preemption compares it. See ordered_priority().
  int32_t priority = 0;
  /// False: `priority` does not count for the order. The same in all units that are compared.
  bool by_priority = true;
  /// The unit comes before all others of its group priority and priority: GroupState::preferred.
  bool in_part = false;
  /// How often the unit has given up its places: it comes later than those of its priority that did
  /// so less often. BuildUnits() leaves it at 0.
  int64_t turn = 0;
  QosClass qos = QosClass::kBestEffort;
  int64_t created = 0;  // seconds since 1970 of the group, 0: not known
  std::string namespace_;
  std::string name;
  std::string uid;

  /// What counts of `priority` for the order: all of it, or 0 for every unit.
  int32_t ordered_priority() const { return by_priority ? priority : 0; }

  friend std::strong_ordering operator<=>(const Rank& a, const Rank& b);
  friend bool operator==(const Rank& a, const Rank& b) = default;
};

/// A pod of a unit that has no place yet.
struct Member {
  std::shared_ptr<const Pod> pod;  // never null
  std::string role;                // of Unit::roles, or empty
  /// It waits there to be bound: it is placed there or its unit does not fit.
  std::string waits_on;
  /// The place that the plan before gave it; kept while it is still right.
  std::string reserved;
  /// A node on which kube-scheduler keeps room for it, being nominated, though no plan has given it
  /// that place yet: preferred as `reserved` is, and not kept from other pods.
  std::string ahead = {};
  /// Nodes that kube-scheduler has refused for it.
  std::vector<std::string> refused;
  /// Likewise for all members of its spec, which share the list; null: none.
  std::shared_ptr<const std::vector<std::string>> refused_to_spec = nullptr;
  /// What its volumes and claims ask of a node; all must match.
  std::vector<NodeSelector> pinned;
};

/// How many members of a role must have a place.
struct Role {
  std::string name;
  int64_t minimum = 0;
  int64_t bound = 0;  // members of the role that have a place already
};

/// Members are to share one value of a node label.
struct TopologyWish {
  std::vector<std::string> required;   // labels; of each all members must share one value
  std::vector<std::string> preferred;  // labels, the most wanted first
  /// Where the bound members are: the nodes' names. All members of a required level join them.
  std::vector<std::string> bound_on;
  friend bool operator==(const TopologyWish&, const TopologyWish&) = default;
};

/// A gang or a single pod.
struct Unit {
  UnitKey key;
  Rank rank;
  /// Those that want a place, in the order in which they should get one.
  std::vector<Member> members;
  int64_t minimum = 1;  // of bound and placed members together
  int64_t bound = 0;    // members that have a place: bound, or assumed in the snapshot
  std::vector<Role> roles;
  TopologyWish topology;
  /// So much must be free on all schedulable nodes together before the first member gets its place
  /// (spec.minResources). Once one has a reservation, waits to be bound or is bound, it is not
  /// looked at: what others take then must not cut the gang in two.
  ResourceList min_resources;
  /// Of some member a volume is to be bound, or devices to be allocated, once it has a node:
  /// between its place and its binding lies as long as that takes.
  bool has_open_claims = false;
  /// What kube-scheduler says of nodes that are refused for members, if it fits on no others.
  std::string refusal = {};
};

/// "default/train".
inline std::string TextOf(const UnitKey& key) {
  return key.namespace_ + "/" + key.name;
}

}  // namespace outrigger::plan
