#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "outrigger/agent/config_maps.h"
#include "penalty/classes/journal_maps.h"
#include "penalty/classes/ledger.h"
#include "penalty/classes/time.h"

// The ledger as ConfigMaps, and back (docs/penalty.md). Pure and thread-safe.

namespace outrigger::penalty {

/// Returns name, labels and data of a map of the journal, which is none of kIntent; namespace and
/// version are the caller's. ResourceExhausted: it would be larger than kMostMapBytes, or than
/// kMostAccountBytes with accounts. What Ledger accepts never is.
absl::StatusOr<ConfigMap> WriteJournalMap(const Ledger& ledger, const JournalMap& map);

struct JournalRead {
  /// What was read, within its limits, whatever was in the maps. Maps with findings are unwritten
  /// (Ledger::Unwritten()), so that they are repaired.
  Ledger ledger;
  std::vector<JournalFinding> findings;
  /// Classes whose accounts are there and must not be used; RebuildAccount() makes new ones.
  std::vector<std::string> damaged;
  /// The journal is of a later program, so it must not be written.
  bool is_newer = false;
};

/// Reads all maps of a journal, in any order; those of other names, and kIntent, are left out.
/// Never fails: anything that is not as it was written is a finding. Without any map the ledger is
/// a new one, which began `now`.
JournalRead ReadJournal(const std::vector<ConfigMap>& maps, Millis now);

}  // namespace outrigger::penalty
