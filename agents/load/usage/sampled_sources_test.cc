#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "certificates.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "load/usage/source.h"
#include "load/usage/used_answers.h"

namespace outrigger::usage {
namespace {

using absl::StatusCode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kStart = 1'795'658'000;  // Unix time, seconds

std::string TimeText(int64_t unix_seconds) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixSeconds(unix_seconds),
                          absl::UTCTimeZone());
}

std::string Item(const std::string& name, const std::string& cpu, const std::string& memory,
                 int64_t time, const std::string& window = "20s") {
  return fmt::format(R"({{"metadata":{{"name":"{}"}},"timestamp":"{}","window":"{}",)"
                     R"("usage":{{"cpu":"{}","memory":"{}"}}}})",
                     name, TimeText(time), window, cpu, memory);
}

std::string List(const std::vector<std::string>& items) {
  std::string all;
  for (const std::string& item : items) all += (all.empty() ? "" : ",") + item;
  return R"({"kind":"NodeMetricsList","metadata":{},"items":[)" + all + "]}";
}

NodeQuestion Node(const std::string& name) {
  NodeQuestion node;
  node.name = name;
  node.cpu = 4000;
  node.memory = 8 * 1024.0 * 1024 * 1024;
  return node;
}

/// A source of metrics.k8s.io whose answer and clock a test sets.
class MetricsApi : public ::testing::Test {
 protected:
  MetricsApi() {
    auto source = MakeMetricsApiSource(
        [this](const std::string& path, const std::stop_token&) {
          path_ = path;
          return answer_;
        },
        {.window = seconds(200), .forecast = true, .clock = ClockOf()});
    source_ = *std::move(source);
  }
  Clock ClockOf() {
    Clock clock;
    clock.wall = [this] { return std::chrono::system_clock::time_point(seconds(now_)); };
    return clock;
  }
  /// A sample of node a at the present time.
  absl::StatusOr<Reading> Sample(const std::string& cpu, const std::string& memory = "2Gi") {
    answer_ = List({Item("a", cpu, memory, now_)});
    return Read();
  }
  absl::StatusOr<Reading> Read() { return source_->Read(nodes_, {}); }

  int64_t now_ = kStart;
  absl::StatusOr<std::string> answer_ = std::string();
  std::string path_;
  std::vector<NodeQuestion> nodes_ = {Node("a")};
  std::unique_ptr<Source> source_;
};

// A sample stands for the 20 s before it.
TEST_F(MetricsApi, HasNothingBeforeAMinuteIsKnown) {
  for (int i = 0; i < 4; ++i, now_ += 10) {
    const auto reading = Sample("1");
    ASSERT_TRUE(reading.ok()) << reading.status();
    EXPECT_EQ(reading->nodes[0].cpu.mean.gap, Gap::kTooYoung) << i;
    EXPECT_EQ(reading->nodes[0].cpu.mean.value, std::nullopt);
  }
  const auto reading = Sample("1");
  EXPECT_EQ(path_, "/apis/metrics.k8s.io/v1beta1/nodes");
  EXPECT_EQ(reading->nodes[0].cpu.mean.value, 3000) << reading->nodes[0].cpu.mean.detail;
  EXPECT_EQ(reading->nodes[0].cpu.deviation.value, 0);
  EXPECT_EQ(reading->nodes[0].memory.mean.value, 6 * 1024.0 * 1024 * 1024);
  EXPECT_EQ(reading->nodes[0].cpu.forecast.gap, Gap::kTooYoung);
  EXPECT_EQ(reading->end_ms, now_ * 1000);
  EXPECT_EQ(reading->window, seconds(200));
  EXPECT_EQ(reading->nodes[0].known, seconds(60)) << "of that";
}

TEST_F(MetricsApi, KeepsMeanDeviationAndForecastOfTheWindow) {
  absl::StatusOr<Reading> reading = absl::UnknownError("none");
  for (int i = 0; i < 300; ++i, now_ += 2) {
    reading = Sample(i < 150 ? "3" : i % 2 == 0 ? "900m" : "1100000000n");
  }
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_NEAR(*reading->nodes[0].cpu.mean.value, 3000, 2);
  EXPECT_NEAR(*reading->nodes[0].cpu.deviation.value, 100, 1);
  ASSERT_TRUE(reading->nodes[0].cpu.forecast.value);
  EXPECT_NEAR(*reading->nodes[0].cpu.forecast.value, 3100, 1) << "900m used comes next";
}

