#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/scheduler_config/document.h"

// What `outrigger doctor` can find. docs/doctor.md has a row for each.

namespace outrigger::cli {

enum class Severity : uint8_t {
  kError,    ///< kube-scheduler does not start, or an agent does not do what it promises
  kWarning,  ///< it works, but slowly, unsafely, or not for all pods
  kHint,     ///< right or wrong: the file alone does not say
};

/// "error", "warning" or "hint".
std::string_view TextOf(Severity severity);

enum class FindingId : uint8_t {
  kKind,
  kApiVersion,
  kFieldUnknown,
  kFieldTwice,
  kTypeWrong,
  kDurationMalformed,
  kWeightNotPositive,
  kBindersSeveral,
  kManagedResourceTwice,
  kTlsCaAndInsecure,
  kPercentageRefused,
  kBackoffRefused,
  kBindPluginMissing,
  kProfileTwice,
  kArgumentsRefused,
  kQueueSortRefused,
  kParallelismRefused,
  kLeaseRefused,
  kUrlMalformed,
  kVerbNotServed,
  kVerbsNone,
  kTlsInClear,
  kTlsKeyMissing,
  kTlsUnchecked,
  kTlsInsecure,
  kUrlInClear,
  kPortUnexpected,
  kAgentNotCompiledIn,
  kAgentNone,
  kPlannerNotLast,
  kPlannerIgnorable,
  kFilterIgnorableBesidePlanner,
  kFilterIgnorable,
  kBindIgnorable,
  kBindNotSplit,
  kEntriesApart,
  kEntryTwice,
  kFilterMissing,
  kPrioritizeMissing,
  kPreemptMissing,
  kBindMissing,
  kPreBindMissing,
  kManagedResources,
  kAlone,
  kTwoDesks,
  kTimeoutMissing,
  kTimeoutLong,
  kTimeoutShort,
  kBindTimeoutShort,
  kPreBindTimeoutShort,
  kFullNodes,
  kFullNodesFirst,
  kClientQps,
  kClientBurst,
  kNodesSampled,
  kBackoffLong,
  kLeaseNone,
  kLeaseNotTold,
  kLeaseShared,
  kSchedulerNameNotTold,
  kSchedulerConfigUnread,
  kIgnoredWithoutEffect,
  kFilterNotPlanned,
  kPreemptionOff,
  kPreemptionReplaced,
  kBindPluginUnused,
  kMarkerUnread,
  kGroupResourceMissing,
  kGateStays,
  kGateMissing,
  kGangTooLarge,
  kPenaltyNoRoom,
  kPublishedTwice,
  kNotMeasured,
  kCount,  // not a finding
};

/// What is the same wherever it is found.
struct FindingKind {
  FindingId id;
  std::string_view name;  // stable: "planner-not-last"
  Severity severity;
  std::string_view why;  // a sentence: what goes wrong
};

/// All kinds, in the order of FindingId.
std::span<const FindingKind> FindingKinds();

struct Finding {
  const FindingKind* kind = nullptr;  // one of FindingKinds()
  Place place;
  std::string found;  // the value, or what is missing
  std::string fix;    // what to write instead
};

/// Collects findings. Not thread-safe.
class Findings {
 public:
  void Add(FindingId id, Place place, std::string found, std::string fix);

  /// Errors first, then as the document has them.
  std::vector<Finding> Take();

 private:
  std::vector<Finding> findings_;
};

}  // namespace outrigger::cli
