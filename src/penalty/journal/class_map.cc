// Accounts of classes: a key each, and the keys _meta and _pending, which no class can have.
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "outrigger/penalty/policy.h"
#include "penalty/journal/maps.h"
#include "penalty/journal/record.h"
#include "penalty/policy/text.h"

namespace outrigger::penalty {
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
  lines->Report(0,
                fmt::format("{} is {}, which is yet to come: taken as now", name, TimeText(*time)));
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
      lines.Report(line.number, fmt::format("{} is no UID with its mark", Quoted(line.text)));
      continue;
    }
    if (!ledger->RestorePending(std::string(uid), {*state, index})) {
      lines.Report(line.number,
                   fmt::format("{} is no UID, is there twice, or is one too many", Quoted(uid)));
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
    lines.Report(0, fmt::format("version {} is of a later program: nothing is read", *version));
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
      Report(map, key, 0, "is no name of a PriorityClass", findings);
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
      lines.Report(0, "is in another map as well, or has no room here: left out");
    } else if (ledger->Find(key)->slot != slot) {
      lines.Report(0, fmt::format("slot {} is that of another class", slot));
    }
  }
}

}  // namespace outrigger::penalty