TEST_F(MetricsApi, CountsASampleOnceHoweverOftenItIsRead) {
  answer_ = List({Item("a", "1", "1Gi", now_)});
  for (int i = 0; i < 50; ++i, now_ += 10) {
    EXPECT_EQ(Read()->nodes[0].cpu.mean.gap, Gap::kTooYoung);
  }
}

TEST_F(MetricsApi, NamesWhatIsMissingOfANode) {
  nodes_ = {Node("a"), Node("gone"), Node("twice"), Node("text"), Node("empty")};
  nodes_[4].cpu = 0;
  answer_ = List({Item("a", "1", "1Gi", now_), Item("twice", "1", "1Gi", now_),
                  Item("twice", "2", "1Gi", now_), Item("text", "much", "-1", now_),
                  Item("empty", "1", "1Gi", now_)});
  const auto reading = Read();
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[1].cpu.mean.gap, Gap::kNoSeries);
  EXPECT_EQ(reading->nodes[2].cpu.mean.gap, Gap::kSeveralSeries);
  EXPECT_EQ(reading->nodes[3].cpu.mean.gap, Gap::kUnit);
  EXPECT_EQ(reading->nodes[3].memory.mean.gap, Gap::kUnit);
  EXPECT_EQ(reading->nodes[4].cpu.mean.gap, Gap::kUnit);
  EXPECT_EQ(reading->nodes[4].memory.mean.gap, Gap::kTooYoung);
}

TEST_F(MetricsApi, BeginsAgainWithANodeThatCameBack) {
  for (int i = 0; i < 20; ++i, now_ += 10) ASSERT_TRUE(Sample("1").ok());
  nodes_ = {};
  ASSERT_TRUE(Sample("1").ok());
  nodes_ = {Node("a")};
  now_ += 10;
  EXPECT_EQ(Sample("1")->nodes[0].cpu.mean.gap, Gap::kTooYoung);
}

TEST_F(MetricsApi, EndsNoWindowInTheFuture) {
  answer_ = List({Item("a", "1", "1Gi", now_ + 3600)});
  const auto reading = Read();
  EXPECT_EQ(reading->end_ms, now_ * 1000);
  EXPECT_THAT(reading->notes, ElementsAre(::testing::AllOf(HasSubstr("clock is ahead"),
                                                           HasSubstr("the first is a"))));
  // The same sample later is no other one.
  now_ += 100;
  EXPECT_EQ(Read()->nodes[0].cpu.mean.gap, Gap::kTooYoung);
  now_ += 100;
  EXPECT_EQ(Read()->nodes[0].cpu.mean.gap, Gap::kTooYoung);
}

// One node is an hour ahead, then its clock is set right, then it is set back by an hour.
TEST_F(MetricsApi, AWrongClockHarmsItsOwnNodeAlone) {
  nodes_ = {Node("a"), Node("wrong")};
  const auto sample = [&](int64_t ahead) {
    now_ += 10;
    answer_ = List({Item("a", "1", "1Gi", now_), Item("wrong", "2", "1Gi", now_ + ahead)});
    return *Read();
  };
  for (int i = 0; i < 20; ++i) sample(0);
  Reading reading;
  for (int i = 0; i < 20; ++i) reading = sample(3600);
  EXPECT_EQ(reading.end_ms, now_ * 1000);
  EXPECT_EQ(reading.nodes[0].cpu.mean.value, 3000) << reading.nodes[0].cpu.mean.detail;
  EXPECT_EQ(reading.nodes[1].cpu.mean.value, 2000) << reading.nodes[1].cpu.mean.detail;
  reading = sample(0);
  EXPECT_THAT(reading.notes, ElementsAre());
  EXPECT_EQ(reading.nodes[0].cpu.mean.value, 3000);
  EXPECT_EQ(reading.nodes[1].cpu.mean.value, 2000);
  reading = sample(-3600);
  EXPECT_THAT(reading.notes, ElementsAre(::testing::AllOf(HasSubstr("went backwards"),
                                                          HasSubstr("the first is wrong"))));
  EXPECT_EQ(reading.nodes[0].cpu.mean.value, 3000);
  EXPECT_EQ(reading.nodes[1].cpu.mean.gap, Gap::kTooYoung);
}

