#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "gang/desk/board.h"
#include "gang/desk/time.h"

namespace outrigger::desk {

/// What the condition of a pod is to say.
struct ShownReason {
  PodPtr pod;
  std::string message;
};

/// Finds conditions that give a reason of ours which is no longer so. kube-scheduler writes it as
/// it tries the pod, and some changes make it try none: a new pod or PodGroup; the binding of the
/// pod that another one waited for, which may evict now. To write the condition wakes the pod. Not
/// thread-safe.
class StaleReasons {
 public:
  /// Returns the conditions to be written now: each some time after its reason changed, so that
  /// kube-scheduler may do it. It is returned again until OnWritten().
  std::vector<ShownReason> OnPlan(const Board& board, Time now);
  /// The condition of the pod was written, or could not be: that is done less and less often.
  void OnWritten(const std::string& uid, Time now);
  std::optional<Time> next_look() const { return next_look_.at(); }

 private:
  struct Entry {
    std::string reason;  // that is to be shown
    Time due;
    int64_t writes = 0;
    uint64_t seen = 0;
  };
  void Look(const BoardPod& seat, const std::string& reason, std::string message, Time now,
            std::vector<ShownReason>* due);

  absl::flat_hash_map<std::string, Entry> entries_;  // by UID; of pods whose reason was stale
  NextLook next_look_;
  uint64_t round_ = 0;
};

}  // namespace outrigger::desk
