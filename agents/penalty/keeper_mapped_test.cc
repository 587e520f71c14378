// Mode `mapped`: classes keep their base, and new pods get a class of another name.
#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "keeper_testing.h"
#include "penalty/classes/mapping.h"

namespace outrigger::penalty {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMap = "outrigger-penalty-mapping";
constexpr CustomKind kQuotas{"", "v1", "resourcequotas", "ResourceQuota", true};

Settings MappedSettings() {
  Settings settings = Fair();
  settings.replacement = "mapped";
  return settings;
}

class PenaltyMapped : public PenaltyKeeper {
 protected:
  PenaltyMapped() {
    cluster_.keep().SetPolicy("kube-system", kMap);
    Restart(MappedSettings());
  }
  // "gold-at-900 900" of a new pod that names the class; "refused".
  std::string PodOf(const std::string& name = "gold") {
    const auto pod = cluster_.keep().Admit(name);
    return pod.ok() ? pod->priority_class_name + " " + std::to_string(pod->priority) : "refused";
  }
  // Time goes on until nothing is due for a while.
  void Settle(Millis time = Mapper::kSettle + 1'000) {
    const Millis until = now_ + time;
    Look();
    for (int looks = 0; next_ && *next_ <= until; ++looks) {
      if (looks == 1'000) FAIL() << "it looks again and again, and no time passes";
      now_ = std::max(now_, *next_);
      Look();
    }
    now_ = until;
    Look();
  }
  void PutQuota(const std::string& op, const std::string& of) {
    cluster_.custom().Put(
        kQuotas,
        {{"metadata", {{"namespace", "default"}, {"name", "few"}}},
         {"spec",
          {{"scopeSelector",
            {{"matchExpressions",
              {{{"scopeName", "PriorityClass"}, {"operator", op}, {"values", {of}}}}}}}}}});
  }
  void PutPod(const std::string& in, int32_t priority, const std::string& phase) {
    Pod pod;
    pod.namespace_ = "default";
    pod.name = "pod-of-" + in;
    pod.uid = pod.name;
    pod.priority_class_name = in;
    pod.priority = priority;
    pod.phase = phase;
    cluster_.Put(pod);
  }
  // A class that is not selected.
  void PutOthers(const std::string& name) {
    PriorityClass made = ClassOf(name, 5);
    made.labels = {};
    cluster_.keep().Put(made);
  }
  bool IsThere(const std::string& name) { return cluster_.keep().Find(name).has_value(); }
};

TEST_F(PenaltyMapped, GivesNewPodsAStandInAndLeavesTheClassAlone) {
  const auto before = cluster_.keep().Find("gold");
  Become("job", "Running");
  EXPECT_EQ(PodOf(), "gold 1000") << "other API servers may not know the stand-in yet";
  EXPECT_TRUE(IsThere("gold-at-900"));
  Pass(Mapper::kSettle);
  EXPECT_EQ(PodOf(), "gold-at-900 900");
  EXPECT_EQ(*cluster_.keep().Find("gold"), *before);
  EXPECT_EQ(cluster_.keep().Find("gold-at-900")->annotations.Get(kStandsForAnnotation), "gold");
  EXPECT_EQ(Mark("job"), "1 started");
  EXPECT_THAT(EventReasons(), Contains("PriorityClass gold PenaltyApplied"));
  EXPECT_THAT(EventReasons(), Contains("PodGroup job PriorityClassPenalised"));
}

TEST_F(PenaltyMapped, RecoversAndDeletesStandInsThatAreNotUsedAnyMore) {
  Become("job", "Running");
  Settle();
  while (PodOf() != "gold 1000") Settle(1'000);
  EXPECT_TRUE(IsThere("gold-at-950")) << "a pod may still be given it";
  Settle(2 * Mapper::kKept);
  for (const auto& one : cluster_.keep().Classes()) EXPECT_EQ(StandsFor(one), "") << one.name;
}

TEST_F(PenaltyMapped, EndsWhatWasBegunThoughTargetsChangeAllTheTime) {
  for (int i = 0; i < 8; ++i) {
    Become("job-" + std::to_string(i), "Running");
    Pass(1'000);
  }
  EXPECT_EQ(PodOf(), "gold-at-300 300");
  Settle(2 * Mapper::kSettle);
  EXPECT_EQ(PodOf(), "gold-at-200 200");
}

TEST_F(PenaltyMapped, CountsPodGroupsThatNameAStandIn) {
  Become("job", "Running");
  Settle();
  Show("bare", "Running", "gold-at-900");
  Settle();
  EXPECT_EQ(PodOf(), "gold-at-800 800");
  Settle(3 * Mapper::kKept);
  EXPECT_TRUE(IsThere("gold-at-900")) << "Volcano reads its value as long as the PodGroup is there";
}

TEST_F(PenaltyMapped, GoesOnAfterARestartWithoutARefusedPod) {
  Become("job", "Running");
  Restart(MappedSettings());
  Settle();
  EXPECT_EQ(PodOf(), "gold-at-900 900");
  ASSERT_TRUE(cluster_.keep().Remove("gold-at-900").ok());
  Look();
  EXPECT_EQ(PodOf(), "gold-at-900 900") << "a person has deleted it";
}

TEST_F(PenaltyMapped, TakesThePenaltyFromTheMapWhereTheJournalIsLost) {
  Become("job", "Running");
  Settle();
  for (const ConfigMap& map : cluster_.keep().Maps()) {
    if (map.name != kMap) cluster_.keep().RemoveMap(map.namespace_, map.name);
  }
  Restart(MappedSettings());
  EXPECT_EQ(PodOf(), "gold-at-900 900");
}

TEST_F(PenaltyMapped, SaysThatPodsAreNotMappedUntilThePolicyIsThere) {
  Settings settings = MappedSettings();
  settings.grace = 10'000;
  Restart(settings);
  cluster_.keep().SetPolicy("", "");
  Become("job", "Running");
  Settle();
  EXPECT_THAT(EventReasons(), Not(Contains("PriorityClass gold PenaltyNotMapped")));
  Settle(2 * Mapper::kHolds);
  EXPECT_EQ(PodOf(), "gold 1000");
  EXPECT_THAT(EventReasons(), Contains("PriorityClass gold PenaltyNotMapped"));
  cluster_.keep().SetPolicy("kube-system", kMap);
  Settle();
  EXPECT_EQ(PodOf(), "gold-at-900 900");
}

TEST_F(PenaltyMapped, LeavesAClassAloneThatAQuotaNames) {
  Become("job", "Running");
  Settle();
  PutQuota("In", "silver");
  Look();
  EXPECT_EQ(PodOf(), "gold-at-900 900");
  PutQuota("NotIn", "gold");
  Look();
  EXPECT_EQ(PodOf(), "gold 1000");
  EXPECT_THAT(cluster_.events().back().note, HasSubstr("ResourceQuota default/few"));
  cluster_.custom().Delete(kQuotas, "default", "few");
  Settle();
  EXPECT_EQ(PodOf(), "gold-at-900 900");
}

TEST_F(PenaltyMapped, PenalisesClassesThatCannotBeDeleted) {
  PriorityClass silver = ClassOf("silver", 500);
  silver.finalizers = {"example.com/keep"};
  silver.global_default = true;
  silver.labels.Set("app.kubernetes.io/managed-by", "Helm");
  silver.preemption_policy = "Never";
  cluster_.keep().Put(silver);
  Look();
  Show("job", "Running", "silver");
  Settle();
  EXPECT_EQ(PodOf("silver"), "silver-at-400-never 400");
  EXPECT_EQ(cluster_.keep().Find("silver-at-400-never")->preemption_policy, "Never");
}

TEST_F(PenaltyMapped, LeavesAnotherWritersClassAlone) {
  cluster_.keep().Put(ClassOf("gold-at-900", 5));
  Become("job", "Running");
  Settle();
  EXPECT_EQ(PodOf(), "gold 1000");
  EXPECT_EQ(Value("gold-at-900"), 5);
  EXPECT_THAT(cluster_.events().back().note, HasSubstr("gold-at-900 belongs to another writer"));
}

TEST_F(PenaltyMapped, PutsAClassBackThatTheOtherModeHasPenalised) {
  Restart(Fair());
  Become("job", "Running");
  EXPECT_EQ(Value(), 900);
  Restart(MappedSettings());
  Settle();
  EXPECT_EQ(Value(), 1000);
  EXPECT_EQ(PodOf(), "gold-at-900 900") << "its points have survived";
}

TEST_F(PenaltyMapped, LeavesNothingBehindWhenTheModeChanges) {
  Become("job", "Running");
  Settle();
  Restart(Fair());
  EXPECT_EQ(Value(), 900);
  EXPECT_EQ(PodOf(), "gold 900");
  EXPECT_THAT(EventReasons(), Not(Contains("PriorityClass gold PenaltyAdopted")));
  while (next_ && now_ < kStart + 2 * Mapper::kKept) {
    now_ = *next_;
    Look();
  }
  EXPECT_FALSE(IsThere("gold-at-900"));
}

TEST_F(PenaltyMapped, GivesTheBaseToAClassThatIsNotSelectedAnyMore) {
  Become("job", "Running");
  Settle();
  ASSERT_TRUE(cluster_.keep().Edit("gold", [](PriorityClass* gold) { gold->labels = {}; }).ok());
  Look();
  EXPECT_EQ(PodOf(), "gold 1000");
}

TEST_F(PenaltyMapped, TakesTheBaseThatAPersonHasGivenTheClass) {
  Become("job", "Running");
  Settle();
  ASSERT_TRUE(cluster_.keep().Remove("gold").ok());
  cluster_.keep().Put(ClassOf("gold", 2000));
  Settle();
  EXPECT_EQ(PodOf(), "gold-at-1900 1900");
}

TEST_F(PenaltyMapped, DeletesNoStandInThatAPodHasUntilItIsFinished) {
  Become("job", "Running");
  Settle();
  Become("other", "Running");
  Settle();
  PutPod("gold-at-900", 900, "Succeeded");
  PutPod("gold-at-800", 800, "Pending");
  Settle(4 * Mapper::kKept);
  EXPECT_FALSE(IsThere("gold-at-900"));
  EXPECT_TRUE(IsThere("gold-at-800"));
  PutPod("gold-at-800", 800, "Failed");
  Settle(2 * Mapper::kKept);
  EXPECT_FALSE(IsThere("gold-at-800"));
}

// Else a pod could have for ever the value that the class had once.
TEST_F(PenaltyMapped, GivesTheValueOfNowToPodsThatNameAStandInOfBefore) {
  Become("job", "Running");
  Settle();
  PutPod("gold-at-900", 900, "Running");
  Become("other", "Running");
  Settle();
  EXPECT_EQ(PodOf("gold-at-900"), "gold-at-800 800");
  Become("third", "Running");
  Pass(Mapper::kSettle);
  EXPECT_EQ(PodOf("gold-at-900"), "gold-at-700 700") << "from the first moment on";
  EXPECT_EQ(PodOf("gold-at-800"), "gold-at-700 700");
  Restart(MappedSettings());
  EXPECT_EQ(PodOf("gold-at-900"), "gold-at-700 700");
  Settle(2 * Mapper::kKept);
  EXPECT_EQ(PodOf(), "gold 1000");
  EXPECT_EQ(PodOf("gold-at-900"), "gold 1000");
  PutPod("gold-at-900", 900, "Succeeded");
  Settle(2 * Mapper::kKept);
  EXPECT_EQ(cluster_.keep().FindMap("kube-system", kMap)->data.size(), 1U) << "only its fence";
}

TEST_F(PenaltyMapped, LetsAStandInBeNamedWhoseClassIsGone) {
  Become("job", "Running");
  Settle();
  PutPod("gold-at-900", 900, "Running");
  ASSERT_TRUE(cluster_.keep().Remove("gold").ok());
  Settle();
  EXPECT_EQ(PodOf("gold-at-900"), "gold-at-900 900");
}

TEST_F(PenaltyMapped, MakesAStandInAgainThoughAnotherValueIsRefused) {
  Become("job", "Running");
  Settle();
  PutOthers("gold-at-800");
  Become("other", "Running");
  Settle();
  ASSERT_TRUE(cluster_.keep().Remove("gold-at-900").ok());
  Look();
  EXPECT_EQ(PodOf(), "gold-at-900 900");
  ASSERT_TRUE(cluster_.keep().Remove("gold-at-900").ok());
  PutOthers("gold-at-900");
  Look();
  EXPECT_EQ(PodOf(), "gold 1000");
}

TEST_F(PenaltyMapped, MakesAStandInAgainWhileAnotherOneSettles) {
  Become("job", "Running");
  Settle();
  Become("other", "Running");
  ASSERT_TRUE(cluster_.keep().Remove("gold-at-900").ok());
  Look();
  EXPECT_EQ(PodOf(), "gold-at-900 900");
  ASSERT_TRUE(cluster_.keep().Remove("gold-at-800").ok());
  PutOthers("gold-at-800");
  Settle();
  EXPECT_EQ(PodOf(), "gold 1000");
}

TEST_F(PenaltyMapped, EndsAWayThatIsOvertaken) {
  Become("job", "Running");
  Settle();
  for (int looks = 0; looks < 100 && !IsThere("gold-at-950"); ++looks) {
    now_ = std::max(now_, *next_);
    Look();
  }
  ASSERT_TRUE(IsThere("gold-at-950"));
  now_ += 1'000;
  Become("job", "Completed");  // between 900 and 950
  Settle(2 * Mapper::kSettle + 1'000);
  EXPECT_THAT(PodOf(), HasSubstr("gold-at-90"));
}

TEST_F(PenaltyMapped, MapsAgainWhereTheMapIsLost) {
  Become("job", "Running");
  Settle();
  cluster_.keep().RemoveMap("kube-system", kMap);
  Restart(MappedSettings());
  Settle();
  EXPECT_EQ(PodOf(), "gold-at-900 900");
  EXPECT_EQ(cluster_.events().back().reason, "PenaltyApplied");
  EXPECT_THAT(cluster_.events().back().note,
              HasSubstr("value 1000 -> 900, base 1000: mapped again"));
}

TEST_F(PenaltyMapped, PausesWhereTheMapCannotBeWritten) {
  Become("job", "Running");
  Settle();
  Become("other", "Running");
  Settle();
  int writes = 0;
  cluster_.keep().OnCall([&writes](const testing::ObjectCall& call) {
    if (!call.Is(testing::ObjectCall::Verb::kUpdate, "ConfigMap") || call.name != kMap) {
      return testing::CallFate::Done();
    }
    ++writes;
    return testing::CallFate::FailBefore(absl::InternalError("no"));
  });
  Settle(2 * Mapper::kKept);
  EXPECT_GT(writes, 10);
  EXPECT_LT(writes, 500);
  cluster_.keep().OnCall(nullptr);
  Settle(2 * Mapper::kKept);
  EXPECT_EQ(PodOf(), "gold 1000");
}

TEST_F(PenaltyMapped, SaysOfEachStartWhichValueIsOfIt) {
  Become("job", "Running");
  Pass(1'000);
  Become("other", "Running");
  Settle(2 * Mapper::kSettle + 1'000);
  EXPECT_EQ(PodOf(), "gold-at-800 800");
  std::vector<std::string> notes;
  for (const ClusterEvent& event : cluster_.events()) {
    if (event.reason == "PriorityClassPenalised" || event.reason == "PenaltyApplied") {
      notes.push_back(event.name + ": " + event.note);
    }
  }
  EXPECT_THAT(notes, ::testing::ElementsAre(HasSubstr("gold: value 1000 -> 900, base 1000: start "
                                                      "default/job: "),
                                            HasSubstr("job: class gold: value 1000 -> 900"),
                                            HasSubstr("gold: value 900 -> 800, base 1000: start "
                                                      "default/other: "),
                                            HasSubstr("other: class gold: value 900 -> 800")));
}

}  // namespace
}  // namespace outrigger::penalty
