#include "gang/plan/queue.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/time/time.h"

namespace outrigger::plan {
namespace {

using Type = PageColumn::Type;

PageCell TextOrAbsent(std::string_view text) {
  return text.empty() ? PageCell() : PageCell(std::string(text));
}

// RFC 3339, as Kubernetes writes creation times; absent if it is not known.
PageCell SinceCell(const Rank& rank) {
  if (rank.created == 0) return {};
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixSeconds(rank.created),
                          absl::UTCTimeZone());
}

std::vector<PageCell> RowOf(size_t position, const QueueEntry& entry, std::string_view after) {
  const Rank& rank = *entry.rank;
  const bool is_gang = entry.key->dialect != Dialect::kNone;
  return {static_cast<int64_t>(position),
          TextOf(*entry.key),
          std::string(is_gang ? "gang" : "pod"),
          rank.group_priority,
          int64_t{rank.priority},
          std::string(TextOf(rank.qos)),
          SinceCell(rank),
          std::string(entry.fits ? "has a place" : "waits"),
          TextOrAbsent(after),
          TextOrAbsent(entry.fits ? std::string_view() : entry.lacks)};
}

}  // namespace

std::string_view TextOf(QosClass qos) {
  switch (qos) {
    case QosClass::kGuaranteed:
      return "Guaranteed";
    case QosClass::kBurstable:
      return "Burstable";
    case QosClass::kBestEffort:
      break;
  }
  return "BestEffort";
}

PageSpec QueuePage() {
  return {"queue",
          "waiting units, in queue order",
          {{"position", Type::kInteger},
           {"unit", Type::kText},
           {"kind", Type::kText},
           {"groupPriority", Type::kInteger},
           {"priority", Type::kInteger},
           {"class", Type::kText},
           {"since", Type::kText},
           {"state", Type::kText},
           {"after", Type::kText},
           {"lacks", Type::kText}}};
}

void FillQueuePage(std::vector<QueueEntry> entries, PageTable* table) {
  std::sort(entries.begin(), entries.end(),
            [](const QueueEntry& a, const QueueEntry& b) { return *a.rank < *b.rank; });
  std::string after;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (table->full()) return table->Count(entries.size() - i);
    table->Add(RowOf(i + 1, entries[i], after));
    after = TextOf(*entries[i].key);
  }
}

}  // namespace outrigger::plan
