#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api.h"

namespace outrigger::lab {

/// An API server whose refusals say which right is missing: "needs the right to list nodes: ...".
/// Codes and details of errors stay. Thread-safe.
class NamedRights final : public kube::Api {
 public:
  /// `api` outlives this.
  explicit NamedRights(kube::Api* api) : api_(*api) {}

  absl::StatusOr<kube::ApiResponse> Call(const kube::ApiRequest& request) override;
  absl::Status Stream(const kube::ApiRequest& request, kube::ByteSink sink) override;

 private:
  kube::Api& api_;
};

}  // namespace outrigger::lab
