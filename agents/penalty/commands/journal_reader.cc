#include "penalty/commands/journal_reader.h"

#include <cstddef>

#include "fmt/format.h"

namespace outrigger::cli {

absl::StatusOr<penalty::JournalRead> ReadUsableJournal(penalty::JournalStore* store,
                                                       std::string_view namespace_,
                                                       penalty::Millis now,
                                                       const std::stop_token& stop) {
  auto read = store->Load(now, stop);
  if (!read.ok()) return read.status();
  if (read->is_newer) {
    return absl::FailedPreconditionError(fmt::format(
        "the journal in namespace {} was written by a later version of Outrigger: use that version",
        namespace_));
  }
  for (const std::string& name : read->damaged) read->ledger.Remove(name);
  return read;
}

std::vector<std::string> FindingNotes(const std::vector<penalty::JournalFinding>& findings) {
  constexpr size_t kMost = 20;
  std::vector<std::string> notes;
  for (size_t i = 0; i < findings.size() && i < kMost; ++i) {
    notes.push_back("journal: " + penalty::FindingText(findings[i]));
  }
  if (findings.size() > kMost) {
    notes.push_back(fmt::format("journal: {} more findings", findings.size() - kMost));
  }
  return notes;
}

}  // namespace outrigger::cli
