#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "load/usage/prometheus_answer.h"
#include "prometheus_source_testing.h"

// What is done where an answer is too much, or none comes.

namespace outrigger::usage {
namespace {

using absl::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(PrometheusSource, HalvesABatchThatIsTooMuchAndKeepsToSmallerOnes) {
  constexpr int kNodes = 5;
  std::atomic<int> refused = 0;
  const ScriptedPrometheus server(
      Cluster(kNodes, [&](const std::string& kind, const Asked& asked) -> std::optional<Answered> {
        const auto bars = std::count(asked.query.begin(), asked.query.end(), '|');
        if (kind == "scrapes" || kind == "nodes" || IsOfMachines(kind) || bars < 2) {
          return std::nullopt;
        }
        ++refused;
        return ErrorAnswer(422, "execution",
                           "query processing would load too many samples into memory in query "
                           "execution");
      }));
  std::vector<NodeQuestion> nodes;
  for (int i = 1; i <= kNodes; ++i) {
    nodes.push_back(AskedNode(fmt::format("n{}", i), fmt::format("10.0.0.{}", i)));
  }
  PrometheusOptions options = To(server.url());
  options.most_samples = 1.25 * 5 * 7 * 5766;  // five nodes of four cpus
  auto source = MakePrometheusSource(options);
  ASSERT_TRUE(source.ok()) << source.status();
  for (const bool is_first : {true, false}) {
    refused = 0;
    const auto reading = (*source)->Read(nodes, {});
    ASSERT_TRUE(reading.ok()) << reading.status();
    for (int i = 1; i <= kNodes; ++i) {
      const NodeReading& node = reading->nodes[static_cast<size_t>(i - 1)];
      EXPECT_EQ(node.cpu.mean.value, 1000 * i) << node.cpu.mean.detail;
      EXPECT_EQ(node.memory.deviation.value, 1000 * i + 1);
    }
    EXPECT_EQ(refused, is_first ? 8 : 0)
        << "each of four queries: five nodes, then the larger half";
  }
}

TEST(PrometheusSource, HalvesABatchWhoseAnswerIsTooLarge) {
  const ScriptedPrometheus server(
      Cluster(2, [](const std::string& kind, const Asked& asked) -> std::optional<Answered> {
        if (kind != "cpu-mean" || !Holds(asked.query, "|")) return std::nullopt;
        return Answered{200, VectorOf({}) + std::string(10'000, ' ')};
      }));
  PrometheusOptions options = To(server.url());
  options.most_bytes = 5000;
  const auto reading = Read(options, {AskedNode("a", "10.0.0.1"), AskedNode("b", "10.0.0.2")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[1].cpu.mean.value, 2000) << reading->nodes[1].cpu.mean.detail;
}

TEST(PrometheusSource, TakesNoMoreMemoryThanTheManifestAllows) {
  const PrometheusOptions options;
  EXPECT_LE(options.most_calls * (options.most_bytes + kMostAnswerMemory), size_t{512} << 20U);
}

TEST(PrometheusSource, LosesOneBatchWhereOneNodeAloneIsTooMuch) {
  const ScriptedPrometheus server(
      Cluster(2, [](const std::string& kind, const Asked& asked) -> std::optional<Answered> {
        if (kind != "cpu-mean" || !Holds(asked.query, "0\\\\.1:9100")) return std::nullopt;
        return ErrorAnswer(422, "execution", "too many samples");
      }));
  const auto reading =
      Read(To(server.url()), {AskedNode("a", "10.0.0.1"), AskedNode("b", "10.0.0.2")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].cpu.mean.gap, Gap::kFailed);
  EXPECT_THAT(reading->nodes[0].cpu.mean.detail, HasSubstr("422: execution: too many samples"));
  EXPECT_EQ(reading->nodes[1].cpu.mean.value, 2000);
  EXPECT_THAT(reading->notes, ElementsAre(HasSubstr("cpu-mean: ")));
}

size_t CountOf(const ScriptedPrometheus& server, const std::string& kind) {
  const std::vector<Asked> asked = server.asked();
  return static_cast<size_t>(std::count_if(asked.begin(), asked.end(),
                                           [&](const Asked& one) { return KindOf(one) == kind; }));
}

// Such as one of the length of a query: halving the nodes cannot help.
TEST(PrometheusSource, GivesUpAQueryWhoseLimitIsNotAboutNodes) {
  constexpr int kNodes = 64;
  const ScriptedPrometheus server(
      Cluster(kNodes, [](const std::string& kind, const Asked&) -> std::optional<Answered> {
        if (kind != "cpu-mean") return std::nullopt;
        return ErrorAnswer(422, "execution", "the query time range exceeds the limit");
      }));
  std::vector<NodeQuestion> nodes;
  for (int i = 1; i <= kNodes; ++i) {
    nodes.push_back(AskedNode(fmt::format("n{}", i), fmt::format("10.0.0.{}", i)));
  }
  PrometheusOptions options = To(server.url());
  options.most_calls = 1;
  options.most_samples = 1.25 * kNodes * 7 * 5766;  // all nodes in one batch, just so
  auto source = MakePrometheusSource(options);
  ASSERT_TRUE(source.ok()) << source.status();
  for (const size_t pass : {1U, 2U}) {
    const auto reading = (*source)->Read(nodes, {});
    ASSERT_TRUE(reading.ok()) << reading.status();
    EXPECT_EQ(reading->nodes[63].cpu.mean.gap, Gap::kFailed);
    EXPECT_THAT(reading->nodes[63].cpu.mean.detail, HasSubstr("exceeds the limit"));
    EXPECT_EQ(reading->nodes[63].memory.mean.value, 64'000);
    EXPECT_EQ(CountOf(server, "cpu-mean"), pass * 8) << "64, 32, 16, 8, 4, 2, 1 and 1 nodes";
    EXPECT_EQ(CountOf(server, "memory-mean"), pass) << "batches stay as large as they were";
  }
}

/// Options with 40 further queries, which the server answers by `change`.
PrometheusOptions WithFurther(const std::string& url) {
  PrometheusOptions options = To(url);
  for (int i = 0; i < 40; ++i) {
    options.further.push_back({fmt::format("f{}", i), fmt::format("own({})", i)});
  }
  return options;
}

TEST(PrometheusSource, GivesUpASourceThatAnswersNoMore) {
  std::atomic<size_t> asked_in_vain = 0;
  const ScriptedPrometheus server(
      Cluster(1, [&](const std::string&, const Asked& asked) -> std::optional<Answered> {
        if (!Holds(asked.query, "own")) return std::nullopt;
        ++asked_in_vain;
        return ErrorAnswer(503, "timeout", "query timed out in expression evaluation");
      }));
  PrometheusOptions options = WithFurther(server.url());
  options.most_calls = 2;
  const auto reading = Read(options, {AskedNode("a", "10.0.0.1")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].cpu.mean.value, 1000);
  // Two in a row, and one that is under way; two more if the last of the other queries, which runs
  // beside them, is answered in between.
  EXPECT_LE(asked_in_vain, 5U);
  EXPECT_EQ(reading->nodes[0].further[39].gap, Gap::kFailed);
  EXPECT_THAT(reading->nodes[0].further[39].detail, HasSubstr("skipped, since "));
}

TEST(PrometheusSource, HasNothingWhereNoQueryOfValuesIsAnswered) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string& kind, const Asked&) -> std::optional<Answered> {
        if (kind == "nodes" || IsOfMachines(kind)) return std::nullopt;
        return ErrorAnswer(503, "unavailable", "no store answers");
      }));
  const auto reading = Read(To(server.url()), {AskedNode("a", "10.0.0.1")});
  EXPECT_EQ(reading.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(reading.status().message()), HasSubstr("no store answers"));
}

TEST(PrometheusSource, HasABoundedNumberOfNotes) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string&, const Asked& asked) -> std::optional<Answered> {
        if (!Holds(asked.query, "own")) return std::nullopt;
        return ErrorAnswer(400, "bad_data", "what is " + asked.query);
      }));
  const auto reading = Read(WithFurther(server.url()), {AskedNode("a", "10.0.0.1")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->notes.size(), 21U);
  EXPECT_THAT(reading->notes.back(), HasSubstr("omitted"));
}

}  // namespace
}  // namespace outrigger::usage
