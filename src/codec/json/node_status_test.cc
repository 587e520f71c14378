#include <string>

#include "codec/json/node_list.h"
#include "json_testing.h"

namespace outrigger::json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Node NodeOf(std::string_view status, const Needs& needs) {
  const std::string json =
      R"({"kind":"Node","metadata":{"name":"a"},"status":)" + std::string(status) + "}";
  std::vector<Node> nodes(1);
  nodes[0].addresses = {{"Hostname", "of-the-node-before"}};
  nodes[0].ready = ConditionStatus::kTrue;
  std::vector<MalformedValue> malformed;
  EXPECT_THAT(DecodeNodeList(PaddedBody(json), needs, &nodes, &malformed), IsOk());
  EXPECT_THAT(malformed, IsEmpty());
  return nodes.at(0);
}

constexpr std::string_view kStatus = R"({"addresses":[
  {"type":"InternalIP","address":"10.0.0.1"},{"address":"fd00::1","type":"InternalIP"},
  {"type":"Hostname","address":"a.example"}],
  "conditions":[{"type":"MemoryPressure","status":"False"},{"type":"Ready","status":"True"}]})";

TEST(NodeStatus, IsReadAsFarAsNeeded) {
  const Node addresses = NodeOf(kStatus, Needs().NodeAddresses());
  EXPECT_THAT(addresses.addresses, ElementsAre(NodeAddress{"InternalIP", "10.0.0.1"},
                                               NodeAddress{"InternalIP", "fd00::1"},
                                               NodeAddress{"Hostname", "a.example"}));
  EXPECT_EQ(addresses.ready, ConditionStatus::kUnknown);
  const Node ready = NodeOf(kStatus, Needs().NodeReady());
  EXPECT_EQ(ready.ready, ConditionStatus::kTrue);
  EXPECT_THAT(ready.addresses, IsEmpty());
  const Node neither =
      NodeOf(kStatus, Needs().NodeAllocatable().NodeCapacity().NodeLabels().NodeTaints());
  EXPECT_EQ(neither.ready, ConditionStatus::kUnknown);
  EXPECT_THAT(neither.addresses, IsEmpty());
}

TEST(NodeStatus, ReadyIsOneOfThree) {
  const auto ready = [](std::string_view conditions) {
    return NodeOf(R"({"conditions":)" + std::string(conditions) + "}", Needs().NodeReady()).ready;
  };
  EXPECT_EQ(ready(R"([{"type":"Ready","status":"True"}])"), ConditionStatus::kTrue);
  EXPECT_EQ(ready(R"([{"status":"False","type":"Ready"}])"), ConditionStatus::kFalse);
  EXPECT_EQ(ready(R"([{"type":"Ready","status":"Unknown"}])"), ConditionStatus::kUnknown);
  EXPECT_EQ(ready(R"([{"type":"Ready","status":"true"}])"), ConditionStatus::kUnknown);
  EXPECT_EQ(ready(R"([{"type":"Ready"},null])"), ConditionStatus::kUnknown);
  EXPECT_EQ(ready(R"([{"type":"NetworkReady","status":"True"}])"), ConditionStatus::kUnknown);
  EXPECT_EQ(ready("[]"), ConditionStatus::kUnknown);
  EXPECT_EQ(ready("null"), ConditionStatus::kUnknown);
  // The first of several counts, as for client-go.
  EXPECT_EQ(ready(R"([{"type":"Ready","status":"False"},{"type":"Ready","status":"True"}])"),
            ConditionStatus::kFalse);
}

}  // namespace
}  // namespace outrigger::json
