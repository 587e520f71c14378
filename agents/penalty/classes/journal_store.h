#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/config_maps.h"
#include "penalty/classes/journal.h"
#include "penalty/classes/journal_maps.h"
#include "penalty/classes/ledger.h"

namespace outrigger::penalty {

/// The journal's ConfigMaps in the cluster, but the intents. Each map is written in the version
/// that was read or written last, so that a second writer is noticed. Not thread-safe.
class JournalStore {
 public:
  /// `maps` outlives this.
  JournalStore(ConfigMapAccess* maps, std::string name_space)
      : maps_(maps), namespace_(std::move(name_space)) {}

  /// Reads all maps. Errors: those of the calls; a map that is not there is none.
  absl::StatusOr<JournalRead> Load(Millis now, const std::stop_token& term);

  /// Writes the ledger's maps that are unwritten, and notes that they are written. `later`: those
  /// that have time, too. Aborted: another process writes the journal, which is to be read again.
  absl::Status Write(Ledger* ledger, bool later, const std::stop_token& term);

 private:
  absl::Status WriteMap(const Ledger& ledger, const JournalMap& map, const std::stop_token& term);
  CallLimits Limits(const std::stop_token& term) const;

  ConfigMapAccess* const maps_;
  const std::string namespace_;
  std::map<std::string, std::pair<std::string, std::string>> seen_;  // name: UID and version
};

}  // namespace outrigger::penalty
