#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::cluster {

/// The times of a pod, in seconds since 1970; 0: not known. Packed they take some six bytes, since
/// each is counted from the one before; without any they take nothing.
struct PodTimes {
  int64_t creation = 0;
  int64_t scheduled = 0;
  int64_t start = 0;
  int64_t end = 0;

  static PodTimes Of(const Pod& pod);
  void SetIn(Pod* pod) const;

  void Pack(std::string* out) const;
  /// `packed` is all that Pack() has appended.
  static PodTimes Unpack(std::string_view packed);
};

class PodRecord;
using PodPtr = std::shared_ptr<const PodRecord>;

/// Which pod: two may have the same name in different namespaces.
struct PodKey {
  std::string_view namespace_;
  std::string_view name;
  friend auto operator<=>(const PodKey&, const PodKey&) = default;
};

/// A pod as the view of the cluster keeps it: packed into one block of memory, since tens of
/// thousands are kept and few are read in full. Immutable, thread-safe; views live as long as it.
class PodRecord {
 public:
  /// Packs `pod`.
  static PodPtr Of(const Pod& pod);
  /// The same pod, which has no node, as assumed to be on `node`.
  PodPtr AssumedOn(std::string_view node) const;

  PodRecord(const PodRecord&) = delete;
  PodRecord& operator=(const PodRecord&) = delete;

  std::string_view name() const { return key().name; }
  std::string_view namespace_() const { return key().namespace_; }
  PodKey key() const;
  /// Where the pod is bound, or, of an assumed pod, where it will be; empty: nowhere yet.
  std::string_view node_name() const;
  std::string_view uid() const;
  std::string_view phase() const;
  std::string_view resource_version() const;
  int32_t priority() const { return priority_; }
  /// Succeeded or Failed: it takes nothing of its node any more.
  bool is_terminal() const { return is_terminal_; }
  /// node_name() is an assumption: the API server has not shown the pod there.
  bool is_assumed() const { return is_assumed_; }

  /// It has required pod anti-affinity, which forbids others its node or more.
  bool has_required_anti_affinity() const { return has_required_anti_affinity_; }
  bool has_host_ports() const { return has_host_ports_; }
  /// It has spec.schedulingGroup: it names a group in upstream's own way.
  bool has_scheduling_group() const { return has_scheduling_group_; }

  /// PodRequestsOnNode() of the pod, resource by resource.
  void ForEachRequest(
      absl::FunctionRef<void(std::string_view name, const Quantity& quantity)> visit) const;

  /// The value of a label; a null view where it is absent. Nothing else is unpacked.
  std::string_view Label(std::string_view key) const;
  std::string_view Annotation(std::string_view key) const;

  /// Cheap, too.
  PodTimes times() const { return PodTimes::Unpack(PackedTimes()); }
  std::string_view status_reason() const;
  /// Those of init containers first. The state lives during the call.
  void ForEachContainerState(absl::FunctionRef<void(const ContainerState& state)> visit) const;

  /// The whole pod, as it was packed; an assumed one with its node.
  Pod Unpack() const;

  /// True if both say the same in everything but the resource version.
  bool SameContent(const PodRecord& other) const;
  /// The same, but for what only ChangeScope::kAllAndStates has: what the kubelet reports of the
  /// pod's life.
  bool SameButStates(const PodRecord& other) const;
  /// True if both ask for the same of a node.
  bool SameRequests(const PodRecord& other) const;

  /// Bytes of memory that it takes, the block of the shared pointer included.
  size_t bytes() const;

 private:
  struct Head;

  PodRecord() = default;
  static PodPtr Make(const Head& head, std::string_view content, std::string_view resource_version);
  static std::string_view Lookup(const char* map, std::string_view key);

  const char* content() const { return reinterpret_cast<const char*>(this + 1); }
  const char* AfterTexts(int count) const;
  std::string_view PackedRequests() const;
  std::string_view PackedTimes() const;
  // The part of the content without the states of containers, and those, which only some have.
  std::string_view Stem() const;
  std::string_view PackedStates() const;

  // Behind the object: the content, and then the resource version.
  uint32_t content_size_ = 0;
  uint32_t resource_version_size_ = 0;
  int32_t priority_ = 0;
  bool is_terminal_ : 1 = false;
  bool is_assumed_ : 1 = false;
  bool has_required_anti_affinity_ : 1 = false;
  bool has_host_ports_ : 1 = false;
  bool has_scheduling_group_ : 1 = false;
  bool has_states_ : 1 = false;
};

}  // namespace outrigger::cluster
