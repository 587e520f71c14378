#include <limits>
#include <span>

#include "gang/plan/order.h"
#include "groups_testing.h"

// What comes before everything else, and what no queue may hold.

namespace outrigger::plan {
namespace {

using ::testing::ElementsAre;

struct Row {
  const char* name;
  Pod pod;
  bool never_held;
  bool first;  // as a single pod
};

Pod OwnedBy(std::string_view api_version, std::string_view kind) {
  Pod pod = PodOf("p");
  pod.controller =
      OwnerReference{std::string(kind), "agents", "uid-agents", std::string(api_version)};
  return pod;
}

Pod ForNode(std::string_view node) {
  Pod pod = PodOf("p");
  pod.affinity.required_node.emplace().terms.emplace_back().match_fields.push_back(
      {"metadata.name", SelectorOperator::kIn, {std::string(node)}});
  return pod;
}

const Row kRows[] = {
    {"Plain", PodOf("p"), false, false},
    {"HighestPriorityOfUsers", PodOf("p").Priority(1'000'000'000), false, false},
    {"JustBelowCritical", PodOf("p").Priority(1'999'999'999), false, false},
    {"ClusterCritical", PodOf("p").Priority(2'000'000'000), true, true},
    {"NodeCritical", PodOf("p").Priority(2'000'001'000), true, true},
    {"LargestPriority", PodOf("p").Priority(std::numeric_limits<int32_t>::max()), true, true},
    {"Mirror", PodOf("p").Annotation("kubernetes.io/config.mirror", "0f1a"), true, true},
    {"MirrorWithoutValue", PodOf("p").Annotation("kubernetes.io/config.mirror", ""), true, true},
    {"LabelIsNoMirror", PodOf("p").Label("kubernetes.io/config.mirror", "0f1a"), false, false},
    {"DaemonSet", OwnedBy("apps/v1", "DaemonSet"), true, true},
    {"DaemonSetOfAnotherVersion", OwnedBy("apps/v1beta2", "DaemonSet"), true, true},
    {"DaemonSetOfAnotherGroup", OwnedBy("apps.kruise.io/v1alpha1", "DaemonSet"), false, false},
    {"DaemonSetOfNoGroup", OwnedBy("v1", "DaemonSet"), false, false},
    {"DaemonSetWithoutVersion", OwnedBy("", "DaemonSet"), false, false},
    {"ReplicaSet", OwnedBy("apps/v1", "ReplicaSet"), false, false},
    {"PinnedByItsUser", ForNode("n1"), false, false},
};

class First : public ::testing::TestWithParam<Row> {};

TEST_P(First, PodsAreTheseAlone) {
  EXPECT_EQ(IsNeverHeld(GetParam().pod), GetParam().never_held);
  EXPECT_EQ(RankOf(GetParam().pod, true, nullptr).first, GetParam().first);
}

TEST_P(First, SinglesComeBeforeAnyGroupPriority) {
  UnitTable table;
  const Pods pods = {PodOf("vip").Label("groupPriority", "9").Priority(1'000'000'000),
                     std::make_shared<const Pod>(GetParam().pod)};
  for (int round = 0; round < 2; ++round) {  // made, and kept
    table.Update(pods, {}, AllServed(), nullptr);
    const auto& units = table.made().units;
    EXPECT_EQ(units.at(0).key.name, GetParam().first ? "p" : "vip") << round;
  }
}
INSTANTIATE_TEST_SUITE_P(Rows, First, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

struct GangRow {
  const char* name;
  int32_t low;  // priorities of the two members
  int32_t high;
  const char* class_name;
  bool first;
};
const GangRow kGangRows[] = {
    {"Plain", 0, 0, "", false},
    {"AllCritical", 2'000'000'000, 2'000'001'000, "", true},
    {"OneIsNotCritical", 5, 2'000'001'000, "", false},
    {"ClassAloneIsCritical", 5, 5, "critical", false},
    {"ClassIsCriticalToo", 2'000'000'000, 2'000'000'000, "critical", true},
    {"ClassIsNotCritical", 2'000'000'000, 2'000'000'000, "low", false},
    {"ClassIsUnknown", 2'000'000'000, 2'000'000'000, "gone", true},
};

class FirstGang : public ::testing::TestWithParam<GangRow> {};

TEST_P(FirstGang, IsOneWhosePriorityIsCritical) {
  const GangRow& row = GetParam();
  PodGroupObject object = ObjectOf(Dialect::kVolcano, "train");
  object.priority_class_name = row.class_name;
  GroupOptions options = AllServed();
  options.priority_classes = {{"critical", 2'000'000'000}, {"low", 1}};
  const auto member = [](std::string_view name, int32_t priority) {
    return PodOf(name).Member(Dialect::kVolcano, "train").Priority(priority);
  };
  const Pods pods = {member("a", row.low), member("b", row.high),
                     PodOf("vip").Label("groupPriority", "9")};
  UnitTable table;
  for (int round = 0; round < 2; ++round) {  // made, and kept
    table.Update(pods, std::span(&object, 1), options, nullptr);
    EXPECT_EQ(table.made().units.at(0).key.name, row.first ? "train" : "vip") << round;
  }
}
INSTANTIATE_TEST_SUITE_P(Rows, FirstGang, ::testing::ValuesIn(kGangRows),
                         [](const auto& row) { return row.param.name; });

TEST(FirstGang, IsACriticalOneThatIgnoresItsLossesToo) {
  const auto member = [](std::string_view name) {
    return PodOf(name).Train("3").Annotation(kOnMemberLoss, "ignore").Priority(2'000'000'000);
  };
  const Built built = Build({member("a").On("n1"), member("b").On("n1"), member("c"),
                             PodOf("vip").Label("groupPriority", "9")});
  EXPECT_THAT(Brief(built.units), ElementsAre("train(c)", "vip(vip)"));
}

TEST(FirstGang, IsNotOneOfADaemonSet) {
  const auto member = [](std::string_view name) {
    Pod pod = PodOf(name).Train();
    pod.controller = OwnerReference{"DaemonSet", "agents", "uid-agents", "apps/v1"};
    return std::make_shared<const Pod>(pod);
  };
  const Built built = Build({member("a"), member("b"), PodOf("vip").Label("groupPriority", "9")});
  EXPECT_THAT(Brief(built.units), ElementsAre("vip(vip)", "train(a b)"));
}

}  // namespace
}  // namespace outrigger::plan
