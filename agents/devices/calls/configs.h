#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "devices/objects/objects.h"
#include "outrigger/agent/call_budget.h"
#include "outrigger/agent/custom_objects.h"
#include "store/contents.h"

// The objects that claims and classes name in `configs`, of kinds that the program does not know.

namespace outrigger::devices::agent {

/// Of one claim with its classes: configs, each counted once, and bytes of their copies.
inline constexpr size_t kMostConfigs = 32;
inline constexpr size_t kMostConfigBytes = size_t{256} * 1024;

/// Which configs count for a claim, each once. A plain value.
struct ConfigNames {
  std::string namespace_ = {};  // of the claim
  std::vector<ConfigReference> of_claim = {};
  std::vector<ConfigReference> of_classes = {};
  bool empty() const { return of_claim.empty() && of_classes.empty(); }
};

/// `alternatives`: which one serves each request of the claim, as of ClaimAllocation. Empty: that
/// is not known, and only what counts in any case is named.
ConfigNames ConfigNamesOf(const Contents& contents, const ClaimObject& claim,
                          std::span<const int> alternatives);

/// Copies of configs, JSON.
struct ConfigCopies {
  std::vector<std::string> of_claim;
  std::vector<std::string> of_classes;
};

/// Reads configs within a time, each object once. Of one thread.
class ConfigReader {
 public:
  /// `api` outlives this.
  ConfigReader(CustomObjectAccess* api, CallBudget budget)
      : api_(*api), budget_(std::move(budget)) {}

  /// FailedPrecondition, for people: one is not there, may not be read or cannot be one; or they
  /// are more, or larger, than the bounds above. DeadlineExceeded: the time is over. Else what
  /// CustomObjectAccess says. Blocks.
  absl::StatusOr<ConfigCopies> Read(const ConfigNames& names);
  /// Whether the time is over.
  bool IsOver() const { return budget_.Left().timeout.count() == 0; }

 private:
  absl::Status ReadAll(const std::vector<ConfigReference>& configs, std::string_view namespace_,
                       std::vector<std::string>* copies, size_t* bytes);
  absl::StatusOr<std::string> ReadOne(const ConfigReference& config);
  absl::StatusOr<std::string> Fetch(const ConfigReference& config) const;

  CustomObjectAccess& api_;
  const CallBudget budget_;
  std::map<std::string, absl::StatusOr<std::string>, std::less<>> known_;  // by the reference
};

}  // namespace outrigger::devices::agent
