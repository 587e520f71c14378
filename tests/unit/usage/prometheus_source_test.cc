#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "certificates.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rude_server.h"
#include "scripted_prometheus.h"
#include "usage/prometheus_answer.h"
#include "usage/source.h"

namespace outrigger::usage {
namespace {

using absl::StatusCode;
using outrigger::testing::RudeServer;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kEndMs = 1'795'658'038'500;

bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

NodeQuestion Node(const std::string& name, const std::string& address, double cpu = 4000) {
  return {.name = name, .addresses = {address}, .cpu = cpu, .memory = 8e9, .requested_memory = 0};
}

/// The labels of node number `i`: by instance.
std::string LabelsOf(int i) {
  return fmt::format(R"("instance":"10.0.0.{}:9100","job":"a")", i);
}

PrometheusOptions To(const std::string& url) {
  PrometheusOptions options;
  options.url = url;
  options.forecast = false;
  options.clock.wall = [] {
    return std::chrono::system_clock::time_point(milliseconds(kEndMs + 1000));
  };
  return options;
}

/// Tells the queries of a pass apart.
std::string KindOf(const Asked& asked) {
  if (asked.path == "/api/v1/query_range")
    return Holds(asked.query, "cpu") ? "cpu-series" : "memory-series";
  if (Holds(asked.query, "uname")) return "names";
  if (Holds(asked.query, "[5m]") && !Holds(asked.query, "cpu")) return "scrapes";
  if (Holds(asked.query, "over_time")) {
    return fmt::format("{}-{}", Holds(asked.query, "cpu") ? "cpu" : "memory",
                       Holds(asked.query, "stddev") ? "deviation" : "mean");
  }
  return "nodes";
}

/// Nodes 1 to `count` by instance; each value is 1000 times the node's number, plus one for
/// deviations. `change` may answer in place of that.
ScriptedPrometheus::Script Cluster(
    int count, std::function<std::optional<Answered>(const std::string&, const Asked&)> change =
                   [](const std::string&, const Asked&) { return std::nullopt; }) {
  return [count, change = std::move(change)](const Asked& asked) -> Answered {
    const std::string kind = KindOf(asked);
    if (auto changed = change(kind, asked)) return *changed;
    std::vector<std::string> series;
    for (int i = 1; i <= count; ++i) {
      const std::string mine = fmt::format("10\\\\.0\\\\.0\\\\.{}:9100", i);
      const bool is_mine =
          kind == "nodes" || Holds(asked.query, mine + "|") || Holds(asked.query, mine + "\"");
      if (is_mine && kind != "scrapes" && kind != "names") {
        series.push_back(InstantSeries(
            LabelsOf(i), std::to_string(1000 * i + (Holds(kind, "deviation") ? 1 : 0))));
      }
    }
    return {200, VectorOf(series)};
  };
}

absl::StatusOr<Reading> Read(const PrometheusOptions& options,
                             const std::vector<NodeQuestion>& nodes) {
  auto source = MakePrometheusSource(options);
  return source.ok() ? (*source)->Read(nodes, {}) : absl::StatusOr<Reading>(source.status());
}

TEST(PrometheusSource, ReadsMeanAndDeviationOfEachNode) {
  const ScriptedPrometheus server(Cluster(2));
  const auto reading = Read(To(server.url()), {Node("b", "10.0.0.2"), Node("a", "10.0.0.1")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->end_ms, kEndMs);
  EXPECT_EQ(reading->window, seconds(86'400));
  ASSERT_EQ(reading->nodes.size(), 2U);
  EXPECT_EQ(reading->nodes[0].matched_by, "instance=10.0.0.2:9100");
  EXPECT_EQ(reading->nodes[0].cpu.mean.value, 2000);
  EXPECT_EQ(reading->nodes[0].cpu.deviation.value, 2001);
  EXPECT_EQ(reading->nodes[1].memory.mean.value, 1000);
  EXPECT_EQ(reading->nodes[1].memory.deviation.value, 1001);
  EXPECT_EQ(reading->nodes[1].memory.forecast.value, std::nullopt);
  EXPECT_EQ(reading->nodes[1].memory.forecast.gap, Gap::kNone);
}

TEST(PrometheusSource, AsksForTheRateOfSummedCpusAtTheTimeOfPrometheus) {
  const ScriptedPrometheus server(Cluster(1));
  PrometheusOptions options = To(server.url() + "/prefix");
  options.matchers = R"(job="a")";
  options.window = seconds(600);
  ASSERT_TRUE(Read(options, {Node("a", "10.0.0.1")}).ok());
  std::string mean;
  for (const Asked& asked : server.asked()) {
    EXPECT_THAT(asked.path, ::testing::StartsWith("/prefix/api/v1/query"));
    if (KindOf(asked) == "nodes") {
      EXPECT_EQ(asked.query, R"(node_memory_MemAvailable_bytes{job="a",})");
      EXPECT_EQ(asked.time, "") << "the clock of Prometheus counts";
    } else {
      EXPECT_EQ(asked.time, "1795658038.500");
    }
    if (KindOf(asked) == "cpu-mean") mean = asked.query;
  }
  EXPECT_EQ(mean,
            "1000 * avg_over_time((avg by (instance) (sum without (cpu, mode) "
            R"((rate(node_cpu_seconds_total{job="a", mode="idle",)"
            R"(instance=~"10\\.0\\.0\\.1:9100"}[60s]))))[600s:15s]))");
}

TEST(PrometheusSource, TakesRatesOverFourScrapes) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string& kind, const Asked&) -> std::optional<Answered> {
        if (kind != "scrapes") return std::nullopt;
        return Answered{200,
                        R"({"status":"success","data":{"resultType":"matrix","result":[)"
                        R"({"metric":{},"values":[[10,"1"],[70,"1"],[130.5,"1"],[190,"1"]]}]}})"};
      }));
  ASSERT_TRUE(Read(To(server.url()), {Node("a", "10.0.0.1")}).ok());
  std::set<std::string> ranges;
  for (const Asked& asked : server.asked()) {
    if (KindOf(asked).starts_with("cpu")) {
      ranges.insert(asked.query.substr(asked.query.find('[')));
    }
  }
  EXPECT_THAT(ranges, ElementsAre(HasSubstr("[240s]")));
}

struct TextRow {
  const char* name;
  const char* value;
  Gap gap;
};
class PrometheusValue : public ::testing::TestWithParam<TextRow> {};

TEST_P(PrometheusValue, ThatIsNoAmountIsAGapOfThatValueAlone) {
  const ScriptedPrometheus server(
      Cluster(2, [](const std::string& kind, const Asked&) -> std::optional<Answered> {
        if (kind != "cpu-mean") return std::nullopt;
        return Answered{200, VectorOf({InstantSeries(LabelsOf(1), GetParam().value),
                                       InstantSeries(LabelsOf(2), "7")})};
      }));
  const auto reading = Read(To(server.url()), {Node("a", "10.0.0.1"), Node("b", "10.0.0.2")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].cpu.mean.value, std::nullopt);
  EXPECT_EQ(reading->nodes[0].cpu.mean.gap, GetParam().gap) << reading->nodes[0].cpu.mean.detail;
  EXPECT_EQ(reading->nodes[0].cpu.deviation.value, 1001);
  EXPECT_EQ(reading->nodes[1].cpu.mean.value, 7);
}

INSTANTIATE_TEST_SUITE_P(Rows, PrometheusValue,
                         ::testing::Values(TextRow{"NaN", "NaN", Gap::kNotFinite},
                                           TextRow{"PlusInf", "+Inf", Gap::kNotFinite},
                                           TextRow{"MinusInf", "-Inf", Gap::kNotFinite},
                                           TextRow{"Huge", "1e999", Gap::kNotFinite},
                                           TextRow{"Negative", "-1", Gap::kUnit}),
                         [](const auto& row) { return row.param.name; });

TEST(PrometheusSource, HasNoSeriesWhereTheAnswerIsEmpty) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string& kind, const Asked&) -> std::optional<Answered> {
        return kind == "memory-mean" ? std::optional(Answered{200, VectorOf({})}) : std::nullopt;
      }));
  const auto reading = Read(To(server.url()), {Node("a", "10.0.0.1"), Node("gone", "10.0.0.9")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].memory.mean.gap, Gap::kNoSeries);
  EXPECT_EQ(reading->nodes[0].memory.deviation.value, 1001);
  EXPECT_EQ(reading->nodes[1].matched_by, "");
  EXPECT_EQ(reading->nodes[1].cpu.mean.gap, Gap::kNoSeries);
}

