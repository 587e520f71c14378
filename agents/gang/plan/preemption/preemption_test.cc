#include "gang/plan/preemption.h"

#include "gang/plan/order.h"

#include "preemption_testing.h"
#include "sdk/base/dialects.h"

namespace outrigger::plan {
namespace {

using ::outrigger::testing::MakeNode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Node NodeOf(std::string_view name, std::string_view cpu = "4") {
  return MakeNode(name).Allocatable("cpu", cpu);
}

/// Nodes a and b of 4 cpu, full: gang "low" of priority 10 on a (two pods) and gang "mid" of 20 on
/// b. "high", of priority 100, wants two pods of 2 cpu.
Crowd Full() {
  Crowd crowd({NodeOf("a"), NodeOf("b")});
  for (const char* name : {"low-0", "low-1"}) {
    crowd.Add(Asking(name, "2").On("a").Priority(10).Gang("low", "2"));
  }
  for (const char* name : {"mid-0", "mid-1"}) {
    crowd.Add(Asking(name, "2").On("b").Priority(20).Gang("mid", "2"));
  }
  for (const char* name : {"high-0", "high-1"}) {
    crowd.Add(Asking(name, "2").Priority(100).Gang("high", "2"));
  }
  return crowd;
}

TEST(Preemption, TakesTheGangOfTheLowestPriorityWhole) {
  Crowd crowd = Full();
  const Preemption found = crowd.Find("high");
  EXPECT_EQ(TextOf(found), "low(low-0 low-1)");
  EXPECT_THAT(found.nodes, ElementsAre("a", "a"));
}

TEST(Preemption, ComparesPriorityThatDoesNotCountForTheOrder) {
  Crowd crowd = Full();
  crowd.groups().order_by_pod_priority = false;
  EXPECT_EQ(TextOf(crowd.Find("high")), "low(low-0 low-1)");
  crowd.Add(Asking("least", "2").Priority(10).Gang("least"));
  EXPECT_EQ(TextOf(crowd.Find("least")), "nobody") << "10 is not below 10";
}

TEST(Preemption, NeverCutsAGang) {
  // One pod of 2 cpu would be enough: it is a member of a gang of two, which goes whole.
  Crowd crowd({NodeOf("a")});
  crowd.Add(Asking("low-0", "2").On("a").Gang("low", "2"));
  crowd.Add(Asking("low-1", "2").On("a").Gang("low", "2"));
  crowd.Add(Asking("high-0", "2").Priority(100).Gang("high", "1"));
  EXPECT_EQ(TextOf(crowd.Find("high")), "low(low-0 low-1)");
}

TEST(Preemption, TakesFewerPodsOfEqualPriorityAndThenThoseThatRanLess) {
  Crowd crowd({NodeOf("a"), NodeOf("b"), NodeOf("c")});
  crowd.Add(Asking("many-0", "2").On("a").Gang("many", "2"));
  crowd.Add(Asking("many-1", "2").On("a").Gang("many", "2"));
  crowd.Add(Asking("old", "4").On("b").Since(500));
  crowd.Add(Asking("young", "4").On("c").Since(1500));
  crowd.Add(Asking("high-0", "4").Priority(100).Gang("high"));
  EXPECT_EQ(TextOf(crowd.Find("high")), "young(young)");
}

TEST(Preemption, TakesSeveralOfLowPriorityBeforeOneOfAHigherOne) {
  Crowd crowd({NodeOf("a"), NodeOf("b")});
  for (const char* name : {"s0", "s1", "s2", "s3"})
    crowd.Add(Asking(name, "1").On("a").Priority(1));
  crowd.Add(Asking("one", "4").On("b").Priority(2));
  crowd.Add(Asking("high-0", "4").Priority(100).Gang("high"));
  EXPECT_EQ(TextOf(crowd.Find("high")), "s0(s0) s1(s1) s2(s2) s3(s3)");
}

TEST(Preemption, SparesWhoNeedNotGo) {
  Crowd crowd({NodeOf("a"), NodeOf("b")});
  for (const char* name : {"s0", "s1", "s2", "s3"}) crowd.Add(Asking(name, "1").On("a"));
  for (const char* name : {"t0", "t1", "t2", "t3"}) crowd.Add(Asking(name, "1").On("b"));
  crowd.Add(Asking("high-0", "3").Priority(100).Gang("high"));
  const Preemption found = crowd.Find("high");
  EXPECT_EQ(found.victims.size(), 3U) << TextOf(found);
}

struct Staying {
  std::string name;
  Asking pod;
};

class WhoStays : public ::testing::TestWithParam<Staying> {};

TEST_P(WhoStays, IsNotEvicted) {
  Crowd crowd({NodeOf("a")});
  crowd.options().min_run_time = 100;
  crowd.Add(GetParam().pod);
  crowd.Add(Asking("high-0", "4").Priority(100).Gang("high"));
  EXPECT_EQ(TextOf(crowd.Find("high")), "nobody");
}

INSTANTIATE_TEST_SUITE_P(
    Preemption, WhoStays,
    ::testing::Values(
        Staying{"EqualPriority", Asking("p", "4").On("a").Priority(100)},
        Staying{"HigherPriority", Asking("p", "4").On("a").Priority(101)},
        Staying{"PodOfADaemonSet", Asking("p", "4").On("a").Of("DaemonSet")},
        Staying{"StaticPod", Asking("p", "4").On("a").Of("Node")},
        Staying{"OfAnotherScheduler", Asking("p", "4").On("a").Scheduler("other")},
        Staying{"GroupPriority", Asking("p", "4").On("a").Label(kGroupPriorityLabel, "1")},
        Staying{"MirrorPod", Asking("p", "4").On("a").Mirror()},
        Staying{"GangBoundInPart", Asking("p", "4").On("a").Gang("broken", "2").Started("2")},
        Staying{"RunsNotLongEnough", Asking("p", "4").On("a").Since(1901)}),
    [](const auto& row) { return row.param.name; });

// What is evicted comes back: of another scheduler nobody hears, and critical pods come first.
TEST(Preemption, LeavesOutPodsThatWouldTakeTheirPlacesAgain) {
  Crowd crowd({NodeOf("a"), NodeOf("b")});
  crowd.Add(Asking("theirs", "4").On("a").Scheduler("other"));
  crowd.Add(Asking("ours", "4").On("b").Priority(50).Scheduler("mine"));
  crowd.Add(Asking("high-0", "4").Priority(100).Gang("high"));
  crowd.options().scheduler_names = {"default-scheduler", "mine"};
  EXPECT_EQ(TextOf(crowd.Find("high")), "ours(ours)");
  crowd.options().scheduler_names = {"default-scheduler"};
  const Preemption found = crowd.Find("high");
  EXPECT_EQ(TextOf(found), "nobody");
  EXPECT_EQ(found.protected_pods,
            "2 pods of lower priority belong to another scheduler (default/ours, default/theirs): "
            "mine, ...");
}

TEST(Preemption, LeavesCriticalPodsToGangsThatAreCriticalThemselves) {
  Crowd crowd({NodeOf("a")});
  crowd.Add(Asking("dns", "4").On("a").Priority(kSystemCriticalPriority));
  crowd.Add(Asking("high-0", "4").Priority(kSystemCriticalPriority - 1).Gang("high"));
  crowd.Add(Asking("top-0", "4").Priority(kSystemCriticalPriority + 1).Gang("top"));
  EXPECT_EQ(TextOf(crowd.Find("high")), "nobody");
  EXPECT_EQ(TextOf(crowd.Find("top")), "dns(dns)");
}

// One that other schedulers' pods are in goes not even in part.
TEST(Preemption, LeavesAGangWithAPodOfAnotherScheduler) {
  Crowd crowd = Full();
  crowd.Add(Asking("low-2", "0").On("b").Scheduler("other").Priority(10).Gang("low", "2"));
  EXPECT_EQ(TextOf(crowd.Find("high")), "mid(mid-0 mid-1)");
}

TEST(Preemption, NamesProtectedPodsOnlyWhereTheyAreWhy) {
  Crowd crowd({NodeOf("a")});
  for (int i = 0; i < 4; ++i) {
    crowd.Add(Asking("theirs-" + std::to_string(i), "1").On("a").Scheduler("other"));
  }
  crowd.Add(Asking("high-0", "4").Priority(100).Gang("high"));
  crowd.Add(Asking("huge-0", "5").Priority(99).Gang("huge"));
  EXPECT_EQ(crowd.Find("high").protected_pods,
            "4 pods of lower priority belong to another scheduler (default/theirs-0, "
            "default/theirs-1, default/theirs-2, ...): other");
  EXPECT_EQ(crowd.Find("huge").protected_pods, "");
}

// Else a member with spec.nodeName makes a gang that nothing can ever evict.
TEST(Preemption, TakesAGangThatIsBoundInPartByHand) {
  Crowd crowd({NodeOf("a")});
  crowd.Add(Asking("p", "4").On("a").Gang("by-hand", "2"));
  crowd.Add(Asking("high-0", "4").Priority(100).Gang("high"));
  EXPECT_EQ(TextOf(crowd.Find("high")), "by-hand(p)");
}

// What other schedulers start together is not taken one by one.
TEST(Preemption, TakesGangsOfOtherSchedulersWhole) {
  for (const auto& [label, mark] :
       std::vector<std::pair<bool, std::string>>{{true, "kueue.x-k8s.io/pod-group-name"},
                                                 {false, "pod-group-name"},
                                                 {false, "yunikorn.apache.org/task-group-name"},
                                                 {false, "gang.scheduling.koordinator.sh/name"}}) {
    Crowd crowd({NodeOf("a"), NodeOf("b"), NodeOf("c")});
    const auto add = [&, in_label = label, key = mark](const char* pod, const char* node,
                                                       const char* gang) {
      Asking asking = Asking(pod, "4").On(node).Label("applicationId", gang);
      crowd.Add(in_label ? asking.Label(key, gang) : asking.Annotation(key, gang));
    };
    add("m-0", "a", "one");
    add("m-1", "b", "one");
    add("n-0", "c", "two");
    crowd.Add(Asking("high-0", "4").Priority(100).Gang("high"));
    EXPECT_EQ(TextOf(crowd.Find("high")), "n-0(n-0)") << mark;
    for (const char* member : {"wide-0", "wide-1"}) {
      crowd.Add(Asking(member, "4").Priority(101).Gang("wide", "2"));
    }
    EXPECT_EQ(TextOf(crowd.Find("wide")), "m-0(m-0 m-1)") << mark;
  }
}

// Their names are given in each application anew.
TEST(Preemption, TakesApplicationsOfYuniKornApart) {
  Crowd crowd({NodeOf("a"), NodeOf("b")});
  for (const auto& [pod, node] :
       std::vector<std::pair<const char*, const char*>>{{"x", "a"}, {"y", "b"}}) {
    crowd.Add(Asking(pod, "4")
                  .On(node)
                  .Label("applicationId", pod)
                  .Annotation("yunikorn.apache.org/task-group-name", "workers"));
  }
  crowd.Add(Asking("high-0", "4").Priority(100).Gang("high"));
  EXPECT_EQ(TextOf(crowd.Find("high")), "x(x)");
}

TEST(Preemption, TakesWhatHasRunForItsTime) {
  Crowd crowd({NodeOf("a")});
  crowd.options().min_run_time = 100;
  crowd.Add(Asking("p", "4").On("a").Since(1900));
  crowd.Add(Asking("high-0", "4").Priority(100).Gang("high"));
  EXPECT_EQ(TextOf(crowd.Find("high")), "p(p)");
}

TEST(Preemption, OfAGangThatGrewCountsTheLastMember) {
  Crowd crowd = Full();
  crowd.options().min_run_time = 100;
  crowd.Add(Asking("low-2", "0").On("b").Since(1950).Priority(10).Gang("low", "2"));
  EXPECT_EQ(TextOf(crowd.Find("high")), "mid(mid-0 mid-1)");
}

TEST(Preemption, LooksAtTheHighestPriorityOfAGang) {
  Crowd crowd = Full();
  crowd.Add(Asking("low-2", "0").On("b").Priority(100).Gang("low", "2"));
  EXPECT_EQ(TextOf(crowd.Find("high")), "mid(mid-0 mid-1)");
}

// Else whoever may make a PodGroup protects pods of any priority.
TEST(Preemption, DoesNotLookAtThePriorityClassOfAPodGroup) {
  Crowd crowd({NodeOf("a")});
  PodGroupObject group = ObjectOf(Dialect::kSchedulerPlugins, "train", 1);
  group.priority_class_name = "critical";
  crowd.groups().priority_classes = {{"critical", 500}};
  crowd.Add(group);
  crowd.Add(Asking("t-0", "4").On("a").Label(RowOf(Dialect::kSchedulerPlugins).marker, "train"));
  crowd.Add(Asking("high-0", "4").Priority(100).Gang("high"));
  EXPECT_EQ(TextOf(crowd.Find("high")), "train(t-0)");
}

TEST(Preemption, IsNotForPodsThatNeverPreempt) {
  Crowd crowd = Full();
  crowd.Add(Asking("high-2", "0").Priority(100).Gang("high", "2").Never());
  EXPECT_EQ(TextOf(crowd.Find("high")), "never");
}

TEST(Preemption, WaitsForPodsThatAreGoingAlready) {
  Crowd crowd = Full();
  crowd.Add(Asking("going", "4").On("c").Terminating());
  crowd.world().AddNode(NodeOf("c"));
  EXPECT_EQ(TextOf(crowd.Find("high")), "not needed");
}

TEST(Preemption, CountsWhatUnitsBeforeItWillTake) {
  Crowd crowd = Full();
  crowd.Add(Asking("higher-0", "4").Priority(200).Gang("higher"));
  EXPECT_EQ(TextOf(crowd.Find("high")), "low(low-0 low-1) mid(mid-0 mid-1)");
}

TEST(Preemption, TakesNobodyWhereThatWouldNotHelp) {
  Crowd crowd = Full();
  crowd.Add(Asking("high-2", "5").Priority(100).Gang("high", "2"));
  crowd.Add(Asking("huge-0", "5").Priority(100).Gang("huge"));
  EXPECT_EQ(TextOf(crowd.Find("huge")), "nobody");
}

DisruptionBudget BudgetOf(std::string_view app, int64_t allowed) {
  DisruptionBudget budget{.namespace_ = "default",
                          .name = std::string(app),
                          .selector = LabelSelector(),
                          .allowed = allowed};
  budget.selector->match_labels.Set("app", app);
  return budget;
}

Crowd Protected(std::vector<DisruptionBudget> budgets) {
  Crowd crowd({NodeOf("a"), NodeOf("b")});
  for (const char* name : {"w0", "w1"}) {
    crowd.Add(Asking(name, "2").On("a").Priority(1).Label("app", "web"));
  }
  for (const char* name : {"x0", "x1"}) {
    crowd.Add(Asking(name, "2").On("b").Priority(2).Label("app", "db"));
  }
  crowd.Add(Asking("high-0", "4").Priority(100).Gang("high"));
  crowd.options().budgets = std::move(budgets);
  return crowd;
}

TEST(Budget, ThatIsSpentProtects) {
  EXPECT_EQ(TextOf(Protected({}).Find("high")), "w0(w0) w1(w1)");
  EXPECT_EQ(TextOf(Protected({BudgetOf("web", 2)}).Find("high")), "w0(w0) w1(w1)");
  EXPECT_EQ(TextOf(Protected({BudgetOf("web", 1)}).Find("high")), "x0(x0) x1(x1)");
  EXPECT_EQ(TextOf(Protected({BudgetOf("web", 1), BudgetOf("db", 1)}).Find("high")), "nobody");
}

TEST(Budget, OfAnotherNamespaceOrWithoutSelectorProtectsNobody) {
  DisruptionBudget elsewhere = BudgetOf("web", 0);
  elsewhere.namespace_ = "other";
  DisruptionBudget of_none = BudgetOf("web", 0);
  of_none.selector.reset();
  EXPECT_EQ(TextOf(Protected({elsewhere, of_none}).Find("high")), "w0(w0) w1(w1)");
}

// The API server evicts no pod that has two, whatever they allow.
TEST(Budget, BesideAnotherOneOfThePodProtectsIt) {
  DisruptionBudget all = BudgetOf("", 9);
  all.selector = LabelSelector();
  Crowd crowd = Protected({BudgetOf("web", 9), all});
  EXPECT_EQ(TextOf(crowd.Find("high")), "x0(x0) x1(x1)");
  crowd.options().budgets.push_back(BudgetOf("db", 9));
  const Preemption found = crowd.Find("high");
  EXPECT_EQ(TextOf(found), "nobody");
  EXPECT_THAT(found.protected_pods,
              ::testing::HasSubstr("have two disruption budgets, so the API server never evicts "
                                   "them (default/w0, default/w1, default/x0, ...): web and "));
}

TEST(Budget, ThatIsSpentIsNamed) {
  EXPECT_EQ(Protected({BudgetOf("web", 0), BudgetOf("db", 0)}).Find("high").protected_pods,
            "4 pods of lower priority have a disruption budget that does not allow evictions now "
            "(default/w0, default/w1, default/x0, ...): web, ...");
}

// Logs and Events quote it.
TEST(Preemption, NamesProtectedPodsInFewWordsHoweverManyReasonsUsersGive) {
  Crowd crowd({NodeOf("a", "500")});
  for (int i = 0; i < 500; ++i) {
    const std::string name = std::to_string(i);
    const std::string scheduler = i % 2 == 0 ? std::string(9000, 'x') : "default-scheduler";
    crowd.Add(Asking("p" + name, "1").On("a").Scheduler(scheduler));
    crowd.options().refused["uid-p" + name] = std::string(4000, 'y') + name;
  }
  crowd.Add(Asking("high-0", "500").Priority(100).Gang("high"));
  const std::string text = crowd.Find("high").protected_pods;
  EXPECT_THAT(text, ::testing::HasSubstr("250 pods of lower priority may not be evicted"));
  EXPECT_LT(text.size(), 1500U);
}

TEST(Preemption, SaysOfPodsThatComeBackFirstByWhatTheyDo) {
  for (const bool by_priority : {true, false}) {
    Crowd crowd({NodeOf("a")});
    crowd.groups().order_by_pod_priority = by_priority;
    crowd.Add(Asking("p", "4").On("a").Label(kGroupPriorityLabel, "1"));
    crowd.Add(Asking("high-0", "4").Priority(100).Gang("high"));
    EXPECT_EQ(crowd.Find("high").protected_pods,
              std::string("1 pods of lower priority would still be before it in the queue") +
                  (by_priority ? ", by groupPriority or as system-critical" : "") + " (default/p)");
  }
}

TEST(Preemption, LeavesOutWhatTheApiServerRefused) {
  Crowd crowd = Full();
  crowd.options().refused = {{"uid-low-1", "a webhook says no"}};
  EXPECT_EQ(TextOf(crowd.Find("high")), "mid(mid-0 mid-1)");
  crowd.options().refused["uid-mid-0"] = "a webhook says no";
  EXPECT_EQ(crowd.Find("high").protected_pods,
            "4 pods of lower priority may not be evicted (default/low-0, default/low-1, "
            "default/mid-0, ...): a webhook says no");
}

TEST(Budget, IsDrawnOnByEveryPodOfAGang) {
  Crowd crowd = Full();
  DisruptionBudget all = BudgetOf("", 1);
  all.selector = LabelSelector();
  all.selector->match_labels.Set(kPodGroupLabel, "low");
  crowd.options().budgets = {all};
  EXPECT_EQ(TextOf(crowd.Find("high")), "mid(mid-0 mid-1)");
}

TEST(Preemption, GivesUpRatherThanTakeMoreThanIsNeeded) {
  Crowd crowd({NodeOf("a", "64")});
  for (int i = 0; i < 64; ++i) crowd.Add(Asking("s" + std::to_string(i), "1").On("a"));
  crowd.Add(Asking("high-0", "20").Priority(100).Gang("high"));
  crowd.options().most_plans = 8;
  EXPECT_EQ(TextOf(crowd.Find("high")), "effort");
  crowd.options().most_plans = 256;
  EXPECT_EQ(crowd.Find("high").victims.size(), 20U);
}

TEST(Promise, KeepsForAUnitWhatIsNotFreeYet) {
  World world;
  world.AddNode(NodeOf("a"));
  world.Bind(*PodPtr(Asking("going", "3").On("a")), "a");
  const std::vector<Unit> units = {MakeUnit("high").Members(1, "4").Priority(100),
                                   MakeUnit("small").Members(1, "1").Priority(1)};
  EXPECT_EQ(TextOf(world.PlanFresh(units).units[1]), "a");
  PlanOptions options;
  options.promise = Promise{units[0].key, {{units[0].members[0].pod->uid, "a"}}};
  const Plan plan = world.PlanFresh(units, options);
  EXPECT_FALSE(plan.units[0].fits);
  EXPECT_THAT(plan.units[0].promised, ElementsAre("a"));
  EXPECT_THAT(plan.units[0].nodes, IsEmpty());
  EXPECT_FALSE(plan.units[1].fits) << "what is free on a is part of what was promised";
}

TEST(Promise, IsNothingToAUnitThatFitsNorToThoseBeforeIt) {
  World world;
  world.AddNode(NodeOf("a"));
  const std::vector<Unit> units = {MakeUnit("first").Members(1, "1").Priority(200),
                                   MakeUnit("high").Members(1, "3").Priority(100)};
  PlanOptions options;
  options.promise = Promise{units[1].key, {{units[1].members[0].pod->uid, "a"}}};
  const Plan plan = world.PlanFresh(units, options);
  EXPECT_EQ(TextOf(plan.units[0]), "a");
  EXPECT_EQ(TextOf(plan.units[1]), "a");
  EXPECT_THAT(plan.units[1].promised, IsEmpty());
}

TEST(Promise, OnANodeThatIsGoneIsNone) {
  World world;
  world.AddNode(NodeOf("a", "1"));
  const std::vector<Unit> units = {MakeUnit("high").Members(1, "4").Priority(100),
                                   MakeUnit("small").Members(1, "1").Priority(1)};
  PlanOptions options;
  options.promise = Promise{units[0].key, {{units[0].members[0].pod->uid, "gone"}}};
  EXPECT_EQ(TextOf(world.PlanFresh(units, options).units[1]), "a");
}

/// 100 nodes: 500 cheap pods of 1 cpu on the first, 50 of them under a spent budget, and a gang of
/// 8 at priority 10 on nodes of its own, which "high", of priority 100, needs.
Crowd ManyCheapPods() {
  std::vector<Node> nodes;
  for (int i = 0; i < 92; ++i) nodes.push_back(NodeOf("n" + std::to_string(i), "6"));
  for (int i = 0; i < 8; ++i) nodes.push_back(NodeOf("big" + std::to_string(i), "16"));
  Crowd crowd(nodes);
  for (int i = 0; i < 500; ++i) {
    Asking pod("cheap-" + std::to_string(i), "1");
    pod.On("n" + std::to_string(i % 92)).Priority(0);
    if (i < 50) pod.Label("app", "protected");
    crowd.Add(pod);
  }
  for (int i = 0; i < 8; ++i) {
    const std::string number = std::to_string(i);
    crowd.Add(Asking("mid-" + number, "16").On("big" + number).Priority(10).Gang("mid", "8"));
    crowd.Add(Asking("high-" + number, "16").Priority(100).Gang("high", "8"));
  }
  DisruptionBudget budget;
  budget.namespace_ = "default";
  budget.selector.emplace().match_labels.Set("app", "protected");
  crowd.options().budgets = {budget};
  return crowd;
}

TEST(PreemptionIsBounded, WhereCheapPodsAreOfNoUse) {
  Crowd crowd = ManyCheapPods();
  const Preemption found = crowd.Find("high");
  ASSERT_EQ(found.answer, Preemption::Answer::kVictims);
  ASSERT_EQ(found.victims.size(), 1U);
  EXPECT_EQ(found.victims[0].key.name, "mid");
}

TEST(PreemptionIsBounded, WhereABudgetForbidsEverySetButNoPod) {
  Crowd crowd({NodeOf("a", "40")});
  for (int i = 0; i < 40; ++i) {
    crowd.Add(Asking("cheap-" + std::to_string(i), "1").On("a").Label("app", "web"));
  }
  crowd.Add(Asking("high-0", "30").Priority(100).Gang("high"));
  DisruptionBudget budget;
  budget.namespace_ = "default";
  budget.selector.emplace().match_labels.Set("app", "web");
  budget.allowed = 1;
  crowd.options().budgets = {budget};
  crowd.options().most_looked_at = 10'000;
  const Preemption found = crowd.Find("high");
  EXPECT_TRUE(found.answer == Preemption::Answer::kNobody ||
              found.answer == Preemption::Answer::kEffort);
}

TEST(PreemptionIsBounded, ByAStop) {
  Crowd crowd = ManyCheapPods();
  std::stop_source stop;
  stop.request_stop();
  crowd.options().stop = stop.get_token();
  EXPECT_EQ(crowd.Find("high").answer, Preemption::Answer::kEffort);
}

}  // namespace
}  // namespace outrigger::plan
