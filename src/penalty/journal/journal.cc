#include "outrigger/penalty/journal.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "penalty/journal/maps.h"

namespace outrigger::penalty {
namespace {

// The maps of a journal in the order of their kinds and numbers; of two with one name the first.
std::map<JournalMap, const ConfigMap*> InOrder(const std::vector<ConfigMap>& maps) {
  std::map<JournalMap, const ConfigMap*> ordered;
  for (const ConfigMap& map : maps) {
    if (const std::optional<JournalMap> known = JournalMapOf(map.name)) {
      ordered.emplace(*known, &map);
    }
  }
  return ordered;
}

// Since when is counted: the latest time that a map has, so that nothing is counted twice.
Millis SinceOf(const std::map<JournalMap, const ConfigMap*>& maps, Millis now, JournalRead* read) {
  std::optional<Millis> latest;
  for (const auto& [which, map] : maps) {
    if (which.kind != JournalMapKind::kClasses) continue;
    const ClassMapHead head = ReadClassMapHead(*map, &read->findings);
    read->is_newer = read->is_newer || head.is_newer;
    if (!head.since) continue;
    if (latest && *latest != *head.since) {
      Report(*map, "_meta", 0, "since is not that of the maps before it", &read->findings);
    }
    latest = std::max(latest.value_or(0), *head.since);
  }
  return std::min(latest.value_or(now), now);
}

void ReadOne(const JournalMap& which, const ConfigMap& map, Millis now, JournalRead* read,
             std::vector<ReadChanges>* changes) {
  if (which.kind == JournalMapKind::kClasses) {
    ReadClassMap(map, which.index, now, &read->ledger, &read->damaged, &read->findings);
  } else if (which.kind == JournalMapKind::kChanges) {
    for (ReadChanges& one : ReadChangeMap(map, &read->findings)) {
      changes->push_back(std::move(one));
    }
  } else if (which.kind == JournalMapKind::kSums) {
    ReadSumMap(map, &read->ledger, &read->findings);
  }
}

}  // namespace

void Report(const ConfigMap& map, std::string_view key, int line, std::string_view text,
            std::vector<JournalFinding>* findings) {
  findings->push_back({Printable(Shortened(map.name, 253)), Printable(Shortened(key, 253)), line,
                       std::string(text)});
}

absl::StatusOr<ConfigMap> WriteJournalMap(const Ledger& ledger, const JournalMap& map) {
  ConfigMap written;
  written.name = JournalMapName(map);
  written.labels = JournalLabels();
  size_t most = kMostMapBytes;
  switch (map.kind) {
    case JournalMapKind::kClasses:
      WriteClassMap(ledger, map.index, &written);
      most = kMostAccountBytes;
      break;
    case JournalMapKind::kChanges:
      WriteChangeMap(ledger, map.index, &written);
      break;
    case JournalMapKind::kSums:
      WriteSumMap(ledger, &written);
      break;
    case JournalMapKind::kIntent:
      return absl::InvalidArgumentError("an intent is no part of the ledger");
  }
  if (const size_t bytes = JsonBytes(written); bytes > most) {
    return absl::ResourceExhaustedError(fmt::format(
        "ConfigMap {} would have {} bytes, at most {} are allowed", written.name, bytes, most));
  }
  return written;
}

JournalRead ReadJournal(const std::vector<ConfigMap>& maps, Millis now) {
  JournalRead read;
  const std::map<JournalMap, const ConfigMap*> ordered = InOrder(maps);
  read.ledger = Ledger(SinceOf(ordered, now, &read));
  if (read.is_newer) return read;
  std::vector<ReadChanges> changes;
  for (const auto& [which, map] : ordered) ReadOne(which, *map, now, &read, &changes);
  for (ReadChanges& one : changes) {
    read.ledger.RestoreChanges(one.class_name, std::move(one.changes));
  }
  for (const JournalFinding& finding : read.findings) {
    if (const std::optional<JournalMap> map = JournalMapOf(finding.map)) {
      read.ledger.SetUnwritten(*map, Ledger::Urgency::kLater);
    }
  }
  return read;
}

}  // namespace outrigger::penalty
