#include "penalty/classes/journal_store.h"

#include <chrono>
#include <vector>

#include "fmt/format.h"

namespace outrigger::penalty {

CallLimits JournalStore::Limits(const std::stop_token& term) const {
  return {.timeout = std::chrono::seconds(10), .stop = term};
}

absl::StatusOr<JournalRead> JournalStore::Load(Millis now, const std::stop_token& term) {
  seen_.clear();
  std::vector<ConfigMap> found;
  for (const std::string& name : JournalMapNames()) {
    const JournalMapKind kind = JournalMapOf(name)->kind;
    if (kind == JournalMapKind::kIntent || kind == JournalMapKind::kMapping) continue;
    auto map = maps_->ReadConfigMap(namespace_, name, Limits(term));
    if (absl::IsNotFound(map.status())) continue;
    if (!map.ok()) return map.status();
    seen_[name] = {map->uid, map->resource_version};
    found.push_back(*std::move(map));
  }
  return ReadJournal(found, now);
}

absl::Status JournalStore::Write(Ledger* ledger, bool later, const std::stop_token& term) {
  for (const JournalMap& map : ledger->Unwritten(Ledger::Urgency::kNow)) {
    absl::Status written = WriteMap(*ledger, map, term);
    if (!written.ok()) return written;
    ledger->OnJournalWritten(map);
  }
  if (!later) return absl::OkStatus();
  for (const JournalMap& map : ledger->Unwritten(Ledger::Urgency::kLater)) {
    absl::Status written = WriteMap(*ledger, map, term);
    if (!written.ok()) return written;
    ledger->OnJournalWritten(map);
  }
  return absl::OkStatus();
}

// A map that a person has deleted is made again. After a lost answer its version is not known: the
// next write is refused as another writer's, and the journal is read again.
absl::Status JournalStore::WriteMap(const Ledger& ledger, const JournalMap& map,
                                    const std::stop_token& term) {
  auto made = WriteJournalMap(ledger, map);
  if (!made.ok()) return made.status();
  made->namespace_ = namespace_;
  const auto known = seen_.find(made->name);
  if (known != seen_.end()) {
    made->uid = known->second.first;
    made->resource_version = known->second.second;
  }
  auto written = maps_->WriteConfigMap(*made, Limits(term));
  if (absl::IsNotFound(written.status())) {
    made->uid.clear();
    made->resource_version.clear();
    written = maps_->WriteConfigMap(*made, Limits(term));
  }
  if (absl::IsAlreadyExists(written.status())) {
    return absl::AbortedError(fmt::format(
        "ConfigMap {}/{} exists, but this process has not written it", namespace_, made->name));
  }
  if (!written.ok()) return written.status();
  seen_[made->name] = {written->uid, written->resource_version};
  return absl::OkStatus();
}

}  // namespace outrigger::penalty
