#include "groups_testing.h"
#include "sdk/base/dialects.h"

// The minimum of a gang is for starting: what has run already, and what that means for members that
// come later.

namespace outrigger::plan {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kCreated = 100;  // when the objects were created

PodOf Worker(Dialect dialect, std::string_view name) {
  return PodOf(name).Member(dialect, "train", "4").Owner("job-1").Created(kCreated);
}
PodOf Ran(Dialect dialect, std::string_view name, std::string_view phase) {
  return Worker(dialect, name).On("n").Phase(phase).Scheduled(kCreated + 1);
}
std::vector<PodGroupObject> ObjectsOf(Dialect dialect) {
  if (dialect == Dialect::kLabels) return {};
  PodGroupObject object = ObjectOf(dialect, "train", 4);
  object.created = kCreated;
  return {object};
}

class History : public ::testing::TestWithParam<Dialect> {
 protected:
  static PodOf Worker(std::string_view name) { return plan::Worker(GetParam(), name); }
  static PodOf Ran(std::string_view name, std::string_view phase) {
    return plan::Ran(GetParam(), name, phase);
  }
  static Built Build(const Pods& pods) { return plan::Build(pods, ObjectsOf(GetParam())); }
};

INSTANTIATE_TEST_SUITE_P(Of, History,
                         ::testing::Values(Dialect::kLabels, Dialect::kSchedulerPlugins,
                                           Dialect::kKoordinator, Dialect::kVolcano,
                                           Dialect::kUpstream),
                         [](const auto& row) {
                           return "Dialect" + std::to_string(static_cast<int>(row.param));
                         });

// kubernetes#142330: a Job with completions 5 and parallelism 4.
TEST_P(History, LetsTheLastPodOfAJobStartByItself) {
  const Built built = Build({Ran("a", "Succeeded"), Ran("b", "Succeeded"), Worker("c").On("n"),
                             Worker("d").On("n"), Worker("e")});
  ASSERT_THAT(built.units, SizeIs(1));
  EXPECT_EQ(built.units[0].minimum - built.units[0].bound, 0);
  EXPECT_FALSE(built.groups[0].broken);
  EXPECT_TRUE(built.groups[0].admitted);
}

TEST_P(History, LetsPodsStartByThemselvesOnceAllOfTheFirstHaveSucceeded) {
  const Built built = Build({Ran("a", "Succeeded"), Ran("b", "Succeeded"), Ran("c", "Succeeded"),
                             Ran("d", "Succeeded"), Worker("e")});
  ASSERT_THAT(built.units, SizeIs(1));
  EXPECT_EQ(built.units[0].minimum, 0);
}

TEST_P(History, PlansReplacementsTogetherAsLongAsTheyCanMakeTheGangWhole) {
  const Built built =
      Build({Ran("a", "Succeeded"), Worker("b").On("n").Annotation(kStartedWith, "4"),
             Ran("c", "Failed"), Ran("d", "Failed"), Worker("c2"), Worker("d2")});
  ASSERT_THAT(built.units, SizeIs(1));
  EXPECT_EQ(built.units[0].minimum, 3) << "one of four has succeeded";
  EXPECT_EQ(built.units[0].bound, 1);
  EXPECT_TRUE(built.units[0].rank.in_part);
}

TEST_P(History, PlansEachReplacementByItselfWhereTheGangCannotBeWholeAgain) {
  const Built built =
      Build({Ran("a", "Succeeded"), Worker("b").On("n").Annotation(kStartedWith, "4"),
             Ran("c", "Failed"), Ran("d", "Failed"), Worker("c2")});
  ASSERT_THAT(built.units, SizeIs(1));
  EXPECT_EQ(built.units[0].minimum, 2) << "one more than is bound";
  EXPECT_TRUE(built.units[0].rank.in_part) << "replaced before others of its priority";
}

TEST_P(History, IsOverWhereNothingRunsAndNothingSucceeded) {
  const Pods failed = {Ran("a", "Failed"), Ran("b", "Failed"), Ran("c", "Failed"),
                       Ran("d", "Failed").Terminating()};
  Pods pods = failed;
  pods.push_back(Worker("a2"));
  EXPECT_THAT(Build(pods).units, IsEmpty());
  for (const char* name : {"b2", "c2", "d2"}) pods.push_back(Worker(name));
  const Built built = Build(pods);
  ASSERT_THAT(built.units, SizeIs(1));
  EXPECT_EQ(built.units[0].minimum, 4) << "it starts again, as a whole";
}

TEST_P(History, DoesNotMakeAGangThatNeverStartedSmaller) {
  const Built built = Build({Worker("a").Phase("Failed"), Worker("b").Phase("Succeeded"),
                             Worker("c").On("n"), Worker("d"), Worker("e")});
  EXPECT_THAT(built.units, IsEmpty());
  EXPECT_EQ(built.groups[0].text, "3 of 4 members exist; not counted: 2 finished");
}

TEST_P(History, SaysHowManySucceededWhereTooFewExist) {
  const Built built = Build({Ran("a", "Succeeded"), Worker("b"), Worker("c")});
  EXPECT_THAT(built.units, IsEmpty());
  EXPECT_EQ(built.groups[0].text, "3 of 4 members exist (1 succeeded)");
}

TEST_P(History, CountsNoPodsOfOtherSchedulers) {
  const Built built =
      Build({Ran("a", "Succeeded").Scheduler("other"), Worker("b"), Worker("c"), Worker("d")});
  EXPECT_EQ(built.groups[0].text, "3 of 4 members exist; not counted: 1 finished");
}

TEST_P(History, IsKnownByWhatAMemberStartedWithOnceTheOthersAreDeleted) {
  const Pods pods = {Worker("a").On("n").Annotation(kStartedWith, "4"), Worker("e")};
  const Built built = Build(pods);
  ASSERT_THAT(built.units, SizeIs(1));
  EXPECT_EQ(built.units[0].minimum, 2) << "one more than is bound";
  EXPECT_THAT(Build({Worker("a").On("n"), Worker("e")}).units, IsEmpty()) << "bound by hand";
}

TEST_P(History, IsNotBrokenByAMinimumThatWasRaised) {
  const Pods pods = {Worker("a").On("n").Annotation(kStartedWith, "2"),
                     Worker("b").On("n").Annotation(kStartedWith, "2"), Worker("c"), Worker("d")};
  const Built built = Build(pods);
  EXPECT_FALSE(built.groups[0].broken);
  ASSERT_THAT(built.units, SizeIs(1));
  EXPECT_FALSE(built.units[0].rank.in_part);
  EXPECT_EQ(built.units[0].minimum, 4) << "the new members start together";
}

TEST_P(History, IsBrokenBelowWhatItStartedWithHoweverFarTheMinimumWasRaised) {
  EXPECT_TRUE(Build({Worker("a").On("n").Annotation(kStartedWith, "2"), Worker("b"), Worker("c"),
                     Worker("d")})
                  .groups[0]
                  .broken);
}

TEST_P(History, TakesNothingElseForAMinimum) {
  for (const char* text : {"", "0", "-1", "many", "100001"}) {
    const Built built = Build({Worker("a").On("n").Annotation(kStartedWith, text), Worker("e")});
    EXPECT_EQ(built.groups[0].started_with, 0) << text;
    EXPECT_THAT(built.units, IsEmpty()) << text;
  }
}

TEST(HistoryOfLabels, IsThatOfTheSameOwner) {
  const Pods former = {
      Ran(Dialect::kLabels, "a", "Succeeded"), Ran(Dialect::kLabels, "b", "Succeeded"),
      Ran(Dialect::kLabels, "c", "Succeeded"), Ran(Dialect::kLabels, "d", "Succeeded")};
  Pods pods = former;
  pods.push_back(Worker(Dialect::kLabels, "e").Owner("job-2"));
  EXPECT_EQ(Build(pods).groups[0].text, "1 of 4 members exist; not counted: 4 finished");
  pods.back() = Worker(Dialect::kLabels, "e");
  EXPECT_THAT(Build(pods).units, SizeIs(1));
}

TEST(HistoryOfLabels, LastsForPodsWithoutOwnersUntilNoneIsLeft) {
  const auto pod = [](std::string_view name) { return PodOf(name).Train("2"); };
  const Built built =
      Build({pod("a").On("n").Phase("Succeeded"), pod("b").On("n").Phase("Succeeded"), pod("c")});
  EXPECT_THAT(built.units, SizeIs(1));
  EXPECT_EQ(Build({pod("c")}).groups[0].text, "1 of 2 members exist");
}

TEST(HistoryOfAnObject, BeginsWithTheObject) {
  std::vector<PodGroupObject> objects = ObjectsOf(Dialect::kVolcano);
  const Pods pods = {Ran(Dialect::kVolcano, "a", "Succeeded"),
                     Ran(Dialect::kVolcano, "b", "Succeeded"),
                     Ran(Dialect::kVolcano, "c", "Succeeded"),
                     Ran(Dialect::kVolcano, "d", "Succeeded"), Worker(Dialect::kVolcano, "e")};
  EXPECT_THAT(Build(pods, objects).units, SizeIs(1));
  objects[0].created = kCreated + 2;  // deleted and created again
  EXPECT_EQ(Build(pods, objects).groups[0].text, "1 of 4 members exist; not counted: 4 finished");
}

TEST(HistoryOfAnObject, NeedsNoMinResourcesOnceTheGangWasAdmitted) {
  std::vector<PodGroupObject> objects = ObjectsOf(Dialect::kVolcano);
  objects[0].min_resources.Set("cpu", testing::Q("100"));
  const Pods pods = {Ran(Dialect::kVolcano, "a", "Succeeded"),
                     Ran(Dialect::kVolcano, "b", "Succeeded"),
                     Ran(Dialect::kVolcano, "c", "Succeeded"),
                     Ran(Dialect::kVolcano, "d", "Succeeded"), Worker(Dialect::kVolcano, "e")};
  EXPECT_TRUE(Build(pods, objects).units.at(0).min_resources.empty());
}

// Controllers write the sum of what the templates request.
TEST(HistoryOfAnObject, NeedsNothingOfWhatStandsForCalls) {
  std::vector<PodGroupObject> objects = ObjectsOf(Dialect::kVolcano);
  objects[0].min_resources.Set("cpu", testing::Q("2"));
  objects[0].min_resources.Set("outrigger.dev/gang", testing::Q("4"));
  objects[0].min_resources.Set("outrigger.dev/gang-bind", testing::Q("4"));
  const Pods pods = {Worker(Dialect::kVolcano, "a"), Worker(Dialect::kVolcano, "b"),
                     Worker(Dialect::kVolcano, "c"), Worker(Dialect::kVolcano, "d")};
  EXPECT_EQ(Build(pods, objects).units.at(0).min_resources,
            ResourceList({{"cpu", testing::Q("2")}}));
}

class HistoryOfRoles : public ::testing::Test {
 protected:
  HistoryOfRoles() : objects_(ObjectsOf(Dialect::kVolcano)) {
    objects_[0].min_member = 3;
    objects_[0].min_task_member = {{"ps", 1}, {"worker", 2}};
  }
  static PodOf Member(std::string_view name, std::string_view role) {
    return Worker(Dialect::kVolcano, name).Annotation(RowOf(Dialect::kVolcano).role_key, role);
  }
  static PodOf Ran(std::string_view name, std::string_view role, std::string_view phase) {
    return plan::Ran(Dialect::kVolcano, name, phase)
        .Annotation(RowOf(Dialect::kVolcano).role_key, role);
  }
  std::vector<PodGroupObject> objects_;
};

TEST_F(HistoryOfRoles, CountsThoseOfARoleThatSucceeded) {
  const Built built = Build({Ran("w0", "worker", "Succeeded"), Member("w1", "worker").On("n"),
                             Ran("ps0", "ps", "Failed"), Member("ps1", "ps")},
                            objects_);
  ASSERT_THAT(built.units, SizeIs(1));
  const std::vector<Role>& roles = built.units[0].roles;
  EXPECT_EQ(roles[0].minimum, 1);
  EXPECT_EQ(roles[1].minimum, 1) << "of two workers one has succeeded";
}

TEST_F(HistoryOfRoles, IsNoneWhereARoleNeverStarted) {
  const Built built = Build({Ran("w0", "worker", "Succeeded"), Ran("w1", "worker", "Succeeded"),
                             Ran("w2", "worker", "Succeeded"), Member("w3", "worker")},
                            objects_);
  EXPECT_THAT(built.units, IsEmpty());
  EXPECT_EQ(built.groups[0].text, "0 of 1 members of role ps exist");
}

TEST_F(HistoryOfRoles, SaysHowManyOfTheRoleSucceeded) {
  objects_[0].min_task_member = {{"ps", 1}, {"worker", 3}};
  const Built built = Build(
      {Ran("w0", "worker", "Succeeded"), Member("w1", "worker"), Member("ps0", "ps")}, objects_);
  EXPECT_EQ(built.groups[0].text, "2 of 3 members of role worker exist (1 succeeded)");
}

}  // namespace
}  // namespace outrigger::plan
