#include "groups_testing.h"
#include "sdk/base/dialects.h"

// What a gang's unit says of its place, roles and topology.

namespace outrigger::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Dialect kVolcano = Dialect::kVolcano;

Unit OnlyUnit(const Built& built) {
  EXPECT_THAT(built.units, SizeIs(1));
  return built.units.empty() ? Unit() : built.units[0];
}

PodOf Volcano(std::string_view name, std::string_view role = "") {
  return PodOf(name).Member(kVolcano, "train").Annotation(RowOf(Dialect::kVolcano).role_key, role);
}

// What starts one by one need not have room for all.
TEST(GangUnit, ThatStartsWhatFitsAsksForNoTotal) {
  PodGroupObject object = ObjectOf(kVolcano, "train", 3);
  object.min_task_member = {{"ps", 1}};
  object.min_resources.Set("cpu", testing::Q("9"));
  GroupOptions options = AllServed();
  for (const bool all_or_none : {true, false}) {
    options.all_or_none = all_or_none;
    const Built built = Build({Volcano("a"), Volcano("b"), Volcano("c", "ps")}, {object}, options);
    EXPECT_EQ(OnlyUnit(built).minimum, all_or_none ? 3 : 1);
    EXPECT_EQ(OnlyUnit(built).min_resources.empty(), !all_or_none);
  }
}

TEST(GangPriority, IsItsLowestMembersAndNoted) {
  const Built built = Build({PodOf("a").Train().Priority(9), PodOf("b").Train().Priority(4),
                             PodOf("c").Train().Priority(1).Phase("Failed")});
  EXPECT_EQ(OnlyUnit(built).rank.priority, 4);
  EXPECT_THAT(built.notes, ElementsAre(IsNote(NoteKind::kPriorities, "default/train",
                                              "priorities from 4 to 9; the lowest counts")));
}

TEST(GangPriority, CountsBoundMembers) {
  const Built built =
      Build({PodOf("a").Train().Priority(9), PodOf("b").Train().Priority(4).On("node")});
  EXPECT_EQ(OnlyUnit(built).rank.priority, 4);
}

TEST(GangPriority, IsThatOfItsObjectsClassIfThatIsLess) {
  PodGroupObject object = ObjectOf(kVolcano, "train", 1);
  object.priority_class_name = "low";
  GroupOptions options = AllServed();
  options.priority_classes = {{"low", 3}};
  const Built built =
      Build({Volcano("a").Priority(9), Volcano("b").Priority(4)}, {object}, options);
  EXPECT_EQ(OnlyUnit(built).rank.priority, 3);
  EXPECT_THAT(built.notes, IsEmpty());
}

// Else whoever may make a PodGroup evicts what is more important than its own pods.
TEST(GangPriority, IsNotAboveItsMembersWhateverTheClass) {
  PodGroupObject object = ObjectOf(kVolcano, "train", 1);
  object.priority_class_name = "high";
  GroupOptions options = AllServed();
  options.priority_classes = {{"high", 1000}};
  const Built built = Build({Volcano("a").Priority(4)}, {object}, options);
  EXPECT_EQ(OnlyUnit(built).rank.priority, 4);
  EXPECT_THAT(built.notes, ElementsAre(IsNote(NoteKind::kPriorityClass, "default/train",
                                              "\"high\", of priority 1000; 4 counts")));
}

TEST(GangPriority, OfAClassThatIsNotKnownIsItsMembers) {
  PodGroupObject object = ObjectOf(kVolcano, "train", 1);
  object.priority_class_name = "high";
  const Built built = Build({Volcano("a").Priority(4)}, {object});
  EXPECT_EQ(OnlyUnit(built).rank.priority, 4);
  EXPECT_THAT(built.notes, ElementsAre(IsNote(NoteKind::kPriorityClass, "default/train",
                                              "\"high\", which does not exist; 4 counts")));
}

