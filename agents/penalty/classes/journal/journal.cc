#include "penalty/classes/journal.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "outrigger/agent/config_maps.h"
#include "outrigger/base/text.h"
#include "penalty/classes/journal/record.h"
#include "penalty/classes/ledger.h"
#include "penalty/classes/policy.h"
#include "penalty/classes/policy/text.h"

namespace outrigger::penalty {

// The three kinds of maps that a ledger is written to.

/// Writes the data of a map; the caller checks its size.
void WriteClassMap(const Ledger& ledger, int index, ConfigMap* map);
void WriteChangeMap(const Ledger& ledger, int index, ConfigMap* map);
void WriteSumMap(const Ledger& ledger, ConfigMap* map);

/// What a map of accounts says about itself.
struct ClassMapHead {
  bool is_newer = false;          // of a later format: nothing of it is read
  std::optional<Millis> since{};  // nothing: missing or edited
};
ClassMapHead ReadClassMapHead(const ConfigMap& map, std::vector<JournalFinding>* findings);

/// Reads the accounts and pending marks of a map into the ledger. Accounts that were edited or are
/// no accounts go to `damaged` by name instead.
void ReadClassMap(const ConfigMap& map, int index, Millis now, Ledger* ledger,
                  std::vector<std::string>* damaged, std::vector<JournalFinding>* findings);

/// The changes of one class.
struct ReadChanges {
  std::string class_name;
  std::deque<ValueChange> changes;
};
/// Edited changes are left out.
std::vector<ReadChanges> ReadChangeMap(const ConfigMap& map, std::vector<JournalFinding>* findings);

/// Edited sums are left out.
void ReadSumMap(const ConfigMap& map, Ledger* ledger, std::vector<JournalFinding>* findings);

/// Reports a key, or a whole map where `key` is empty.
void Report(const ConfigMap& map, std::string_view key, int line, std::string_view text,
            std::vector<JournalFinding>* findings);

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
    case JournalMapKind::kMapping:
      return absl::InvalidArgumentError("an intent or the mapping is no part of the ledger");
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

// Accounts of classes: a key each, and the keys _meta and _pending, which no class can have.

namespace {

constexpr std::string_view kMetaKey = "_meta";
constexpr std::string_view kPendingKey = "_pending";
constexpr int64_t kVersion = 1;
// A clock may be so far ahead of another one.
constexpr Millis kClockSkew = 60'000;

std::string ClassText(const ClassAccount& account) {
  RecordWriter record;
  record.Add("base", account.base);
  record.Add("value", account.written);
  record.Add("penalty", account.account.penalty);
  record.AddTime("changed", account.account.changed);
  record.Add("starts", account.account.starts);
  record.Add("completions", account.account.completions);
  if (account.account.unwritten_since != 0) {
    record.AddTime("unwritten", account.account.unwritten_since);
  }
  record.AddTime("since", account.since);
  if (account.replaced != 0) {
    record.AddTime("replaced", account.replaced);
    record.Add("gap-us", account.gap_us);
  }
  record.Add("slot", int64_t{account.slot});
  return std::move(record).Finish(account.name);
}

// All fields, or nothing.
std::optional<ClassAccount> ReadClass(RecordFields* fields) {
  ClassAccount read;
  const auto base = fields->Integer("base", kLowestValue, kHighestValue);
  const auto written = fields->Integer("value", kLowestValue, base.value_or(kHighestValue));
  const auto penalty = fields->Number("penalty", 0, kMostPenalty);
  const auto changed = fields->Time("changed");
  const auto starts = fields->Integer("starts", 0, kMostCount);
  const auto completions = fields->Integer("completions", 0, kMostCount);
  const auto unwritten = fields->TimeOrNone("unwritten");
  const auto since = fields->Time("since");
  const auto replaced = fields->TimeOrNone("replaced");
  const auto gap = replaced == Millis{0} ? 0 : fields->Integer("gap-us", 0, kMostGap);
  const auto slot = fields->Integer("slot", 0, kMostSlots - 1);
  fields->ReportUnknown();
  if (!base || !written || !penalty || !changed || !starts || !completions || !unwritten ||
      !since || !replaced || !gap || !slot) {
    return std::nullopt;
  }
  read.base = *base;
  read.written = *written;
  read.account = {.penalty = *penalty,
                  .changed = *changed,
                  .starts = *starts,
                  .completions = *completions,
                  .unwritten_since = *unwritten};
  read.since = *since;
  read.replaced = *replaced;
  read.gap_us = *gap;
  read.slot = static_cast<int>(*slot);
  return read;
}

// Times that are still to come are taken as now: a penalty would not recover until then.
void NotAfter(Millis now, std::string_view name, RecordLines* lines, Millis* time) {
  if (*time <= now + kClockSkew) return;
  lines->Report(0, fmt::format("{} is {}, in the future: treated as now", name, TimeText(*time)));
  *time = now;
}

void ReadPending(const ConfigMap& map, int index, std::string_view text, Ledger* ledger,
                 std::vector<JournalFinding>* findings) {
  // Also of an edited text: a mark that is wrong here at worst leaves an edge out.
  RecordLines lines(map.name, kPendingKey, text, findings);
  for (const RecordLines::Line& line : lines.lines()) {
    std::string_view rest = line.text;
    const std::string_view uid = TakeWord(&rest);
    const absl::StatusOr<GroupState> state = ParseMark(rest);
    if (!state.ok()) {
      lines.Report(line.number, fmt::format("{} is not a UID with its mark", Quoted(line.text)));
      continue;
    }
    if (!ledger->RestorePending(std::string(uid), {*state, index})) {
      lines.Report(line.number,
                   fmt::format("{} is not a UID, is duplicate, or exceeds the limit", Quoted(uid)));
    }
  }
}

}  // namespace

void WriteClassMap(const Ledger& ledger, int index, ConfigMap* map) {
  RecordWriter meta;
  meta.Add("version", kVersion);
  meta.AddTime("since", ledger.since());
  map->data.emplace(kMetaKey, std::move(meta).Finish(kMetaKey));
  RecordWriter pending;
  for (const auto& [uid, mark] : ledger.pending()) {
    if (mark.map == index) pending.Line(fmt::format("{} {}", uid, MarkText(mark.state)));
  }
  map->data.emplace(kPendingKey, std::move(pending).Finish(kPendingKey));
  for (const auto& [name, account] : ledger.classes()) {
    if (account.map == index) map->data.emplace(name, ClassText(account));
  }
}

ClassMapHead ReadClassMapHead(const ConfigMap& map, std::vector<JournalFinding>* findings) {
  const auto meta = map.data.find(kMetaKey);
  if (meta == map.data.end()) {
    Report(map, kMetaKey, 0, "is missing", findings);
    return {};
  }
  RecordLines lines(map.name, kMetaKey, meta->second, findings);
  RecordFields fields(&lines);
  ClassMapHead head;
  const auto version = fields.Integer("version", 1, INT64_MAX);
  const auto since = fields.Time("since");
  if (!lines.is_intact()) return head;
  if (version && *version > kVersion) {
    lines.Report(0, fmt::format("version {} is from a later program: nothing is read", *version));
    head.is_newer = true;
    return head;
  }
  fields.ReportUnknown();
  head.since = since;
  return head;
}

void ReadClassMap(const ConfigMap& map, int index, Millis now, Ledger* ledger,
                  std::vector<std::string>* damaged, std::vector<JournalFinding>* findings) {
  for (const auto& [key, text] : map.data) {
    if (key == kMetaKey) continue;
    if (key == kPendingKey) {
      ReadPending(map, index, text, ledger, findings);
      continue;
    }
    if (!IsClassName(key)) {
      Report(map, key, 0, "is not a PriorityClass name", findings);
      continue;
    }
    RecordLines lines(map.name, key, text, findings);
    RecordFields fields(&lines);
    std::optional<ClassAccount> account = ReadClass(&fields);
    if (!account || !lines.is_intact()) {
      damaged->push_back(key);
      continue;
    }
    account->name = key;
    account->map = index;
    NotAfter(now, "changed", &lines, &account->account.changed);
    NotAfter(now, "unwritten", &lines, &account->account.unwritten_since);
    NotAfter(now, "since", &lines, &account->since);
    NotAfter(now, "replaced", &lines, &account->replaced);
    const int slot = account->slot;
    if (!ledger->RestoreClass(*std::move(account))) {
      lines.Report(0, "is in another map, too, or does not fit here: ignored");
    } else if (ledger->Find(key)->slot != slot) {
      lines.Report(0, fmt::format("slot {} belongs to another class", slot));
    }
  }
}

// The last changes of classes: a key each, a line for each change.

namespace {

constexpr int kMapsOfOne = kChangeMaps / kClassMaps;  // of one map of accounts
constexpr int kSlotsOfOne = kMostSlots / kMapsOfOne;

std::string ChangeText(const ValueChange& change) {
  return fmt::format("{} {} {} {} {}", TimeText(change.at), change.before, change.after,
                     change.gap_us, change.cause);
}

std::optional<int64_t> IntegerWithin(std::string_view text, int64_t least, int64_t most) {
  const std::optional<int64_t> number = IntegerOf(text);
  if (!number || *number < least || *number > most) return std::nullopt;
  return number;
}

std::optional<ValueChange> ReadChange(std::string_view line) {
  const auto at = TimeOf(TakeWord(&line));
  const auto before = IntegerWithin(TakeWord(&line), kLowestValue, kHighestValue);
  const auto after = IntegerWithin(TakeWord(&line), kLowestValue, kHighestValue);
  const auto gap = IntegerWithin(TakeWord(&line), 0, kMostGap);
  if (!at || !before || !after || !gap) return std::nullopt;
  return ValueChange{*at, *before, *after, *gap, CauseText(line)};
}

}  // namespace

void WriteChangeMap(const Ledger& ledger, int index, ConfigMap* map) {
  for (const auto& [name, account] : ledger.classes()) {
    if (account.map != index / kMapsOfOne || account.slot / kSlotsOfOne != index % kMapsOfOne ||
        account.changes.empty()) {
      continue;
    }
    RecordWriter record;
    for (const ValueChange& change : account.changes) record.Line(ChangeText(change));
    map->data.emplace(name, std::move(record).Finish(name));
  }
}

std::vector<ReadChanges> ReadChangeMap(const ConfigMap& map,
                                       std::vector<JournalFinding>* findings) {
  std::vector<ReadChanges> all;
  for (const auto& [key, text] : map.data) {
    if (!IsClassName(key)) {
      Report(map, key, 0, "is not a PriorityClass name", findings);
      continue;
    }
    RecordLines lines(map.name, key, text, findings);
    if (!lines.is_intact()) continue;
    ReadChanges read = {.class_name = key, .changes = {}};
    for (const RecordLines::Line& line : lines.lines()) {
      std::optional<ValueChange> change = ReadChange(line.text);
      if (change && read.changes.size() < kKeptChanges) {
        read.changes.push_back(*std::move(change));
      } else {
        lines.Report(line.number, fmt::format("{} is not a change of a value, or exceeds the limit",
                                              Quoted(line.text)));
      }
    }
    all.push_back(std::move(read));
  }
  return all;
}

// Sums of queues and namespaces: a key each, a line "NAME PENALTY CHANGED STARTS COMPLETIONS" for
// each sum.

namespace {

constexpr std::string_view kQueuesKey = "queues";
constexpr std::string_view kNamespacesKey = "namespaces";

std::string SumsText(const Sums& sums, std::string_view key) {
  RecordWriter record;
  for (const auto& [name, sum] : sums) {
    record.Line(fmt::format("{} {} {} {} {}", name, sum.penalty, TimeText(sum.changed), sum.starts,
                            sum.completions));
  }
  return std::move(record).Finish(key);
}

std::optional<Account> ReadSum(std::string_view rest) {
  const auto penalty = NumberOf(TakeWord(&rest));
  const auto changed = TimeOf(TakeWord(&rest));
  const auto starts = IntegerOf(TakeWord(&rest));
  const auto completions = IntegerOf(rest);
  if (!penalty || *penalty < 0 || *penalty > kMostPenalty || !changed || !starts || *starts < 0 ||
      *starts > kMostCount || !completions || *completions < 0 || *completions > kMostCount) {
    return std::nullopt;
  }
  return Account{
      .penalty = *penalty, .changed = *changed, .starts = *starts, .completions = *completions};
}

Sums ReadSums(const ConfigMap& map, std::string_view key, std::string_view text, size_t most_name,
              std::vector<JournalFinding>* findings) {
  RecordLines lines(map.name, key, text, findings);
  Sums sums;
  if (!lines.is_intact()) return sums;
  for (const RecordLines::Line& line : lines.lines()) {
    std::string_view rest = line.text;
    const std::string_view name = TakeWord(&rest);
    const std::optional<Account> sum = ReadSum(rest);
    if (!sum || !IsSumName(name, most_name) || sums.size() >= kMostSums || sums.contains(name)) {
      lines.Report(line.number, fmt::format("{} is not a sum, is duplicate, or exceeds the limit",
                                            Quoted(line.text)));
      continue;
    }
    sums.emplace(std::string(name), *sum);
  }
  return sums;
}

}  // namespace

void WriteSumMap(const Ledger& ledger, ConfigMap* map) {
  map->data.emplace(kQueuesKey, SumsText(ledger.queues(), kQueuesKey));
  map->data.emplace(kNamespacesKey, SumsText(ledger.namespaces(), kNamespacesKey));
}

void ReadSumMap(const ConfigMap& map, Ledger* ledger, std::vector<JournalFinding>* findings) {
  Sums queues;
  Sums namespaces;
  for (const auto& [key, text] : map.data) {
    if (key == kQueuesKey) {
      queues = ReadSums(map, key, text, kMostQueueName, findings);
    } else if (key == kNamespacesKey) {
      namespaces = ReadSums(map, key, text, kMostNamespaceName, findings);
    } else {
      Report(map, key, 0, "is not known", findings);
    }
  }
  ledger->RestoreSums(std::move(queues), std::move(namespaces));
}

}  // namespace outrigger::penalty
