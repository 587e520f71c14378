#include "gang/plan/groups.h"

#include "groups_testing.h"

// Which units there are, and of which pods.

namespace outrigger::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr Dialect kDialects[] = {Dialect::kLabels, Dialect::kSchedulerPlugins,
                                 Dialect::kKoordinator, Dialect::kVolcano, Dialect::kUpstream};

Pods TwoOf(Dialect dialect, std::string_view group = "train") {
  return {PodOf("b").Member(dialect, group), PodOf("a").Member(dialect, group)};
}

std::vector<PodGroupObject> ObjectsFor(Dialect dialect, int64_t minimum = 2) {
  if (dialect == Dialect::kLabels) return {};
  return {ObjectOf(dialect, "train", minimum)};
}

std::string DialectName(const ::testing::TestParamInfo<Dialect>& row) {
  constexpr const char* kNames[] = {"None", "Labels",  "SchedulerPlugins",
                                    "Sigs", "Volcano", "Upstream"};
  return kNames[static_cast<size_t>(row.param)];
}

class EveryDialect : public ::testing::TestWithParam<Dialect> {};
INSTANTIATE_TEST_SUITE_P(Rows, EveryDialect, ::testing::ValuesIn(kDialects), DialectName);

TEST_P(EveryDialect, MakesAUnitOfItsMembers) {
  const Built built = Build(TwoOf(GetParam()), ObjectsFor(GetParam()));
  ASSERT_THAT(Brief(built.units), ElementsAre("train(a b)"));
  const Unit& unit = built.units[0];
  const std::string uid = GetParam() == Dialect::kLabels ? "" : "uid-train";
  EXPECT_EQ(unit.key, (UnitKey{GetParam(), "default", "train", uid}));
  EXPECT_EQ(TextOf(unit.key), "default/train");
  EXPECT_EQ(unit.minimum, 2);
  EXPECT_EQ(unit.bound, 0);
  EXPECT_EQ(unit.rank.uid, uid);
  ASSERT_THAT(built.groups, SizeIs(1));
  EXPECT_EQ(built.groups[0].key, unit.key);
  EXPECT_EQ(built.groups[0].cause, GroupCause::kNone);
  EXPECT_EQ(built.groups[0].text, "");
  EXPECT_EQ(built.groups[0].existing, 2);
  EXPECT_EQ(built.groups[0].minimum, 2);
  EXPECT_THAT(built.notes, IsEmpty());
}

TEST(SinglePods, OfADaemonSetForOneNodeComeBeforeAll) {
  Pod pod = PodOf("daemon");
  pod.controller = OwnerReference{"DaemonSet", "agents", "uid-agents", "apps/v1"};
  pod.affinity.required_node.emplace().terms.emplace_back().match_fields.push_back(
      {"metadata.name", SelectorOperator::kIn, {"n1"}});
  UnitTable table;
  const Pods pods = {PodOf("urgent").Priority(1000), std::make_shared<const Pod>(pod)};
  for (int round = 0; round < 2; ++round) {  // made, and kept
    table.Update(pods, {}, AllServed(), nullptr);
    EXPECT_THAT(Brief(table.made().units), ElementsAre("daemon(daemon)", "urgent(urgent)"));
  }
}

TEST_P(EveryDialect, WaitsForItsObject) {
  const Built built = Build(TwoOf(GetParam()));
  if (GetParam() == Dialect::kLabels) {  // has none
    EXPECT_THAT(built.units, SizeIs(1));
    return;
  }
  EXPECT_THAT(built.units, IsEmpty());
  ASSERT_THAT(built.groups, SizeIs(1));
  EXPECT_EQ(built.groups[0].cause, GroupCause::kObjectMissing);
  EXPECT_EQ(built.groups[0].text,
            "there is no PodGroup default/train (" + std::string(ResourceOf(GetParam())) + ")");
  EXPECT_EQ(built.groups[0].key.uid, "");
}

