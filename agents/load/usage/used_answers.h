#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "load/usage/sampled_usage.h"

namespace outrigger::usage {

/// Reads a NodeMetricsList of metrics.k8s.io, as JSON. Bytes are appended to `body` meanwhile.
/// InvalidArgument says what is wrong and where; an amount or a time that is malformed is absent.
absl::StatusOr<std::vector<UsedNow>> ReadNodeMetrics(std::string* body);

/// Reads {"time": "<RFC 3339>", "nodes": {"a": {"cpu": "1500m", "memory": "3Gi"}}}; in the same
/// way, but a malformed time is an error, since people write it.
absl::StatusOr<std::vector<UsedNow>> ReadUsageFile(std::string* body);

}  // namespace outrigger::usage
