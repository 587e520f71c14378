#include "gang/plan/queue.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/time/time.h"

namespace outrigger::plan {
namespace {

using Type = PageColumn::Type;

// RFC 3339, as Kubernetes writes creation times; absent if it is not known.
PageCell SinceCell(const Rank& rank) {
  if (rank.created == 0) return {};
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixSeconds(rank.created),
                          absl::UTCTimeZone());
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
          {{"position", Type::kInteger, "place in the order, from 1"},
           {"unit", Type::kText, "namespace/name of the pod or of the group"},
           {"kind", Type::kText, "pod or gang"},
           {"groupPriority", Type::kInteger,
            "value of the label groupPriority; of a gang that of its oldest member"},
           {"priority", Type::kInteger,
            "priority of the pod; of a gang the lowest of its members, or that of its PodGroup's "
            "priorityClassName if it is less"},
           {"class", Type::kText,
            "QoS class: Guaranteed, Burstable or BestEffort; of a gang the lowest of its members"},
           {"since", Type::kText, "when the pod or group was created; absent: not known"},
           {"state", Type::kText, "has a place in the plan, or waits"},
           {"after", Type::kText, "unit right before it in the order; absent for the first"},
           {"lacks", Type::kText, "what is short, in a word; absent if it has a place"},
           {"members", Type::kInteger, "its pods that want a place"},
           {"bound", Type::kInteger, "its members that are bound already"},
           {"minimum", Type::kInteger, "members with which a gang starts; 1 for a pod"},
           {"why", Type::kText, "why it waits, in a sentence; absent if it has a place"}}};
}

void AddQueueRow(size_t position, const QueueEntry& entry, std::string_view after,
                 std::string_view why, PageTable* table) {
  const Rank& rank = *entry.rank;
  const bool is_gang = entry.key->dialect != Dialect::kNone;
  table->Add({static_cast<int64_t>(position), TextOf(*entry.key),
              std::string(is_gang ? "gang" : "pod"), rank.group_priority, int64_t{rank.priority},
              std::string(TextOf(rank.qos)), SinceCell(rank),
              std::string(entry.fits ? "has a place" : "waits"), TextOrAbsent(after),
              TextOrAbsent(entry.fits ? std::string_view() : entry.lacks), entry.members,
              entry.bound, entry.minimum, TextOrAbsent(why)});
}

void FillQueuePage(std::vector<QueueEntry> entries, PageTable* table) {
  std::sort(entries.begin(), entries.end(),
            [](const QueueEntry& a, const QueueEntry& b) { return *a.rank < *b.rank; });
  std::string after;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (table->full()) return table->Count(entries.size() - i);
    const QueueEntry& entry = entries[i];
    AddQueueRow(i + 1, entry, after, entry.fits ? std::string() : WhyText(entry), table);
    after = TextOf(*entry.key);
  }
}

}  // namespace outrigger::plan
