#include "pages_testing.h"

namespace outrigger::desk {
namespace {

using ::testing::ElementsAre;

struct NodeRow {
  std::string name;
  Node node;
  std::vector<std::string> columns;
  std::string expected;
};

class NodesPageCell : public ::testing::TestWithParam<NodeRow> {};

TEST_P(NodesPageCell, ComesOfTheNode) {
  MakeBoard board;
  board.PutNode(GetParam().node);
  EXPECT_EQ(Rows(Filled(*board.Make(), "nodes"), GetParam().columns)[0], GetParam().expected);
}

constexpr auto kNoSchedule = TaintEffect::kNoSchedule;
using testing::MakeNode;

// "a" comes before the node that each board has.
INSTANTIATE_TEST_SUITE_P(
    Rows, NodesPageCell,
    ::testing::Values(
        NodeRow{"Amounts",
                MakeNode("a").Allocatable("cpu", "3500m").Allocatable("memory", "8Gi"),
                {"node", "cpuTotal", "cpuUsed", "memoryTotal", "podsTotal", "podsUsed"},
                "a | 3500 | 0 | 8589934592 | 110 | 0"},
        NodeRow{
            "NoLabels", MakeNode("a"), {"zone", "rack", "device", "deviceTotal"}, "- | - | - | -"},
        NodeRow{"Zone", MakeNode("a").Label("topology.kubernetes.io/zone", "z1"), {"zone"}, "z1"},
        NodeRow{"Rack", MakeNode("a").Label("rack", "r1"), {"rack"}, "r1"},
        NodeRow{"RackWithAPrefix",
                MakeNode("a").Label("topology.kubernetes.io/rack", "r1"),
                {"rack"},
                "r1"},
        NodeRow{"RackOfAVendor", MakeNode("a").Label("example.com/gpu-rack", "r1"), {"rack"}, "r1"},
        NodeRow{"NoRack", MakeNode("a").Label("tracks", "r1").Label("rack/x", "r2"), {"rack"}, "-"},
        NodeRow{"Schedulable",
                MakeNode("a").AddTaint("team", "a", kNoSchedule),
                {"schedulable"},
                "yes"},
        NodeRow{"Cordoned", MakeNode("a").Unschedulable(), {"schedulable"}, "no"},
        NodeRow{"NotReady",
                MakeNode("a").AddTaint("node.kubernetes.io/not-ready", "", kNoSchedule),
                {"schedulable"},
                "no"},
        NodeRow{"Unreachable",
                MakeNode("a").AddTaint("node.kubernetes.io/unreachable", "", kNoSchedule),
                {"schedulable"},
                "no"},
        NodeRow{"Device",
                MakeNode("a").Allocatable("nvidia.com/gpu", "8"),
                {"device", "deviceTotal", "deviceUsed", "deviceReserved"},
                "nvidia.com/gpu | 8 | 0 | 0"},
        NodeRow{"NoDevices", MakeNode("a").Allocatable("nvidia.com/gpu", "0"), {"device"}, "-"},
        NodeRow{"WhatStandsForCalls",
                MakeNode("a").Allocatable("outrigger.dev/gang", "1"),
                {"device"},
                "-"},
        NodeRow{"HugePagesAreNoDevice",
                MakeNode("a").Allocatable("hugepages-2Mi", "1"),
                {"device"},
                "-"}),
    [](const auto& row) { return row.param.name; });

TEST(NodesPage, ShowsOfSeveralDevicesTheOneThatMostNodesHave) {
  MakeBoard board;
  board.PutNode(MakeNode("a").Allocatable("amd.com/gpu", "1").Allocatable("x.com/fpga", "2"));
  board.PutNode(MakeNode("b").Allocatable("x.com/fpga", "3"));
  board.PutNode(MakeNode("c").Allocatable("amd.com/gpu", "4"));
  board.PutNode(MakeNode("d").Allocatable("x.com/fpga", "5"));
  EXPECT_THAT(Rows(Filled(*board.Make(), "nodes"), {"node", "device", "deviceTotal"}),
              ElementsAre("a | x.com/fpga | 2", "b | x.com/fpga | 3", "c | amd.com/gpu | 4",
                          "d | x.com/fpga | 5", "n1 | - | -"));
}

TEST(NodesPage, CountsWhatPodsUseAndWhatIsReservedBesides) {
  MakeBoard board;
  Pod runs = testing::MakePod("runs").Requests({{"cpu", "500m"}, {"memory", "1Gi"}});
  runs.node_name = "n1";
  board.PutPod(runs);
  board.AddGang("train", 2, 2, "1");
  EXPECT_THAT(
      Rows(Filled(*board.Make(), "nodes"), {"cpuTotal", "cpuUsed", "cpuReserved", "memoryUsed",
                                            "memoryReserved", "podsUsed", "podsReserved"}),
      ElementsAre("4000 | 500 | 2000 | 1073741824 | 0 | 1 | 2"));
}

TEST(NodesPage, NamesTheFirstUnitThatANodeIsReservedForAndTheOneThatItIsKeptFor) {
  MakeBoard board;
  board.PutNode(MakeNode("n2"));
  board.PutNode(MakeNode("n3"));
  board.AddGang("a", 2, 2);
  board.PlaceMember("a", 1, "n2");
  for (const char* gang : {"b", "c", "d"}) board.AddGang(gang, 1, 1);
  board.AddGang("z", 1, 1);
  board.Refuse("z", "cpu");
  board.Keep("n3", "z");
  EXPECT_THAT(
      Rows(Filled(*board.Make(), "nodes"), {"node", "reservedFor", "keptFor"}),
      ElementsAre("n1 | default/a, and 3 more | -", "n2 | default/a | -", "n3 | - | default/z"));
}

}  // namespace
}  // namespace outrigger::desk
