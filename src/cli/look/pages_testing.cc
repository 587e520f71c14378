#include "cli/look/pages_testing.h"

#include <utility>

#include "absl/time/time.h"
#include "fmt/format.h"

namespace outrigger::cli::look {
namespace {

using Type = PageColumn::Type;

constexpr size_t kMostRows = 1000;

}  // namespace

WallTime Noon() {
  return absl::ToChronoTime(absl::FromUnixSeconds(1'800'014'400));
}

PageTable QueueTable(const std::vector<QueuedUnit>& units) {
  PageTable table({{"position", Type::kInteger},
                   {"unit", Type::kText},
                   {"kind", Type::kText},
                   {"priority", Type::kInteger},
                   {"since", Type::kText},
                   {"state", Type::kText},
                   {"lacks", Type::kText},
                   {"members", Type::kInteger},
                   {"bound", Type::kInteger},
                   {"minimum", Type::kInteger},
                   {"why", Type::kText}},
                  kMostRows);
  for (size_t i = 0; i < units.size(); ++i) {
    const QueuedUnit& unit = units[i];
    const bool is_gang = unit.kind == "gang";
    table.Add({static_cast<int64_t>(i + 1), unit.name, unit.kind, int64_t{7},
               absl::FormatTime(absl::FromChrono(Noon()) - absl::Minutes(5), absl::UTCTimeZone()),
               unit.state, TextOrAbsent(unit.lacks), int64_t{is_gang ? 4 : 1}, int64_t{0},
               int64_t{is_gang ? 4 : 1}, TextOrAbsent(unit.why)});
  }
  return table;
}

PageTable GangsTable(const std::vector<QueuedUnit>& gangs) {
  PageTable table({{"unit", Type::kText},
                   {"state", Type::kText},
                   {"minimum", Type::kInteger},
                   {"bound", Type::kInteger},
                   {"existing", Type::kInteger},
                   {"lacks", Type::kText},
                   {"why", Type::kText}},
                  kMostRows);
  for (const QueuedUnit& gang : gangs) {
    table.Add({gang.name, gang.state, int64_t{8}, int64_t{0}, int64_t{5}, TextOrAbsent(gang.lacks),
               TextOrAbsent(gang.why)});
  }
  return table;
}

PageTable NodesTable(size_t count) {
  PageTable table({{"node", Type::kText},
                   {"zone", Type::kText},
                   {"rack", Type::kText},
                   {"schedulable", Type::kBoolean},
                   {"cpuTotal", Type::kInteger},
                   {"cpuUsed", Type::kInteger},
                   {"cpuReserved", Type::kInteger},
                   {"memoryTotal", Type::kInteger},
                   {"memoryUsed", Type::kInteger},
                   {"memoryReserved", Type::kInteger},
                   {"device", Type::kText},
                   {"deviceTotal", Type::kInteger},
                   {"deviceUsed", Type::kInteger},
                   {"deviceReserved", Type::kInteger},
                   {"reservedFor", Type::kText},
                   {"keptFor", Type::kText}},
                  kMostRows);
  constexpr int64_t kGi = int64_t{1} << 30;
  for (size_t i = 0; i < count; ++i) {
    const bool is_reserved = i == 0;
    table.Add({fmt::format("n{}", i), fmt::format("zone-{}", i % 2), fmt::format("r{}", i % 4),
               i + 1 < count, int64_t{8'000}, int64_t{2'500}, int64_t{is_reserved ? 4'000 : 0},
               32 * kGi, 8 * kGi, is_reserved ? 16 * kGi : int64_t{0},
               std::string(i + 1 < count ? "nvidia.com/gpu" : "amd.com/gpu"), int64_t{4},
               int64_t{1}, int64_t{is_reserved ? 2 : 0},
               is_reserved ? PageCell(std::string("ml/red")) : PageCell(), PageCell()});
  }
  return table;
}

Readings ReadingsOf(PageTable queue, PageTable gangs, PageTable nodes) {
  Readings readings{.url = "http://127.0.0.1:9970",
                    .who = "gang,qos in pod kube-system/outrigger-x"};
  readings.answered_at = Noon();
  readings.queue = {std::move(queue), Noon(), absl::OkStatus()};
  readings.gangs = {std::move(gangs), Noon(), absl::OkStatus()};
  readings.nodes = {std::move(nodes), Noon(), absl::OkStatus()};
  return readings;
}

}  // namespace outrigger::cli::look
