// The journal of the penalty agent, as anybody may have edited it. The input has the keys of its
// ConfigMaps: "== MAP KEY" and lines that are the value as it is, or "=+ MAP KEY" and lines to
// which the right checksum is added, so that what follows from them is reached.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "penalty/classes/class_policy.h"
#include "penalty/classes/intent.h"
#include "penalty/classes/journal.h"
#include "penalty/classes/journal/record.h"

namespace outrigger::fuzz {
namespace {

using penalty::IntentRead;
using penalty::JournalFinding;
using penalty::JournalMap;
using penalty::JournalMapKind;
using penalty::JournalRead;
using penalty::Ledger;

constexpr penalty::Millis kNow = 1'764'000'000'000;

ConfigMap* MapNamed(std::string_view name, std::vector<ConfigMap>* maps) {
  for (ConfigMap& map : *maps) {
    if (map.name == name) return &map;
  }
  maps->emplace_back().name = name;
  return &maps->back();
}

// One key: its header line, without "==" or "=+", and its value.
void AddKey(std::string_view header, std::string value, bool is_checked,
            std::vector<ConfigMap>* maps) {
  const size_t blank = header.find(' ');
  if (blank == std::string_view::npos) return;
  const std::string key(header.substr(blank + 1));
  if (is_checked) value += "check=" + penalty::CheckOf(key, value) + "\n";
  MapNamed(header.substr(0, blank), maps)->data[key] = std::move(value);
}

std::vector<ConfigMap> MapsOf(std::string_view text) {
  std::vector<ConfigMap> maps;
  std::string_view header;
  std::string value;
  bool is_checked = false;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.starts_with("== ") || line.starts_with("=+ ")) {
      AddKey(header, std::move(value), is_checked, &maps);
      value.clear();
      header = line.substr(3);
      is_checked = line[1] == '+';
    } else {
      value.append(line).append("\n");
    }
  }
  AddKey(header, std::move(value), is_checked, &maps);
  return maps;
}

void CheckFindings(const std::vector<JournalFinding>& findings) {
  for (const JournalFinding& finding : findings) {
    OUTRIGGER_REQUIRE(!finding.text.empty());
    OUTRIGGER_REQUIRE(finding.line >= 0);
    for (const char c : FindingText(finding)) {
      OUTRIGGER_REQUIRE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    }
  }
}

bool IsPenalty(double penalty) {
  return std::isfinite(penalty) && penalty >= 0 && penalty <= penalty::kMostPenalty;
}

void CheckLimits(const Ledger& ledger) {
  OUTRIGGER_REQUIRE(ledger.since() >= 0 && ledger.since() <= kNow);
  for (const auto& [name, account] : ledger.classes()) {
    OUTRIGGER_REQUIRE(penalty::IsClassName(name) && name == account.name);
    OUTRIGGER_REQUIRE(account.base >= penalty::kLowestValue);
    OUTRIGGER_REQUIRE(account.base <= penalty::kHighestValue);
    OUTRIGGER_REQUIRE(account.written >= penalty::kLowestValue && account.written <= account.base);
    OUTRIGGER_REQUIRE(IsPenalty(account.account.penalty));
    OUTRIGGER_REQUIRE(account.account.changed >= 0 && account.account.changed <= kNow + 60'000);
    OUTRIGGER_REQUIRE(account.account.starts >= 0 && account.account.completions >= 0);
    OUTRIGGER_REQUIRE(account.changes.size() <= penalty::kKeptChanges);
    const auto bounds = penalty::BoundsOf(penalty::Policy(), account.base, penalty::Floor());
    OUTRIGGER_REQUIRE(bounds.ok());
    const int64_t value = ValueAt(account.account, penalty::Policy(), *bounds, kNow);
    OUTRIGGER_REQUIRE(value >= bounds->floor && value <= account.base);
  }
  for (const penalty::Sums* sums : {&ledger.queues(), &ledger.namespaces()}) {
    OUTRIGGER_REQUIRE(sums->size() <= penalty::kMostSums);
    for (const auto& [name, sum] : *sums) OUTRIGGER_REQUIRE(IsPenalty(sum.penalty));
  }
}

std::set<JournalMap> MapsWithSomething(const Ledger& ledger) {
  std::set<JournalMap> maps = {{JournalMapKind::kClasses, 0}, {JournalMapKind::kSums, 0}};
  for (const auto& [uid, mark] : ledger.pending())
    maps.insert({JournalMapKind::kClasses, mark.map});
  constexpr int kEach = penalty::kChangeMaps / penalty::kClassMaps;
  for (const auto& [name, account] : ledger.classes()) {
    maps.insert({JournalMapKind::kClasses, account.map});
    for (int i = 0; i < kEach; ++i) {
      maps.insert({JournalMapKind::kChanges, account.map * kEach + i});
    }
  }
  return maps;
}

// What was read can be written, and is read the same and without a finding.
void CheckAgain(const Ledger& ledger) {
  std::vector<ConfigMap> maps;
  for (const JournalMap& which : MapsWithSomething(ledger)) {
    auto map = WriteJournalMap(ledger, which);
    OUTRIGGER_REQUIRE(map.ok());
    maps.push_back(*std::move(map));
  }
  const JournalRead again = penalty::ReadJournal(maps, kNow);
  OUTRIGGER_REQUIRE(again.findings.empty() && again.damaged.empty());
  OUTRIGGER_REQUIRE(again.ledger == ledger);
}

void CheckIntent(const ConfigMap& map) {
  const IntentRead read = penalty::ReadIntent(map);
  CheckFindings(read.findings);
  const bool is_whole = read.is_intact && read.is_manifest_intact;
  OUTRIGGER_REQUIRE(is_whole || !read.findings.empty());
  if (!read.is_intact) return;
  OUTRIGGER_REQUIRE(read.intent.target <= read.intent.base);
  const auto written = WriteIntent(read.intent, 0);
  OUTRIGGER_REQUIRE(written.ok());
  const IntentRead again = penalty::ReadIntent(*written);
  OUTRIGGER_REQUIRE(again.is_intact && again.is_manifest_intact && again.findings.empty());
  OUTRIGGER_REQUIRE(again.intent == read.intent);
}

void Check(std::string_view text) {
  const std::vector<ConfigMap> maps = MapsOf(text);
  for (const ConfigMap& map : maps) CheckIntent(map);
  const JournalRead read = penalty::ReadJournal(maps, kNow);
  CheckFindings(read.findings);
  OUTRIGGER_REQUIRE(read.damaged.empty() || !read.findings.empty());
  OUTRIGGER_REQUIRE(!read.is_newer || read.ledger.classes().empty());
  CheckLimits(read.ledger);
  CheckAgain(read.ledger);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
