#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/objects.h"
#include "kube/resource.h"
#include "outrigger/agent/access.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::cli {

/// Which of these the account may not do, in the whole cluster, as the API server judges it
/// (SelfSubjectAccessReview): "delete
/// validatingadmissionpolicybindings.admissionregistration.k8s.io". Empty: it may do all. Errors
/// are those of the calls. Blocks; thread-safe.
absl::StatusOr<std::vector<std::string>> MissingRights(kube::Api& api,
                                                       const std::vector<AccessRule>& wanted,
                                                       const kube::CallOptions& options = {});

/// A binding of such a policy: while it is there the policy works.
struct GateBinding {
  kube::Resource resource;  ///< its kind, in a version that the API server serves
  std::string name;
  std::string policy;
  bool is_ours = false;  ///< the policy has the label app.kubernetes.io/part-of: outrigger
};

/// "MutatingAdmissionPolicyBinding outrigger-queue-gate".
std::string TextOf(const GateBinding& binding);

/// All bindings of policies whose spec names `gate`, mutating ones first, each kind by name. A kind
/// that the API server does not serve has none. Errors are those of the calls. Blocks; thread-safe.
absl::StatusOr<std::vector<GateBinding>> FindGateBindings(kube::Api& api, std::string_view gate,
                                                          const kube::CallOptions& options = {});

/// Deletes the binding; one that is gone already is a success. Blocks; thread-safe.
absl::Status DeleteGateBinding(kube::Api& api, const GateBinding& binding,
                               const kube::CallOptions& options = {});

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
  absl::Status Round(const std::vector<GatedPod>& pods, bool carefully)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status ReleaseFrom(const std::vector<GatedPod>& pods, size_t first, size_t end)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Take(const GatedPod& pod, const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  kube::Api& api_;
  const GateReleaseOptions options_;
  const Clock clock_;
  Mutex mutex_;
  GateReleased done_ ABSL_GUARDED_BY(mutex_);
  size_t done_before_ ABSL_GUARDED_BY(mutex_) = 0;  // the round
  size_t done_in_round_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace outrigger::cli