TEST_P(EveryDialect, WaitsUntilItsObjectsAreServed) {
  const Built built = Build(TwoOf(GetParam()), {}, GroupOptions());
  if (GetParam() == Dialect::kLabels) {
    EXPECT_THAT(built.units, SizeIs(1));
    return;
  }
  EXPECT_THAT(built.units, IsEmpty());
  ASSERT_THAT(built.groups, SizeIs(1));
  EXPECT_EQ(built.groups[0].cause, GroupCause::kNotServed);
  EXPECT_EQ(built.groups[0].text,
            "the API server does not serve " + std::string(ResourceOf(GetParam())));
}

TEST_P(EveryDialect, MakesSingleUnitsOfPodsThatNameNoGroup) {
  const std::string bad(300, 'x');
  const Built built = Build(TwoOf(GetParam(), bad), ObjectsFor(GetParam()));
  EXPECT_THAT(Brief(built.units), ElementsAre("a(a)", "b(b)"));
  EXPECT_THAT(built.groups, IsEmpty());
  EXPECT_THAT(built.notes,
              UnorderedElementsAre(IsNote(NoteKind::kGroupName, "default/a", bad.substr(0, 64)),
                                   IsNote(NoteKind::kGroupName, "default/b", "is in no group")));
}

TEST_P(EveryDialect, TakesAnObjectOfItsOwnNamespaceAndDialectOnly) {
  if (GetParam() == Dialect::kLabels) return;
  std::vector<PodGroupObject> objects;
  for (const Dialect dialect : kDialects) {
    if (dialect != GetParam()) objects.push_back(ObjectOf(dialect, "train"));
  }
  objects.push_back(ObjectOf(GetParam(), "train"));
  objects.back().namespace_ = "elsewhere";
  const Built built = Build(TwoOf(GetParam()), objects);
  ASSERT_THAT(built.groups, SizeIs(1));
  EXPECT_EQ(built.groups[0].cause, GroupCause::kObjectMissing);
}

TEST_P(EveryDialect, ARecreatedObjectIsAnotherGroup) {
  if (GetParam() == Dialect::kLabels) return;
  PodGroupObject old = ObjectOf(GetParam(), "train");
  PodGroupObject recreated = old;
  recreated.uid = "uid-after";
  recreated.created = old.created + 1;
  const Built before = Build(TwoOf(GetParam()), {old});
  const Built after = Build(TwoOf(GetParam()), {recreated});
  ASSERT_TRUE(before.units.size() == 1 && after.units.size() == 1);
  EXPECT_NE(before.units[0].key, after.units[0].key);
  EXPECT_EQ(after.units[0].rank.uid, "uid-after");
  for (const auto& both : {std::vector{old, recreated}, std::vector{recreated, old}}) {
    EXPECT_EQ(Build(TwoOf(GetParam()), both).units[0].key.uid, "uid-after");
  }
}

TEST(Units, OfOneNameInTwoNamespacesAreTwo) {
  const Built built = Build({PodOf("a").In("x").Train("1"), PodOf("b").In("y").Train("1"),
                             PodOf("c").In("x").Train("1"), PodOf("d").In("y").Train("1")});
  EXPECT_THAT(Brief(built.units), ElementsAre("train(a c)", "train(b d)"));
  EXPECT_EQ(built.units[0].key.namespace_, "x");
  EXPECT_EQ(built.units[1].key.namespace_, "y");
}

TEST(Units, OfOneNameInTwoDialectsAreTwo) {
  const Built built =
      Build({PodOf("a").Member(Dialect::kKoordinator, "train"),
             PodOf("b").Member(Dialect::kVolcano, "train")},
            {ObjectOf(Dialect::kKoordinator, "train", 1), ObjectOf(Dialect::kVolcano, "train", 1)});
  EXPECT_THAT(Brief(built.units), ElementsAre("train(a)", "train(b)"));
}