TEST(PrometheusSource, TakesNeitherOfTwoSeriesOfANode) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string& kind, const Asked&) -> std::optional<Answered> {
        if (kind != "cpu-mean") return std::nullopt;
        return Answered{200,
                        VectorOf({InstantSeries(LabelsOf(1), "1"),
                                  InstantSeries(R"("instance":"10.0.0.1:9100","job":"b")", "2")})};
      }));
  const auto reading = Read(To(server.url()), {Node("a", "10.0.0.1")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].cpu.mean.gap, Gap::kSeveralSeries);
  EXPECT_THAT(reading->nodes[0].cpu.mean.detail, HasSubstr("job=a, job=b"));
}

TEST(PrometheusSource, HalvesABatchThatIsTooMuchAndKeepsToSmallerOnes) {
  constexpr int kNodes = 5;
  std::atomic<int> refused = 0;
  const ScriptedPrometheus server(
      Cluster(kNodes, [&](const std::string& kind, const Asked& asked) -> std::optional<Answered> {
        const auto bars = std::count(asked.query.begin(), asked.query.end(), '|');
        if (kind == "scrapes" || kind == "nodes" || bars < 2) return std::nullopt;
        ++refused;
        return ErrorAnswer(422, "execution",
                           "query processing would load too many samples into memory in query "
                           "execution");
      }));
  std::vector<NodeQuestion> nodes;
  for (int i = 1; i <= kNodes; ++i) {
    nodes.push_back(Node(fmt::format("n{}", i), fmt::format("10.0.0.{}", i)));
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
  const auto reading = Read(options, {Node("a", "10.0.0.1"), Node("b", "10.0.0.2")});
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
  const auto reading = Read(To(server.url()), {Node("a", "10.0.0.1"), Node("b", "10.0.0.2")});
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
    nodes.push_back(Node(fmt::format("n{}", i), fmt::format("10.0.0.{}", i)));
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
  const auto reading = Read(options, {Node("a", "10.0.0.1")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].cpu.mean.value, 1000);
  EXPECT_LE(asked_in_vain, 4U);
  EXPECT_EQ(reading->nodes[0].further[39].gap, Gap::kFailed);
  EXPECT_THAT(reading->nodes[0].further[39].detail, HasSubstr("not asked, since "));
}

TEST(PrometheusSource, HasNothingWhereNoQueryOfValuesIsAnswered) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string& kind, const Asked&) -> std::optional<Answered> {
        if (kind == "nodes") return std::nullopt;
        return ErrorAnswer(503, "unavailable", "no store answers");
      }));
  const auto reading = Read(To(server.url()), {Node("a", "10.0.0.1")});
  EXPECT_EQ(reading.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(reading.status().message()), HasSubstr("no store answers"));
}