TEST(GangRank, HasTheLowestClassOfThoseThatExist) {
  const Built built =
      Build({PodOf("a").Train().Qos("Guaranteed"), PodOf("b").Train().Qos("Burstable").On("node"),
             PodOf("c").Train().Qos("BestEffort").Terminating()});
  EXPECT_EQ(OnlyUnit(built).rank.qos, QosClass::kBurstable);
}

TEST(GangRank, HasTheOldestMembersGroupPriorityAndTime) {
  const Built built = Build({PodOf("a").Train().Created(7).Label("groupPriority", "5"),
                             PodOf("b").Train().Created(3).Label("groupPriority", "-2"),
                             PodOf("c").Train().Created(1).Phase("Failed")});
  EXPECT_EQ(OnlyUnit(built).rank.group_priority, -2);
  EXPECT_EQ(OnlyUnit(built).rank.created, 3);
}

TEST(GangRank, OfEqualAgeHasTheFirstNamesGroupPriority) {
  const Built built = Build({PodOf("b").Train().Label("groupPriority", "5"),
                             PodOf("a").Train().Label("groupPriority", "4")});
  EXPECT_EQ(OnlyUnit(built).rank.group_priority, 4);
}

TEST(GangRank, NotesAMalformedGroupPriorityOnce) {
  Pods pods;
  for (const char* name : {"a", "b", "c"}) {
    pods.push_back(PodOf(name).Train().Label("groupPriority", "high"));
  }
  EXPECT_THAT(Build(pods).notes,
              ElementsAre(IsNote(NoteKind::kGroupPriority, "default/train", "\"high\"")));
}

TEST(GangRank, HasTheObjectsTime) {
  PodGroupObject object = ObjectOf(kVolcano, "train", 1);
  EXPECT_EQ(OnlyUnit(Build({Volcano("a").Created(7)}, {object})).rank.created, 7);
  object.created = 3;
  EXPECT_EQ(OnlyUnit(Build({Volcano("a").Created(7)}, {object})).rank.created, 3);
}

TEST(GangRank, IsInPartWhereSomeAreBoundBelowTheMinimum) {
  const auto unit = [](std::string_view minimum, int bound) {
    Pods pods = {PodOf("a").Train(minimum).Created(9), PodOf("b").Train(minimum)};
    for (int i = 0; i < bound; ++i) {
      pods.push_back(PodOf("bound-" + std::to_string(i))
                         .Train(minimum)
                         .On("node-1")
                         .Annotation(kStartedWith, minimum));
    }
    return OnlyUnit(Build(pods));
  };
  EXPECT_FALSE(unit("2", 0).rank.in_part);
  EXPECT_TRUE(unit("3", 1).rank.in_part);
  EXPECT_TRUE(unit("3", 2).rank.in_part);
  EXPECT_FALSE(unit("3", 3).rank.in_part);
  EXPECT_FALSE(unit("3", 2).rank.first);
  EXPECT_EQ(unit("3", 2).bound, 2);
  EXPECT_EQ(Brief(unit("3", 2)), "train(b a)");
}

TEST(GangRank, IsInPartWhereARoleIsBelowItsMinimum) {
  PodGroupObject object = ObjectOf(kVolcano, "train", 1);
  object.min_task_member = {{"ps", 1}, {"worker", 1}};
  const Unit unit = OnlyUnit(
      Build({Volcano("a", "ps").On("node").Annotation(kStartedWith, "2"), Volcano("b", "worker")},
            {object}));
  EXPECT_TRUE(unit.rank.in_part);
  ASSERT_THAT(unit.roles, SizeIs(2));
  EXPECT_EQ(unit.roles[0].bound, 1);
  EXPECT_EQ(unit.roles[1].bound, 0);
}

