#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/config_maps.h"
#include "outrigger/agent/priority_classes.h"
#include "penalty/classes/replacement.h"
#include "penalty/classes/time.h"

// Undoes what the agent did: for `outrigger penalty restore`, which holds the agent's Lease
// meanwhile. Every step can be done again.

namespace outrigger::penalty {

/// A class that is to be restored, as the journal or its annotation shows it.
struct RestoreTarget {
  std::string class_name;
  std::optional<int64_t> base;     // nothing: as BaseOf() the class
  std::optional<int64_t> written;  // ReplaceRequest::written
};

struct RestoredClass {
  std::string class_name;
  /// kReplaced and kUnchanged: it is at its base. kRefused, kStuck: it is not. kAbsent: a person
  /// has deleted it. An error: as Replacer::Restore().
  absl::StatusOr<Replacement> result;
  /// Whether the class is at its base, or not there.
  bool is_done() const;
};

/// Puts each class back to its base, without its annotation. A class that another writer made with
/// another base goes to that one. Intents of other classes are not touched (Replacer::Recover()
/// comes first). Not thread-safe, as `replacer`. `now` in milliseconds since 1970.
std::vector<RestoredClass> RestoreClasses(Replacer* replacer, PriorityClassAccess* classes,
                                          std::span<const RestoreTarget> targets, Millis now,
                                          const std::stop_token& term);

/// Removes all ConfigMaps of the journal; Ok where there are none. FailedPrecondition: an intent is
/// still there, the first thing that is looked for, and then nothing was removed: its class may be
/// lost with it. Else the first error of a call; those that could be removed are removed then.
absl::Status RemoveJournal(ConfigMapAccess* maps, const std::string& namespace_,
                           const CallLimits& limits);

}  // namespace outrigger::penalty