TEST(PrometheusSource, HasABoundedNumberOfNotes) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string&, const Asked& asked) -> std::optional<Answered> {
        if (!Holds(asked.query, "own")) return std::nullopt;
        return ErrorAnswer(400, "bad_data", "what is " + asked.query);
      }));
  const auto reading = Read(WithFurther(server.url()), {Node("a", "10.0.0.1")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->notes.size(), 21U);
  EXPECT_THAT(reading->notes.back(), HasSubstr("left out"));
}

TEST(PrometheusSource, ReadsForecastsFromARangeThatEndsWithTheWindow) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string& kind, const Asked& asked) -> std::optional<Answered> {
        if (!Holds(kind, "series")) return std::nullopt;
        EXPECT_EQ(asked.end, "1795658038.500");
        EXPECT_EQ(asked.start, "1795572502.500");  // 99 times 864 s before
        EXPECT_EQ(asked.step, "864.000");
        std::string values;
        for (int i = 0; i < 100; ++i) {
          values += fmt::format(R"({}[{}.5,"{}"])", i == 0 ? "" : ",", 1'795'572'502 + 864 * i,
                                kind == "cpu-series" ? 5000 - 50 * i : 7);
        }
        return Answered{200, R"({"status":"success","data":{"resultType":"matrix","result":[)"
                             R"({"metric":{"instance":"10.0.0.1:9100"},"values":[)" +
                                 values + "]}]}}"};
      }));
  PrometheusOptions options = To(server.url());
  options.forecast = true;
  const auto reading = Read(options, {Node("a", "10.0.0.1")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].memory.forecast.value, 7);
  ASSERT_TRUE(reading->nodes[0].cpu.forecast.value) << reading->nodes[0].cpu.forecast.detail;
  EXPECT_NEAR(*reading->nodes[0].cpu.forecast.value, 0, 1) << "the line would go below zero";
}

