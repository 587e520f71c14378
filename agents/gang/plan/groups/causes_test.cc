#include <limits>

#include "fmt/format.h"
#include "groups_testing.h"
#include "sdk/base/dialects.h"

// Why a group is not planned, and which members count.

namespace outrigger::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Pods Many(int number, std::string_view minimum, std::string_view prefix = "p") {
  Pods pods;
  for (int i = 0; i < number; ++i) {
    pods.push_back(PodOf(std::string(prefix) + std::to_string(i)).Train(minimum));
  }
  return pods;
}

GroupState OnlyState(const Built& built) {
  EXPECT_THAT(built.groups, SizeIs(1));
  return built.groups.empty() ? GroupState() : built.groups[0];
}

TEST(Causes, TooFewMembersAreCounted) {
  const Built built = Build(Many(12, "16"));
  EXPECT_THAT(built.units, IsEmpty());
  EXPECT_EQ(OnlyState(built).cause, GroupCause::kTooFewMembers);
  EXPECT_EQ(OnlyState(built).text, "12 of 16 members exist");
}

TEST(Causes, MembersThatDoNotCountAreNamedByKind) {
  Pods pods = Many(12, "16");
  pods.push_back(PodOf("gated").Train("16").Gate("example.com/quota"));
  pods.push_back(PodOf("doubly-gated").Train("16").Gate(kQueueGate).Gate("example.com/quota"));
  pods.push_back(PodOf("other").Train("16").Scheduler("volcano"));
  pods.push_back(PodOf("going").Train("16").Terminating().On("node"));
  pods.push_back(PodOf("done").Train("16").Phase("Succeeded").On("node"));
  pods.push_back(PodOf("lost").Train("16").Phase("Failed").Terminating());
  const GroupState state = OnlyState(Build(pods));
  EXPECT_EQ(state.text,
            "13 of 16 members exist (1 succeeded); not counted: 2 gated by example.com/quota, 1 of "
            "another scheduler, 1 terminating, 1 finished");
  EXPECT_EQ(state.existing, 12);
  EXPECT_EQ(state.gated, 2);
  EXPECT_EQ(state.other_scheduler, 1);
  EXPECT_EQ(state.terminating, 1);
  EXPECT_EQ(state.finished, 2);
}

struct CountRow {
  const char* name;
  PodOf second;
  bool exists;
  bool succeeded = false;
};
const CountRow kCountRows[] = {
    {"Pending", PodOf("b").Train(), true},
    {"Bound", PodOf("b").Train().On("node"), true},
    {"HeldByOurGate", PodOf("b").Train().Gate(kQueueGate), true},
    {"HeldByAnotherGate", PodOf("b").Train().Gate("example.com/quota"), false},
    {"HeldByBoth", PodOf("b").Train().Gate(kQueueGate).Gate("example.com/quota"), false},
    {"OfAnotherScheduler", PodOf("b").Train().Scheduler("volcano"), false},
    {"OfAnotherSchedulerAndBound", PodOf("b").Train().Scheduler("volcano").On("node"), false},
    {"Terminating", PodOf("b").Train().Terminating(), false},
    {"TerminatingAndBound", PodOf("b").Train().Terminating().On("node"), false},
    {"Succeeded", PodOf("b").Train().Phase("Succeeded").On("node"), false, true},
    {"SucceededElsewhere", PodOf("b").Train().Phase("Succeeded"), false},
    {"Failed", PodOf("b").Train().Phase("Failed").On("node"), false},
    {"Running", PodOf("b").Train().Phase("Running").On("node"), true},
};

TEST(Members, ExistAsThisTableSays) {
  for (const CountRow& row : kCountRows) {
    SCOPED_TRACE(row.name);
    const Built built = Build({PodOf("a").Train(), row.second});
    EXPECT_EQ(OnlyState(built).existing, row.exists ? 2 : 1);
    const bool counts = row.exists || row.succeeded;
    EXPECT_THAT(built.units, SizeIs(counts ? 1 : 0));
    EXPECT_EQ(OnlyState(built).cause, counts ? GroupCause::kNone : GroupCause::kTooFewMembers);
  }
}

TEST(Members, HeldByOurGateAloneArePlannedAndCounted) {
  const Built built = Build({PodOf("a").Train(), PodOf("b").Train().Gate(kQueueGate)});
  EXPECT_THAT(Brief(built.units), ElementsAre("train(a b)"));
  EXPECT_EQ(OnlyState(built).queued, 1);
}

TEST(Causes, AVersionThatIsNotKnownIsNamed) {
  GroupOptions options;
  options.unknown_versions[Dialect::kUpstream] = "v2";
  const Built built = Build({PodOf("a").Member(Dialect::kUpstream, "train")}, {}, options);
  EXPECT_THAT(built.units, IsEmpty());
  EXPECT_EQ(OnlyState(built).cause, GroupCause::kUnknownVersion);
  EXPECT_EQ(
      OnlyState(built).text,
      "the API server serves podgroups.scheduling.k8s.io in version v2, which is not supported");
}

