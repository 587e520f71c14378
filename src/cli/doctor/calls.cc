#include "cli/doctor/checks.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

using Id = FindingId;

constexpr absl::Duration kDefault = absl::Seconds(5);
// A call of names takes 20 ms at 5000 nodes, one of full nodes three seconds.
constexpr absl::Duration kShortest = absl::Milliseconds(100);
constexpr absl::Duration kLongest = absl::Seconds(2);
constexpr absl::Duration kLongestFull = absl::Seconds(5);
// The usual backoff of a pod is up to 10 s, and the barrier ends 2 s earlier. What an agent
// prepares are calls of the API server, one after another, of 10 s at most each.
constexpr absl::Duration kShortestBind = absl::Seconds(15);

bool NamesOnly(const Entry& entry) {
  return entry.fields.Truth("nodeCacheCapable").Or(false);
}

// Not set and 0 are the same to kube-scheduler.
bool IsDefault(const Field<absl::Duration>& timeout) {
  return timeout.Absent() || timeout.value == absl::ZeroDuration();
}

std::string Shown(const Field<absl::Duration>& timeout) {
  if (timeout.Absent()) return "missing";
  if (timeout.value < absl::ZeroDuration()) {
    return absl::FormatDuration(timeout.value) + ", which means no limit";
  }
  return absl::FormatDuration(timeout.value);
}

void CheckInCycle(const Entry& entry, Findings* findings) {
  const Field<absl::Duration>& timeout = entry.timeout;
  const auto add = [&](Id id) {
    findings->Add(id, timeout.place, Shown(timeout), "httpTimeout: 1s");
  };
  const absl::Duration longest = NamesOnly(entry) ? kLongest : kLongestFull;
  if (IsDefault(timeout)) {
    add(Id::kTimeoutMissing);
  } else if (timeout.value < absl::ZeroDuration() || timeout.value > longest) {
    add(Id::kTimeoutLong);
  } else if (timeout.value < kShortest) {
    add(Id::kTimeoutShort);
  }
}

void CheckBind(const Entry& entry, Findings* findings) {
  const Field<absl::Duration>& timeout = entry.timeout;
  const absl::Duration limit = IsDefault(timeout) ? kDefault : timeout.value;
  if (!entry.Plans() && entry.Prepares() && limit >= absl::ZeroDuration() &&
      limit < kShortestBind) {
    findings->Add(Id::kPreBindTimeoutShort, timeout.place, Shown(timeout), "httpTimeout: 10m30s");
    return;
  }
  if (!entry.Plans() || limit < absl::ZeroDuration() || limit >= kShortestBind) return;
  findings->Add(Id::kBindTimeoutShort, timeout.place, Shown(timeout), "httpTimeout: 10m30s");
}

void CheckNodes(const Entry& entry, Findings* findings) {
  const Field<bool> names = entry.fields.Truth("nodeCacheCapable");
  if (names.Broken() || names.value) return;
  findings->Add(Id::kFullNodes, names.place, names.Given() ? "false" : "missing",
                "nodeCacheCapable: true (the agent then needs access to the API server: "
                "`outrigger agents --rbac NAME`)");
}

// Of others only what holds up every pod of the cluster is judged.
void CheckOthersInCycle(const Entry& entry, Findings* findings) {
  const Field<absl::Duration>& timeout = entry.timeout;
  if (timeout.Broken() || !entry.InCycle()) return;
  if (IsDefault(timeout)) {
    if (entry.Has(kFilterVerb)) {
      findings->Add(Id::kTimeoutMissing, timeout.place, Shown(timeout), "httpTimeout: 1s");
    }
  } else if (timeout.value < absl::ZeroDuration() || timeout.value > kLongestFull) {
    findings->Add(Id::kTimeoutLong, timeout.place, Shown(timeout),
                  "httpTimeout: 1s, or as short as the extender allows");
  }
}

// kube-scheduler takes the nodes that such an entry returns in place of its own: what later entries
// and its own scores see is what came back.
void CheckFullNodesFirst(const DoctorCase& found, const Entry& entry, Findings* findings) {
  const Field<bool> names = entry.fields.Truth("nodeCacheCapable");
  if (!entry.Has(kFilterVerb) || names.Broken() || names.value) return;
  for (const Entry& later : found.entries) {
    if (&later <= &entry || !later.InCycle() || !NamesOnly(later)) continue;
    findings->Add(
        Id::kFullNodesFirst, names.place,
        fmt::format("{}, before {}", names.Given() ? "false" : "missing", later.Title()),
        "nodeCacheCapable: true if names are enough for the extender; else put this entry last");
    return;
  }
}

}  // namespace

void CheckCalls(const DoctorCase& found, Findings* findings) {
  for (const Entry& entry : found.entries) {
    if (!entry.ours) {
      CheckOthersInCycle(entry, findings);
      CheckFullNodesFirst(found, entry, findings);
      continue;
    }
    if (entry.InCycle()) CheckNodes(entry, findings);
    // Both in one entry cannot be right.
    if (entry.timeout.Broken() || (entry.InCycle() && entry.Has(kBindVerb))) continue;
    if (entry.InCycle()) CheckInCycle(entry, findings);
    if (entry.Has(kBindVerb)) CheckBind(entry, findings);
  }
}

}  // namespace outrigger::cli