TEST(PrometheusSource, AsksFurtherQueriesOnceForAllNodesOrByBatch) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string&, const Asked& asked) -> std::optional<Answered> {
        if (!Holds(asked.query, "network")) return std::nullopt;
        if (Holds(asked.query, "instance=~")) {
          EXPECT_THAT(asked.query, HasSubstr(R"(instance=~"10\\.0\\.0\\.1:9100")"));
        }
        return Answered{200, VectorOf({InstantSeries(R"("node":"a")", "-12"),
                                       InstantSeries(R"("node":"unmeasured")", "3")})};
      }));
  PrometheusOptions options = To(server.url());
  options.further = {{"congestion-factor", "sum by (node) (network)"},
                     {"other", R"(network{$label=~"$nodes"})"}};
  const auto reading = Read(options, {Node("a", "10.0.0.1"), Node("unmeasured", "10.0.0.9")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].further[0].value, -12);
  EXPECT_EQ(reading->nodes[0].further[1].value, -12);
  EXPECT_EQ(reading->nodes[1].further[0].value, 3);
  EXPECT_EQ(reading->nodes[1].further[1].gap, Gap::kNoSeries);
}

TEST(PrometheusSource, NotesWarningsAndAClockThatIsOff) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string& kind, const Asked&) -> std::optional<Answered> {
        if (kind == "nodes") {
          return Answered{200, VectorOf({InstantSeries(LabelsOf(1), "1", "1795658100")})};
        }
        if (kind != "cpu-mean") return std::nullopt;
        return Answered{200, R"({"status":"success","warnings":["a store is gone"],"data":)"
                             R"({"resultType":"vector","result":[]}})"};
      }));
  const auto reading = Read(To(server.url()), {Node("a", "10.0.0.1")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->end_ms, 1'795'658'100'000);
  EXPECT_THAT(reading->notes,
              ElementsAre(HasSubstr("the clock of Prometheus is 60 s ahead"),
                          HasSubstr("cpu-mean: Prometheus warns: a store is gone")));
}

struct DownRow {
  const char* name;
  Answered answer;
  StatusCode code;
  const char* text;
};
class PrometheusDown : public ::testing::TestWithParam<DownRow> {};

TEST_P(PrometheusDown, IsAnErrorThatSaysWhatToCheck) {
  const ScriptedPrometheus server([](const Asked&) { return GetParam().answer; });
  const auto reading = Read(To(server.url()), {Node("a", "10.0.0.1")});
  EXPECT_EQ(reading.status().code(), GetParam().code) << reading.status();
  EXPECT_THAT(std::string(reading.status().message()), HasSubstr(GetParam().text));
  EXPECT_THAT(std::string(reading.status().message()), HasSubstr(server.url()));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, PrometheusDown,
    ::testing::Values(
        DownRow{"Empty", {200, ""}, StatusCode::kDataLoss, "found nothing"},
        DownRow{"Html", {200, "<html>"}, StatusCode::kDataLoss, "not that of Prometheus"},
        DownRow{"Cut",
                {200, R"({"status":"success","data":{"result":[)"},
                StatusCode::kDataLoss,
                "not that of Prometheus"},
        DownRow{"AnotherApi", {200, R"({"kind":"Status"})"}, StatusCode::kDataLoss, "status"},
        DownRow{"NoData", {200, R"({"status":"success"})"}, StatusCode::kDataLoss, "data"},
        DownRow{"Refused", {401, "no"}, StatusCode::kUnavailable, "Check the token file"},
        DownRow{"NotThere", {404, "no"}, StatusCode::kUnavailable, "path prefix"},
        DownRow{"BadQuery", ErrorAnswer(400, "bad_data", "parse error"), StatusCode::kUnavailable,
                "400: bad_data: parse error"},
        DownRow{"ErrorWith200", ErrorAnswer(200, "internal", "x\\u0007"), StatusCode::kUnavailable,
                "internal: x\\x07"},
        DownRow{"Gateway", {502, "<html>"}, StatusCode::kUnavailable, "HTTP status 502"}),
    [](const auto& row) { return row.param.name; });

TEST(PrometheusSource, IsUnavailableWhereNothingListens) {
  std::string url;
  {
    const RudeServer gone("");
    url = gone.url();
  }
  const auto reading = Read(To(url), {Node("a", "10.0.0.1")});
  EXPECT_EQ(reading.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(reading.status().message()), HasSubstr("Check that Prometheus runs"));
}

