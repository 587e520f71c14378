#include "engine.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"

namespace outrigger::load_bench {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PromQl : public ::testing::Test {
 protected:
  // Two nodes of two processors, scraped each 15 s for 5 minutes: a is idle by half, b is idle.
  PromQl() {
    for (const std::string node : {"a", "b"}) {
      for (const std::string cpu : {"0", "1"}) {
        AddCounter({{"__name__", "seconds"}, {"instance", node}, {"cpu", cpu}, {"mode", "idle"}},
                   node == "a" ? 0.5 : 1);
      }
      const size_t gauge = store_.Add({{"__name__", "free"}, {"instance", node}});
      for (double time = 15; time <= 300; time += 15) store_.Append(gauge, {time, time});
    }
  }
  void AddCounter(LabelSet labels, double rate) {
    const size_t series = store_.Add(std::move(labels));
    for (double time = 15; time <= 300; time += 15)
      store_.Append(series, {time, 1000 + rate * time});
  }

  std::vector<double> At(std::string_view query, double time = 300) {
    auto parsed = ParsePromQl(query);
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    if (!parsed.ok()) return {};
    parsed_.push_back(*std::move(parsed));
    const auto value = engine_.At(*parsed_.back(), time);
    EXPECT_TRUE(value.ok()) << value.status();
    std::vector<double> values;
    for (const Engine::Point& point : value.ok() ? value->points : std::vector<Engine::Point>()) {
      values.push_back(point.value);
    }
    return values;
  }
  std::string FaultOf(std::string_view query) {
    const auto parsed = ParsePromQl(query);
    if (!parsed.ok()) return std::string(parsed.status().message());
    return std::string(engine_.At(**parsed, 300).status().message());
  }

  SeriesStore store_;
  Engine engine_{&store_};
  std::vector<std::unique_ptr<Expression>> parsed_;
};

TEST_F(PromQl, SelectsByLabels) {
  EXPECT_THAT(At(R"(free{instance="a"})"), ElementsAre(300));
  EXPECT_THAT(At(R"(free{instance=~"a|c"})", 100), ElementsAre(90));
  EXPECT_THAT(At(R"(free{instance!~"a|b"})"), IsEmpty());
  EXPECT_THAT(At("free", 700), IsEmpty()) << "older than five minutes";
  EXPECT_THAT(At(R"({__name__="free",instance!="a",})"), ElementsAre(300));
  EXPECT_THAT(At(R"(free{instance="a"} offset 1m)"), ElementsAre(240));
}

TEST_F(PromQl, RatesAndAggregates) {
  EXPECT_THAT(At(R"(sum without (cpu, mode) (rate(seconds{mode="idle"}[60s])))"),
              ElementsAre(DoubleNear(1, 1e-9), DoubleNear(2, 1e-9)));
  EXPECT_THAT(At("sum(irate(seconds[1m])) by (instance)"), ElementsAre(1, 2));
  EXPECT_THAT(At("count by (instance) (seconds)"), ElementsAre(2, 2));
  EXPECT_THAT(At("max(increase(seconds[60s]))"), ElementsAre(DoubleNear(60, 1e-9)));
}

TEST_F(PromQl, Subqueries) {
  // At 255, 270, 285 and 300.
  EXPECT_THAT(At(R"(avg_over_time((free{instance="a"})[60s:15s]))"), ElementsAre(277.5));
  EXPECT_THAT(At(R"(stddev_over_time(free{instance="a"}[60s]))"),
              ElementsAre(DoubleEq(15 * std::sqrt(1.25))));
  // Points are at multiples of the step, not at the end.
  EXPECT_THAT(At(R"(count_over_time(free{instance="a"}[60s:20s]))", 290), ElementsAre(3));
  EXPECT_THAT(At("avg_over_time((sum by (instance) (rate(seconds[60s])))[2m:15s])"),
              ElementsAre(DoubleNear(1, 1e-9), DoubleNear(2, 1e-9)));
  EXPECT_THAT(At(R"(count_over_time((free{instance="a"})[1d:15s]))"), ElementsAre(20));
  // How long ago the first sample was taken.
  EXPECT_THAT(
      At(R"(time() - min by (instance) (min_over_time(timestamp(free{instance="a"})[1d:15s])))",
         307),
      ElementsAre(292));
}

TEST_F(PromQl, Operators) {
  EXPECT_THAT(At("1 + 2 * 3 - 4 / 2"), ElementsAre(5));
  EXPECT_THAT(At("-(2 ^ 3)"), ElementsAre(-8));
  EXPECT_THAT(At(R"(1000 * free{instance="a"})"), ElementsAre(300'000));
  EXPECT_THAT(At("free - on (instance) count by (instance) (seconds)"), ElementsAre(298, 298));
  EXPECT_THAT(At("free / ignoring (job) free"), ElementsAre(1, 1));
  EXPECT_THAT(At("free > 299"), ElementsAre(300, 300));
  EXPECT_THAT(At("sum by (instance) (rate(seconds[60s])) > 1.5"), ElementsAre(DoubleNear(2, 1e-9)));
  EXPECT_THAT(At(R"(free{instance="a"} or free)"), ElementsAre(300, 300));
  EXPECT_THAT(At(R"(free unless free{instance="a"})"), ElementsAre(300));
  EXPECT_THAT(At("clamp_max(free, 100)"), ElementsAre(100, 100));
  EXPECT_THAT(At("2 * scalar(max(free))"), ElementsAre(600));
  EXPECT_THAT(At("round(100 * max(free) / 7)"), ElementsAre(4286));
}

TEST_F(PromQl, SaysWhatItDoesNotUnderstand) {
  EXPECT_EQ(FaultOf("holt_winters(free[5m], 1, 1)"), "holt_winters() is not supported");
  EXPECT_EQ(FaultOf("free{instance=a}"), "a text in double quotes is expected at \"a}\"");
  EXPECT_EQ(FaultOf("(free"), ") is expected at \"\"");
  EXPECT_EQ(FaultOf("free free"), "the end is expected at \"free\"");
  EXPECT_EQ(FaultOf("free + ignoring (instance) free"),
            "several series match one: free + ignoring (instance) free");
}

}  // namespace
}  // namespace outrigger::load_bench
