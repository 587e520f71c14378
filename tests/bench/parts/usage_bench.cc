#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "fmt/format.h"
#include "load/usage/batches.h"
#include "load/usage/node_index.h"
#include "load/usage/node_values.h"
#include "load/usage/prometheus_answer.h"
#include "load/usage/queries.h"
#include "load/usage/sampled_usage.h"
#include "load/usage/source.h"
#include "load/usage/used_answers.h"

// What `annotate usage` computes of 5000 nodes, without the source's own time: answers are texts
// that are there.

namespace outrigger::usage {
namespace {

constexpr size_t kNodes = 5000;
constexpr size_t kChunks = 100;
constexpr double kEnd = 1'795'658'038.5;

std::string AddressOf(size_t i) {
  return fmt::format("10.{}.{}.{}", i / 62500, i / 250 % 250, i % 250);
}

std::vector<NodeQuestion> Nodes() {
  std::vector<NodeQuestion> nodes;
  for (size_t i = 0; i < kNodes; ++i) {
    NodeQuestion node;
    node.name = fmt::format("node-{:05}.example.com", i);
    node.addresses = {AddressOf(i)};
    node.cpu = 64'000;
    node.memory = 256e9;
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::string ValueOf(size_t node, size_t point) {
  return fmt::format("{:.6f}", 3e10 + 1e9 * std::sin(0.1 * static_cast<double>(node + point)));
}

std::string Answer(std::string_view type, size_t points, std::string_view more_labels) {
  std::string json =
      fmt::format(R"({{"status":"success","data":{{"resultType":"{}","result":[)", type);
  for (size_t i = 0; i < kNodes; ++i) {
    json += fmt::format(R"({}{{"metric":{{"instance":"{}:9100"{}}},"value{}":[)", i == 0 ? "" : ",",
                        AddressOf(i), more_labels, points > 1 ? "s" : "");
    for (size_t point = 0; point < points; ++point) {
      const double time = kEnd - 864.0 * static_cast<double>(points - 1 - point);
      const std::string pair = fmt::format(R"({:.3f},"{}")", time, ValueOf(i, point));
      json += points > 1 ? fmt::format("{}[{}]", point == 0 ? "" : ",", pair) : pair;
    }
    json += "]}";
  }
  return json + "]}}";
}

/// The answers of one pass: which series there are, four moments, two series for forecasts.
struct Answers {
  std::string nodes = Answer("vector", 1,
                             R"(,"__name__":"node_memory_MemAvailable_bytes",)"
                             R"("job":"node-exporter","namespace":"monitoring",)"
                             R"("pod":"node-exporter-x7k2p","container":"exporter")");
  std::string moments = Answer("vector", 1, "");
  std::string series = Answer("matrix", kChunks, "");
};

QueryAnswer Parsed(std::string* body) {
  absl::StatusOr<QueryAnswer> answer = ReadQueryAnswer(body);
  if (!answer.ok() || answer->series.size() != kNodes) std::abort();
  return *std::move(answer);
}

size_t CountValues(const NodeIndex& index, const QueryAnswer& answer, bool forecast) {
  const auto node_of = [&index](const Labels& labels) {
    const auto hits = index.HitsOf(labels);
    return hits.empty() ? kNoNode : hits.front().node;
  };
  size_t values = 0;
  for (const NodeSeries& node : SeriesOfNodes(answer, kNodes, node_of)) {
    const Value value =
        forecast ? ForecastValue(node, kEnd, 864, kChunks) : LastValue(node, /*signed_ok=*/false);
    values += value.value ? 1 : 0;
  }
  return values;
}

void BM_UsagePassOf5000Nodes(benchmark::State& state) {
  Answers answers;
  const std::vector<NodeQuestion> nodes = Nodes();
  for (auto _ : state) {
    NodeIndex index(nodes, 9100);
    const QueryAnswer found = Parsed(&answers.nodes);
    const std::vector<NodeMatch> matches = index.Match(found.series);
    const std::vector<double> weights(kNodes, 67.0 * 5765);
    size_t values = 0;
    for (const Batch& batch : BatchesOf(matches, weights, 40e6, kNodes)) {
      benchmark::DoNotOptimize(NodesOf(batch, matches));
    }
    for (int i = 0; i < 4; ++i) values += CountValues(index, Parsed(&answers.moments), false);
    for (int i = 0; i < 2; ++i) values += CountValues(index, Parsed(&answers.series), true);
    if (values != 6 * kNodes) std::abort();
  }
}
BENCHMARK(BM_UsagePassOf5000Nodes)->Unit(benchmark::kMillisecond);

void BM_UsageForecastOf5000Nodes(benchmark::State& state) {
  Answers answers;
  const std::vector<NodeQuestion> nodes = Nodes();
  const NodeIndex index(nodes, 9100);
  const QueryAnswer answer = Parsed(&answers.series);
  for (auto _ : state) benchmark::DoNotOptimize(CountValues(index, answer, true));
}
BENCHMARK(BM_UsageForecastOf5000Nodes)->Unit(benchmark::kMillisecond);

void BM_UsageMetricsApiOf5000Nodes(benchmark::State& state) {
  std::string json = R"({"kind":"NodeMetricsList","items":[)";
  const std::vector<NodeQuestion> nodes = Nodes();
  for (const NodeQuestion& node : nodes) {
    json += fmt::format(R"({}{{"metadata":{{"name":"{}"}},"window":"20s",)"
                        R"("usage":{{"cpu":"250123456n","memory":"1048576Ki"}}}})",
                        json.ends_with('[') ? "" : ",", node.name);
  }
  json += "]}";
  SampledUsage usage(std::chrono::seconds(86'400), /*forecast=*/true);
  int64_t now = 1'795'658'000'000;
  for (int i = 0; i < 100; ++i, now += 864'000) {
    benchmark::DoNotOptimize(usage.Take(nodes, *ReadNodeMetrics(&json), now, "metrics"));
  }
  for (auto _ : state) {
    now += 60'000;
    const Reading reading = usage.Take(nodes, *ReadNodeMetrics(&json), now, "metrics");
    if (!reading.nodes.back().memory.forecast.value) std::abort();
  }
}
BENCHMARK(BM_UsageMetricsApiOf5000Nodes)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace outrigger::usage