TEST(PrometheusSource, EndsATricklingBodyAndOneThatIsTooLarge) {
  const RudeServer trickle([](int peer) {
    RudeServer::Send(peer, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{");
    while (RudeServer::Send(peer, " ")) RudeServer::AwaitEnd(peer, 10);
  });
  PrometheusOptions options = To(trickle.url());
  options.total = milliseconds(50);
  EXPECT_EQ(Read(options, {}).status().code(), StatusCode::kDeadlineExceeded);

  const RudeServer endless([](int peer) {
    const std::string many(1 << 16, ' ');
    RudeServer::Send(peer, "HTTP/1.1 200 OK\r\n\r\n");
    while (RudeServer::Send(peer, many)) {
    }
  });
  options = To(endless.url());
  options.most_bytes = 1 << 20;
  const auto large = Read(options, {});
  EXPECT_EQ(large.status().code(), StatusCode::kResourceExhausted) << large.status();
}

TEST(PrometheusSource, SendsTheTokenOfItsFile) {
  const outrigger::testing::TestFolder folder;
  const ScriptedPrometheus server(Cluster(1));
  PrometheusOptions options = To(server.url());
  options.token_file = folder.Write("token", "t0ken");
  ASSERT_TRUE(Read(options, {Node("a", "10.0.0.1")}).ok());
  std::vector<std::string> tokens;
  for (const Asked& asked : server.asked()) tokens.push_back(asked.token);
  EXPECT_THAT(tokens, Each("Bearer t0ken"));
}

TEST(PrometheusSource, EndsWhenAStopIsRequested) {
  const auto stop = std::make_unique<std::stop_source>();
  const ScriptedPrometheus server(
      Cluster(1, [&stop](const std::string& kind, const Asked&) -> std::optional<Answered> {
        if (kind == "cpu-mean") stop->request_stop();
        return std::nullopt;
      }));
  auto source = MakePrometheusSource(To(server.url()));
  const std::vector<NodeQuestion> nodes = {Node("a", "10.0.0.1")};
  EXPECT_EQ((*source)->Read(nodes, stop->get_token()).status().code(), StatusCode::kCancelled);
}

TEST(PrometheusSource, ReportsItsProgress) {
  const ScriptedPrometheus server(Cluster(1));
  PrometheusOptions options = To(server.url());
  std::vector<std::pair<size_t, size_t>> steps;
  options.progress = [&steps](size_t done, size_t total) { steps.emplace_back(done, total); };
  ASSERT_TRUE(Read(options, {Node("a", "10.0.0.1")}).ok());
  using Step = std::pair<size_t, size_t>;
  EXPECT_THAT(steps, ElementsAre(Step(1, 4), Step(2, 4), Step(3, 4), Step(4, 4)));
}

TEST(PrometheusSource, CountsAsTheOriginalDidByItsArithmetic) {
  const ScriptedPrometheus server([](const Asked& asked) -> Answered {
    if (KindOf(asked) != "memory-series") {
      return {200, VectorOf({InstantSeries(LabelsOf(1), "300")})};
    }
    return {200, R"({"status":"success","data":{"resultType":"matrix","result":[)"
                 R"({"metric":{"instance":"10.0.0.1:9100"},"values":[[1,"100"],[2,"300"]]}]}})"};
  });
  PrometheusOptions options = To(server.url());
  options.original_arithmetic = true;
  options.use_requests = true;
  NodeQuestion node = Node("a", "10.0.0.1");
  node.memory = 1000;
  node.requested_memory = 850;
  const auto reading = Read(options, {node});
  ASSERT_TRUE(reading.ok()) << reading.status();
  const NodeReading& got = reading->nodes[0];
  EXPECT_EQ(got.cpu.deviation.value, 300);
  EXPECT_EQ(got.memory.mean.value, 225) << "100 is raised to 150";
  EXPECT_NEAR(*got.memory.deviation.value, 106.066, 0.001) << "divided by n - 1";
  ASSERT_TRUE(got.original);
  EXPECT_EQ(got.original->now.value, 300);
  EXPECT_EQ(got.original->least.value, 150);
  for (const Asked& asked : server.asked()) {
    if (Holds(asked.query, "cpu")) {
      EXPECT_THAT(asked.query, ::testing::AnyOf(HasSubstr("irate("), HasSubstr("[5m])/(5*60)")));
    }
  }
}

TEST(PrometheusSource, RefusesOptionsThatCannotWork) {
  for (const auto& [change, text] :
       std::vector<std::pair<std::function<void(PrometheusOptions*)>, std::string>>{
           {[](PrometheusOptions* o) { o->url = "prometheus:9090"; }, "URL"},
           {[](PrometheusOptions* o) { o->window = seconds(0); }, "window"},
           {[](PrometheusOptions* o) { o->step = seconds(0); }, "step"},
           {[](PrometheusOptions* o) { o->most_calls = 0; }, "calls at a time"},
           {[](PrometheusOptions* o) { o->most_samples = std::nan(""); }, "samples"},
           {[](PrometheusOptions* o) {
              o->further = {{"f", " "}};
            },
            "annotation f"}}) {
    PrometheusOptions options;
    change(&options);
    const auto source = MakePrometheusSource(options);
    EXPECT_EQ(source.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(source.status().message()), HasSubstr(text));
  }
}

}  // namespace
}  // namespace outrigger::usage
