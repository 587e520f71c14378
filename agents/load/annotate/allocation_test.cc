#include "builders.h"

#include <limits>

#include "fake_cluster.h"
#include "golden.h"
#include "load/annotate/allocation_source.h"
#include "nlohmann/json.hpp"

namespace outrigger::annotate {
namespace {

using ::testing::ElementsAre;
using testing::FakeCluster;
using ::testing::IsEmpty;
using testing::MakeNode;
using testing::MakePod;

Node Ready(Node node) {
  node.ready = ConditionStatus::kTrue;
  return node;
}
Pod On(std::string_view node, Pod pod, std::string_view phase = "Running") {
  pod.node_name = node;
  pod.phase = phase;
  return pod;
}

class AllocationTest : public ::testing::Test {
 protected:
  std::vector<NodeValues> Compute(Scope scope = Scope::kAll) {
    auto values = source_.Compute(cluster_.Take()->snapshot, scope, {});
    EXPECT_TRUE(values.ok()) << values.status();
    return *std::move(values);
  }
  std::string Value(const std::string& key) { return Compute().at(0).values[key]; }

  FakeCluster cluster_;
  AllocationSource source_{{.gpu = "example.com/gpu", .original_arithmetic = false}};
};

TEST_F(AllocationTest, CountsAsKubeSchedulerDoes) {
  cluster_.Put(Ready(MakeNode("a")
                         .Allocatable("cpu", "4")
                         .Allocatable("memory", "8Gi")
                         .Allocatable("example.com/gpu", "2")));
  cluster_.Put(On("a", MakePod("running").Requests({{"cpu", "1500m"}, {"memory", "1.5Gi"}})));
  cluster_.Put(On("a",
                  MakePod("bound").Requests({{"cpu", "100m"}}).AddInitContainer({{"cpu", "300m"}}),
                  "Pending"));
  cluster_.Put(
      On("a", MakePod("over").Requests({{"example.com/gpu", "1"}}).Overhead({{"memory", "1Mi"}})));
  cluster_.Put(On("a", MakePod("done").Requests({{"cpu", "2"}}), "Succeeded"));
  cluster_.Put(On("", MakePod("waits").Requests({{"cpu", "2"}}), "Pending"));
  const auto values = Compute();
  ASSERT_EQ(values.size(), 1U);
  EXPECT_EQ(values[0].values, (Annotations{{"requested-cpu", "1800"},
                                           {"free-cpu", "2200"},
                                           {"requested-memory", "1611661312"},
                                           {"free-memory", "6978273280"},
                                           {"requested-pods", "3"},
                                           {"free-pods", "107"},
                                           {"requested-gpu", "1"},
                                           {"free-gpu", "1"},
                                           {"requested-ephemeral-storage", "0"},
                                           {"free-ephemeral-storage", "0"}}));
}

TEST_F(AllocationTest, FreeIsNeverNegative) {
  cluster_.Put(Ready(MakeNode("a").Allocatable("cpu", "1")));
  cluster_.Put(On("a", MakePod("p").Requests({{"cpu", "1500m"}})));
  EXPECT_EQ(Value("requested-cpu"), "1500");
  EXPECT_EQ(Value("free-cpu"), "0");
}

TEST_F(AllocationTest, ANodeThatIsNotReadyHasNoValues) {
  for (const ConditionStatus ready : {ConditionStatus::kFalse, ConditionStatus::kUnknown}) {
    Node node = MakeNode("a");
    node.ready = ready;
    cluster_.Put(node);
    const auto values = Compute();
    ASSERT_EQ(values.size(), 1U);
    EXPECT_THAT(values[0].values, IsEmpty());
    EXPECT_EQ(values[0].missing.size(), AllocationKeys().size());
    EXPECT_EQ(values[0].missing[0].cause, "not-ready");
    EXPECT_EQ(values[0].missing[0].lack, Lack::kLost);
  }
}

TEST_F(AllocationTest, ARoundAboutChangesSeesChangedNodesAlone) {
  for (const char* name : {"a", "b", "c"}) cluster_.Put(Ready(MakeNode(name)));
  const auto names = [](const std::vector<NodeValues>& values) {
    std::vector<std::string> nodes;
    for (const NodeValues& node : values) nodes.push_back(node.node);
    return nodes;
  };
  EXPECT_EQ(Compute(Scope::kChanged).size(), 3U);
  EXPECT_THAT(Compute(Scope::kChanged), IsEmpty());
  cluster_.Put(On("b", MakePod("p")));
  EXPECT_THAT(names(Compute(Scope::kChanged)), ElementsAre("b"));
  cluster_.Put(Ready(MakeNode("c").Annotation("requested-cpu", "7")));
  EXPECT_THAT(names(Compute(Scope::kChanged)), ElementsAre("c"));
  cluster_.RemoveNode("a");
  EXPECT_THAT(Compute(Scope::kChanged), IsEmpty());
  cluster_.Put(Ready(MakeNode("d")));  // in the slot of a
  EXPECT_THAT(names(Compute(Scope::kChanged)), ElementsAre("d"));
  EXPECT_EQ(Compute(Scope::kAll).size(), 3U);
}

TEST_F(AllocationTest, OriginalArithmeticCountsRunningPodsAndTheirContainers) {
  AllocationSource original({.gpu = "example.com/gpu", .original_arithmetic = true});
  cluster_.Put(Ready(MakeNode("a").Allocatable("cpu", "4").Allocatable("gpu", "2")));
  cluster_.Put(
      On("a",
         MakePod("p").Requests({{"cpu", "250m"}, {"gpu", "1"}}).AddInitContainer({{"cpu", "2"}})));
  cluster_.Put(On("a", MakePod("pending").Requests({{"cpu", "1"}}), "Pending"));
  const auto values = original.Compute(cluster_.Take()->snapshot, Scope::kAll, {});
  ASSERT_TRUE(values.ok());
  Annotations texts = values->at(0).values;
  EXPECT_EQ(texts["requested-cpu"], "250");
  EXPECT_EQ(texts["free-cpu"], "3750");
  EXPECT_EQ(texts["requested-pods"], "1");
  EXPECT_EQ(texts["free-gpu"], "1");
}

}  // namespace

namespace {

using Json = nlohmann::json;

OriginalList ListOf(const Json& json) {
  OriginalList list;
  if (json.is_null()) return list;
  for (const auto& [resource, quantity] : json.items()) list[resource] = quantity;
  return list;
}

// The annotations of each Ready node, as the original program would write them.
Json Annotate(const Json& row) {
  Json all = Json::object();
  for (const Json& node : row["nodes"]) {
    if (node["conditions"].value("Ready", "Unknown") != "True") continue;
    OriginalAllocation allocation;
    for (const Json& pod : row["pods"]) {
      if (pod["phase"] != "Running" || pod["node"] != node["name"]) continue;
      std::vector<OriginalList> containers;
      for (const Json& container : pod["containers"]) containers.push_back(ListOf(container));
      allocation.AddPod(containers);
    }
    all[node["name"].get<std::string>()] = allocation.Values(ListOf(node["allocatable"]));
  }
  return all;
}

TEST(OriginalDecimal, AbsurdAmountsAreTheLargest) {
  const std::string most = "170141183460469231731687303715884105727";
  const auto absurd = OriginalDecimal::Parse("9999999999999999999999999999Ei");
  ASSERT_TRUE(absurd);
  EXPECT_EQ(absurd->ToString(), most);
  EXPECT_EQ((*absurd + *absurd).ToString(), most);
  EXPECT_EQ((OriginalDecimal() - *absurd - *absurd).ToString(), "-" + most);
  EXPECT_EQ((*absurd * *absurd).Truncated(), std::numeric_limits<int64_t>::max());
  EXPECT_FALSE(OriginalDecimal::Parse("1.5e-2147483648"));
}

TEST(OriginalAllocation, EveryRowOfTheTable) {
  const Json rows = testing::LoadGolden("assessor.json");
  ASSERT_GE(rows.size(), 16U);
  for (const Json& row : rows) {
    EXPECT_EQ(Annotate(row), row["annotations"]) << row["id"];
  }
}

Annotations Of(const OriginalList& allocatable, const std::vector<OriginalList>& containers) {
  OriginalAllocation allocation;
  allocation.AddPod(containers);
  return allocation.Values(allocatable);
}

TEST(OriginalAllocation, WritesDecimalsAsTheyComeOut) {
  const Annotations values =
      Of({{"cpu", "2"}, {"memory", "16Gi"}}, {{{"memory", "1.5Gi"}}, {{"memory", "1Gi"}}});
  EXPECT_EQ(values.at("requested-memory"), "2684354560.0");
  EXPECT_EQ(values.at("free-memory"), "14495514624.0");
  EXPECT_EQ(values.at("requested-cpu"), "0");
}

TEST(OriginalAllocation, CutsCpuAtMillicoresOfEachPod) {
  OriginalAllocation allocation;
  allocation.AddPod({{{"cpu", "0.0005"}}, {{"cpu", "0.0006"}}});
  allocation.AddPod({{{"cpu", "1500u"}}});
  EXPECT_EQ(allocation.Values({{"cpu", "3920m"}}).at("requested-cpu"), "2");
  EXPECT_EQ(allocation.Values({{"cpu", "3920m"}}).at("free-cpu"), "3918");
  EXPECT_EQ(allocation.Values({{"cpu", "1m"}}).at("free-cpu"), "0");
}

TEST(OriginalDecimal, PrintsAsPythonDoes) {
  const auto text = [](const char* quantity) {
    const auto value = OriginalDecimal::Parse(quantity);
    return value ? value->ToString() : std::string("raises");
  };
  EXPECT_EQ(text("500m"), "0.500");
  EXPECT_EQ(text("1.5Gi"), "1610612736.0");
  EXPECT_EQ(text("100M"), "100000000");
  EXPECT_EQ(text("1e3"), "1E+3");
  EXPECT_EQ(text("-1.50"), "-1.50");
  EXPECT_EQ(text("1n"), "1E-9");
  EXPECT_EQ(text("0.000001"), "0.000001");
  EXPECT_EQ(text("32882716Ki"), "33671901184");
  for (const char* wrong : {"", "Ki", "1ki", "1mi", "1.2.3", "x", "1e", "--1", "1e99",
                            "99999999999999999999999999999"}) {
    EXPECT_EQ(text(wrong), "raises") << wrong;
  }
}

}  // namespace

}  // namespace outrigger::annotate
