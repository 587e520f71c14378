#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "prometheus_source_testing.h"

namespace outrigger::usage {
namespace {

using absl::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(PrometheusSource, ReadsMeanAndDeviationOfEachNode) {
  const ScriptedPrometheus server(Cluster(2));
  const auto reading =
      Read(To(server.url()), {AskedNode("b", "10.0.0.2"), AskedNode("a", "10.0.0.1")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->end_ms, kEndMs);
  EXPECT_EQ(reading->window, seconds(86'400));
  ASSERT_EQ(reading->nodes.size(), 2U);
  EXPECT_EQ(reading->nodes[0].matched_by, "instance=10.0.0.2:9100 (address)");
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
  ASSERT_TRUE(Read(options, {AskedNode("a", "10.0.0.1")}).ok());
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
  const std::string of = R"(instance=~"10\\.0\\.0\\.1:9100"})";
  const std::string counter = R"(node_cpu_seconds_total{job="a", )";
  const std::string cpus = "count without (cpu, mode) (" + counter + R"(mode="idle",)" + of + ")";
  const std::string rate = "sum without (cpu, mode) (rate(" + counter;
  EXPECT_EQ(mean, fmt::format("1000 * avg by (instance) ({0} * {1}mode=\"idle\",{2}[600s])) / "
                              "(({1}mode=\"idle\",{2}[600s])) + ({1}mode!=\"idle\",{2}[600s])) + "
                              "0 * {1}mode=\"user\",{2}[600s])))) <= 1.2 * {0}))",
                              cpus, rate, of));
}

struct ScrapesRow {
  const char* name;
  const char* samples;
  const char* range;
  std::vector<std::string> notes;
};
class PrometheusScrapes : public ::testing::TestWithParam<ScrapesRow> {};

TEST_P(PrometheusScrapes, AreFourInARate) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string& kind, const Asked& asked) -> std::optional<Answered> {
        if (kind == "scrapes") return Scrapes(GetParam().samples);
        if (kind != "cpu-deviation" || Holds(asked.query, GetParam().range)) return std::nullopt;
        return Answered{200, VectorOf({})};
      }));
  const auto reading = Read(To(server.url()), {AskedNode("a", "10.0.0.1")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].cpu.mean.value, 1000) << reading->nodes[0].cpu.mean.detail;
  EXPECT_EQ(reading->nodes[0].cpu.deviation.value, 1001);
  ASSERT_EQ(reading->notes.size(), GetParam().notes.size());
  for (const std::string& note : GetParam().notes) {
    EXPECT_THAT(reading->notes, ElementsAre(HasSubstr(note)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, PrometheusScrapes,
    ::testing::Values(
        ScrapesRow{"AMinute", R"([10,"1"],[70,"1"],[130.5,"1"],[190,"1"])", "}[240s]", {}},
        ScrapesRow{"FiveMinutes", R"([300,"1"],[600,"1"])", "}[1200s]", {}},
        ScrapesRow{"OneAlone",
                   R"([300,"1"])",
                   "}[1200s]",
                   {"query of scrapes: no series has two samples, so rates are taken over 1200s: "
                    "node_memory_MemAvailable_bytes{"}},
        ScrapesRow{"None", "", "}[1200s]", {"no series has two samples"}}),
    [](const auto& row) { return row.param.name; });

// With fewer a window would be without a rate each time that one is missed.
TEST(PrometheusSource, TakesAWindowOfThreeScrapesAtLeast) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string& kind, const Asked&) -> std::optional<Answered> {
        if (kind == "scrapes") return Scrapes(R"([150,"1"],[300,"1"],[450,"1"])");
        return std::nullopt;
      }));
  for (const auto& [asked, taken] : {std::pair(300, 450), std::pair(600, 600)}) {
    PrometheusOptions options = To(server.url());
    options.window = std::chrono::seconds(asked);
    const auto reading = Read(options, {AskedNode("a", "10.0.0.1")});
    ASSERT_TRUE(reading.ok()) << reading.status();
    EXPECT_EQ(reading->window, std::chrono::seconds(taken));
  }
}

