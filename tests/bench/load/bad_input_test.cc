// What `annotate usage` makes of bad input, with the queries that it really asks: the right value,
// or none and the reason.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "load/usage/scripted_prometheus_testing.h"
#include "load/usage/source.h"
#include "promql/engine.h"
#include "promql/store_answers.h"

namespace outrigger::load_bench {
namespace {

using ::testing::HasSubstr;
using usage::Gap;

constexpr double kNow = 1'800'000'000;
constexpr double kCpus = 4;
constexpr double kMemory = 8e9;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// A node_exporter of a machine of four processors, idle by three quarters of their time and with
/// 6e9 bytes available, as Prometheus scrapes it.
struct Scraped {
  LabelSet labels = {{"instance", "10.0.0.1:9100"}, {"job", "node"}};
  double interval = 15;
  double since = 3600;  // before now
  double cpus = kCpus;
  bool has_cpu = true;
  bool has_memory = true;
  std::vector<std::string> busy = {"user", "system"};  // modes besides idle
  std::vector<double> resets = {};  // before now, when the machine was started again
  /// The share of idle at a time before now; what a counter or the gauge shows in place of a value.
  std::function<double(double ago)> idle = [](double) { return 0.75; };
  std::function<double(double ago, double value)> counter = [](double, double v) { return v; };
  std::function<double(double ago, double value)> available = [](double, double v) { return v; };
};

class Store {
 public:
  void Add(const Scraped& exporter) {
    for (int cpu = 0; exporter.has_cpu && cpu < exporter.cpus; ++cpu) AddCpu(exporter, cpu);
    if (!exporter.has_memory) return;
    const size_t available = Series("node_memory_MemAvailable_bytes", exporter, {});
    const size_t total = Series("node_memory_MemTotal_bytes", exporter, {});
    ForEachScrape(exporter, [&](double ago) {
      store_.Append(available, {kNow - ago, exporter.available(ago, 6e9)});
      store_.Append(total, {kNow - ago, kMemory});
    });
  }
  void AddUname(const std::string& instance, const std::string& nodename) {
    const size_t series =
        Series("node_uname_info", {.labels = {{"instance", instance}}}, {{"nodename", nodename}});
    store_.Append(series, {kNow - 10, 1});
  }
  const SeriesStore& store() const { return store_; }

 private:
  size_t Series(const std::string& name, const Scraped& exporter, const LabelSet& more) {
    LabelSet labels = exporter.labels;
    labels.insert(more.begin(), more.end());
    labels["__name__"] = name;
    return store_.Add(std::move(labels));
  }
  // The last scrape was a part of an interval ago.
  template <typename Do>
  static void ForEachScrape(const Scraped& exporter, const Do& each) {
    const double last = 0.4 * exporter.interval;
    const auto count = static_cast<int>((exporter.since - last) / exporter.interval);
    for (int i = count; i >= 0; --i) each(last + i * exporter.interval);
  }
  void AddCpu(const Scraped& exporter, int cpu) {
    const std::string metric = "node_cpu_seconds_total";
    const auto of_mode = [&](const std::string& mode) {
      return Series(metric, exporter, {{"cpu", std::to_string(cpu)}, {"mode", mode}});
    };
    const size_t idle = of_mode("idle");
    std::vector<size_t> busy;
    for (const std::string& mode : exporter.busy) busy.push_back(of_mode(mode));
    double idle_seconds = 50'000;
    double busy_seconds = 10'000;
    double before = exporter.since;
    ForEachScrape(exporter, [&](double ago) {
      double at = before;
      while (at > ago) {
        const auto is_now = [at](double reset) { return at - 1 < reset && reset <= at; };
        if (std::any_of(exporter.resets.begin(), exporter.resets.end(), is_now)) {
          idle_seconds = busy_seconds = 0;
        }
        const double step = std::min(1.0, at - ago);
        idle_seconds += exporter.idle(at) * step;
        busy_seconds += (1 - exporter.idle(at)) * step / static_cast<double>(busy.size());
        at -= 1;
      }
      before = ago;
      store_.Append(idle, {kNow - ago, exporter.counter(ago, idle_seconds)});
      for (const size_t mode : busy) {
        store_.Append(mode, {kNow - ago, exporter.counter(ago, busy_seconds)});
      }
    });
  }