TEST(Gangs, AreNotInterleavedByTheClassOfTheirMembers) {
  const auto member = [](std::string_view name, std::string_view group, std::string_view qos) {
    return PodOf(name).Member(Dialect::kLabels, group).Qos(qos);
  };
  const Built built = Build({member("a1", "a", "Guaranteed"), member("b1", "b", "Burstable"),
                             member("a2", "a", "BestEffort"), member("b2", "b", "Burstable")});
  EXPECT_THAT(Brief(built.units), ElementsAre("b(b1 b2)", "a(a1 a2)"));
}

TEST(Gangs, OrderMembersByPriorityThenAgeThenName) {
  const Built built = Build({PodOf("d").Train().Created(2), PodOf("c").Train().Created(2),
                             PodOf("b").Train().Created(1), PodOf("a").Train().Created(3),
                             PodOf("z").Train().Created(9).Priority(1)});
  EXPECT_THAT(Brief(built.units), ElementsAre("train(z b c d a)"));
}

TEST(Gangs, KnowTheirRoles) {
  PodGroupObject object = ObjectOf(kVolcano, "train", 3);
  object.min_task_member = {{"worker", 2}, {"ps", 1}, {"none", 0}};
  const Unit unit =
      OnlyUnit(Build({Volcano("a", "ps"), Volcano("b", "worker"), Volcano("c", "worker").On("node"),
                      Volcano("d", "other"), Volcano("e", "none")},
                     {object}));
  ASSERT_THAT(unit.roles, SizeIs(2));
  EXPECT_EQ(unit.roles[0].name, "ps");
  EXPECT_EQ(unit.roles[0].minimum, 1);
  EXPECT_EQ(unit.roles[0].bound, 0);
  EXPECT_EQ(unit.roles[1].name, "worker");
  EXPECT_EQ(unit.roles[1].minimum, 2);
  EXPECT_EQ(unit.roles[1].bound, 1);
  std::vector<std::string> roles;
  for (const Member& member : unit.members) roles.push_back(member.role);
  EXPECT_THAT(roles, ElementsAre("ps", "worker", "", ""));
}

TEST(Gangs, TakeTopologyFromTheirObject) {
  PodGroupObject object = ObjectOf(kVolcano, "train", 1);
  object.annotations.Set(kTopologyRequired, "topology.kubernetes.io/zone, rack,");
  object.annotations.Set(kTopologyPreferred, "switch,, bad key , ,rack");
  const Built built =
      Build({Volcano("a").Annotation(kTopologyRequired, "pods-do-not-count"),
             Volcano("b").On("node-2"), Volcano("c").On("node-1"), Volcano("d").On("node-2")},
            {object});
  const TopologyWish topology = OnlyUnit(built).topology;
  EXPECT_THAT(topology.required, ElementsAre("topology.kubernetes.io/zone", "rack"));
  EXPECT_THAT(topology.preferred, ElementsAre("switch", "rack"));
  EXPECT_THAT(topology.bound_on, ElementsAre("node-1", "node-2"));
  EXPECT_THAT(
      built.notes,
      ElementsAre(IsNote(NoteKind::kPreferredTopology, "default/train",
                         "outrigger.dev/topology-preferred: \"bad key\" is not a label key")));
}

TEST(Gangs, WithoutObjectTakeTopologyFromTheirOldestMemberThatHasIt) {
  const Built built = Build({PodOf("a").Train().Created(1),
                             PodOf("b").Train().Created(3).Annotation(kTopologyRequired, "rack"),
                             PodOf("c").Train().Created(2).Annotation(kTopologyRequired, "zone")});
  EXPECT_THAT(OnlyUnit(built).topology.required, ElementsAre("zone"));
  EXPECT_THAT(OnlyUnit(built).topology.preferred, IsEmpty());
}

TEST(Gangs, StateTheObjectsTimeout) {
  PodGroupObject object = ObjectOf(kVolcano, "train", 1);
  object.schedule_timeout_seconds = 30;
  EXPECT_EQ(Build({Volcano("a")}, {object}).groups.at(0).schedule_timeout_seconds, 30);
}

}  // namespace
}  // namespace outrigger::plan