TEST(Causes, AnInvalidMinimumOfAnObjectIsNamed) {
  for (const int64_t minimum :
       {int64_t{-1}, int64_t{100'001}, std::numeric_limits<int64_t>::max()}) {
    for (const Dialect dialect : {Dialect::kSchedulerPlugins, Dialect::kUpstream}) {
      const Built built =
          Build({PodOf("a").Member(dialect, "train")}, {ObjectOf(dialect, "train", minimum)});
      EXPECT_THAT(built.units, IsEmpty());
      EXPECT_EQ(OnlyState(built).cause, GroupCause::kInvalidMinimum);
      EXPECT_EQ(OnlyState(built).text, std::string(RowOf(dialect).minimum_field) + " is " +
                                           std::to_string(minimum) + ", expected 1 to 100000");
      EXPECT_EQ(OnlyState(built).minimum, 0);
    }
  }
}

TEST(Causes, NoMinimumOfAnObjectMakesItsPodsSingle) {
  for (const Dialect dialect :
       {Dialect::kSchedulerPlugins, Dialect::kKoordinator, Dialect::kVolcano, Dialect::kUpstream}) {
    PodGroupObject object = ObjectOf(dialect, "train", 0);
    object.min_task_member = {{"ps", 1}};
    object.min_resources.Set("cpu", testing::Q("1000"));
    const Built built =
        Build({PodOf("a").Member(dialect, "train"), PodOf("b").Member(dialect, "train")}, {object});
    EXPECT_THAT(Brief(built.units), ElementsAre("a(a)", "b(b)"));
    EXPECT_TRUE(OnlyState(built).independent);
    EXPECT_EQ(OnlyState(built).cause, GroupCause::kNone);
    EXPECT_TRUE(built.units[0].min_resources.empty());
  }
}

TEST(Causes, AnInvalidMinimumOfPodsMakesThemSingle) {
  for (const char* minimum : {"0", "-1", "100001", "many"}) {
    const Built built = Build(Many(2, minimum));
    EXPECT_THAT(Brief(built.units), ElementsAre("p0(p0)", "p1(p1)")) << minimum;
    EXPECT_TRUE(OnlyState(built).independent);
    EXPECT_THAT(built.notes, ElementsAre(IsNote(NoteKind::kPodMinimum, "default/train", minimum)));
  }
}

TEST(Causes, ARolesMinimumMustBeThere) {
  PodGroupObject object = ObjectOf(Dialect::kVolcano, "train", 2);
  object.min_task_member = {{"idle", 0}, {"ps", 1}, {"worker", 2}};
  const auto member = [](std::string_view name, std::string_view role) {
    return PodOf(name)
        .Member(Dialect::kVolcano, "train")
        .Annotation(RowOf(Dialect::kVolcano).role_key, role);
  };
  const Built built = Build({member("a", "worker"), member("b", "worker").Terminating(),
                             member("c", "ps"), member("d", "ps")},
                            {object});
  EXPECT_EQ(OnlyState(built).cause, GroupCause::kTooFewMembers);
  EXPECT_EQ(OnlyState(built).text,
            "1 of 2 members of role worker exist; not counted: 1 terminating");
}

TEST(Causes, MembersThatNameNoRoleAreCountedWithTheKeyThatTheyLack) {
  PodGroupObject object = ObjectOf(Dialect::kVolcano, "train", 2);
  object.min_task_member = {{"idle", 0}, {"ps", 1}};
  const auto member = [](std::string_view name, std::string_view role) {
    return PodOf(name)
        .Member(Dialect::kVolcano, "train")
        .Annotation(RowOf(Dialect::kVolcano).role_key, role);
  };
  const auto text = [&](std::string_view a, std::string_view b) {
    return OnlyState(Build({member("a", a), member("b", b)}, {object})).text;
  };
  EXPECT_EQ(text("", ""),
            "0 of 1 members of role ps exist; 2 lack the annotation or label volcano.sh/task-spec "
            "with the role");
  EXPECT_EQ(text("PS", "idle"),
            "0 of 1 members of role ps exist; volcano.sh/task-spec of pod a names role PS, which "
            "is not in minTaskMember");
  EXPECT_EQ(text("idle", "idle"), "0 of 1 members of role ps exist");
}

TEST(Causes, AnInvalidMinimumOfARoleIsNamed) {
  PodGroupObject object = ObjectOf(Dialect::kVolcano, "train", 1);
  object.min_task_member = {{"worker", -2}};
  const Built built = Build({PodOf("a").Member(Dialect::kVolcano, "train")}, {object});
  EXPECT_EQ(OnlyState(built).cause, GroupCause::kInvalidMinimum);
  EXPECT_EQ(OnlyState(built).text, "spec.minTaskMember[worker] is -2, expected 1 to 100000");
}

// Its members would take all threads of bind calls, and none would be left for the last one.
TEST(Causes, AGangWhoseMembersCannotAllWaitIsNotPlanned) {
  GroupOptions options = AllServed();
  options.most_waiting = 2;
  const Pods pods = {PodOf("a").Train("3"), PodOf("b").Train("3"), PodOf("c").Train("3")};
  const Built built = Build(pods, {}, options);
  EXPECT_THAT(built.units, IsEmpty());
  EXPECT_EQ(OnlyState(built).cause, GroupCause::kTooManyWaiting);
  EXPECT_EQ(TextOf(OnlyState(built).cause), "its minimum is above --max-waiting-binds");
  EXPECT_EQ(OnlyState(built).text,
            "3 members must wait for each other, but --max-waiting-binds is 2: increase it");
  options.most_waiting = 3;
  EXPECT_EQ(OnlyState(Build(pods, {}, options)).cause, GroupCause::kNone);
}

TEST(Causes, MoreThan100000MembersAreTooMany) {
  Pods pods;
  for (int i = 0; i < 100'001; ++i) pods.push_back(PodOf(fmt::format("p{}", i)).Train("2"));
  const Built built = Build(pods);
  EXPECT_THAT(built.units, IsEmpty());
  EXPECT_EQ(OnlyState(built).cause, GroupCause::kTooManyMembers);
  EXPECT_EQ(OnlyState(built).text, "100001 members exist, at most 100000 are supported");
}

TEST(Causes, UpstreamGroupsAreLeftToASchedulerThatHandlesThem) {
  GroupOptions options = AllServed();
  options.leave_upstream = true;
  const Pods pods = {PodOf("a").Member(Dialect::kUpstream, "train"),
                     PodOf("b").Member(Dialect::kKoordinator, "train")};
  PodGroupObject basic = ObjectOf(Dialect::kUpstream, "train", 0);
  basic.independent = true;
  for (const PodGroupObject& object : {ObjectOf(Dialect::kUpstream, "train", 1), basic}) {
    const Built built = Build(pods, {object, ObjectOf(Dialect::kKoordinator, "train", 1)}, options);
    EXPECT_THAT(Brief(built.units), ElementsAre("train(b)"));
    ASSERT_THAT(built.groups, SizeIs(2));
    EXPECT_EQ(built.groups[1].key.dialect, Dialect::kUpstream);
    EXPECT_EQ(built.groups[1].cause, GroupCause::kLeftToScheduler);
    EXPECT_EQ(built.groups[1].text, "kube-scheduler plans this group itself");
  }
}

TEST(Causes, AMalformedRequiredTopologyIsNamed) {
  PodGroupObject object = ObjectOf(Dialect::kKoordinator, "train", 1);
  object.annotations.Set(kTopologyRequired, "zone, a/b/c ,also bad");
  const Built built = Build({PodOf("a").Member(Dialect::kKoordinator, "train")}, {object});
  EXPECT_THAT(built.units, IsEmpty());
  EXPECT_EQ(OnlyState(built).cause, GroupCause::kInvalidTopology);
  EXPECT_EQ(OnlyState(built).text,
            "annotation outrigger.dev/topology-required: \"a/b/c\" is not a label key");
}

TEST(Causes, AreGivenOnlyWhereSomebodyWaits) {
  const Built bound = Build({PodOf("a").Train("3").On("node")});
  EXPECT_THAT(bound.units, IsEmpty());
  EXPECT_EQ(OnlyState(bound).cause, GroupCause::kNone);
  EXPECT_TRUE(OnlyState(bound).broken);
  EXPECT_EQ(OnlyState(Build({PodOf("a").Train("3").Phase("Failed")})).cause, GroupCause::kNone);
  EXPECT_EQ(OnlyState(Build({PodOf("a").Train("3").Gate("g")})).cause, GroupCause::kTooFewMembers);
  EXPECT_EQ(OnlyState(Build({PodOf("a").Member(Dialect::kKoordinator, "x").On("node")})).cause,
            GroupCause::kNone);
}

TEST(Minimums, ThatDifferAreTheOldestMembers) {
  const Pods pods = {PodOf("new").Train("2").Created(9), PodOf("old").Train("3").Created(5),
                     PodOf("dead").Train("7").Created(1).Phase("Failed"),
                     PodOf("going").Train("8").Created(2).Terminating()};
  const Built built = Build(pods);
  EXPECT_EQ(OnlyState(built).minimum, 3);
  EXPECT_THAT(OnlyState(built).text, HasSubstr("2 of 3 members exist"));
  EXPECT_THAT(built.notes, ElementsAre(IsNote(NoteKind::kMinimumsDiffer, "default/train",
                                              "3 counts, from the oldest, old")));
}

}  // namespace
}  // namespace outrigger::plan
