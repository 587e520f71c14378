#include "gang/plan/order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "groups_testing.h"

namespace outrigger::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct RankOf {
  RankOf& First() { return rank.first = true, *this; }
  RankOf& InPart() { return rank.in_part = true, *this; }
  RankOf& GroupPriority(int64_t value) { return rank.group_priority = value, *this; }
  RankOf& Priority(int32_t value) { return rank.priority = value, *this; }
  RankOf& NotByPriority() { return rank.by_priority = false, *this; }
  RankOf& Turn(int64_t value) { return rank.turn = value, *this; }
  RankOf& Qos(QosClass value) { return rank.qos = value, *this; }
  RankOf& Created(int64_t value) { return rank.created = value, *this; }
  RankOf& Named(std::string_view ns, std::string_view name, std::string_view uid) {
    rank.namespace_ = ns;
    rank.name = name;
    rank.uid = uid;
    return *this;
  }
  Rank rank;
};

struct RankRow {
  const char* name;
  RankOf first;
  RankOf second;
};

// What decides stands against everything that comes after it.
const RankRow kRankRows[] = {
    {"FirstBeforeAll", RankOf().First().GroupPriority(-5), RankOf().GroupPriority(5).InPart()},
    {"GroupPriorityBeforeInPart", RankOf().GroupPriority(1), RankOf().InPart()},
    {"PriorityBeforeInPart", RankOf().Priority(1), RankOf().InPart()},
    {"InPartBeforeTheRest", RankOf().InPart().Turn(1), RankOf().Qos(QosClass::kGuaranteed)},
    {"GroupPriorityBeforePriority", RankOf().GroupPriority(1), RankOf().Priority(9)},
    {"LargerPriorityFirst", RankOf().Priority(100),
     RankOf().Priority(50).Qos(QosClass::kGuaranteed)},
    {"GuaranteedBeforeBurstable", RankOf().Qos(QosClass::kGuaranteed).Created(9),
     RankOf().Qos(QosClass::kBurstable).Created(1)},
    {"BurstableBeforeBestEffort", RankOf().Qos(QosClass::kBurstable).Created(9),
     RankOf().Qos(QosClass::kBestEffort).Created(1)},
    {"OlderFirst", RankOf().Created(1).Named("z", "", ""), RankOf().Created(2).Named("a", "", "")},
    {"NamespaceBeforeName", RankOf().Named("a", "z", ""), RankOf().Named("b", "a", "")},
    {"NameBeforeUid", RankOf().Named("a", "a", "z"), RankOf().Named("a", "b", "a")},
    {"UidLast", RankOf().Named("a", "a", "a"), RankOf().Named("a", "a", "b")},
    {"FewerTurnsFirst", RankOf().Turn(1).Qos(QosClass::kBestEffort),
     RankOf().Turn(2).Qos(QosClass::kGuaranteed)},
    {"WithoutPriorityTheClassDecides",
     RankOf().NotByPriority().Priority(1).Qos(QosClass::kGuaranteed),
     RankOf().NotByPriority().Priority(9).Qos(QosClass::kBurstable)},
    {"WithoutPriorityTheNameDecides", RankOf().NotByPriority().Priority(1).Named("a", "a", ""),
     RankOf().NotByPriority().Priority(9).Named("a", "b", "")},
    {"WithoutPriorityTheGroupsStillCounts", RankOf().NotByPriority().GroupPriority(1),
     RankOf().NotByPriority().Priority(9)},
    {"PrioritiesOfAnySize", RankOf().Priority(std::numeric_limits<int32_t>::max()),
     RankOf().Priority(std::numeric_limits<int32_t>::min())},
};

class Ranks : public ::testing::TestWithParam<RankRow> {};

TEST_P(Ranks, OrderUnits) {
  EXPECT_TRUE(GetParam().first.rank < GetParam().second.rank);
  EXPECT_FALSE(GetParam().second.rank < GetParam().first.rank);
  EXPECT_NE(GetParam().first.rank, GetParam().second.rank);
}
INSTANTIATE_TEST_SUITE_P(Rows, Ranks, ::testing::ValuesIn(kRankRows),
                         [](const auto& row) { return row.param.name; });

// The table of scheduler-plugins' TestSortLess: what is enqueued earlier is created earlier here.
struct SortRow {
  const char* name;
  PodOf first;
  PodOf second;
};
const SortRow kSortRows[] = {
    {"PriorityGreater", PodOf("p1").Priority(100), PodOf("p2").Priority(50)},
    {"PriorityLess", PodOf("p2").Priority(80), PodOf("p1").Priority(50)},
    {"BothBestEffort", PodOf("p2").Created(1), PodOf("p1").Created(2)},
    {"GuaranteedAndBestEffort", PodOf("p2").Qos("Guaranteed"), PodOf("p1")},
    {"GuaranteedAndBurstable", PodOf("p2").Qos("Guaranteed"), PodOf("p1").Qos("Burstable")},
    {"BothBurstable", PodOf("p2").Qos("Burstable").Created(1),
     PodOf("p1").Qos("Burstable").Created(2)},
    {"BothGuaranteed", PodOf("p2").Qos("Guaranteed").Created(1),
     PodOf("p1").Qos("Guaranteed").Created(2)},
};

TEST(SinglePods, AreSortedAsByTheQosPlugin) {
  for (const SortRow& row : kSortRows) {
    SCOPED_TRACE(row.name);
    const Pod first = row.first;
    const Pod second = row.second;
    const auto name = [](const Pod& pod) { return pod.name + "(" + pod.name + ")"; };
    EXPECT_THAT(Brief(Build({row.second, row.first}).units),
                ElementsAre(name(first), name(second)));
  }
}

