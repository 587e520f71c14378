// The agent qos against a stand-in for kube-scheduler: each case is a small cluster in which pods
// come, run and go. What the scheduler does is judged by the true state (judge.h).
#include "simulation.h"

#include <algorithm>
#include <string>

#include "fmt/format.h"
#include "gmock/gmock.h"

namespace outrigger::sim {
namespace {

struct Totals {
  Judge::Counts judged;
  size_t bound = 0, cycles = 0, filter_calls = 0, steps = 0, waiting = 0, nominated = 0;

  void Add(const Simulation& run) {
    const Judge::Counts& counts = run.judge().counts();
    judged.let_through += counts.let_through;
    judged.overtaken += counts.overtaken;
    judged.inversions += counts.inversions;
    judged.evictions += counts.evictions;
    judged.evictions_in_vain += counts.evictions_in_vain;
    judged.stalls += counts.stalls;
    bound += run.bound();
    cycles += run.scheduler().cycles();
    filter_calls += run.scheduler().filter_calls();
    steps += run.steps();
    waiting += run.Waiting().size();
    nominated += run.Nominated().size();
  }
  void Print(const std::string& what) const {
    const auto per_pod = [&](size_t count) {
      return static_cast<double>(count) / static_cast<double>(std::max<size_t>(bound, 1));
    };
    fmt::print(
        "{}: {} pods bound; {} overtook one that waits, {} of them took its place; {} evicted, {} "
        "times in vain; {} stalls; {:.1f} cycles, {:.1f} filter calls, {:.1f} plans a pod\n",
        what, bound, judged.overtaken, judged.inversions, judged.evictions,
        judged.evictions_in_vain, judged.stalls, per_pod(cycles), per_pod(filter_calls),
        per_pod(steps));
  }
};

std::string FindingsOf(const Simulation& run) {
  std::string text;
  for (const std::string& finding : run.judge().findings()) text += finding + "\n";
  for (const std::string& name : run.Waiting()) text += name + " waits for ever\n";
  for (const std::string& name : run.Nominated()) text += name + " is still nominated\n";
  return text;
}

Totals RunCases(uint32_t count, const Sabotage& sabotage = {}) {
  Totals totals;
  for (uint32_t seed = 1; seed <= count; ++seed) {
    Simulation run(Conditions::Random(seed), sabotage);
    run.Run();
    totals.Add(run);
    if (const std::string findings = FindingsOf(run); sabotage.IsNone() && !findings.empty()) {
      fmt::print("seed {}:\n{}", seed, findings);
    }
  }
  return totals;
}

// What was let through and is not in the view yet is not counted, so a pod may get a place by what
// has been taken since: of 1000 bindings about one, where the watch is late by up to 500 ms. Each
// is printed.
TEST(SimulationTest, NothingOvertakesAndNothingSleepsForEver) {
  const Totals totals = RunCases(OUTRIGGER_SIMULATIONS);
  totals.Print("as it is");
  EXPECT_LE(totals.judged.inversions, 2 + totals.bound / 1000);
  EXPECT_EQ(totals.judged.stalls, 0U);
  EXPECT_EQ(totals.judged.evictions_in_vain, 0U);
  EXPECT_EQ(totals.waiting, 0U);
  EXPECT_EQ(totals.nominated, 0U);
  EXPECT_GT(totals.judged.evictions, 0U);
}

/// Calls of the agent, of which a rule is broken.
class Broken : public Extender {
 public:
  explicit Broken(Extender* agent) : agent_(agent) {}
  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) override {
    return agent_->Filter(request, verdicts);
  }
  absl::Status Score(const Request& request, std::span<NodeScore> scores) override {
    return agent_->Score(request, scores);
  }
  absl::Status Preempt(const PreemptRequest& request, std::vector<NodeVictims>* chosen) override {
    return agent_->Preempt(request, chosen);
  }

 private:
  Extender* const agent_;
};

template <typename Extender>
Sabotage By() {
  return {.extender = [](auto* agent) { return std::make_unique<Extender>(agent); },
          .seen_by_agent = {}};
}

class PassesEveryNode final : public Broken {
 public:
  using Broken::Broken;
  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) override {
    absl::Status answered = Broken::Filter(request, verdicts);
    std::fill(verdicts.begin(), verdicts.end(), Verdict::Fits());
    return answered;
  }
};

TEST(SimulationTest, WithoutTheCheckOfReservationsPodsOvertake) {
  const Totals totals = RunCases(20, By<PassesEveryNode>());
  totals.Print("every node passes");
  EXPECT_GT(totals.judged.inversions, 0U);
}

class PreemptsEverywhere final : public Broken {
 public:
  using Broken::Broken;
  absl::Status Preempt(const PreemptRequest& request, std::vector<NodeVictims>* chosen) override {
    chosen->assign(request.candidates.begin(), request.candidates.end());
    return absl::OkStatus();
  }
};

TEST(SimulationTest, WithoutThePreemptRulePodsAreEvictedInVain) {
  const Totals totals = RunCases(50, By<PreemptsEverywhere>());
  totals.Print("every preemption is allowed");
  EXPECT_GT(totals.judged.evictions_in_vain, 0U);
}

TEST(SimulationTest, WithoutTheQosClassPodsOvertake) {
  const Totals totals = RunCases(
      50, {.extender = {}, .seen_by_agent = [](Pod* pod) { pod->qos_class = "BestEffort"; }});
  totals.Print("without the QoS class");
  EXPECT_GT(totals.judged.inversions, 0U);
}

}  // namespace
}  // namespace outrigger::sim
