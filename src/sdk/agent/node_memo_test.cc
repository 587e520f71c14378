#include "outrigger/agent/node_memo.h"

#include <string>
#include <vector>

#include "builders.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Node> NodesOf(const std::vector<uint64_t>& revisions) {
  std::vector<Node> nodes;
  for (const uint64_t revision : revisions) {
    Node node = testing::MakeNode("n" + std::to_string(revision));
    node.revision = revision;
    nodes.push_back(std::move(node));
  }
  return nodes;
}

class NodeMemoTest : public ::testing::Test {
 protected:
  /// What the memo says of nodes of these revisions; notes for which it had to compute.
  std::vector<uint64_t> Ask(const std::vector<uint64_t>& revisions) {
    const std::vector<Node> nodes = NodesOf(revisions);
    const std::vector<NodeRef> refs(nodes.begin(), nodes.end());
    NodeMemo<uint64_t>::Session session(&memo_, NodeList(refs));
    computed_.clear();
    std::vector<uint64_t> values;
    for (size_t i = 0; i < revisions.size(); ++i) {
      values.push_back(session.Get(i, [&] {
        computed_.push_back(revisions[i]);
        return revisions[i] * 10;
      }));
    }
    return values;
  }
  NodeMemo<uint64_t> memo_;
  std::vector<uint64_t> computed_;
};

TEST_F(NodeMemoTest, ComputesOnceForEachRevision) {
  EXPECT_THAT(Ask({1, 2, 3}), ElementsAre(10, 20, 30));
  EXPECT_THAT(computed_, ElementsAre(1, 2, 3));
  EXPECT_THAT(Ask({3, 1, 4}), ElementsAre(30, 10, 40));
  EXPECT_THAT(computed_, ElementsAre(4));
}

TEST_F(NodeMemoTest, RemembersNothingOfNodesThatNobodyVouchesFor) {
  EXPECT_THAT(Ask({0, 0}), ElementsAre(0, 0));
  EXPECT_THAT(Ask({0}), ElementsAre(0));
  EXPECT_THAT(computed_, ElementsAre(0));
}

TEST_F(NodeMemoTest, TellsRevisionsOfOneSlotApart) {
  EXPECT_THAT(Ask({1, 1 + 1024, 1}), ElementsAre(10, 10250, 10));
  EXPECT_THAT(computed_, ElementsAre(1, 1025, 1));
}

TEST_F(NodeMemoTest, ForgetsWhenItGrowsAndIsRightAllTheSame) {
  EXPECT_THAT(Ask({1}), ElementsAre(10));
  std::vector<uint64_t> many(100);
  for (size_t i = 0; i < many.size(); ++i) many[i] = i + 1;
  const auto values = Ask(many);
  for (size_t i = 0; i < many.size(); ++i) EXPECT_EQ(values[i], many[i] * 10);
  Ask(many);
  EXPECT_THAT(computed_, IsEmpty());
}

TEST_F(NodeMemoTest, WorksWithoutItWhileAnotherCallUsesIt) {
  Ask({1});
  const NodeMemo<uint64_t>::Session other(&memo_, NodeList());
  EXPECT_THAT(Ask({1}), ElementsAre(10));
  EXPECT_THAT(computed_, ElementsAre(1));
}

}  // namespace
}  // namespace outrigger