  SeriesStore store_;
};

/// The node that is asked for.
usage::NodeQuestion Node(const std::string& name = "a") {
  return {.name = name,
          .addresses = {"10.0.0.1", "fd00::1"},
          .cpu = 1000 * kCpus,
          .memory = kMemory,
          .cpu_capacity = 1000 * kCpus,
          .memory_capacity = kMemory,
          .requested_memory = 0};
}

/// What annotate usage measures of the store; the clock here is `ahead` of that of Prometheus.
usage::Reading Read(const SeriesStore& store, const usage::NodeQuestion& node, double ahead = 0) {
  StoreAnswers answers(&store);
  std::mutex mutex;
  const usage::ScriptedPrometheus server([&](const usage::Asked& asked) {
    const std::lock_guard lock(mutex);
    return answers.Answer(asked, kNow);
  });
  usage::PrometheusOptions options;
  options.url = server.url();
  options.window = std::chrono::seconds(900);
  options.clock.wall = [ahead] {
    return std::chrono::system_clock::from_time_t(static_cast<time_t>(kNow + ahead));
  };
  auto source = usage::MakePrometheusSource(options);
  auto reading = (*source)->Read(std::vector{node}, {});
  EXPECT_TRUE(reading.ok()) << reading.status();
  if (reading.ok()) return *std::move(reading);
  usage::Reading none;
  none.nodes.resize(1);
  return none;
}

/// A value, with how far it may be off, or the reason why there is none.
struct Wanted {
  double value = 0;
  double room = 0;
  Gap gap = Gap::kNone;
  std::string reason = {};
};

Wanted Is(double value, double room = 1) {
  return {.value = value, .room = room};
}
Wanted None(Gap gap, std::string reason) {
  return {.gap = gap, .reason = std::move(reason)};
}

void Check(const usage::Value& value, const Wanted& wanted) {
  EXPECT_EQ(value.gap, wanted.gap) << value.detail << " " << value.value.value_or(-1);
  EXPECT_THAT(value.detail, HasSubstr(wanted.reason));
  if (wanted.gap == Gap::kNone && value.value) {
    EXPECT_NEAR(*value.value, wanted.value, wanted.room);
  }
}

struct InputRow {
  const char* name;
  std::vector<Scraped> exporters;
  Wanted cpu = Is(3000);
  Wanted memory = Is(6e9);
};
class BadInput : public ::testing::TestWithParam<InputRow> {};

TEST_P(BadInput, IsTheRightValueOrNone) {
  Store store;
  for (const Scraped& exporter : GetParam().exporters) store.Add(exporter);
  const usage::Reading reading = Read(store.store(), Node());
  for (const auto& [free, wanted] : {std::pair(&reading.nodes[0].cpu, GetParam().cpu),
                                     std::pair(&reading.nodes[0].memory, GetParam().memory)}) {
    Check(free->mean, wanted);
    if (wanted.gap != Gap::kNone) {
      EXPECT_FALSE(free->deviation.value);
    }
  }
}

Scraped Labelled(LabelSet labels, double idle = 0.75) {
  return {.labels = std::move(labels), .idle = [idle](double) { return idle; }};
}

// In one of the window's scrapes.
bool IsOnce(double ago) {
  return ago > 300 && ago < 315;
}

// A load that began ten minutes ago: over 15 minutes the node is idle by 4 * (1/3 + 2/3 * 1/4).
Scraped Stepped(double interval, double since = 3600) {
  return {.interval = interval, .since = since, .idle = [](double ago) {
            return ago > 600 ? 1 : 0.25;
          }};
}

const Wanted kNotFinite = None(Gap::kNotFinite, "the value is");
const Wanted kTooMuch = None(Gap::kUnit, "more than the machine has");
const Wanted kNoRate = None(Gap::kNoSeries, "two samples in 900s");
const Wanted kTwo = None(Gap::kSeveralSeries, "2 series");

INSTANTIATE_TEST_SUITE_P(
    Values, BadInput,
    ::testing::Values(
        InputRow{"Good", {{}}},
        InputRow{"NotANumber",
                 {{.counter = [](double, double) { return kNan; },
                   .available = [](double, double) { return kNan; }}},
                 kNoRate,
                 kNotFinite},
        InputRow{"NotANumberOnce",
                 {{.counter = [](double ago, double v) { return IsOnce(ago) ? kNan : v; },
                   .available = [](double ago, double v) { return IsOnce(ago) ? kNan : v; }}},
                 Is(3000),
                 kNotFinite},
        InputRow{"Infinite",
                 {{.counter = [](double, double) { return kInf; },
                   .available = [](double, double) { return kInf; }}},
                 kNoRate,
                 kNotFinite},
        InputRow{"Negative",
                 {{.counter = [](double, double v) { return v - 1e6; },
                   .available = [](double, double v) { return -v; }}},
                 Is(3000),
                 None(Gap::kUnit, "negative")},
        InputRow{"CountsDown", {{.counter = [](double, double v) { return 1e6 - v; }}}, kNoRate},
        InputRow{"Huge",
                 {{.counter = [](double ago, double v) { return v - 1e12 * ago; },
                   .available = [](double, double v) { return 1e6 * v; }}},
                 kNoRate,
                 kTooMuch},
        InputRow{"HugeOnce",
                 {{.available = [](double ago, double v) { return IsOnce(ago) ? 1e18 : v; }}},
                 Is(3000),
                 kTooMuch},
        InputRow{"CounterThatLeaps",
                 {{.counter = [](double ago, double v) { return ago < 300 ? v + 1000 : v; }}},
                 kNoRate},
        InputRow{
            "CounterThatStands", {{.counter = [](double, double) { return 5000; }}}, kNotFinite},
        InputRow{"Reset", {{.resets = {400}}}, Is(3000, 20)},
        InputRow{"ResetTwice", {{.resets = {600, 200}}}, Is(3000, 20)}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Series, BadInput,
    ::testing::Values(
        InputRow{"NoCpu", {{.has_cpu = false}}, kNoRate},
        InputRow{
            "NoMemory",
            {{.has_memory = false}},
            None(Gap::kNoSeries, "no series has its name"),
            None(Gap::kNoSeries, "Check that its node_exporter is scraped at least each 5 min")},
        InputRow{"IdleAlone", {{.busy = {}}}, kNoRate},
        InputRow{"IdleAndIowait", {{.busy = {"iowait"}}}, kNoRate},
        InputRow{"TwoJobs",
                 {Labelled({{"instance", "10.0.0.1:9100"}, {"job", "x"}}),
                  Labelled({{"instance", "10.0.0.1:9100"}, {"job", "y"}})},
                 kTwo,
                 kTwo},
        InputRow{"TwoJobsOfCpu",
                 {{},
                  {.labels = {{"instance", "10.0.0.1:9100"}, {"job", "y"}},
                   .cpus = 1,
                   .has_memory = false}},
                 None(Gap::kSeveralSeries, "several series in the answer")},
        InputRow{"TwoExportersOfAnAddress", {{}, Labelled({{"instance", "10.0.0.1:9101"}}, 0.1)}},
        InputRow{"TwoExportersOfALabel",
                 {Labelled({{"node", "a"}, {"instance", "10.0.0.1:9100"}}),
                  Labelled({{"node", "a"}, {"instance", "10.0.0.1:9200"}}, 0.1)}},
        InputRow{
            "TwoExportersOfOtherPorts",
            {Labelled({{"instance", "10.0.0.1:9200"}}), Labelled({{"instance", "10.0.0.1:9201"}})},
            kTwo,
            kTwo},
        InputRow{"AnotherNode", {{}, Labelled({{"instance", "10.0.0.2:9100"}}, 0.1)}}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(Scrapes, BadInput,
                         ::testing::Values(InputRow{"Each5s", {Stepped(5)}, Is(2000, 20)},
                                           InputRow{"Each15s", {Stepped(15)}, Is(2000, 60)},
                                           InputRow{"Each60s", {Stepped(60)}, Is(2000, 200)},
                                           InputRow{"Each150s", {Stepped(150)}, Is(2000, 400)},
                                           InputRow{"Each5min", {Stepped(300)}, Is(2000, 500)},
                                           InputRow{"Each5minSteady", {{.interval = 300}}},
                                           InputRow{"NewNode", {{.since = 120}}},
                                           InputRow{"OneScrape", {{.since = 10}}, kNoRate}),
                         [](const auto& row) { return row.param.name; });

struct NameRow {
  const char* name;
  const char* node;
  LabelSet labels;
  const char* matched_by;
};
class NamedSeries : public ::testing::TestWithParam<NameRow> {};

TEST_P(NamedSeries, IsTheNodes) {
  const NameRow& row = GetParam();
  Store store;
  store.Add(Labelled(row.labels));
  store.Add(Labelled({{"instance", "10.0.0.2:9100"}, {"node", "other"}}, 0.1));
  store.AddUname("pod:9100", "a");
  const usage::Reading reading = Read(store.store(), Node(row.node));
  EXPECT_EQ(reading.nodes[0].matched_by, row.matched_by);
  Check(reading.nodes[0].cpu.mean, Is(3000));
  Check(reading.nodes[0].memory.mean, Is(6e9));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, NamedSeries,
    ::testing::Values(
        NameRow{"NodeLabel", "a", {{"node", "a"}, {"instance", "x:1"}}, "node=a (node name)"},
        NameRow{"NodeName", "a", {{"instance", "a"}}, "instance=a (node name)"},
        NameRow{"Ipv4", "a", {{"instance", "10.0.0.1"}}, "instance=10.0.0.1 (address)"},
        NameRow{"Ipv4AndPort",
                "a",
                {{"instance", "10.0.0.1:9100"}},
                "instance=10.0.0.1:9100 (address)"},
        NameRow{"Ipv6AndPort",
                "a",
                {{"instance", "[fd00::1]:9100"}},
                "instance=[fd00::1]:9100 (address)"},
        NameRow{"Ipv6InLongForm",
                "a",
                {{"instance", "[fd00:0:0:0:0:0:0:1]:9100"}},
                "instance=[fd00:0:0:0:0:0:0:1]:9100 (address)"},
        NameRow{"Ipv6Alone", "a", {{"instance", "fd00::0001"}}, "instance=fd00::0001 (address)"},
        NameRow{"HostNameWithDomain",
                "a",
                {{"instance", "a.example.com:9100"}},
                "instance=a.example.com:9100 (host name)"},
        NameRow{"NodeNameWithDomain",
                "a.example.com",
                {{"instance", "a:9100"}},
                "instance=a:9100 (host name)"},
        NameRow{"Uname",
                "a",
                {{"instance", "pod:9100"}},
                "instance=pod:9100 (host name in node_uname_info)"}),
    [](const auto& row) { return row.param.name; });

// The window's end is by the clock here, which is nearer to that of the API server's pods.
TEST(BadInputClocks, ThatOfPrometheusIsTenMinutesOff) {
  for (const double ahead : {-600.0, 600.0}) {
    Store store;
    store.Add({});
    const usage::Reading reading = Read(store.store(), Node(), ahead);
    Check(reading.nodes[0].cpu.mean, Is(3000));
    Check(reading.nodes[0].memory.mean, Is(6e9));
    EXPECT_EQ(reading.end_ms, static_cast<int64_t>(1000 * (kNow + ahead)));
    ASSERT_EQ(reading.notes.size(), 1U);
    EXPECT_THAT(reading.notes[0], HasSubstr("the clock of Prometheus is 600 s"));
  }
}

// Of an agent that pushes samples with the times of its own clock.
TEST(BadInputClocks, ThatOfTheNodeIsTenMinutesOff) {
  for (const double ahead : {-600.0, 600.0}) {
    Store pushed;
    pushed.Add({});
    SeriesStore store;
    for (const SeriesStore::Series& series : pushed.store().all()) {
      const size_t place = store.Add(series.labels);
      for (const Sample& sample : series.samples) {
        store.Append(place, {sample.time + ahead, sample.value});
      }
    }
    const usage::Reading reading = Read(store, Node());
    const Wanted gone = None(Gap::kNoSeries, "no series has its name");
    Check(reading.nodes[0].cpu.mean, ahead < 0 ? gone : Is(3000));
    Check(reading.nodes[0].memory.mean, ahead < 0 ? gone : Is(6e9));
  }
}

struct SampledRow {
  const char* name;
  const char* cpu;
  const char* memory;
  double ahead = 0;  // of the source's clock
  Wanted wanted_cpu = Is(3000);
  Wanted wanted_memory = Is(6e9);
  const char* more = "";  // further items
};
class BadSample : public ::testing::TestWithParam<SampledRow> {};

// metrics.k8s.io, read each minute for ten minutes.
TEST_P(BadSample, IsTheRightValueOrNone) {
  const SampledRow& row = GetParam();
  double now = kNow - 600;
  const auto fetch = [&](const std::string&, const std::stop_token&) {
    const absl::Time at = absl::FromUnixSeconds(static_cast<int64_t>(now + row.ahead));
    return absl::StatusOr<std::string>(
        fmt::format(R"({{"items":[{{"metadata":{{"name":"a"}},"timestamp":"{}","window":"20s",)"
                    R"("usage":{{"cpu":"{}","memory":"{}"}}}}{}]}})",
                    absl::FormatTime(absl::RFC3339_sec, at, absl::UTCTimeZone()), row.cpu,
                    row.memory, row.more));
  };
  usage::MetricsOptions options;
  options.clock.wall = [&now] {
    return std::chrono::system_clock::from_time_t(static_cast<time_t>(now));
  };
  auto source = usage::MakeMetricsApiSource(fetch, options);
  usage::Reading reading;
  while (now <= kNow) {
    reading = *(*source)->Read(std::vector{Node()}, {});
    now += 60;
  }
  Check(reading.nodes[0].cpu.mean, row.wanted_cpu);
  Check(reading.nodes[0].memory.mean, row.wanted_memory);
}

const Wanted kNoAmount = None(Gap::kUnit, "missing or no amount");
const Wanted kOld = None(Gap::kNoSeries, "its sample is 600 s old");
const Wanted kTwice = None(Gap::kSeveralSeries, "several nodes of this name");

INSTANTIATE_TEST_SUITE_P(
    Rows, BadSample,
    ::testing::Values(SampledRow{"Good", "1", "2e9"},
                      SampledRow{"NotANumber", "NaN", "nan", 0, kNoAmount, kNoAmount},
                      SampledRow{"Negative", "-1", "-1", 0, kNoAmount, kNoAmount},
                      SampledRow{"Infinite", "1e999", "Inf", 0, kNoAmount, kNoAmount},
                      SampledRow{"Huge", "1e9", "9e15", 0, kTooMuch, kTooMuch},
                      SampledRow{"ClockAhead", "1", "2e9", 600},
                      SampledRow{"ClockBehind", "1", "2e9", -600, kOld, kOld},
                      SampledRow{"Twice", "1", "2e9", 0, kTwice, kTwice,
                                 R"(,{"metadata":{"name":"a"},"usage":{"cpu":"1"}})"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::load_bench
