#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "devices/commands/claims/placement.h"
#include "nlohmann/json.hpp"

// What `outrigger schedule` prints, in the structure of the prototype's scheduler.

namespace outrigger::cli {

struct ScheduleResults {
  std::string pod;             ///< "namespace/name"; empty: all claims of the files
  std::string node;            ///< of the highest score; empty: none
  int score = 0;               ///< its score, 0 to 100
  nlohmann::json allocations;  ///< there; null: no node fits
  /// A line per node, and below it a line with the reason where there is one.
  std::vector<std::string> summaries;
  nlohmann::json nodes;  ///< a NodeResult per node; null: there are no nodes
};

/// The allocator's answers. `whole`: with ScheduleResults::nodes, which cost far more than the
/// rest.
ScheduleResults ResultsOf(const Placement& placement, bool whole);

/// The answers of the prototype's scheduler, which reads pools and claims alone, and takes nothing
/// for being in use. Of nodes with the same score the first by name is the best. Errors as those of
/// devices::OriginalResults().
absl::StatusOr<ScheduleResults> OriginalResultsOf(const DeviceObjects& objects,
                                                  const AskedClaims& asked);

/// ALLOCATIONS and NODE RESULTS, as the prototype's test prints them; `verbose`: these whole.
std::string ResultsText(const ScheduleResults& results, bool verbose);
std::string ResultsJson(const ScheduleResults& results);
std::string ResultsYaml(const ScheduleResults& results);

}  // namespace outrigger::cli
