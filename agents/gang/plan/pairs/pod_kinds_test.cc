#include "pairs_testing.h"

namespace outrigger::plan {
namespace {

using testing::MakeNode;
using testing::MakePod;

TEST(PodKinds, WhatNoPredicateLooksAtMakesNoOtherKind) {
  PodPairs pairs(1);
  const Pod plain = MakePod("one").Label("app", "a");
  Pod other = MakePod("two").Label("app", "a").Requests({{"cpu", "1"}}).Annotation("note", "x");
  other.node_selector.Set("disk", "ssd");
  other.tolerations = {{"t", "", true, {}}};
  EXPECT_EQ(pairs.AddKind(plain), pairs.AddKind(other));
}

struct KindRow {
  const char* name;
  Pod one;
  Pod other;
};

TEST(PodKinds, WhatAPredicateLooksAtMakesAnother) {
  const Pod spread = MakePod().Spread(1, "zone", "app", "a");
  Pod tolerant = spread;
  tolerant.tolerations = {{"t", "", true, {}}};
  Pod selective = spread;
  selective.node_selector.Set("disk", "ssd");
  Pod leaving = MakePod();
  leaving.being_deleted = true;
  const KindRow rows[] = {
      {"namespace", MakePod(), MakePod().Namespace("other")},
      {"labels", MakePod(), MakePod().Label("a", "")},
      {"being deleted", MakePod(), leaving},
      {"host ports", MakePod().AddHostPort(80), MakePod().AddHostPort(81)},
      {"near", MakePod(), MakePod().RequireNear("zone", "app", "a")},
      {"apart", MakePod(), MakePod().RequireApart("zone", "app", "a")},
      {"spread", MakePod(), spread},
      {"skew", spread, MakePod().Spread(2, "zone", "app", "a")},
      {"tolerations of who spreads", spread, tolerant},
      {"node selector of who spreads", spread, selective},
  };
  for (const KindRow& row : rows) {
    PodPairs pairs(1);
    EXPECT_NE(pairs.AddKind(row.one), pairs.AddKind(row.other)) << row.name;
  }
}

TEST(PodKinds, MatterOnceSomebodyAsksForThem) {
  PodPairs pairs(1);
  const KindIndex plain = pairs.AddKind(MakePod().Label("app", "a"));
  const KindIndex other = pairs.AddKind(MakePod().Label("app", "b"));
  EXPECT_FALSE(pairs.Matters(plain));
  for (const Pod& asks :
       {Pod(MakePod().RequireNear("zone", "app", "a")),
        Pod(MakePod().RequireApart("zone", "app", "c")),
        Pod(MakePod().Spread(1, "zone", "app", "d")), Pod(MakePod().AddHostPort(80))}) {
    EXPECT_TRUE(pairs.Matters(pairs.AddKind(asks)));
  }
  EXPECT_TRUE(pairs.Matters(plain)) << "its pods change where others may go";
  EXPECT_FALSE(pairs.Matters(other));
}

TEST(PodKinds, PodsMoveWithTheNodeWhoseLabelsChange) {
  const auto in_zone = [](std::string_view zone) {
    return std::make_shared<const Node>(MakeNode().Label("zone", zone));
  };
  PodPairs pairs(1);
  pairs.SetNode(0, in_zone("x"));
  pairs.SetNode(5, in_zone("y"));  // slots are added as they come
  const KindIndex there = pairs.AddKind(MakePod().Label("app", "a"));
  const KindIndex shy = pairs.AddKind(MakePod().RequireApart("zone", "app", "a"));
  pairs.Add(there, 0);
  EXPECT_EQ(pairs.Check(shy, 5), kOk);
  pairs.SetNode(0, in_zone("y"));
  EXPECT_EQ(pairs.Check(shy, 5), kApart);
  pairs.SetNode(0, nullptr);
  EXPECT_EQ(pairs.Check(shy, 5), kOk);
  pairs.SetNode(0, in_zone("y"));
  EXPECT_EQ(pairs.Check(shy, 5), kApart) << "what was counted there stays";
  pairs.Remove(there, 0);
  EXPECT_EQ(pairs.Check(shy, 5), kOk);
}

TEST(PlaysPart, OnlyWhileSomebodyAsks) {
  PodPairs pairs(1);
  pairs.SetNode(0, std::make_shared<const Node>(testing::MakeNode("n").Label("zone", "z")));
  const KindIndex plain = pairs.AddKind(testing::MakePod("p").Label("app", "a"));
  const KindIndex keeps_away =
      pairs.AddKind(testing::MakePod("q").RequireApart("zone", "app", "a"));
  const KindIndex spreads = pairs.AddKind(testing::MakePod("r").Spread(1, "zone", "app", "a"));
  const KindIndex joins = pairs.AddKind(testing::MakePod("s").RequireNear("zone", "app", "a"));
  for (const KindIndex asking : {keeps_away, spreads, joins}) {
    pairs.Ask(std::vector{plain, asking});
    EXPECT_TRUE(pairs.PlaysPart(plain));
    EXPECT_TRUE(pairs.PlaysPart(asking));
    pairs.Ask(std::vector{plain});
    EXPECT_FALSE(pairs.PlaysPart(plain));
  }
  pairs.Add(keeps_away, 0);
  pairs.Ask(std::vector{plain});
  EXPECT_TRUE(pairs.PlaysPart(plain)) << "a pod that is there keeps away from it";
  pairs.Remove(keeps_away, 0);
  pairs.Ask(std::vector{plain});
  EXPECT_FALSE(pairs.PlaysPart(plain));
}

}  // namespace
}  // namespace outrigger::plan
