// What is common to the sources of nodes: looking up many is looking up each.
#include <span>
#include <string>
#include <vector>

#include "builders.h"
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "serve/engine/node_table.h"
#include "serve/engine/snapshot_nodes.h"

namespace outrigger::engine {
namespace {

using testing::MakeNode;

std::vector<Node> SixHundred() {
  std::vector<Node> nodes;
  for (int i = 0; i < 600; ++i) nodes.push_back(MakeNode(fmt::format("n{}", i)));
  return nodes;
}

void ExpectAllFoundAsEach(const NodeView& view) {
  std::vector<std::string> texts;
  for (int i = 0; i < 700; ++i) texts.push_back(fmt::format("n{}", (i * 3) % 700));
  const std::vector<std::string_view> names(texts.begin(), texts.end());
  std::vector<NodeRef> found(names.size());
  EXPECT_TRUE(view.FindAll(names, found));
  size_t known = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    const Node* node = view.Find(names[i]);
    ASSERT_EQ(found[i].node, node) << names[i];
    if (node == nullptr) continue;
    ++known;
    EXPECT_EQ(node->name, names[i]);
    EXPECT_NE(node->revision, 0U);
    EXPECT_EQ(found[i].revision, node->revision);
  }
  EXPECT_EQ(known, 600U);
}

void ExpectTwiceIsSeen(const NodeView& view) {
  const std::vector<std::string_view> names = {"n1", "n2", "unknown", "unknown", "n3", "n2"};
  std::vector<NodeRef> found(names.size());
  EXPECT_FALSE(view.FindAll(names, found));
  EXPECT_TRUE(view.FindAll(std::span(names).first(5), std::span(found).first(5)))
      << "of those that are there none is named twice";
}

TEST(NodeViews, OfATable) {
  const auto view = FixedNodes(SixHundred()).Pin();
  ASSERT_TRUE(view.ok());
  ExpectAllFoundAsEach(**view);
  ExpectTwiceIsSeen(**view);
}

TEST(NodeViews, OfASnapshot) {
  cluster::Cluster cluster({});
  for (const Node& node : SixHundred()) cluster.UpsertNode(node);
  const auto view = SnapshotNodes(&cluster, [] { return absl::OkStatus(); }).Pin();
  ASSERT_TRUE(view.ok());
  ExpectAllFoundAsEach(**view);
  ExpectTwiceIsSeen(**view);
}

}  // namespace
}  // namespace outrigger::engine
