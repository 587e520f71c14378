// The author's cycle in process: PodGroups start and complete, classes pay and recover.
#include "keeper.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "builders.h"
#include "fake_cluster.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "outrigger/penalty/base_value.h"
#include "outrigger/penalty/pages.h"

namespace outrigger::penalty {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Millis kStart = 1'795'000'000'000;

PriorityClass ClassOf(const std::string& name, int32_t value) {
  PriorityClass made;
  made.name = name;
  made.value = value;
  made.preemption_policy = "PreemptLowerPriority";
  made.description = "for " + name;
  made.labels = {{"fairness", "on"}};
  return made;
}

Settings Fair() {
  Settings settings;
  settings.class_selector = "fairness=on";
  settings.start = "flat 100";
  settings.completion = "flat 50";
  settings.half_life = 10;
  settings.grace = 5;
  settings.coalesce = 0;
  return settings;
}

class CountingMetrics final : public AgentMetrics {
 public:
  void Add(std::string_view /*metric*/, std::string_view /*label*/, double /*amount*/) override {}
  void Set(std::string_view /*metric*/, std::string_view /*label*/, double /*value*/) override {
    ++sets;
  }
  void Observe(std::string_view /*metric*/, std::string_view /*label*/, double /*v*/) override {}
  int sets = 0;
};

class PenaltyKeeper : public ::testing::Test {
 protected:
  PenaltyKeeper() {
    cluster_.keep().Put(ClassOf("gold", 1000));
    Restart(Fair());
  }

  // A new process, with an empty memory.
  void Restart(const Settings& settings) {
    AgentDeps deps;
    deps.name = "penalty";
    deps.cluster = &cluster_;
    deps.metrics = &metrics_;
    deps.log = [this](std::string_view line) { log_.emplace_back(line); };
    deps.warn = deps.log;
    deps.clock.wall = [this] {
      return std::chrono::system_clock::time_point(std::chrono::milliseconds(now_));
    };
    keeper_.reset();
    keeper_ = std::make_unique<Keeper>(deps, *OptionsFrom(settings));
    const absl::Status begun = keeper_->Begin(term_.get_token());
    EXPECT_TRUE(begun.ok()) << begun;
    Look();
  }

  void Look() { next_ = keeper_->Round(term_.get_token()); }
  void Pass(Millis time) {
    now_ += time;
    Look();
  }

  void Show(const std::string& name, const std::string& phase, const std::string& in = "gold") {
    PodGroup& group = groups_[name];
    group.dialect = Dialect::kVolcano;
    group.namespace_ = "default";
    group.name = name;
    group.uid = "uid-" + name;
    if (group.created == 0) group.created = now_ / 1000 + 1;
    group.priority_class_name = in;
    group.queue = "batch";
    group.phase = phase;
    const auto view = cluster_.Take();
    for (const PodGroup& there : view->objects->pod_groups) {
      if (there.uid == group.uid) group.annotations = there.annotations;
    }
    cluster_.Put(group);
  }
  // The group shows the phase, and the agent looks.
  void Become(const std::string& name, const std::string& phase) {
    Show(name, phase);
    Look();
  }

  int32_t Value(const std::string& name = "gold") const {
    const auto found = cluster_.keep().Find(name);
    return found ? found->value : -1;
  }
  std::string Mark(const std::string& name) {
    const auto view = cluster_.Take();
    for (const PodGroup& group : view->objects->pod_groups) {
      if (group.name == name) return std::string(group.annotations.Get(kCountedAnnotation));
    }
    return "";
  }
  std::vector<std::string> EventReasons() const {
    std::vector<std::string> reasons;
    for (const ClusterEvent& event : cluster_.events()) {
      reasons.push_back(event.kind + " " + event.name + " " + event.reason);
    }
    return reasons;
  }

