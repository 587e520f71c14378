#include "lab/nodes/room.h"

#include <gtest/gtest.h>

#include <string>

namespace outrigger::lab {
namespace {

ResourceList Of(std::string_view name, std::string_view amount) {
  return {{std::string(name), *Quantity::Parse(amount)}};
}

NodeRoom SmallRoom() {
  return NodeRoom({{"cpu", *Quantity::Parse("4")},
                   {"memory", *Quantity::Parse("8Gi")},
                   {"ephemeral-storage", *Quantity::Parse("10Gi")},
                   {"nvidia.com/gpu", *Quantity::Parse("2")},
                   {"pods", *Quantity::Parse("3")}});
}

struct RoomRow {
  const char* name;
  const char* resource;
  const char* amount;
  const char* reason;  // empty: it has room
  const char* message = "";
};
class NodeRoomAdmits : public ::testing::TestWithParam<RoomRow> {};

TEST_P(NodeRoomAdmits, AsAKubeletDoes) {
  const RoomRow& row = GetParam();
  NodeRoom room = SmallRoom();
  ASSERT_FALSE(room.Admit({{"cpu", *Quantity::Parse("1500m")},
                           {"memory", *Quantity::Parse("1Gi")},
                           {"nvidia.com/gpu", *Quantity::Parse("1")}}));
  const auto rejection = room.Admit(Of(row.resource, row.amount));
  EXPECT_EQ(rejection ? rejection->reason : "", row.reason);
  EXPECT_EQ(rejection ? rejection->message : "", row.message);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, NodeRoomAdmits,
    ::testing::Values(
        RoomRow{"LastCpu", "cpu", "2500m", ""},
        RoomRow{"TooMuchCpu", "cpu", "2501m", "OutOfcpu",
                "Node didn't have enough resource: cpu, requested: 2501, used: 1500, capacity: "
                "4000"},
        RoomRow{"TooMuchMemory", "memory", "8Gi", "OutOfmemory",
                "Node didn't have enough resource: memory, requested: 8589934592, used: "
                "1073741824, capacity: 8589934592"},
        RoomRow{"TooMuchStorage", "ephemeral-storage", "11Gi", "OutOfephemeral-storage",
                "Node didn't have enough resource: ephemeral-storage, requested: 11811160064, "
                "used: 0, capacity: 10737418240"},
        RoomRow{"TooManyGpus", "nvidia.com/gpu", "2", "OutOfnvidia.com/gpu",
                "Node didn't have enough resource: nvidia.com/gpu, requested: 2, used: 1, "
                "capacity: 2"},
        RoomRow{"OfTheCluster", "example.com/licence", "5", ""},
        RoomRow{"NoHugePages", "hugepages-2Mi", "2Mi", "OutOfhugepages-2Mi",
                "Node didn't have enough resource: hugepages-2Mi, requested: 2097152, used: 0, "
                "capacity: 0"}),
    [](const auto& row) { return row.param.name; });

TEST(NodeRoom, CountsPodsAndGetsRoomBack) {
  NodeRoom room = SmallRoom();
  EXPECT_FALSE(room.Admit(Of("cpu", "2")));
  EXPECT_FALSE(room.Admit({}));
  EXPECT_FALSE(room.Admit({}));
  const auto fourth = room.Admit({});
  ASSERT_TRUE(fourth);
  EXPECT_EQ(fourth->reason, "OutOfpods");
  EXPECT_EQ(fourth->message,
            "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3");
  room.Give(Of("cpu", "2"));
  EXPECT_FALSE(room.Admit(Of("cpu", "4")));
}

TEST(NodeRoom, TakesNothingForARejectedPod) {
  NodeRoom room = SmallRoom();
  EXPECT_TRUE(room.Admit(Of("cpu", "5")));
  EXPECT_FALSE(room.Admit(Of("cpu", "4")));
}

TEST(NodeRoom, TakesWhatRunsAlready) {
  NodeRoom room = SmallRoom();
  room.Take(Of("cpu", "5"));
  EXPECT_EQ(room.Admit(Of("cpu", "1"))->reason, "OutOfcpu");
}

}  // namespace
}  // namespace outrigger::lab
