#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/resource.h"

namespace outrigger::kube {

/// In which versions an API server serves a kind.
struct ServedVersions {
  /// The first of the known versions that is served; empty: none is.
  std::string_view known;
  /// Where none is: the versions in which the kind is served all the same, "v1, v2".
  std::string unknown;
};

/// Asks the API server for the versions of the kind `resource` (its own version does not count).
/// `known` has the newest first; the result points into it. A group that is not there is no error.
absl::StatusOr<ServedVersions> FindServedVersions(Api& api, const Resource& resource,
                                                  std::span<const std::string_view> known,
                                                  const std::stop_token& stop = {});

}  // namespace outrigger::kube
