// Sums of queues and namespaces: a key each, a line "NAME PENALTY CHANGED STARTS COMPLETIONS" for
// each sum.
#include <cstddef>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "penalty/journal/maps.h"
#include "penalty/journal/record.h"
#include "penalty/ledger/sums.h"
#include "penalty/policy/text.h"

namespace outrigger::penalty {
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
      lines.Report(line.number, fmt::format("{} is no sum, is there twice, or is one too many",
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
