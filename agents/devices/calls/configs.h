#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/custom_objects.h"
#include "outrigger/devices/objects.h"
#include "store/contents.h"

// The objects that claims and classes name in `configs`, of kinds that the program does not know.

namespace outrigger::devices::agent {

/// What a claim's configs are copies of, as far as they could be read.
struct ClaimConfigs {
  std::vector<std::string> of_claim;
  /// By name of a class that the claim names; an error: what could not be read of it.
  std::map<std::string, absl::StatusOr<std::vector<std::string>>, std::less<>> of_classes;
};

/// Which configs a claim and its classes name. A plain value.
struct ConfigNames {
  std::string namespace_ = {};  // of the claim
  std::vector<ConfigReference> of_claim = {};
  std::map<std::string, std::vector<ConfigReference>, std::less<>> of_classes = {};
  bool empty() const { return of_claim.empty() && of_classes.empty(); }
};

ConfigNames ConfigNamesOf(const Contents& contents, const ClaimObject& claim);

/// Reads one. FailedPrecondition, for people: it is not there, may not be read, or is of a kind
/// that cannot be read. Blocks.
absl::StatusOr<std::string> ReadConfig(CustomObjectAccess* api, const ConfigReference& config,
                                       std::string_view namespace_, const CallLimits& limits);

/// Reads all; the timeout is for all together. An error: one of the claim's own could not be read.
absl::StatusOr<ClaimConfigs> ReadConfigs(CustomObjectAccess* api, const ConfigNames& names,
                                         const CallLimits& limits);

}  // namespace outrigger::devices::agent