TEST(Units, OfOneNameWithoutUidsAreInTheOrderOfTheirDialects) {
  std::vector<PodGroupObject> objects = {ObjectOf(Dialect::kVolcano, "train", 1),
                                         ObjectOf(Dialect::kKoordinator, "train", 1)};
  for (PodGroupObject& object : objects) object.uid.clear();
  const PodPtr volcano = PodOf("a").Member(Dialect::kVolcano, "train");
  const PodPtr sigs = PodOf("b").Member(Dialect::kKoordinator, "train");
  const PodPtr labels = PodOf("c").Train("1");
  EXPECT_THAT(Brief(Build({volcano, sigs, labels}, objects).units),
              ElementsAre("train(c)", "train(b)", "train(a)"));
}

TEST(Units, OfSinglePodsAreThoseThatWantAPlaceFromUs) {
  const Built built =
      Build({PodOf("wants"), PodOf("queued").Gate(kQueueGate), PodOf("unnamed").Scheduler(""),
             PodOf("gated").Gate(kQueueGate).Gate("example.com/quota"), PodOf("bound").On("node"),
             PodOf("other").Scheduler("volcano"), PodOf("going").Terminating(),
             PodOf("done").Phase("Succeeded"), PodOf("lost").Phase("Failed")});
  EXPECT_THAT(Brief(built.units),
              ElementsAre("queued(queued)", "unnamed(unnamed)", "wants(wants)"));
  EXPECT_THAT(built.groups, IsEmpty());
  const Unit& unit = built.units[2];
  EXPECT_EQ(unit.key, (UnitKey{Dialect::kNone, "default", "wants", "uid-wants"}));
  EXPECT_EQ(unit.minimum, 1);
  EXPECT_EQ(unit.rank.uid, "uid-wants");
}

TEST(Units, OfOtherSchedulerNamesAreOursIfToldSo) {
  GroupOptions options;
  options.scheduler_names = {"batch", "outrigger"};
  EXPECT_THAT(Brief(Build({PodOf("a").Scheduler("batch"), PodOf("b")}, {}, options).units),
              ElementsAre("a(a)"));
}

TEST(Units, OfIndependentMembersAreSingle) {
  PodGroupObject object = ObjectOf(Dialect::kUpstream, "train", 0);
  object.independent = true;
  const Built built = Build({PodOf("a").Member(Dialect::kUpstream, "train"),
                             PodOf("b").Member(Dialect::kUpstream, "train").On("node")},
                            {object});
  EXPECT_THAT(Brief(built.units), ElementsAre("a(a)"));
  EXPECT_EQ(built.units[0].key.dialect, Dialect::kNone);
  ASSERT_THAT(built.groups, SizeIs(1));
  EXPECT_EQ(built.groups[0].cause, GroupCause::kNone);
  EXPECT_FALSE(built.groups[0].broken);
}

TEST(Units, KeepMembersOverTheMinimum) {
  EXPECT_THAT(Brief(Build({PodOf("a").Train(), PodOf("b").Train(), PodOf("c").Train()}).units),
              ElementsAre("train(a b c)"));
}

TEST(FindGroup, FindsTheStateOfAPodsGroup) {
  Pods pods;
  for (const char* ns : {"x", "y"}) {
    for (const char* group : {"a", "b", "c"}) {
      pods.push_back(PodOf(group).In(ns).Member(Dialect::kKoordinator, group));
    }
  }
  const Built built = Build(pods);
  ASSERT_THAT(built.groups, SizeIs(6));
  for (const PodPtr& pod : pods) {
    const GroupState* state = FindGroup(built.groups, *MembershipOf(*pod, nullptr));
    ASSERT_NE(state, nullptr);
    EXPECT_EQ(TextOf(state->key), pod->namespace_ + "/" + pod->name);
  }
  const Pod stranger = PodOf("a").In("x").Member(Dialect::kVolcano, "a");
  EXPECT_EQ(FindGroup(built.groups, *MembershipOf(stranger, nullptr)), nullptr);
}

}  // namespace
}  // namespace outrigger::plan
