// Gang preemption, by the agent as the program runs it.
#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "gang_testing.h"

namespace outrigger::gang {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class EvictorTest : public GangTest {
 protected:
  void StartPreempting(std::string_view preempt = "true", std::string_view lease = "none") {
    Start({{"scheduler-lease", lease}, {"host-name", "host"}, {"preempt", preempt}});
  }
  void PutBound(Pod pod, const std::string& node, int32_t priority) {
    pod.node_name = node;
    pod.priority = priority;
    cluster_.Put(pod);
  }
  void PutUrgent(const std::string& gang, int members, const std::string& cpu) {
    for (int i = 0; i < members; ++i) {
      Pod pod = Member(gang, i, members, cpu);
      pod.priority = 1000;
      cluster_.Put(pod);
    }
  }
  // Gang low on n0 and gang mid on n1, of two pods of 2 cpu each.
  void TwoGangs() {
    Nodes(2);
    for (int i = 0; i < 2; ++i) {
      PutBound(Member("low", i, 2, "2"), "n0", 10);
      PutBound(Member("mid", i, 2, "2"), "n1", 20);
    }
  }
  void AwaitEvictions(size_t count) {
    Await([&] { return cluster_.evictions().size() >= count; });
  }
  // Until it has been said that a gang waits: by then it was looked for whom to evict.
  void AwaitTold() {
    Await([&] {
      const auto events = cluster_.events();
      return std::any_of(events.begin(), events.end(),
                         [](const ClusterEvent& event) { return event.reason == "GangWaiting"; });
    });
  }
};

TEST_F(EvictorTest, AGangThatDoesNotFitGetsThePlacesOfTheCheapestGangWhole) {
  TwoGangs();
  PutUrgent("high", 2, "2");
  StartPreempting();
  AwaitEvictions(2);
  EXPECT_THAT(cluster_.evictions(), UnorderedElementsAre("low-0", "low-1"));
  for (const char* pod : {"low-0", "low-1"}) cluster_.RemovePod(pod);
  Await([&] { return Passing("high-0") == std::vector<std::string>{"n0"}; });
  const auto told = [this] {
    std::vector<std::string> all;
    for (const ClusterEvent& event : cluster_.events()) {
      if (event.action == "Preempting") all.push_back(event.name + " " + event.reason);
    }
    return all;
  };
  Await([&] { return told().size() >= 3; });
  EXPECT_THAT(told(),
              UnorderedElementsAre("low-0 Preempted", "low-1 Preempted", "high-0 GangPreempts"));
}

TEST_F(EvictorTest, WhatIsFreedIsKeptForTheGang) {
  TwoGangs();
  PutUrgent("high", 2, "2");
  StartPreempting();
  AwaitEvictions(2);
  cluster_.RemovePod("low-0");  // low-1 takes its time
  // The scheduler counts who is nominated against other pods.
  Await([&] {
    const auto all = cluster_.nominations();
    return std::set(all.begin(), all.end()) ==
           std::set<std::pair<std::string, std::string>>{{"high-0", "n0"}, {"high-1", "n0"}};
  });
  cluster_.RemovePod("low-1");
  Await([&] { return Passing("high-1") == std::vector<std::string>{"n0"}; });
  EXPECT_THAT(cluster_.evictions().size(), 2U);
}

TEST_F(EvictorTest, NobodyIsEvictedAndNoStatusIsWrittenUnlessThatIsAskedFor) {
  TwoGangs();
  PutUrgent("high", 2, "2");
  PodGroup group;
  group.dialect = Dialect::kSchedulerPlugins;
  group.namespace_ = "default";
  group.name = "group";
  group.uid = "uid-group";
  group.min_member = 2;
  cluster_.Put(group);
  cluster_.Put(testing::MakePod("member").Label("scheduling.x-k8s.io/pod-group", "group"));
  StartPreempting("false");
  AwaitTold();
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
  EXPECT_TRUE(cluster_.statuses().empty());
}

TEST_F(EvictorTest, ABudgetThatIsSpentProtectsAGang) {
  TwoGangs();
  PutUrgent("high", 2, "2");
  DisruptionBudget budget{
      .namespace_ = "default", .name = "low", .selector = LabelSelector(), .allowed = 1};
  budget.selector->match_labels.Set("podGroup", "low");
  cluster_.Put(budget);
  StartPreempting();
  AwaitEvictions(2);
  EXPECT_THAT(cluster_.evictions(), UnorderedElementsAre("mid-0", "mid-1"));
}

TEST_F(EvictorTest, AMemberThatIsBoundMeanwhileGoesWithItsGang) {
  TwoGangs();
  PutUrgent("high", 2, "2");
  std::atomic<bool> grown{false};
  cluster_.OnEvict([&](const std::string&, bool dry_run) {
    if (dry_run && !grown.exchange(true)) PutBound(Member("low", 2, 2, "0"), "n1", 10);
    return absl::OkStatus();
  });
  StartPreempting();
  AwaitEvictions(3);
  EXPECT_THAT(cluster_.evictions(), UnorderedElementsAre("low-0", "low-1", "low-2"));
}

TEST_F(EvictorTest, WhatIsRefusedAfterAllIsAskedForAgain) {
  TwoGangs();
  PutUrgent("high", 2, "2");
  std::atomic<int> refused{0};
  cluster_.OnEvict([&](const std::string& pod, bool dry_run) {
    const bool refuse = !dry_run && pod == "low-1" && refused++ == 0;
    return refuse ? absl::ResourceExhaustedError("a budget forbids it") : absl::OkStatus();
  });
  StartPreempting();
  AwaitEvictions(2);
  EXPECT_THAT(cluster_.evictions(), UnorderedElementsAre("low-0", "low-1"));
  EXPECT_EQ(refused, 2);
}

TEST_F(EvictorTest, ASinglePodGetsThePlacesOfAGangWhichTheSchedulerMayNotCut) {
  Nodes(2);
  PutBound(Member("low", 0, 2, "4"), "n0", 10);
  PutBound(Member("low", 1, 2, "4"), "n1", 10);
  Pod urgent = testing::MakePod("urgent").Requests({{"cpu", "4"}});
  urgent.priority = 1000;
  cluster_.Put(urgent);
  StartPreempting();
  AwaitEvictions(2);
  EXPECT_THAT(cluster_.evictions(), UnorderedElementsAre("low-0", "low-1"));
}

TEST_F(EvictorTest, WhoIsNotInChargeWhenItComesToItEvictsNobody) {
  TwoGangs();
  PutUrgent("high", 2, "2");
  cluster_.SetLeaseHolder("host_1");
  std::atomic<int> asked{0};
  cluster_.OnEvict([&](const std::string&, bool dry_run) {
    EXPECT_TRUE(dry_run);
    cluster_.SetLeaseHolder("other_2");
    ++asked;
    return absl::OkStatus();
  });
  StartPreempting("true", "kube-system/kube-scheduler");
  Await([&] { return asked == 2; });
  Await([&] { return !FilterStatus(testing::MakePod("probe")).ok(); });
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
}

TEST_F(EvictorTest, WhoIsNotInChargeAnyMoreEvictsNobodyElse) {
  TwoGangs();
  PutUrgent("high", 2, "2");
  cluster_.SetLeaseHolder("host_1");
  cluster_.OnEvict([&](const std::string&, bool dry_run) {
    if (dry_run) return absl::OkStatus();
    cluster_.SetLeaseHolder("other_2");
    return absl::ResourceExhaustedError("a budget forbids it");
  });
  StartPreempting("true", "kube-system/kube-scheduler");
  const auto told = [&] {
    const auto log = agent_->log();
    return std::any_of(log.begin(), log.end(), [](const std::string& line) {
      return line.starts_with("gang default/high: no pod is evicted for it: not in charge");
    });
  };
  Await(told);
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
}

// What changes while the first members of a large gang are being evicted.
class EvictorEndTest : public EvictorTest {
 protected:
  static constexpr int kVictims = 20;

