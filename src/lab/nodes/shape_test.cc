#include "lab/nodes/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "lab/nodes/nodes_testing.h"

namespace outrigger::lab {
namespace {

using ::testing::HasSubstr;

std::map<std::string, std::string> LabelMap(const SimulatedNode& node) {
  return {node.labels.begin(), node.labels.end()};
}

TEST(NodeShape, HasDefaults) {
  const NodeShape shape = ShapeOf("3");
  EXPECT_EQ(shape.count, 3);
  EXPECT_EQ(shape.allocatable.Get(kCpu).ToString(), "32");
  EXPECT_EQ(shape.allocatable.Get(kMemory).ToString(), "128Gi");
  EXPECT_EQ(shape.allocatable.Get(kPods).ToString(), "110");
  const auto nodes = MustNodes("3");
  EXPECT_EQ(nodes[2].name, "node-0002");
  const auto labels = LabelMap(nodes[2]);
  EXPECT_EQ(labels.at("kubernetes.io/hostname"), "node-0002");
  EXPECT_EQ(labels.at("topology.kubernetes.io/zone"), "zone-0");
  EXPECT_EQ(labels.count(std::string(kRackLabel)), 0U);
}

TEST(NodeShape, IsRead) {
  const auto nodes = MustNodes(
      "6, cpu=1500m, memory=2Gi, pods=20, nvidia.com/gpu=8, hugepages-2Mi=1Gi, racks=3, zones=2, "
      "prefix=gpu-, label:disk=ssd, label:topology.kubernetes.io/zone=mine");
  ASSERT_EQ(nodes.size(), 6U);
  EXPECT_EQ(nodes[5].name, "gpu-0005");
  EXPECT_EQ(nodes[5].allocatable.Get(kCpu).MilliValue(), 1500);
  EXPECT_EQ(nodes[5].allocatable.Get("nvidia.com/gpu").Value(), 8);
  EXPECT_EQ(nodes[5].allocatable.Get("hugepages-2Mi").ToString(), "1Gi");
  EXPECT_EQ(nodes[5].allocatable.Get(kPods).Value(), 20);
  EXPECT_EQ(LabelMap(nodes[5]).at("disk"), "ssd");
  EXPECT_EQ(LabelMap(nodes[5]).at("topology.kubernetes.io/zone"), "mine");
}

TEST(NodeShape, PutsNeighboursInOneRackAndRacksInOneZone) {
  std::string places;
  for (const SimulatedNode& node : MustNodes("8,racks=4,zones=2")) {
    const auto labels = LabelMap(node);
    places += labels.at(std::string(kRackLabel)).substr(5) +
              labels.at("topology.kubernetes.io/zone").substr(5) + " ";
  }
  EXPECT_EQ(places, "00 00 10 10 21 21 31 31 ");
}

TEST(NodeShape, NumbersGoOnWithTheNextShapeOfAPrefix) {
  const auto nodes = NodesOf({ShapeOf("2"), ShapeOf("1,prefix=big-"), ShapeOf("2,cpu=64")});
  ASSERT_TRUE(nodes.ok());
  std::string names;
  for (const SimulatedNode& node : *nodes) names += node.name + " ";
  EXPECT_EQ(names, "node-0000 node-0001 big-0000 node-0002 node-0003 ");
  EXPECT_EQ((*nodes)[3].allocatable.Get(kCpu).Value(), 64);
  EXPECT_EQ(MustNodes("10001").back().name, "node-10000");
  EXPECT_FALSE(NodesOf({}).ok());
  EXPECT_FALSE(NodesOf({ShapeOf("20000"), ShapeOf("1")}).ok());
  EXPECT_FALSE(NodesOf({ShapeOf("1,prefix=a-0000"), ShapeOf("10001,prefix=a-000")}).ok())
      << "both have an a-00000000";
}

struct BadShape {
  const char* name;
  const char* text;
  const char* quoted;
  const char* expected;
};
class NodeShapeRefused : public ::testing::TestWithParam<BadShape> {};

TEST_P(NodeShapeRefused, NamesThePartAndWhatIsAccepted) {
  const auto shape = ParseNodeShape(GetParam().text);
  ASSERT_FALSE(shape.ok());
  EXPECT_THAT(std::string(shape.status().message()), HasSubstr(GetParam().quoted));
  EXPECT_THAT(std::string(shape.status().message()), HasSubstr(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, NodeShapeRefused,
    ::testing::Values(
        BadShape{"Empty", "", "\"\"", "1 to 20000"}, BadShape{"Zero", "0", "\"0\"", "1 to 20000"},
        BadShape{"TooMany", "20001", "\"20001\"", "1 to 20000"},
        BadShape{"NoCount", "cpu=3", "\"cpu=3\"", "COUNT, then"},
        BadShape{"UnknownName", "5,gpu=8", "\"gpu=8\"", "DOMAIN/RESOURCE="},
        BadShape{"NoValue", "5,cpu", "\"cpu\"", "COUNT, then"},
        BadShape{"BadAmount", "5,cpu=many", "\"cpu=many\"", "an amount such as"},
        BadShape{"Negative", "5,memory=-1Gi", "\"memory=-1Gi\"", "an amount such as"},
        BadShape{"HalfAGpu", "5,nvidia.com/gpu=500m", "gpu=500m", "a whole number"},
        BadShape{"HalfAPod", "5,pods=1.5", "\"pods=1.5\"", "a whole number"},
        BadShape{"Racks", "5,racks=0", "\"racks=0\"", "1 to 20000"},
        BadShape{"MoreRacksThanNodes", "5,racks=6", "racks=6", "as many racks as nodes"},
        BadShape{"MoreZonesThanRacks", "5,racks=2,zones=3", "zones=3", "as many zones as racks"},
        BadShape{"Prefix", "5,prefix=Node_", "\"prefix=Node_\"", "lower-case"},
        BadShape{"Label", "5,label:a b=c", "\"label:a b=c\"", "label:KEY=VALUE"},
        BadShape{"Twice", "5,cpu=3,cpu=4", "\"cpu=4\"", "each name once"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::lab
