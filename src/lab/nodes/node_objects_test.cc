#include "lab/nodes/node_objects.h"

#include <ostream>
#include <string>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace outrigger::lab {
namespace {

using Json = nlohmann::json;

Json WrittenNode(const SimulatedNode& node) {
  return Json::parse(NodeJson(node, 0, WallTime()));
}

TEST(NodesOfAFile, KeepWhatSchedulingSeesAndNothingOfTheirOldCluster) {
  std::vector<SimulatedNode> nodes;
  const absl::Status status = AddNodes(R"({"kind": "List", "items": [
      {"kind": "Pod", "metadata": {"name": "p"}},
      {"kind": "Node", "metadata": {"name": "a.example", "uid": "1", "labels": {"zone": "z"},
                                    "annotations": {"usage": "5"}},
       "spec": {"taints": [{"key": "k", "effect": "NoSchedule"}], "unschedulable": true,
                "providerID": "x"},
       "status": {"capacity": {"cpu": "9"}, "allocatable": {"cpu": "8", "pods": 7},
                  "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}]}},
      {"metadata": {"name": "b"}, "status": {"capacity": {"cpu": "1500m"}}}]})",
                                       &nodes);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(nodes.size(), 2U);
  const Json node = WrittenNode(nodes[0]);
  EXPECT_EQ(node["metadata"], Json::parse(R"({"name": "a.example", "annotations": {"usage": "5"},
      "labels": {"zone": "z", "lab.outrigger.dev/simulated": "true"}})"));
  EXPECT_EQ(node["spec"], Json::parse(R"({"taints": [{"key": "k", "effect": "NoSchedule"}],
                                          "unschedulable": true})"));
  EXPECT_EQ(node["status"]["allocatable"], Json::parse(R"({"cpu": "8", "pods": "7"})"));
  EXPECT_EQ(node["status"]["addresses"][0]["address"], "172.16.0.1");
  EXPECT_EQ(WrittenNode(nodes[1])["status"]["capacity"]["cpu"], "1500m");
  const auto both = NodesOf({*ParseNodeShape("2")}, nodes);
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both->size(), 4U);
}

struct RefusedFile {
  const char* name;
  const char* json;
  const char* says;
  friend std::ostream& operator<<(std::ostream& out, const RefusedFile& row) {
    return out << row.name;
  }
};

class NodeFileRefused : public ::testing::TestWithParam<RefusedFile> {};

TEST_P(NodeFileRefused, NamesTheNodeAndWhatIsWrong) {
  std::vector<SimulatedNode> nodes;
  EXPECT_EQ(AddNodes(GetParam().json, &nodes).message(), GetParam().says);
  EXPECT_TRUE(nodes.empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, NodeFileRefused,
    ::testing::Values(
        RefusedFile{"another_kind", R"({"kind": "Pod"})",
                    R"(kind "Pod" is not accepted; expected Node, or a List)"},
        RefusedFile{"no_object", "[]", R"(kind "" is not accepted; expected Node, or a List)"},
        RefusedFile{"no_name", R"({"kind": "Node", "metadata": {"name": "A b"}})",
                    R"(Node "A b": metadata.name is not accepted)"},
        RefusedFile{"null_in_a_list", R"({"kind": "List", "items": [null]})",
                    R"(Node "": metadata.name is not accepted)"},
        RefusedFile{"a_label_that_is_no_text",
                    R"({"kind": "Node", "metadata": {"name": "a", "labels": {"k": 1}}})",
                    R"(Node "a": metadata.labels have to be texts)"},
        RefusedFile{"no_amounts", R"({"kind": "Node", "metadata": {"name": "a"}})",
                    R"(Node "a": status.allocatable is missing)"}),
    [](const auto& info) { return info.param.name; });

TEST(NodesOfAFile, AnAmountThatIsNoneIsNamed) {
  std::vector<SimulatedNode> nodes;
  const absl::Status status = AddNodes(
      R"({"kind": "Node", "metadata": {"name": "a"}, "status": {"capacity": {"cpu": "x"}}})",
      &nodes);
  EXPECT_EQ(std::string(status.message()).find(R"(Node "a": status.allocatable.cpu: )"), 0U)
      << status;
}

TEST(NodesOfAFile, TwoOfOneNameAreRefused) {
  std::vector<SimulatedNode> nodes(2, SimulatedNode{.name = "a"});
  EXPECT_EQ(NodesOf({}, nodes).status().message(), "two nodes would be called a");
}

}  // namespace
}  // namespace outrigger::lab
