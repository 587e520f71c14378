#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "outrigger/k8s/resources.h"
#include "outrigger/k8s/string_map.h"

namespace outrigger {

/// How a pod says which group it belongs to.
enum class Dialect : uint8_t {
  kNone,              ///< a single pod
  kLabels,            ///< labels podGroup and minAvailable on the pod, no object
  kSchedulerPlugins,  ///< scheduling.x-k8s.io PodGroup
  kKoordinator,       ///< scheduling.sigs.k8s.io PodGroup
  kVolcano,           ///< scheduling.volcano.sh PodGroup
  kUpstream,          ///< scheduling.k8s.io PodGroup
};

/// A set of dialects.
class DialectSet {
 public:
  constexpr DialectSet() = default;
  static constexpr DialectSet All() { return DialectSet(0xff); }
  constexpr void Add(Dialect dialect) { bits_ |= Bit(dialect); }
  constexpr bool Has(Dialect dialect) const { return (bits_ & Bit(dialect)) != 0; }
  friend bool operator==(const DialectSet&, const DialectSet&) = default;

 private:
  explicit constexpr DialectSet(uint8_t bits) : bits_(bits) {}
  static constexpr uint8_t Bit(Dialect dialect) {
    return static_cast<uint8_t>(1U << static_cast<unsigned>(dialect));
  }
  uint8_t bits_ = 0;
};

/// A PodGroup object of any dialect but kLabels. A plain value; what was absent is empty or zero.
struct PodGroup {
  Dialect dialect = Dialect::kNone;
  std::string namespace_;
  std::string name;
  std::string uid;
  int64_t created = 0;  // seconds since 1970, UTC; 0: not known
  /// spec.minMember; of kUpstream spec.schedulingPolicy.gang.minCount. As it is written: may be
  /// negative or huge.
  int64_t min_member = 0;
  /// kUpstream: the policy is `basic`, so that members are scheduled one by one.
  bool independent = false;
  std::map<std::string, int64_t, std::less<>> min_task_member;  // kVolcano: by role, as written
  ResourceList min_resources;
  std::optional<int64_t> schedule_timeout_seconds;
  std::string priority_class_name;
  StringMap annotations;
  StringMap labels;
  std::string queue;  // kVolcano: spec.queue
  // In views only where Needs::ClusterGroupStatus() asks for them.
  std::string phase;  // status.phase: "Pending", "Running", ...; kUpstream has none
  std::string resource_version;
  friend bool operator==(const PodGroup&, const PodGroup&) = default;
};

/// True if the two are equal except for the fields that change with their status: phase and
/// version.
inline bool SameButForStatus(const PodGroup& a, const PodGroup& b) {
  // Names every field, so that a new field must be considered here.
  const auto& [dialect, namespace_, name, uid, created, min_member, independent, min_task_member,
               min_resources, timeout, priority_class_name, annotations, labels, queue, phase,
               resource_version] = a;
  (void)phase;
  (void)resource_version;
  return dialect == b.dialect && namespace_ == b.namespace_ && name == b.name && uid == b.uid &&
         created == b.created && min_member == b.min_member && independent == b.independent &&
         min_task_member == b.min_task_member && min_resources == b.min_resources &&
         timeout == b.schedule_timeout_seconds && priority_class_name == b.priority_class_name &&
         annotations == b.annotations && labels == b.labels && queue == b.queue;
}

}  // namespace outrigger
