// Loads with a known truth: how true the figures of the load-aware agents are, and what placements
// come of them, next to other schedulers' formulas. `scripts/bench --load` runs it.
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "goals.h"
#include "outrigger/base/parallel.h"
#include "replay.h"
#include "report.h"
#include "series.h"

namespace outrigger::load_bench {
namespace {

constexpr size_t kThreads = 2;

struct Flags {
  bool quick = false;
  bool is_final = false;
  std::string out;
};

int PrintUsage() {
  std::fputs(
      "usage: outrigger_bench_load [--quick] [--final] [--out FILE]\n"
      "  --quick     one short run of each row; judges nothing but that each figure is finite\n"
      "  --final     the seeds that are held out, in place of the open ones\n"
      "  --out FILE  the figures in JSON\n",
      stderr);
  return 2;
}

bool Parse(int argc, char** argv, Flags* flags) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--quick") {
      flags->quick = true;
    } else if (flag == "--final") {
      flags->is_final = true;
    } else if (flag == "--out" && i + 1 < argc) {
      flags->out = argv[++i];
    } else {
      return false;
    }
  }
  return true;
}

std::vector<uint64_t> SeedsFor(Family family, const Flags& flags) {
  const Seeds seeds = SeedsOf(family);
  const auto& half = flags.is_final ? seeds.held_out : seeds.open;
  if (flags.quick) return {half.front()};
  return {half.begin(), half.end()};
}

Scale ScaleFor(const Flags& flags) {
  return flags.quick ? Scale{.nodes = 12, .warm_up = 1800, .length = 3600} : Scale();
}

/// One run of the table.
struct Job {
  size_t family;
  size_t contender;
  uint64_t seed;
};

std::vector<FamilyRows> Rows(const Flags& flags) {
  const Scale scale = ScaleFor(flags);
  std::vector<Job> jobs;
  for (size_t family = 0; family < kFamilies.size(); ++family) {
    for (size_t contender = 0; contender < Contenders().size(); ++contender) {
      for (const uint64_t seed : SeedsFor(kFamilies[family], flags)) {
        jobs.push_back({family, contender, seed});
      }
    }
  }
  std::vector<Measures> measured(jobs.size());
  ParallelFor(jobs.size(), kThreads, [&](size_t i) {
    const Trace trace = MakeTrace(kFamilies[jobs[i].family], jobs[i].seed, scale);
    measured[i] = Replay(trace, Contenders()[jobs[i].contender].make);
  });
  // The last is of all families.
  std::vector<std::vector<Measures>> sums(kFamilies.size() + 1,
                                          std::vector<Measures>(Contenders().size()));
  for (size_t i = 0; i < jobs.size(); ++i) {
    sums[jobs[i].family][jobs[i].contender].Add(measured[i]);
    sums.back()[jobs[i].contender].Add(measured[i]);
  }
  std::vector<FamilyRows> families;
  for (size_t family = 0; family < sums.size(); ++family) {
    const bool is_sum = family == kFamilies.size();
    families.push_back({is_sum ? "all" : std::string(NameOf(kFamilies[family])), {}});
    for (const Measures& sum : sums[family]) families.back().rows.push_back(RowOf(sum));
  }
  return families;
}

int Main(const Flags& flags) {
  const std::string what = std::string(flags.is_final ? "held out seeds" : "open seeds") +
                           (flags.quick ? ", quick: one short run each" : "");
  const std::vector<FamilyRows> families = Rows(flags);
  const std::vector<LoadPoint> series =
      SeriesOf(MakeTrace(Family::kSteps, SeedsFor(Family::kSteps, flags).front(), ScaleFor(flags)));
  std::vector<std::string> missed = NotFinite(families);
  if (!flags.quick) {
    for (const FamilyRows& family : families) {
      for (std::string& goal : MissedGoals(family)) missed.push_back(std::move(goal));
    }
  }
  std::fputs(TableOf(families, what).c_str(), stdout);
  if (!flags.out.empty()) std::ofstream(flags.out) << JsonOf(families, what, missed, series);
  if (!missed.empty()) std::puts("\nMissed:\n");
  for (const std::string& goal : missed) std::printf("- %s\n", goal.c_str());
  return missed.empty() ? 0 : 1;
}

}  // namespace
}  // namespace outrigger::load_bench

int main(int argc, char** argv) {
  outrigger::load_bench::Flags flags;
  if (!outrigger::load_bench::Parse(argc, argv, &flags)) return outrigger::load_bench::PrintUsage();
  return outrigger::load_bench::Main(flags);
}