  // Makes the change during the first evictions, all of which are refused.
  void ChangeWhileEvicting(std::function<void()> change) {
    Nodes(2);
    for (int i = 0; i < kVictims; ++i) PutBound(Member("low", i, kVictims, "200m"), "n0", 10);
    for (int i = 0; i < 2; ++i) PutBound(Member("mid", i, 2, "2"), "n1", 20);
    PutUrgent("high", 2, "2");
    cluster_.OnEvict([this, change](const std::string&, bool dry_run) {
      if (dry_run) {
        if (asked_ > 0) looked_again_ = true;
        return absl::OkStatus();
      }
      if (!looked_again_) ++asked_;
      std::call_once(changed_, [&] {
        change();
        // Two plans: answers change before the evictor is told of the first one.
        for (const char* gang : {"later", "last"}) {
          cluster_.Put(Member(gang, 0, 1, "0"));
          Await([&] { return Passing(fmt::format("{}-0", gang)).size() == 1; });
        }
      });
      return absl::ResourceExhaustedError("a budget forbids it");
    });
    StartPreempting();
    // The next one's turn comes once the evictor is through with the first.
    Await([&] { return asked_ > 0 && Refusals() >= asked_; });
    PutUrgent("next", 2, "2");
    Await([&] { return looked_again_ || asked_ >= kVictims; });
  }

