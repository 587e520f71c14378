#include "load/usage/queries.h"

#include <chrono>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "load/usage/batches.h"

namespace outrigger::usage {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

TEST(Queries, PutTermsForPlaceholdersAndLeaveOtherDollars) {
  const QueryTerms terms{.label = "node",
                         .nodes = "a|b",
                         .matchers = "x=\"$step\",",
                         .window = seconds(600),
                         .history = seconds(1800),
                         .step = milliseconds(1500),
                         .range = seconds(60),
                         .chunk = seconds(6)};
  EXPECT_EQ(
      Expand(R"({$matchers $label=~"$nodes"}[$window:$step] $history $range $chunk $)", terms),
      R"({x="$step", node=~"a|b"}[600s:1500ms] 1800s 60s 6s $)");
  EXPECT_EQ(Expand("", terms), "");
  EXPECT_EQ(Expand("$$labels $1", terms), "$nodes $1");
}

TEST(Queries, QuoteWhatARegularExpressionWouldTakeApart) {
  EXPECT_EQ(Quoted("10.0.0.1:9100"), R"(10\\.0\\.0\\.1:9100)");
  EXPECT_EQ(Quoted("[fe80::1]:9100"), R"(\\[fe80::1\\]:9100)");
  EXPECT_TRUE(IsQuotable("a-b.c:1"));
  for (const char* value : {"", "a\"", "a\\", "a b", "a\n", "a`", "\xC3\xA4"}) {
    EXPECT_FALSE(IsQuotable(value)) << value;
  }
}

struct SpacingRow {
  const char* name;
  int window, step;  // seconds
  int scrape_ms;
  int step_ms, range_ms, chunk_ms;
  size_t chunks;
};
class SpacingOfAWindow : public ::testing::TestWithParam<SpacingRow> {};

TEST_P(SpacingOfAWindow, Fits) {
  const SpacingRow& row = GetParam();
  const Spacing spacing = SpacingOf(seconds(row.window), seconds(row.window), seconds(row.step),
                                    milliseconds(row.scrape_ms));
  EXPECT_EQ(spacing.step.count(), row.step_ms);
  EXPECT_EQ(spacing.range.count(), row.range_ms);
  EXPECT_EQ(spacing.chunk.count(), row.chunk_ms);
  EXPECT_EQ(spacing.chunks, row.chunks);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, SpacingOfAWindow,
    ::testing::Values(SpacingRow{"Day", 86'400, 15, 15'000, 15'000, 60'000, 864'000, 100},
                      SpacingRow{"ScrapesEachMinute", 86'400, 15, 60'000, 15'000, 240'000, 864'000,
                                 100},
                      SpacingRow{"ScrapesNotKnown", 86'400, 30, 0, 30'000, 1'200'000, 864'000, 100},
                      SpacingRow{"TenSeconds", 10, 15, 1'000, 1'000, 4'000, 1'000, 10},
                      SpacingRow{"OneSecond", 1, 15, 1'000, 1'000, 4'000, 1'000, 1},
                      SpacingRow{"CoarseStep", 86'400, 300, 15'000, 300'000, 300'000, 864'000, 100},
                      SpacingRow{"TenMinutes", 600, 15, 15'000, 15'000, 60'000, 15'000, 40}),
    [](const auto& row) { return row.param.name; });

TEST(Spacing, TakesChunksFromTheHistoryAndAtLeastTenSamplesFromTheWindow) {
  const Spacing spacing = SpacingOf(seconds(100), seconds(3000), seconds(15), seconds(15));
  EXPECT_EQ(spacing.step, seconds(10));
  EXPECT_EQ(spacing.chunk, seconds(30));
  EXPECT_EQ(spacing.chunks, 100U);
  EXPECT_EQ(spacing.SamplesOfASeries(), 307) << "(3000 + 60) / 10 + 1";
}

std::vector<NodeMatch> Matches(const std::vector<std::string>& labels) {
  std::vector<NodeMatch> matches;
  for (const std::string& label : labels) {
    NodeMatch& match = matches.emplace_back();
    if (!label.empty()) match.selector = Selector{.label = label, .value = "v.1", .what = {}};
  }
  return matches;
}

std::vector<std::vector<size_t>> NodesOfBatches(const std::vector<Batch>& batches) {
  std::vector<std::vector<size_t>> nodes;
  for (const Batch& batch : batches) nodes.push_back(batch.nodes);
  return nodes;
}

TEST(Batches, HaveOneLabelAndABoundedWeight) {
  const auto matches = Matches({"node", "instance", "", "node", "node", "node"});
  EXPECT_THAT(NodesOfBatches(BatchesOf(matches, std::vector<double>{1, 1, 1, 1, 5, 1}, 2, 100)),
              ElementsAre(std::vector<size_t>{0, 3}, std::vector<size_t>{4}, std::vector<size_t>{1},
                          std::vector<size_t>{5}));
  EXPECT_THAT(
      NodesOfBatches(BatchesOf(matches, std::vector<double>(6, 0), 2, 3)),
      ElementsAre(std::vector<size_t>{0, 3, 4}, std::vector<size_t>{1}, std::vector<size_t>{5}));
  EXPECT_EQ(NodesOf({.label = "node", .nodes = {0, 3}}, matches), R"(v\\.1|v\\.1)");
}

TEST(Batches, HalveWithoutLosingANode) {
  const Batch batch{.label = "node", .nodes = {1, 2, 3}};
  EXPECT_THAT(HalfOf(batch, true).nodes, ElementsAre(1));
  EXPECT_THAT(HalfOf(batch, false).nodes, ElementsAre(2, 3));
}

TEST(ScrapeInterval, IsTheLongestMedian) {
  const auto series = [](const std::vector<double>& times) {
    Series made;
    for (const double time : times) made.points.push_back({.time = time, .value = 0});
    return made;
  };
  EXPECT_EQ(ScrapeInterval({}), milliseconds(0));
  EXPECT_EQ(ScrapeInterval(std::vector{series({5})}), milliseconds(0));
  EXPECT_EQ(ScrapeInterval(std::vector{series({0, 1, 2, 30}), series({0, 14.5, 29})}),
            milliseconds(14'500));
}

}  // namespace
}  // namespace outrigger::usage
