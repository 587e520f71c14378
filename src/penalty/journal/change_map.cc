// The last changes of classes: a key each, a line for each change.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "outrigger/penalty/policy.h"
#include "penalty/journal/maps.h"
#include "penalty/journal/record.h"
#include "penalty/policy/text.h"

namespace outrigger::penalty {
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
      Report(map, key, 0, "is no name of a PriorityClass", findings);
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
        lines.Report(line.number,
                     fmt::format("{} is no change of a value, or one too many", Quoted(line.text)));
      }
    }
    all.push_back(std::move(read));
  }
  return all;
}

}  // namespace outrigger::penalty