  // Evictions that were answered, as the log has them.
  int Refusals() {
    const auto log = agent_->log();
    return static_cast<int>(std::count_if(log.begin(), log.end(), [](const std::string& line) {
      return line.find("is not evicted yet") != std::string::npos;
    }));
  }

  std::once_flag changed_;
  std::atomic<int> asked_{0};  // to evict one for the first gang
  std::atomic<bool> looked_again_{false};
};

TEST_F(EvictorEndTest, NobodyElseIsEvictedForAGangThatIsGone) {
  ChangeWhileEvicting([this] {
    for (const char* pod : {"high-0", "high-1"}) cluster_.RemovePod(pod);
  });
  EXPECT_TRUE(looked_again_);
  EXPECT_LT(asked_, kVictims);
  Stop();
}

TEST_F(EvictorEndTest, NobodyElseIsEvictedForAGangThatFitsElsewhere) {
  ChangeWhileEvicting([this] { cluster_.Put(testing::MakeNode("n2")); });
  EXPECT_TRUE(looked_again_);
  EXPECT_LT(asked_, kVictims);
  Stop();
}

// What is left of it would be bound in part, and come before who is to have the places.
TEST_F(EvictorTest, AGangOfWhichSomebodyWasEvictedGoesWholeThoughThereIsRoomNow) {
  constexpr size_t kVictims = 20;
  Nodes(2);
  for (int i = 0; i < static_cast<int>(kVictims); ++i) {
    PutBound(Member("low", i, kVictims, "200m"), "n0", 10);
  }
  for (int i = 0; i < 2; ++i) PutBound(Member("mid", i, 2, "2"), "n1", 20);
  PutUrgent("high", 2, "2");
  std::once_flag changed;
  const auto change = [&] {
    cluster_.Put(testing::MakeNode("n2"));
    // Two plans: answers change before the evictor is told of the first one.
    for (const char* gang : {"later", "last"}) {
      cluster_.Put(Member(gang, 0, 1, "0"));
      Await([&] { return Passing(fmt::format("{}-0", gang)).size() == 1; });
    }
  };
  cluster_.OnEvict([&](const std::string&, bool dry_run) {
    // Before the first answer: of the calls that are under way nothing is known.
    if (!dry_run) std::call_once(changed, change);
    return absl::OkStatus();
  });
  StartPreempting();
  AwaitEvictions(kVictims);
  Stop();
}

TEST_F(EvictorTest, ARecreatedMemberOfAnEvictedGangDoesNotGetItsPlaceBack) {
  TwoGangs();
  PutUrgent("high", 2, "2");
  StartPreempting();
  AwaitEvictions(2);
  cluster_.RemovePod("low-0");
  Pod again = Member("low", 0, 2, "2");
  again.uid = "uid-again";
  again.priority = 10;
  cluster_.Put(again);
  Await([&] { return !Reason("low-0").empty(); });
  EXPECT_THAT(Passing("low-0"), IsEmpty());
}

}  // namespace
}  // namespace outrigger::gang
