#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api.h"
#include "outrigger/base/clock.h"

namespace outrigger::cli {

/// A pod that was listed.
struct GatedPod {
  std::string namespace_;
  std::string name;
  std::string uid;
  bool is_nominated = false;  // for a node
};

/// Pods without a node that carry the scheduling gate, of all namespaces. Errors are those of the
/// call. Blocks; thread-safe.
absl::StatusOr<std::vector<GatedPod>> ListGatedPods(kube::Api& api, std::string_view gate);

/// What became of the pods.
struct GateReleased {
  size_t released = 0;
  size_t nominated = 0;  ///< of the released: kube-scheduler keeps places for them
  size_t gone = 0;       ///< deleted, or deleted and created again, before their turn
  Clock::Duration took{0};
  /// Pods that have the gate still, and why: "default/train-0".
  std::vector<std::pair<std::string, absl::Status>> left;
  bool keep_coming = false;  ///< there were pods with the gate in every round
};

struct GateReleaseOptions {
  std::string gate;
  /// For how long pods may get the gate and its guard may refuse, since API servers have not heard
  /// yet that the policies' bindings are gone.
  std::chrono::milliseconds settle{0};
  /// Is called, from several threads but one at a time, with the number of pods done and in all.
  std::function<void(size_t done, size_t all)> progress = nullptr;
};

/// Removes a scheduling gate from all pods. For one run; not thread-safe.
class GateRelease {
 public:
  static constexpr size_t kAtOnce = 32;                    ///< calls
  static constexpr size_t kMostRounds = 20;                ///< while pods with the gate keep coming
  static constexpr size_t kMostVainRounds = 3;             ///< in which no pod is released
  static constexpr std::chrono::milliseconds kPause{500};  ///< between rounds

  /// `api` outlives this. `clock` is also that of pauses.
  GateRelease(kube::Api* api, GateReleaseOptions options, Clock clock);

  /// Goes on until no pod has the gate, and none can get it by a policy whose binding was deleted
  /// before. A pod that is refused is tried again, a few times. Errors: of listing pods;
  /// PermissionDenied names the right that is missing. Blocks.
  absl::StatusOr<GateReleased> Run();

 private:
  /// `carefully`: one first, and the others only where that one may be released.
  absl::Status Round(const std::vector<GatedPod>& pods, bool carefully);
  absl::Status ReleaseFrom(const std::vector<GatedPod>& pods, size_t first, size_t end);
  void Take(const GatedPod& pod, const absl::Status& status);

  kube::Api& api_;
  const GateReleaseOptions options_;
  const Clock clock_;
  std::mutex mutex_;  // of what follows
  GateReleased done_;
  size_t done_before_ = 0;  // the round
  size_t done_in_round_ = 0;
};

}  // namespace outrigger::cli
