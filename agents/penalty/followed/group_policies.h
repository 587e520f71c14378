#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/custom_objects.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/pod_group.h"
#include "penalty/classes/class_policy.h"
#include "penalty/classes/edges.h"
#include "penalty/classes/policy.h"
#include "sdk/base/dialects.h"

namespace outrigger::penalty {

inline constexpr CustomKind kQueueKind = {RowOf(kGroupDialect).group, "v1beta1", "queues", "Queue",
                                          false};
inline constexpr CustomKind kNamespaceKind = {"", "v1", "namespaces", "Namespace", false};

/// By which policy a PodGroup counts.
struct GroupPolicy {
  Policy policy;
  // Whose annotation says what a start, or a completion, adds: "queue batch"; empty: the class's,
  // or the settings.
  std::string start_of = {};
  std::string completion_of = {};
};

/// What the Queues and the Namespaces say that their PodGroups add: the annotations
/// outrigger.dev/penalty-start and -completion. Follows both while it lives. Thread-safe.
class GroupPolicies {
 public:
  /// `cluster` outlives this. `changed` is called by other threads.
  GroupPolicies(CustomObjectAccess* cluster, const std::function<void()>& changed);

  /// Ok: both are known, or not served. Else why not, in words that stay the same.
  absl::Status Usable() const;
  /// What counts: the queue's, else the namespace's, else that of the class.
  GroupPolicy Of(const PodGroup& group, const Policy& of_class) const;
  /// Events about annotations that are malformed and do not count, each once.
  std::vector<ClusterEvent> TakeProblems();

 private:
  class Source final : public CustomObjectSink {
   public:
    Source(const CustomKind& kind, std::function<void()> changed);
    absl::Status Upsert(const CustomObjectName& object, std::string_view json) override;
    void Remove(const CustomObjectName& object) override;
    void EndReplace(std::string_view version) override;
    /// Takes what it says in place of what is there.
    void Choose(const std::string& name, std::string_view word, GroupPolicy* chosen) const;
    void TakeProblems(std::vector<ClusterEvent>* problems);

   private:
    const CustomKind kind_;
    const std::function<void()> changed_;
    mutable Mutex mutex_;
    std::map<std::string, GroupIncrements, std::less<>> said_
        ABSL_GUARDED_BY(mutex_);  // by name; only those that say anything
    std::vector<ClusterEvent> problems_ ABSL_GUARDED_BY(mutex_);  // not taken yet
  };

  Source queues_;
  Source namespaces_;
  std::array<std::unique_ptr<FollowedKind>, 2> followed_;  // last: they call the sources
};

}  // namespace outrigger::penalty