TEST(PrometheusSource, ReportsWhyANodeHasNoValueOfAQuery) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string& kind, const Asked&) -> std::optional<Answered> {
        if (kind == "cpu-mean") return Answered{200, VectorOf({})};
        if (kind != "memory-mean") return std::nullopt;
        return Answered{200, VectorOf({InstantSeries(R"("host":"a")", "1")})};
      }));
  const auto reading = Read(To(server.url()), {AskedNode("a", "10.0.0.1")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(
      reading->nodes[0].cpu.mean.detail,
      "the answer has no value of it; a rate needs two samples in 86400s of "
      "node_cpu_seconds_total in all modes, that count no faster than time goes by. Scrape more "
      "often, or set a longer --window");
  EXPECT_EQ(reading->nodes[0].memory.mean.detail,
            "the answer has 1 series, but none has a label node or instance that names it");
}

// 4 cpus and 8 GB, of which the kubelet keeps one and 2 GB.
TEST(PrometheusSource, CountsAsFreeWhatPodsMayUse) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string& kind, const Asked&) -> std::optional<Answered> {
        const std::map<std::string, std::string> values = {{"cpus", "4"},
                                                           {"total", "8000000000"},
                                                           {"cpu-mean", "1000"},
                                                           {"memory-mean", "1500000000"}};
        const auto value = values.find(kind);
        if (value == values.end()) return std::nullopt;
        return Answered{200, VectorOf({InstantSeries(LabelsOf(1), value->second)})};
      }));
  NodeQuestion node = AskedNode("a", "10.0.0.1", 3000);
  node.memory = 6e9;
  const auto reading = Read(To(server.url()), {node});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].cpu.mean.value, 0) << "three of three cpus are used";
  EXPECT_EQ(reading->nodes[0].cpu.deviation.value, 1001);
  EXPECT_EQ(reading->nodes[0].memory.mean.value, 0) << "6.5 GB of 6 are used";
  PrometheusOptions own = To(server.url());
  own.queries.cpu_mean = "avg_over_time(free_cpu{$label=~\"$nodes\"}[$window])";
  const auto of_user = Read(own, {node});
  ASSERT_TRUE(of_user.ok()) << of_user.status();
  EXPECT_EQ(of_user->nodes[0].cpu.mean.value, 1000) << "a query of the user's is taken as it is";
}

// Without what is reserved it would look emptier than it is.
TEST(PrometheusSource, HasNoValueWhereWhatTheMachineIsCouldNotBeAsked) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string& kind, const Asked&) -> std::optional<Answered> {
        if (kind != "cpus") return std::nullopt;
        return ErrorAnswer(503, "unavailable", "no store answers");
      }));
  const auto reading = Read(To(server.url()), {AskedNode("a", "10.0.0.1")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].cpu.mean.gap, Gap::kFailed);
  EXPECT_EQ(reading->nodes[0].memory.mean.value, 1000);
}

TEST(PrometheusSource, SaysHowMuchOfTheWindowANodeHas) {
  const ScriptedPrometheus server(
      Cluster(2, [](const std::string& kind, const Asked&) -> std::optional<Answered> {
        if (kind != "known") return std::nullopt;
        return Answered{200, VectorOf({InstantSeries(LabelsOf(1), "600.5")})};
      }));
  const auto reading =
      Read(To(server.url()), {AskedNode("new", "10.0.0.1"), AskedNode("old", "10.0.0.2")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].known, milliseconds(600'500));
  EXPECT_EQ(reading->nodes[1].known, reading->window) << "not known";
}

struct TextRow {
  const char* name;
  const char* value;
  Gap gap;
};
class PrometheusValue : public ::testing::TestWithParam<TextRow> {};

TEST_P(PrometheusValue, ThatIsNoAmountIsAGapOfThatResourceAlone) {
  const ScriptedPrometheus server(
      Cluster(2, [](const std::string& kind, const Asked&) -> std::optional<Answered> {
        if (kind != "cpu-mean") return std::nullopt;
        return Answered{200, VectorOf({InstantSeries(LabelsOf(1), GetParam().value),
                                       InstantSeries(LabelsOf(2), "7")})};
      }));
  const auto reading =
      Read(To(server.url()), {AskedNode("a", "10.0.0.1"), AskedNode("b", "10.0.0.2")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].cpu.mean.value, std::nullopt);
  EXPECT_EQ(reading->nodes[0].cpu.mean.gap, GetParam().gap) << reading->nodes[0].cpu.mean.detail;
  EXPECT_EQ(reading->nodes[0].cpu.deviation.value, std::nullopt) << "of the same samples";
  EXPECT_EQ(reading->nodes[0].memory.mean.value, 1000);
  EXPECT_EQ(reading->nodes[1].cpu.mean.value, 7);
  EXPECT_EQ(reading->nodes[1].cpu.deviation.value, 2001);
}

INSTANTIATE_TEST_SUITE_P(Rows, PrometheusValue,
                         ::testing::Values(TextRow{"NaN", "NaN", Gap::kNotFinite},
                                           TextRow{"PlusInf", "+Inf", Gap::kNotFinite},
                                           TextRow{"MinusInf", "-Inf", Gap::kNotFinite},
                                           TextRow{"Huge", "1e999", Gap::kNotFinite},
                                           TextRow{"Negative", "-1", Gap::kUnit}),
                         [](const auto& row) { return row.param.name; });

// A recording rule as people have it: of idle cpus, in another unit.
TEST(PrometheusSource, TakesNoRatioOfAQueryForMillicores) {
  const ScriptedPrometheus server(
      Cluster(2, [](const std::string&, const Asked& asked) -> std::optional<Answered> {
        if (asked.query != "instance:node_cpu:ratio") return std::nullopt;
        return Answered{200, VectorOf({InstantSeries(LabelsOf(1), "0.12"),
                                       InstantSeries(LabelsOf(2), "0.31")})};
      }));
  PrometheusOptions options = To(server.url());
  options.queries.cpu_mean = "instance:node_cpu:ratio";
  const auto reading = Read(options, {AskedNode("a", "10.0.0.1"), AskedNode("b", "10.0.0.2")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  for (const NodeReading& node : reading->nodes) {
    EXPECT_EQ(node.cpu.mean.value, std::nullopt);
    EXPECT_EQ(node.cpu.mean.gap, Gap::kUnit);
    EXPECT_TRUE(node.cpu.deviation.value) << "of a default query";
  }
  EXPECT_THAT(reading->notes,
              ElementsAre("--query-cpu-mean gives at most 0.31 (node b, which has 4000), expected "
                          "are free millicores. It looks like a ratio: multiply it by 1000 and the "
                          "number of cpus"));
}

TEST(PrometheusSource, HasNoSeriesWhereTheAnswerIsEmpty) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string& kind, const Asked&) -> std::optional<Answered> {
        return kind == "memory-mean" ? std::optional(Answered{200, VectorOf({})}) : std::nullopt;
      }));
  const auto reading =
      Read(To(server.url()), {AskedNode("a", "10.0.0.1"), AskedNode("gone", "10.0.0.9")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].memory.mean.gap, Gap::kNoSeries);
  EXPECT_EQ(reading->nodes[0].memory.deviation.gap, Gap::kNoSeries);
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
  const auto reading = Read(To(server.url()), {AskedNode("a", "10.0.0.1")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].cpu.mean.gap, Gap::kSeveralSeries);
  EXPECT_THAT(reading->nodes[0].cpu.mean.detail, HasSubstr("job=a, job=b"));
}

