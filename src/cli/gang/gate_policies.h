#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/objects.h"
#include "kube/resource.h"

// Admission policies that give pods a scheduling gate, or guard it (deploy/member-policy.yaml,
// deploy/guard-policy.yaml).

namespace outrigger::cli {

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

}  // namespace outrigger::cli
