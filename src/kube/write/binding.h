#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "kube/api.h"
#include "kube/objects.h"
#include "outrigger/k8s/string_map.h"

namespace outrigger::kube {

/// A pod and the node that it is to run on. Views live until Bind() has returned.
struct Binding {
  std::string_view namespace_;
  std::string_view pod;
  std::string_view uid;  // a precondition: never another pod of that name
  std::string_view node;
  StringMap annotations = {};  // of the pod, set with the binding
};

/// Binds the pod. Idempotent by UID and node: a pod that is bound there already is a success, also
/// if an earlier call did it whose answer was lost. Tried again like any call, and never held back
/// by the client's own rate limit. Aborted: it is bound to another node (which the text names), or
/// there is another pod of that name; NotFound: there is none. Unavailable, too: there was a
/// conflict, and the pod could not be read; or a try was refused after one without an answer, or
/// with one of 5xx, which may have bound the pod, or may yet. `options.rate_limited` does not
/// count.
absl::Status Bind(Api& api, const Binding& binding, const CallOptions& options = {});

}  // namespace outrigger::kube