TEST(PrometheusSource, ReadsForecastsFromARangeThatEndsWithTheWindow) {
  const ScriptedPrometheus server(
      Cluster(1, [](const std::string& kind, const Asked& asked) -> std::optional<Answered> {
        if (!Holds(kind, "series")) return std::nullopt;
        EXPECT_EQ(asked.end, "1795658038.500");
        EXPECT_EQ(asked.start, "1795401430.500");  // 99 times 2592 s before: three windows of a day
        EXPECT_EQ(asked.step, "2592.000");
        std::string values;
        for (int i = 0; i < 100; ++i) {
          values += fmt::format(R"({}[{}.5,"{}"])", i == 0 ? "" : ",", 1'795'401'430 + 2592 * i,
                                kind == "cpu-series" ? 5000 - 50 * i : 7);
        }
        return Answered{200, R"({"status":"success","data":{"resultType":"matrix","result":[)"
                             R"({"metric":{"instance":"10.0.0.1:9100"},"values":[)" +
                                 values + "]}]}}"};
      }));
  PrometheusOptions options = To(server.url());
  options.forecast = true;
  const auto reading = Read(options, {AskedNode("a", "10.0.0.1")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].memory.forecast.value, 7);
  ASSERT_TRUE(reading->nodes[0].cpu.forecast.value) << reading->nodes[0].cpu.forecast.detail;
  EXPECT_EQ(*reading->nodes[0].cpu.forecast.value, 50) << "no less than what was seen";
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
  const auto reading =
      Read(options, {AskedNode("a", "10.0.0.1"), AskedNode("unmeasured", "10.0.0.9")});
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
          return Answered{200, VectorOf({InstantSeries(LabelsOf(1), "1", "1795658110")})};
        }
        if (kind != "cpu-mean") return std::nullopt;
        return Answered{200, R"({"status":"success","warnings":["a store is gone"],"data":)"
                             R"({"resultType":"vector","result":[]}})"};
      }));
  const auto reading = Read(To(server.url()), {AskedNode("a", "10.0.0.1")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->end_ms, kEndMs + 1000) << "by the clock here";
  EXPECT_THAT(reading->notes,
              ElementsAre(HasSubstr("the clock of Prometheus is 70 s ahead"),
                          HasSubstr("cpu-mean: Prometheus warns: a store is gone")));
}

TEST(PrometheusSource, ReportsItsProgress) {
  const ScriptedPrometheus server(Cluster(1));
  PrometheusOptions options = To(server.url());
  std::vector<std::pair<size_t, size_t>> steps;
  options.progress = [&steps](size_t done, size_t total) { steps.emplace_back(done, total); };
  ASSERT_TRUE(Read(options, {AskedNode("a", "10.0.0.1")}).ok());
  ASSERT_EQ(steps.size(), 7U) << "two values of each resource, and what the machine is";
  for (size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(steps[i], std::pair(i + 1, size_t{7}));
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
  NodeQuestion node = AskedNode("a", "10.0.0.1");
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
