#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/api.h"
#include "load/annotate/node_values.h"

namespace outrigger::annotate {

/// Writes annotations of nodes. Thread-safe; calls block.
class NodeWriter {
 public:
  virtual ~NodeWriter() = default;

  /// Changes these annotations of the node and no others; returns the version that it has then.
  /// Idempotent. Sent once. Errors are those of kube::Api: NotFound, the node is gone;
  /// PermissionDenied; ResourceExhausted (429); Aborted (409); InvalidArgument, the API server
  /// refuses the change.
  virtual absl::StatusOr<std::string> Write(std::string_view node, const NodeChange& change,
                                            std::stop_token stop) = 0;
};

/// Writes by merge patches. They do not wait for the client's own rate limit. `api` outlives this.
class KubeNodeWriter final : public NodeWriter {
 public:
  explicit KubeNodeWriter(kube::Api* api) : api_(*api) {}

  absl::StatusOr<std::string> Write(std::string_view node, const NodeChange& change,
                                    std::stop_token stop) override;

 private:
  kube::Api& api_;
};

/// The body of the merge patch: {"metadata":{"annotations":{"requested-cpu":"855"}}}.
std::string PatchBody(const NodeChange& change);

}  // namespace outrigger::annotate
