#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "penalty/classes/journal.h"
#include "penalty/classes/journal_maps.h"
#include "penalty/classes/journal_store.h"
#include "penalty/classes/time.h"

namespace outrigger::cli {

/// Reads a journal; its ledger has no accounts that must not be used. Errors: those of the calls;
/// FailedPrecondition: it is of a later version.
absl::StatusOr<penalty::JournalRead> ReadUsableJournal(penalty::JournalStore* store,
                                                       std::string_view namespace_,
                                                       penalty::Millis now,
                                                       const std::stop_token& stop);

/// The findings as notes for people, the first 20 of them.
std::vector<std::string> FindingNotes(const std::vector<penalty::JournalFinding>& findings);

}  // namespace outrigger::cli
