#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "preemption_testing.h"

// The cheapest set, found by trying all of them, on small random clusters.

namespace outrigger::plan {
namespace {

using ::outrigger::testing::MakeNode;

int UpTo(int from, int most) {
  return *rc::gen::inRange(from, most + 1);
}

struct VictimOf {
  std::string name;
  std::vector<PodPtr> pods;
  int32_t priority = 0;
  int64_t since = 0;
};

struct Case {
  std::vector<Node> nodes;
  std::vector<VictimOf> victims;
  std::vector<PodPtr> pending;
  std::vector<DisruptionBudget> budgets;
};

// Pods are put where there is room, so that a cluster is as it may be.
Case AnyCase() {
  Case made;
  std::map<std::string, int> free;
  const int nodes = UpTo(1, 3);
  for (int i = 0; i < nodes; ++i) {
    const std::string name = "n" + std::to_string(i);
    free[name] = UpTo(1, 4);
    made.nodes.push_back(MakeNode(name).Allocatable("cpu", std::to_string(free[name])));
  }
  const int victims = UpTo(0, 5);
  for (int t = 0; t < victims; ++t) {
    VictimOf victim{"t" + std::to_string(t), {}, UpTo(0, 3), UpTo(1000, 1900)};
    const int pods = UpTo(1, 3);
    for (int p = 0; p < pods; ++p) {
      const int cpu = UpTo(1, 2);
      const auto room = std::find_if(free.begin(), free.end(),
                                     [&](const auto& node) { return node.second >= cpu; });
      if (room == free.end()) break;
      room->second -= cpu;
      victim.pods.push_back(Asking(victim.name + "-" + std::to_string(p), std::to_string(cpu))
                                .On(room->first)
                                .Since(victim.since)
                                .Priority(victim.priority)
                                .Label("app", std::to_string(UpTo(0, 1)))
                                .Gang(victim.name));
    }
    if (!victim.pods.empty()) made.victims.push_back(std::move(victim));
  }
  const int units = UpTo(1, 2);
  for (int u = 0; u < units; ++u) {
    const int members = UpTo(1, 3);
    const int32_t priority = 2 + u;
    for (int m = 0; m < members; ++m) {
      const std::string name = "u" + std::to_string(u);
      made.pending.push_back(Asking(name + "-" + std::to_string(m), std::to_string(UpTo(1, 2)))
                                 .Priority(priority)
                                 .Gang(name, std::to_string(members)));
    }
  }
  for (int b = UpTo(0, 2); b > 0; --b) {
    DisruptionBudget budget{.namespace_ = "default",
                            .name = "b" + std::to_string(b),
                            .selector = LabelSelector(),
                            .allowed = UpTo(0, 4)};
    budget.selector->match_labels.Set("app", std::to_string(UpTo(0, 1)));
    made.budgets.push_back(std::move(budget));
  }
  return made;
}

Crowd CrowdOf(const Case& of, unsigned gone) {
  Crowd crowd(of.nodes);
  for (size_t i = 0; i < of.victims.size(); ++i) {
    if ((gone >> i & 1U) != 0) continue;
    for (const PodPtr& pod : of.victims[i].pods) crowd.Add(pod);
  }
  for (const PodPtr& pod : of.pending) crowd.Add(pod);
  crowd.options().budgets = of.budgets;
  crowd.options().most_plans = 500;
  return crowd;
}

bool Fits(const Case& of, unsigned gone, const std::string& unit) {
  Crowd crowd = CrowdOf(of, gone);
  const Built built = Build(crowd.pods());
  const Plan plan = crowd.world().PlanFresh(built.units);
  for (size_t i = 0; i < built.units.size(); ++i) {
    if (built.units[i].key.name == unit) return plan.units[i].fits;
  }
  return false;
}

bool MayGo(const Case& of, unsigned gone, int32_t below) {
  std::vector<int64_t> used(of.budgets.size());
  for (size_t i = 0; i < of.victims.size(); ++i) {
    if ((gone >> i & 1U) == 0) continue;
    if (of.victims[i].priority >= below) return false;
    for (const PodPtr& pod : of.victims[i].pods) {
      size_t of_pod = 0;
      for (size_t b = 0; b < used.size(); ++b) {
        if (!of.budgets[b].selector->Matches(pod->labels)) continue;
        ++used[b];
        ++of_pod;
      }
      if (of_pod > 1) return false;
    }
  }
  for (size_t b = 0; b < used.size(); ++b) {
    if (used[b] > of.budgets[b].allowed) return false;
  }
  return true;
}

using Cost = std::tuple<int32_t, size_t, int64_t>;
Cost CostOf(const Case& of, unsigned gone) {
  Cost cost{};
  for (size_t i = 0; i < of.victims.size(); ++i) {
    if ((gone >> i & 1U) == 0) continue;
    const VictimOf& victim = of.victims[i];
    std::get<0>(cost) = std::max(std::get<0>(cost), victim.priority);
    std::get<1>(cost) += victim.pods.size();
    std::get<2>(cost) += static_cast<int64_t>(victim.pods.size()) * (2000 - victim.since);
  }
  return cost;
}

RC_GTEST_PROP(Preemption, IsTheCheapestSetThatWouldDo, ()) {
  const Case of = AnyCase();
  const std::string unit = "u" + std::to_string(UpTo(0, 1));
  const auto of_unit = std::find_if(of.pending.begin(), of.pending.end(), [&](const PodPtr& pod) {
    return pod->labels.Get(kPodGroupLabel) == unit;
  });
  RC_PRE(of_unit != of.pending.end());
  std::optional<Cost> cheapest;
  for (unsigned gone = 0; gone < (1U << of.victims.size()); ++gone) {
    if (!MayGo(of, gone, (*of_unit)->priority) || !Fits(of, gone, unit)) continue;
    if (!cheapest || CostOf(of, gone) < *cheapest) cheapest = CostOf(of, gone);
  }
  const Preemption found = CrowdOf(of, 0).Find(unit);
  RC_LOG() << TextOf(found) << "\n";
  RC_CLASSIFY(found.answer == Preemption::Answer::kVictims, "victims");
  RC_CLASSIFY(found.victims.size() > 1, "several victims");
  RC_ASSERT(cheapest.has_value() == (found.answer != Preemption::Answer::kNobody));
  if (!cheapest) return;
  unsigned gone = 0;
  for (const Victim& victim : found.victims) {
    for (size_t i = 0; i < of.victims.size(); ++i) {
      if (of.victims[i].name != victim.key.name) continue;
      gone |= 1U << i;
      RC_ASSERT(victim.pods.size() == of.victims[i].pods.size());
    }
  }
  RC_ASSERT(static_cast<size_t>(std::popcount(gone)) == found.victims.size());
  RC_ASSERT(MayGo(of, gone, (*of_unit)->priority));
  RC_ASSERT(Fits(of, gone, unit));
  RC_ASSERT(CostOf(of, gone) == *cheapest);
  RC_ASSERT((found.answer == Preemption::Answer::kNotNeeded) == (gone == 0));
}

}  // namespace
}  // namespace outrigger::plan