  mutable testing::FakeCluster cluster_;
  CountingMetrics metrics_;
  Millis now_ = kStart;
  std::stop_source term_;
  std::map<std::string, PodGroup> groups_;
  std::vector<std::string> log_;
  std::optional<Millis> next_;
  std::unique_ptr<Keeper> keeper_;
};

TEST_F(PenaltyKeeper, MakesTheClassAgainWithALowerValueWhenAPodGroupStarts) {
  Become("job", "Pending");
  Become("job", "Inqueue");
  EXPECT_EQ(Value(), 1000);
  Become("job", "Running");
  const auto gold = cluster_.keep().Find("gold");
  ASSERT_TRUE(gold.has_value());
  EXPECT_EQ(gold->value, 900);
  EXPECT_EQ(gold->description, "for gold");
  EXPECT_EQ(gold->labels.Get("fairness"), "on");
  EXPECT_EQ(gold->annotations.Get(kBaseValueAnnotation), "1000");
  EXPECT_EQ(Mark("job"), "1 started");
  EXPECT_THAT(EventReasons(), Contains("PodGroup job PriorityClassPenalised"));
  EXPECT_THAT(EventReasons(), Contains("PriorityClass gold PenaltyApplied"));
}

TEST_F(PenaltyKeeper, CountsCompletionsAndRecoversByHalfLifeAfterTheTimeOfGrace) {
  Become("job", "Pending");
  Become("job", "Running");
  Become("job", "Completed");
  EXPECT_EQ(Value(), 850);
  EXPECT_THAT(Mark("job"), HasSubstr("1 completed"));
  Pass(4'999);
  EXPECT_EQ(Value(), 850);
  Pass(1 + 10'000);  // half of the penalty is gone
  EXPECT_EQ(Value(), 925);
  while (next_) {
    now_ = *next_;
    Look();
  }
  EXPECT_EQ(Value(), 1000);
  EXPECT_EQ(cluster_.keep().Find("gold")->annotations.Find(kBaseValueAnnotation), nullptr);
}

TEST_F(PenaltyKeeper, SaysWhenTheNextLookIsDue) {
  Become("job", "Running");
  ASSERT_TRUE(next_.has_value());
  EXPECT_GE(*next_, now_ + 5'000);
}

TEST_F(PenaltyKeeper, CountsAStartOnceThroughFlappingAndARestart) {
  Become("job", "Pending");
  Become("job", "Running");
  Become("job", "Pending");
  Become("job", "Running");
  Become("job", "Unknown");
  Become("job", "Running");
  Restart(Fair());
  EXPECT_EQ(Value(), 900);
}

TEST_F(PenaltyKeeper, TakesACompletionBack) {
  Become("job", "Running");
  Become("job", "Completed");
  EXPECT_EQ(Value(), 850);
  Become("job", "Running");
  EXPECT_EQ(Value(), 900);
  Become("job", "Completed");
  EXPECT_EQ(Value(), 850) << "a later completion counts again";
}

TEST_F(PenaltyKeeper, CountsWhatItMissedWhileItWasAway) {
  keeper_.reset();
  now_ += 60'000;
  Show("job", "Completed");
  Restart(Fair());
  EXPECT_EQ(Value(), 850);
}

TEST_F(PenaltyKeeper, LeavesHistoryAlone) {
  groups_["old"].created = kStart / 1000 - 3600;
  Become("old", "Completed");
  groups_["older"].created = kStart / 1000 - 7200;
  Become("older", "Running");
  EXPECT_EQ(Value(), 1000);
  Become("older", "Completed");
  EXPECT_EQ(Value(), 950) << "its completion was seen";
}

TEST_F(PenaltyKeeper, CountsAGroupThatComesInTheSecondOfTheInstallation) {
  now_ += 599;
  cluster_.keep().Put(ClassOf("silver", 500));
  Look();
  groups_["job"].created = kStart / 1000;
  Show("job", "Running", "silver");
  Look();
  EXPECT_EQ(Value("silver"), 400);
}

TEST_F(PenaltyKeeper, LeavesAGroupAloneThatWasThereInTheSecondOfTheInstallation) {
  now_ += 599;
  groups_["job"].created = kStart / 1000;
  Show("job", "Running", "silver");
  cluster_.keep().Put(ClassOf("silver", 500));
  Look();
  Restart(Fair());
  EXPECT_EQ(Value("silver"), 500);
}

TEST_F(PenaltyKeeper, SaysNothingOfCallsThatAreWell) {
  Become("job", "Running");
  EXPECT_THAT(log_, ::testing::Not(Contains(HasSubstr("journal:"))));
}

TEST_F(PenaltyKeeper, TouchesNoClassThatIsNotSelected) {
  cluster_.keep().Put([] {
    PriorityClass plain = ClassOf("plain", 500);
    plain.labels = {};
    return plain;
  }());
  Show("job", "Running", "plain");
  Look();
  EXPECT_EQ(Value("plain"), 500);
  EXPECT_EQ(Mark("job"), "");
}

TEST_F(PenaltyKeeper, WritesNothingInADryRun) {
  Settings settings = Fair();
  settings.dry_run = true;
  Restart(settings);
  const size_t maps = cluster_.keep().Maps().size();
  Become("job", "Running");
  EXPECT_EQ(Value(), 1000);
  EXPECT_EQ(Mark("job"), "");
  EXPECT_EQ(cluster_.keep().Maps().size(), maps);
  EXPECT_THAT(cluster_.events(), IsEmpty());
  EXPECT_THAT(log_, Contains(HasSubstr("class gold would get the value 900")));
}

TEST_F(PenaltyKeeper, AdoptsAClassThatAPersonMadeAgain) {
  Become("job", "Running");
  EXPECT_EQ(Value(), 900);
  ASSERT_TRUE(cluster_.keep().Remove("gold").ok());
  cluster_.keep().Put(ClassOf("gold", 2000));
  Look();
  EXPECT_THAT(EventReasons(), Contains("PriorityClass gold PenaltyAdopted"));
  EXPECT_EQ(Value(), 1900) << "the penalty stays, the base is the new one";
}

TEST_F(PenaltyKeeper, ForgetsAClassThatAPersonDeleted) {
  Become("job", "Running");
  ASSERT_TRUE(cluster_.keep().Remove("gold").ok());
  Look();
  Pass(60'000);
  EXPECT_EQ(Value(), -1);
}

TEST_F(PenaltyKeeper, GivesAClassItsBaseBackThatIsNotSelectedAnyMore) {
  Become("job", "Running");
  ASSERT_TRUE(cluster_.keep().Edit("gold", [](PriorityClass* gold) { gold->labels = {}; }).ok());
  Look();
  EXPECT_EQ(Value(), 1000);
}

TEST_F(PenaltyKeeper, LeavesAClassWithAFinalizerAloneAndSaysSoOnce) {
  ASSERT_TRUE(
      cluster_.keep().Edit("gold", [](PriorityClass* gold) { gold->finalizers = {"a.b/c"}; }).ok());
  Become("job", "Running");
  Look();
  EXPECT_EQ(Value(), 1000);
  const auto reasons = EventReasons();
  EXPECT_EQ(std::count(reasons.begin(), reasons.end(), "PriorityClass gold PenaltyRefused"), 1);
}

TEST_F(PenaltyKeeper, LeavesAClassAloneWhoseAnnotationIsMalformed) {
  cluster_.keep().Put(ClassOf("silver", 500));
  ASSERT_TRUE(cluster_.keep()
                  .Edit("gold",
                        [](PriorityClass* gold) {
                          gold->annotations.Set("outrigger.dev/penalty-half-life", "soon");
                        })
                  .ok());
  Look();
  Show("a", "Running");
  Show("b", "Running", "silver");
  Look();
  EXPECT_EQ(Value(), 1000);
  EXPECT_EQ(Value("silver"), 400);
}

TEST_F(PenaltyKeeper, CountsMoreGroupsAtOnceThanTheJournalHasRoomForMarks) {
  for (int i = 0; i < 100; ++i) Show("job-" + std::to_string(i), "Running");
  for (int look = 0; look < 5; ++look) Look();  // the view shows the marks of the look before
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Mark("job-" + std::to_string(i)), "1 started");
  EXPECT_LT(Value(), 1000);
}

TEST_F(PenaltyKeeper, StopsWritingWhereAnotherProcessWritesTheJournal) {
  Become("job", "Running");
  for (ConfigMap map : cluster_.keep().Maps()) cluster_.keep().PutMap(std::move(map));
  Become("other", "Running");
  EXPECT_EQ(Value(), 900) << "its writes were refused";
  EXPECT_TRUE(keeper_->Begin(term_.get_token()).ok());
  Look();
  EXPECT_EQ(Value(), 800);
}

TEST_F(PenaltyKeeper, SaysWhyAnIntentStaysAndReportsItsChangeOnce) {
  cluster_.keep().OnCall([](const testing::ObjectCall& call) {
    if (!call.Is(testing::ObjectCall::Verb::kDelete, "ConfigMap")) return testing::CallFate::Done();
    return testing::CallFate::FailBefore(absl::PermissionDeniedError("cannot delete configmaps"));
  });
  Become("job", "Running");
  Become("other", "Running");
  Pass(60'000);
  EXPECT_THAT(log_, Contains(HasSubstr("cannot delete configmaps")));
  const auto reasons = EventReasons();
  EXPECT_EQ(std::count(reasons.begin(), reasons.end(), "PriorityClass gold PenaltyApplied"), 1);
  cluster_.keep().OnCall(nullptr);
  Pass(120'000);
  Pass(120'000);
  EXPECT_EQ(Value(), 1000) << "all has recovered";
}

TEST_F(PenaltyKeeper, SaysThatTheGlobalDefaultIsLeftAlone) {
  PriorityClass normal = ClassOf("normal", 10);
  normal.global_default = true;
  cluster_.keep().Put(normal);
  Look();
  EXPECT_THAT(EventReasons(), Contains("PriorityClass normal PenaltyRefused"));
}

TEST_F(PenaltyKeeper, WritesAMarkAgainThatCouldNotBeWrittenThoughNothingChanges) {
  bool fails = true;
  cluster_.OnAnnotate([&fails](const PodGroup& /*group*/, const CallLimits& /*limits*/) {
    return fails ? absl::UnavailableError("not now") : absl::OkStatus();
  });
  Become("job", "Running");
  EXPECT_EQ(Mark("job"), "");
  fails = false;
  ASSERT_TRUE(next_.has_value());
  EXPECT_LE(*next_, now_ + 1'000);
  Pass(1'000);
  EXPECT_EQ(Mark("job"), "1 started");
  EXPECT_EQ(Value(), 900) << "counted once";
}

TEST_F(PenaltyKeeper, MarksNothingThatTheJournalDoesNotHaveAndTriesAgainSoon) {
  int failures = 1;
  cluster_.keep().OnCall([&failures](const testing::ObjectCall& call) {
    const bool is_write = call.verb != testing::ObjectCall::Verb::kGet && call.kind == "ConfigMap";
    if (!is_write || failures == 0) return testing::CallFate::Done();
    --failures;
    return testing::CallFate::FailBefore(absl::UnavailableError("not now"));
  });
  Become("job", "Running");
  EXPECT_EQ(Mark("job"), "");
  EXPECT_EQ(Value(), 1000);
  for (int i = 0; i < 20; ++i) {  // changes of others make the pause no longer
    now_ += 10;
    Become("other", "Pending");
  }
  EXPECT_EQ(Mark("job"), "");
  Pass(1'000);
  EXPECT_EQ(Mark("job"), "1 started");
  EXPECT_EQ(Value(), 900);
}

TEST_F(PenaltyKeeper, GoesOnWhileMarksOfAClassThatIsNotSelectedAnyMoreFillTheJournal) {
  cluster_.keep().Put(ClassOf("silver", 500));
  Look();
  cluster_.OnAnnotate([](const PodGroup& /*group*/, const CallLimits& /*limits*/) {
    return absl::UnavailableError("a webhook is down");
  });
  for (int i = 0; i < 40; ++i) Show("job-" + std::to_string(i), "Running");
  Look();
  Show("late", "Running", "silver");
  ASSERT_TRUE(cluster_.keep().Edit("gold", [](PriorityClass* gold) { gold->labels = {}; }).ok());
  Look();
  Pass(1'000);
  EXPECT_EQ(Value(), 1000);
}

TEST_F(PenaltyKeeper, KeepsTheAccountOfAClassThatCannotBeGivenBack) {
  Become("job", "Running");
  ASSERT_TRUE(cluster_.keep()
                  .Edit("gold",
                        [](PriorityClass* gold) {
                          gold->labels = {};
                          gold->finalizers = {"a.b/c"};
                        })
                  .ok());
  Look();
  EXPECT_EQ(Value(), 900);
  ASSERT_TRUE(
      cluster_.keep().Edit("gold", [](PriorityClass* gold) { gold->finalizers = {}; }).ok());
  for (int i = 0; i < 5; ++i) Pass(60'000);
  EXPECT_EQ(Value(), 1000);
}

TEST_F(PenaltyKeeper, NamesTheRecoveryAsItsCauseAfterACompletionThatAddsNothing) {
  Settings settings = Fair();
  settings.completion = "flat 0";
  Restart(settings);
  Become("job", "Running");
  Become("job", "Completed");
  Pass(15'000);
  EXPECT_EQ(Value(), 950);
  EXPECT_THAT(log_.back(), HasSubstr("base 1000: recovery"));
}

TEST_F(PenaltyKeeper, KeepsTheBaseOfAClassWhoseAnnotationAdmissionTakesAway) {
  cluster_.keep().StripAnnotation(std::string(kBaseValueAnnotation));
  Become("job", "Running");
  Become("other", "Running");
  for (int i = 0; i < 10; ++i) Pass(60'000);
  EXPECT_EQ(Value(), 1000);
  EXPECT_THAT(EventReasons(), Contains("PriorityClass gold PenaltyRefused"));
}

TEST_F(PenaltyKeeper, DoesNothingForAPod) {
  Become("job", "Running");
  Look();  // the mark and the class that it has written
  const auto next = next_;
  const int sets = metrics_.sets;
  cluster_.Put(Pod(testing::MakePod("pod")));
  Look();
  EXPECT_EQ(next_, next);
  EXPECT_EQ(metrics_.sets, sets) << "it has looked at all classes and PodGroups";
}

TEST_F(PenaltyKeeper, ShowsNoPageWithoutTheLease) {
  PageTable table(ClassesPage().columns, 10);
  EXPECT_TRUE(absl::IsUnavailable(keeper_->FillPage("penalty", &table)));
}

}  // namespace
}  // namespace outrigger::penalty
