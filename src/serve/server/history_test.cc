#include "serve/server/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <utility>

#include "outrigger/base/mutex.h"

namespace outrigger::server {
namespace {

using nlohmann::json;
using std::chrono::seconds;

ShownFamily Family(const std::string& name, std::vector<ShownFamily::Series> series) {
  return {.name = name, .help = "Help.", .is_counter = false, .series = std::move(series)};
}

ShownFamily One(double value, const std::string& agent = "qos") {
  return Family("outrigger_one", {{.labels = {{"agent", agent}}, .value = value}});
}

ShownFamily Many(size_t count, const std::string& name = "outrigger_many") {
  ShownFamily family = Family(name, {});
  for (size_t i = 0; i < count; ++i) {
    family.series.push_back(
        {.labels = {{"agent", "gang"}, {"cause", std::to_string(i)}}, .value = 1});
  }
  return family;
}

json Read(const SampleRing& ring) {
  std::string text = "{";
  ring.AppendJson(&text);
  return json::parse(text + "}");
}

json Values(const SampleRing& ring, std::string_view name) {
  const json read = Read(ring);
  for (const json& series : read["series"]) {
    if (series["name"] == name) return series["values"];
  }
  return "no such series";
}

void Add(SampleRing* ring, int64_t time, const ShownFamily& family) {
  ring->Add(time, std::vector<ShownFamily>{family});
}

TEST(SampleRing, KeepsTheLastSamplesInOrder) {
  SampleRing ring;
  for (int i = 1; i <= 125; ++i) Add(&ring, 1000 + i, One(i));
  const json read = Read(ring);
  ASSERT_EQ(read["times"].size(), SampleRing::kSamples);
  EXPECT_EQ(read["times"].front(), 1006);
  EXPECT_EQ(read["times"].back(), 1125);
  const json values = Values(ring, "outrigger_one");
  ASSERT_EQ(values.size(), SampleRing::kSamples);
  EXPECT_EQ(values.front(), 6);
  EXPECT_EQ(values.back(), 125);
}

TEST(SampleRing, ASeriesHasNullsBeforeItComesAndAfterItGoes) {
  SampleRing ring;
  Add(&ring, 1, Family("outrigger_other", {}));
  Add(&ring, 2, One(7));
  Add(&ring, 3, Family("outrigger_other", {}));
  EXPECT_EQ(Values(ring, "outrigger_one"), json::parse("[null,7,null]"));
}

TEST(SampleRing, ASeriesThatIsGoneForAllSamplesIsDropped) {
  SampleRing ring;
  Add(&ring, 1, One(7));
  for (int i = 2; i <= 120; ++i) Add(&ring, i, Family("outrigger_other", {}));
  EXPECT_EQ(Values(ring, "outrigger_one").front(), 7);
  Add(&ring, 121, Family("outrigger_other", {}));
  EXPECT_EQ(Values(ring, "outrigger_one"), "no such series");
}

TEST(SampleRing, ASampleAtTheTimeOfTheLastReplacesIt) {
  SampleRing ring;
  Add(&ring, 5, One(1));
  Add(&ring, 5, One(2));
  Add(&ring, 4, One(3));
  EXPECT_EQ(Read(ring)["times"], json::parse("[5]"));
  EXPECT_EQ(Values(ring, "outrigger_one"), json::parse("[3]"));
}

TEST(SampleRing, LeavesOutSeriesOfTheLargestFamilyAndSaysSo) {
  SampleRing ring;
  ring.Add(1, std::vector<ShownFamily>{Many(500), One(1)});
  const json read = Read(ring);
  EXPECT_EQ(read["series"].size(), SampleRing::kMaxSeries);
  EXPECT_EQ(read["truncated"], true);
  EXPECT_EQ(Values(ring, "outrigger_one"), json::parse("[1]"));
  SampleRing small;
  Add(&small, 1, Many(400));
  EXPECT_EQ(Read(small)["truncated"], false);
}

TEST(SampleRing, LeavesOutASeriesWithALongText) {
  SampleRing ring;
  Add(&ring, 1, One(1, std::string(SampleRing::kMaxText, 'x')));
  EXPECT_EQ(Read(ring)["series"].size(), 0U);
  EXPECT_EQ(Read(ring)["truncated"], true);
}

TEST(SampleRing, IsJsonWhateverLabelsAndValuesAre) {
  SampleRing ring;
  const std::string hostile = "\"},\n\x01</script>\xff\\";
  ShownFamily family =
      Family("outrigger_x", {{.labels = {{"agent", "qos"}, {"cause", hostile}}, .value = 1e300}});
  for (const double value : {std::numeric_limits<double>::infinity(), -0.5,
                             std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    family.series.front().value = value;
    Add(&ring, static_cast<int64_t>(Read(ring)["times"].size()) + 1, family);
  }
  EXPECT_EQ(Values(ring, "outrigger_x"), json::parse("[null,-0.5,null,1e300]"));
  EXPECT_EQ(Read(ring)["series"][0]["value"], "\"},\n\x01</script>\xEF\xBF\xBD\\");
}

TEST(SampleRing, JoinsSeveralLabels) {
  SampleRing ring;
  Add(&ring, 1,
      Family("outrigger_x", {{.labels = {{"agent", "a"}, {"kind", "k"}, {"verb", "v"}}},
                             {.labels = {{"agent", "a"}, {"kind", "l"}, {"verb", "v"}}}}));
  const json series = Read(ring)["series"];
  ASSERT_EQ(series.size(), 2U);
  EXPECT_EQ(series[0]["agent"], "a");
  EXPECT_EQ(series[0]["label"], "kind,verb");
  EXPECT_EQ(series[0]["value"], "k,v");
}

TEST(SampleRing, IsBelowFourMegabytesOfJson) {
  SampleRing ring;
  ShownFamily family = Many(500);
  for (auto& series : family.series) {
    series.value = -1.2345678901234567e-300;
    series.labels.emplace_back("x", std::string(700, '\x01'));
  }
  for (int64_t i = 0; i < 130; ++i) Add(&ring, 1'700'000'000 + i, family);
  std::string text;
  ring.AppendJson(&text);
  EXPECT_LT(text.size(), size_t{4} << 20);
}

/// A clock that stands while the thread of a History sleeps.
class Sleeper {
 public:
  Clock clock() {
    return {.now = [this] { return Now(); },
            .wall = [] { return std::chrono::system_clock::time_point(seconds(1'700'000'000)); },
            .sleep = [this](Clock::Duration time,
                            const std::stop_token& stop) { return Sleep(time, stop); }};
  }
  void Advance(Clock::Duration time) {
    const MutexLock lock(mutex_);
    now_ += time;
  }
  /// Ends a sleep, and returns when the next one began.
  void EndSleep() {
    MutexLock lock(mutex_);
    ++ended_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return begun_ > ended_; });
  }

 private:
  Clock::TimePoint Now() {
    const MutexLock lock(mutex_);
    return now_;
  }
  bool Sleep(Clock::Duration time, const std::stop_token& stop) {
    MutexLock lock(mutex_);
    const int mine = ++begun_;
    changed_.notify_all();
    if (!changed_.wait(lock, stop, [this, mine] { return ended_ >= mine; })) return false;
    now_ += time;
    return true;
  }

  Mutex mutex_;
  std::condition_variable_any changed_;
  Clock::TimePoint now_;
  int begun_ = 0;
  int ended_ = 0;
};

class HistoryTest : public ::testing::Test {
 protected:
  HistoryTest() {
    metrics_->Show([this] { return std::vector<ShownFamily>{One(++reads_)}; });
  }
  Sleeper sleeper_;
  std::atomic<int> reads_{0};
  const std::unique_ptr<Metrics> metrics_ = Metrics::Create();
};

TEST_F(HistoryTest, TakesASampleAtTheStartAndEveryThirtySecondsAndEndsWithThePresent) {
  const History history(*metrics_, sleeper_.clock());
  sleeper_.EndSleep();
  sleeper_.EndSleep();
  sleeper_.Advance(seconds(7));
  const json read = json::parse(history.Json());
  EXPECT_EQ(read["version"], 1);
  EXPECT_EQ(read["everySeconds"], 30);
  EXPECT_EQ(read["started"], "2023-11-14T22:13:20Z");
  EXPECT_EQ(read["times"], json::parse("[1700000000,1700000030,1700000060,1700000067]"));
  EXPECT_EQ(read["truncated"], false);
  EXPECT_EQ(read["series"], json::parse(R"([{"name":"outrigger_one","agent":"qos","label":"",
      "value":"","kind":"gauge","help":"Help.","values":[1,2,3,4]}])"));
}

TEST_F(HistoryTest, TheSampleOfThePresentIsNotKept) {
  const History history(*metrics_, sleeper_.clock());
  sleeper_.Advance(seconds(1));
  history.Json();
  sleeper_.Advance(seconds(1));
  EXPECT_EQ(json::parse(history.Json())["times"], json::parse("[1700000000,1700000002]"));
}

TEST_F(HistoryTest, EndsWhileItsThreadSleeps) {
  { const History history(*metrics_); }  // the real clock: else this lasts 30 s
  EXPECT_EQ(reads_, 1);
}

TEST(MetricsRead, HasCallsAndAgentsButNoHistogramAndNoBytes) {
  const auto metrics = Metrics::Create();
  AgentInfo agent;
  agent.name = "qos";
  agent.factory.metrics = {
      {MetricSpec::Kind::kGauge, "outrigger_qos_length", "Length.", "cause", {}},
      {MetricSpec::Kind::kHistogram, "outrigger_qos_wait_seconds", "Wait.", "", {1}}};
  ASSERT_TRUE(metrics->OfAgent(agent).ok());
  (*metrics->OfAgent(agent))->Set("outrigger_qos_length", "cpu", 3);
  metrics->Declare(
      std::vector<engine::Endpoint>{{.path = "/q", .agent = "qos", .verb = engine::Verb::kFilter}});
  metrics->OnRejected("qos", "full", 2);
  std::map<std::string, size_t> series;
  for (const ShownFamily& family : metrics->Read()) {
    if (!family.series.empty()) series[family.name] = family.series.size();
    if (family.name == "outrigger_qos_length") {
      EXPECT_EQ(family.series.at(0).value, 3);
    }
  }
  EXPECT_THAT(series, ::testing::UnorderedElementsAre(
                          ::testing::Pair("outrigger_extender_requests_total", 1),
                          ::testing::Pair("outrigger_extender_errors_total", 5),
                          ::testing::Pair("outrigger_nodes_rejected_total", 1),
                          ::testing::Pair("outrigger_qos_length", 1)));
}

}  // namespace
}  // namespace outrigger::server
