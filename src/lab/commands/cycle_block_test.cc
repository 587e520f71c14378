#include "lab/commands/cycle_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "fmt/format.h"

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kCordoned[] = "node(s) were unschedulable";

lab::CycleTrace Bound() {
  return {.pod = "default/pod1",
          .attempt = 1,
          .rows = {{"Filter", "NodeUnschedulable", "node0", kCordoned, false},
                   {"Filter", "NodeUnschedulable", "node1", "ok"},
                   {"Filter", "NodeUnschedulable", "node10", "ok"},
                   {"PreScore", "NodeNumber", "", "ok"},
                   {"Score", "NodeNumber", "node1", "10"},
                   {"Score", "NodeNumber", "node10", "0"},
                   {"Select", "", "node1", "the best, 10 points"},
                   {"Permit", "NodeNumber", "node1", "wait 1 s"},
                   {"Count", "", "", "read the digit of the pod's name: 1 time"},
                   {"Permit", "NodeNumber", "node1", "allowed"},
                   {"Bind", "DefaultBinder", "node1", "ok"}},
          .bound = true,
          .node = "node1"};
}

lab::CycleTrace NotBound() {
  return {.pod = "default/pod1",
          .attempt = 2,
          .rows = {{"Filter", "NodeUnschedulable", "node0", kCordoned, false}},
          .bound = false,
          .node = {},
          .reason = "0/1 nodes are available: 1 node(s) were unschedulable."};
}

/// A pod that passed these filters of so many nodes.
lab::CycleTrace Filtered(int nodes, const std::vector<std::string>& plugins) {
  lab::CycleTrace trace = Bound();
  trace.rows.clear();
  for (int i = 0; i < nodes; ++i) {
    for (const std::string& plugin : plugins) {
      const bool good = i % 5 != 0;
      trace.rows.push_back(
          {"Filter", plugin, fmt::format("node{}", i), good ? "ok" : kCordoned, good});
    }
  }
  return trace;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(CycleLine, SaysWhereThePodIs) {
  EXPECT_EQ(CycleLine(Bound()), "default/pod1 -> node1\n");
  EXPECT_EQ(CycleLine(NotBound()),
            "default/pod1: 0/1 nodes are available: 1 node(s) were unschedulable.\n");
}

TEST(CycleLine, IsOneLineWhateverAReasonHolds) {
  lab::CycleTrace trace = NotBound();
  trace.reason = "binding rejected: a\nb\x1b[31m";
  EXPECT_EQ(CycleLine(trace), "default/pod1: binding rejected: a\\x0ab\\x1b[31m\n");
}

TEST(CycleBlock, ShowsStagesInOrderWithAlignedColumns) {
  EXPECT_EQ(CycleBlock(Bound(), {}), R"(default/pod1, attempt 1
  Filter    NodeUnschedulable  node0   node(s) were unschedulable
                               node1   ok
                               node10  ok
  PreScore  NodeNumber                 ok
  Score     NodeNumber         node1   10
                               node10  0
  Select                       node1   the best, 10 points
  Permit    NodeNumber         node1   wait 1 s
  Count                                read the digit of the pod's name: 1 time
  Permit    NodeNumber         node1   allowed
  Bind      DefaultBinder      node1   ok
  -> node1

)");
}

TEST(CycleBlock, SaysWhyThePodIsNotBound) {
  EXPECT_EQ(CycleBlock(NotBound(), {}), R"(default/pod1, attempt 2
  Filter  NodeUnschedulable  node0  node(s) were unschedulable
  not bound: 0/1 nodes are available: 1 node(s) were unschedulable.

)");
}

TEST(CycleBlock, PutsTogetherWhatOnePluginSaidOfManyNodes) {
  EXPECT_EQ(CycleBlock(Filtered(2, {"A", "B"}), {}), R"(default/pod1, attempt 1
  Filter  A  node0  node(s) were unschedulable
             node1  ok
  Filter  B  node0  node(s) were unschedulable
             node1  ok
  -> node1

)");
}

TEST(CycleBlock, CountsWhatIsBeyondTwentyNodes) {
  EXPECT_THAT(CycleBlock(Filtered(20, {"A"}), {}), Not(HasSubstr("more")));
  const std::vector<std::string> lines = Lines(CycleBlock(Filtered(500, {"A"}), {}));
  ASSERT_EQ(lines.size(), 24U) << "head, 20 nodes, the others, the end, an empty line";
  EXPECT_EQ(lines[20], "             node19        ok");
  EXPECT_EQ(lines[21], "             and 480 more  384 x ok, 96 x node(s) were unschedulable");
}

TEST(CycleBlock, CountsRareAnswersTogether) {
  lab::CycleTrace trace = Filtered(1, {});
  for (int i = 0; i < 10; ++i) {
    trace.rows.push_back({"Score", "A", fmt::format("n{}", i), std::to_string(i < 7 ? i / 2 : i)});
  }
  EXPECT_THAT(CycleBlock(trace, {.most_nodes = 1}),
              HasSubstr("and 9 more  2 x 1, 2 x 2, 1 x 0, 4 x other answers\n"));
}

TEST(CycleBlock, KeepsColumnsUnderLongNames) {
  lab::CycleTrace trace = NotBound();
  const std::string longest(253, 'a');
  trace.pod = "default/" + longest;
  trace.rows = {{"Filter", "A", longest.substr(1) + "7", "ok"}, {"Filter", "A", "b", "ok"}};
  const std::vector<std::string> lines = Lines(CycleBlock(trace, {}));
  EXPECT_EQ(lines[0], "default/" + longest + ", attempt 2") << "the name stays whole";
  EXPECT_EQ(lines[1], "  Filter  A  aaaaaaaaaaaaaaaaaaa...aaaaaaaaaaaaaaaaa7  ok");
  EXPECT_EQ(lines[2], "             b                                         ok");
}

TEST(CycleBlock, CutsTheTableAtTheTerminalsWidth) {
  for (const std::string& line : Lines(CycleBlock(NotBound(), {.columns = 40}))) {
    if (line.starts_with("  Filter")) {
      EXPECT_EQ(line, "  Filter  NodeUnschedulable  node0  n...");
    }
  }
}

TEST(CycleBlock, HasColorIfWanted) {
  const std::string bound = CycleBlock(Bound(), {.color = true});
  EXPECT_THAT(bound, HasSubstr("\x1b[1mdefault/pod1\x1b[0m, attempt 1\n"));
  EXPECT_THAT(bound, HasSubstr("\x1b[31mnode(s) were unschedulable\x1b[0m"));
  EXPECT_THAT(bound, HasSubstr("\x1b[32mthe best, 10 points\x1b[0m"));
  EXPECT_THAT(bound, HasSubstr("  \x1b[32m-> node1\x1b[0m\n"));
  EXPECT_THAT(CycleBlock(NotBound(), {.color = true}), HasSubstr("  \x1b[31mnot bound: 0/1"));
  EXPECT_THAT(CycleBlock(Bound(), {}), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace outrigger::cli