TEST_F(MetricsApi, ReportsWhyThereIsNoAnswer) {
  answer_ = absl::NotFoundError("404");
  EXPECT_THAT(std::string(Read().status().message()), HasSubstr("metrics-server"));
  answer_ = absl::PermissionDeniedError("403: nodes.metrics.k8s.io is forbidden");
  EXPECT_EQ(Read().status().code(), StatusCode::kPermissionDenied);
  for (const char* body : {"", "<html>", "{}", R"({"items":{}})", R"({"items":[1]})",
                           R"({"items":[{"usage":[]}]})", R"({"items":[)"}) {
    answer_ = std::string(body);
    const auto reading = Read();
    EXPECT_EQ(reading.status().code(), StatusCode::kDataLoss) << body;
    EXPECT_THAT(std::string(reading.status().message()),
                HasSubstr("not a response of metrics.k8s.io"));
  }
}

TEST(NodeMetrics, TakeOddTimesAsAbsent) {
  for (const char* time :
       {"", "yesterday", "infinite-future", "infinite-past", "1969-01-01T00:00:00Z"}) {
    std::string body = fmt::format(
        R"({{"items":[{{"metadata":{{"name":"a"}},"timestamp":"{}","window":"x"}}]}})", time);
    const auto nodes = ReadNodeMetrics(&body);
    ASSERT_TRUE(nodes.ok()) << nodes.status();
    EXPECT_LE(nodes->front().time_ms, 0) << time;
    EXPECT_EQ(nodes->front().covers, milliseconds(0));
    EXPECT_FALSE(nodes->front().cpu);
  }
}

class UsageFile : public ::testing::Test {
 protected:
  absl::StatusOr<Reading> Read(const std::string& text) {
    FileOptions options;
    options.path = folder_.Write("usage.json", text);
    options.window = seconds(100);
    options.clock.wall = [this] { return std::chrono::system_clock::time_point(seconds(now_)); };
    if (!source_) source_ = *MakeFileSource(options);
    const timespec written{.tv_sec = written_ == 0 ? now_ : written_, .tv_nsec = 0};
    const timespec times[2] = {written, written};
    EXPECT_EQ(utimensat(AT_FDCWD, options.path.c_str(), times, 0), 0);
    const std::vector<NodeQuestion> nodes = {Node("a")};
    return source_->Read(nodes, {});
  }
  int64_t now_ = kStart;
  int64_t written_ = 0;  // 0: now
  const outrigger::testing::TestFolder folder_;
  std::unique_ptr<Source> source_;
};

TEST_F(UsageFile, IsReadAgainEachTime) {
  absl::StatusOr<Reading> reading = absl::UnknownError("none");
  for (int i = 0; i < 20; ++i, now_ += 10) {
    reading = Read(fmt::format(R"({{"nodes":{{"a":{{"cpu":"{}","memory":2147483648}}}}}})",
                               i % 2 == 0 ? "1" : "1500m"));
  }
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_NEAR(*reading->nodes[0].cpu.mean.value, 2750, 30);
  EXPECT_NEAR(*reading->nodes[0].cpu.deviation.value, 250, 10);
  EXPECT_EQ(reading->nodes[0].memory.mean.value, 6 * 1024.0 * 1024 * 1024);
}

TEST_F(UsageFile, ThatIsNotWrittenAnyMoreGetsOld) {
  const std::string text = R"({"nodes":{"a":{"cpu":"1","memory":"1Gi"}}})";
  for (int i = 0; i < 9; ++i, now_ += 10) ASSERT_TRUE(Read(text).ok());
  written_ = now_ - 10;
  now_ += 40;
  const auto reading = Read(text);
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->end_ms, written_ * 1000);
  EXPECT_EQ(reading->nodes[0].cpu.mean.value, 3000) << reading->nodes[0].cpu.mean.detail;
}

TEST_F(UsageFile, HasTheTimeThatItSays) {
  const auto reading = Read(R"({"time":"2026-11-26T03:00:00+01:00","nodes":{}})");
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].cpu.mean.gap, Gap::kNoSeries);
}

TEST_F(UsageFile, ThatIsWrongIsNamedWithThePlace) {
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"", "found nothing"},
           {"nodes:", "JSON object"},
           {R"({"nodes":[]})", "usage.nodes"},
           {R"({})", "usage.nodes"},
           {R"({"time":"noon","nodes":{}})", "usage.time"},
           {R"({"nodes":{"a":3}})", "usage.nodes.a"}}) {
    const auto reading = Read(text);
    EXPECT_EQ(reading.status().code(), StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(reading.status().message()), HasSubstr(part));
    EXPECT_THAT(std::string(reading.status().message()), HasSubstr("usage.json: "));
  }
}

TEST(SampledSources, RefuseOptionsThatCannotWork) {
  EXPECT_EQ(MakeFileSource({}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(MakeMetricsApiSource({}, {.window = seconds(0), .forecast = true, .clock = {}})
                .status()
                .code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace outrigger::usage