TEST(Units, AreOrderedWithoutTheirPriorityIfThatIsLeftOut) {
  const auto member = [](std::string_view name) { return PodOf(name).Train().Priority(7); };
  const Pods pods = {PodOf("high").Priority(9).Created(3),
                     PodOf("low").Priority(1).Created(1),
                     PodOf("better").Priority(0).Created(9).Qos("Guaranteed"),
                     PodOf("critical").Priority(kSystemCriticalPriority).Created(9),
                     member("a").Created(2),
                     member("b").Created(2)};
  EXPECT_THAT(Brief(Build(pods).units), ElementsAre("critical(critical)", "high(high)",
                                                    "train(a b)", "low(low)", "better(better)"));
  GroupOptions options = AllServed();
  options.order_by_pod_priority = false;
  const Built built = Build(pods, {}, options);
  EXPECT_THAT(Brief(built.units), ElementsAre("critical(critical)", "better(better)", "low(low)",
                                              "train(a b)", "high(high)"));
  EXPECT_EQ(built.units[3].rank.priority, 7) << "preemption compares what it is";
  EXPECT_EQ(built.units[4].rank.priority, 9);
}

TEST(Units, OfOneSecondAreOrderedByTheirNames) {
  const auto member = [](std::string_view name, std::string_view group) {
    return PodOf(name).Member(Dialect::kLabels, group, "1").Created(5);
  };
  EXPECT_THAT(Brief(Build({PodOf("c").Created(5), member("x", "b"), PodOf("a").Created(5),
                           PodOf("z").Created(4)})
                        .units),
              ElementsAre("z(z)", "a(a)", "b(x)", "c(c)"));
}

struct PairRow {
  const char* name;
  PodOf a;
  PodOf b;
  std::weak_ordering expected;
};
const PairRow kPairRows[] = {
    {"LargerGroupPriorityFirst", PodOf("a").Label("groupPriority", "2"),
     PodOf("b").Label("groupPriority", "1").Qos("Guaranteed"), std::weak_ordering::less},
    {"ThenTheBetterClass", PodOf("a").Qos("Burstable"), PodOf("b").Qos("Guaranteed"),
     std::weak_ordering::greater},
    {"EqualClassKeepsArrival", PodOf("a").Created(9).Qos("Burstable"),
     PodOf("b").Created(1).Qos("Burstable"), std::weak_ordering::equivalent},
    {"PodPriorityIsNotLookedAt", PodOf("a").Priority(1), PodOf("b").Priority(9),
     std::weak_ordering::equivalent},
    {"MalformedIsZero", PodOf("a").Label("groupPriority", "1x"),
     PodOf("b").Label("groupPriority", "0"), std::weak_ordering::equivalent},
    {"NegativeIsBehindNone", PodOf("a").Label("groupPriority", "-1"), PodOf("b"),
     std::weak_ordering::greater},
};

TEST(ComparePods, HasThisTable) {
  for (const PairRow& row : kPairRows) {
    EXPECT_EQ(ComparePods(row.a, row.b), row.expected) << row.name;
    EXPECT_EQ(ComparePods(row.b, row.a), 0 <=> row.expected) << row.name;
  }
}

const UnitKey kGroup = {Dialect::kLabels, "default", "a", ""};

TEST(GroupPriority, ReadsAllOf64Bits) {
  NotesOnce notes;
  const auto of = [&](std::string_view text) {
    return GroupPriorityOf({{"groupPriority", std::string(text)}}, kGroup, &notes);
  };
  EXPECT_EQ(of("7"), 7);
  EXPECT_EQ(of("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(of("9223372036854775807"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(GroupPriorityOf({}, kGroup, &notes), 0);
  EXPECT_THAT(notes.Take(), IsEmpty());
}

TEST(GroupPriority, OfWhatIsNoSuchIntegerIsZeroAndNoted) {
  for (const char* text : {"", "x", "1x", " 1", "1.5", "+1", "0x10", "9223372036854775808"}) {
    NotesOnce notes;
    EXPECT_EQ(GroupPriorityOf({{"groupPriority", text}}, kGroup, &notes), 0) << text;
    EXPECT_THAT(notes.Take(), ElementsAre(IsNote(NoteKind::kGroupPriority, "default/a",
                                                 "expected an integer of 64 bits; 0 counts")))
        << text;
  }
}

// Few values, so that ranks are often equal up to some place.
Rank RandomRank() {
  const auto text = [] { return *rc::gen::element<std::string>("", "a", "b"); };
  Rank rank;
  rank.first = *rc::gen::element(false, false, true);
  rank.in_part = *rc::gen::element(false, false, true);
  rank.group_priority = *rc::gen::element<int64_t>(0, 0, 1, std::numeric_limits<int64_t>::min());
  rank.priority = *rc::gen::element<int32_t>(0, 0, 1, std::numeric_limits<int32_t>::min());
  rank.by_priority = *rc::gen::arbitrary<bool>();
  rank.qos = *rc::gen::element(QosClass::kBestEffort, QosClass::kBurstable, QosClass::kGuaranteed);
  rank.created = *rc::gen::inRange<int64_t>(0, 3);
  rank.namespace_ = text();
  rank.name = text();
  rank.uid = text();
  return rank;
}

RC_GTEST_PROP(RankProperty, IsAStrictTotalOrder, ()) {
  const Rank a = RandomRank();
  const Rank b = RandomRank();
  const Rank c = RandomRank();
  RC_ASSERT(!(a < a));
  RC_ASSERT((a < b) + (b < a) + (a == b) == 1);
  RC_ASSERT(!(a < b && b < c) || a < c);
}

}  // namespace
}  // namespace outrigger::plan
