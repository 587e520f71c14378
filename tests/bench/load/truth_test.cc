#include "truth.h"

#include <cmath>
#include <set>
#include <string>

#include "exporter.h"
#include "gmock/gmock.h"

namespace outrigger::load_bench {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A node of 8 cpu of which 7 are allocatable, without a system, and pods that use what they
/// request.
Trace Plain() {
  Trace trace;
  trace.family = Family::kBursts;
  trace.length = 3600;
  trace.apps.push_back({.name = "app", .level = Curve({1.0})});
  trace.nodes.push_back({.name = "a", .capacity = {8000, 8e9}, .allocatable = {7000, 7e9}});
  trace.pods.push_back({.name = "p", .lasts = 1000, .requests = {3500, 3.5e9}, .seed = 1});
  return trace;
}

TEST(Truth, LoadIsPodsAndSystemAgainstAllocatable) {
  Trace trace = Plain();
  Truth truth(&trace);
  EXPECT_EQ(truth.Load(0, 0).cpu, 0);
  truth.Place(0, 0, 100);
  const double noise = NoiseAt(1, 500, NoiseOf(trace.family));
  EXPECT_DOUBLE_EQ(truth.Load(0, 500).cpu, 0.5 * (1 + noise));
  EXPECT_DOUBLE_EQ(truth.Load(0, 500).memory, 0.5);  // it has been there for more than 300 s
  EXPECT_DOUBLE_EQ(truth.Load(0, 100).memory, 0.25);
  trace.nodes[0].system = {700, 7e8};
  EXPECT_DOUBLE_EQ(truth.Load(0, 500).memory, 0.6);
}

TEST(Truth, PodsCountFromTheirPlacingToTheirEnd) {
  const Trace trace = Plain();
  Truth truth(&trace);
  truth.Place(0, 0, 100);
  EXPECT_EQ(truth.Use(0, 99).cpu, 0);
  EXPECT_GT(truth.Use(0, 1099).cpu, 0);
  EXPECT_EQ(truth.Use(0, 1100).cpu, 0);
  EXPECT_EQ(truth.Requested(0), (Amounts{3500, 3.5e9}));
  EXPECT_THAT(truth.EndAt(1099), IsEmpty());
  EXPECT_THAT(truth.EndAt(1100), SizeIs(1));
  EXPECT_EQ(truth.Requested(0), Amounts());
}

TEST(Truth, RoomIsForTenMinutes) {
  Trace trace = Plain();
  // From 300 s on twice as much is used.
  std::vector<double> level(60, 1.0);
  level.push_back(2.0);
  trace.apps[0].level = Curve(level);
  trace.pods[0].requests = {2800, 1e9};
  trace.pods.push_back(trace.pods[0]);
  Truth truth(&trace);
  EXPECT_TRUE(truth.HasRoom(0, 0, -700));
  EXPECT_TRUE(truth.HasRoom(0, 0, 0));  // 5600 of 7000
  truth.Place(0, 0, -1000 + 200);
  EXPECT_TRUE(truth.HasRoom(0, 1, -700));
  EXPECT_FALSE(truth.HasRoom(0, 1, 0)) << "the other runs until 200 s, and both jitter";
}

TEST(Exporter, MeansAreWhatIsTrue) {
  Trace trace = Plain();
  Truth truth(&trace);
  truth.Place(0, 0, 0);
  Exporter exporter(&trace, &truth);
  double used = 0;
  for (double time = 0; time < 600; time += 5) {
    if (time >= 15) used += truth.Use(0, time).cpu * 5 / 585;
    exporter.Advance(time, 5);
  }
  const auto usage = exporter.Over(0, 600, 600);
  ASSERT_TRUE(usage);
  EXPECT_NEAR(usage->mean.cpu, used, 1e-3);
  EXPECT_NEAR(usage->mean.memory, 3.5e9, 0.6e9);
  EXPECT_THAT(exporter.idle(0), SizeIs(40));
}

TEST(Exporter, AMachineIsNeverMoreThanFull) {
  Trace trace = Plain();
  trace.pods[0].requests = {20'000, 1e9};
  Truth truth(&trace);
  truth.Place(0, 0, 0);
  Exporter exporter(&trace, &truth);
  for (double time = 0; time < 300; time += 5) exporter.Advance(time, 5);
  EXPECT_GT(truth.Load(0, 200).cpu, 2);
  EXPECT_NEAR(exporter.Over(0, 300, 300)->mean.cpu, 8000, 1e-6);
}

TEST(Exporter, CountersBeginAgain) {
  Trace trace = Plain();
  trace.nodes[0].resets = {100};
  const Truth truth(&trace);
  Exporter exporter(&trace, &truth);
  for (double time = 0; time < 200; time += 5) exporter.Advance(time, 5);
  EXPECT_LT(exporter.idle(0)[6].value, exporter.idle(0)[5].value);
  // All is idle: 8 cpus a second. Ten seconds of 45 are lost between the scrape before and the
  // reset.
  EXPECT_NEAR(*RateAt(exporter.idle(0), 90, 60), 8, 1e-6);
  EXPECT_NEAR(*RateAt(exporter.idle(0), 135, 60), 8 * 35.0 / 45, 1e-6);
}

TEST(Rates, AreThoseOfPrometheus) {
  const std::vector<Sample> samples = {{15, 100}, {30, 115}, {45, 130}, {60, 145}};
  EXPECT_DOUBLE_EQ(*RateAt(samples, 60, 60), 1);
  // 30 in 30 s. The range begins 10 s before; its end is further than 1.1 intervals away: half an
  // interval counts.
  EXPECT_DOUBLE_EQ(*RateAt(samples, 80, 60), 30.0 * (10 + 30 + 7.5) / 30 / 60);
  EXPECT_FALSE(RateAt(samples, 20, 10));
  const std::vector<Sample> reset = {{15, 100}, {30, 5}, {45, 20}};
  EXPECT_DOUBLE_EQ(*RateAt(reset, 45, 45), 20.0 * (15 + 30) / 30 / 45);
  // At 30 it has counted 5: it was not below zero 15 s before.
  EXPECT_DOUBLE_EQ(*RateAt(reset, 45, 30), 15.0 * (5 + 15) / 15 / 30);
}

TEST(Trace, NoSeedIsBothOpenAndHeldOut) {
  std::set<uint64_t> seeds;
  for (const Family family : kFamilies) {
    const Seeds all = SeedsOf(family);
    seeds.insert(all.open.begin(), all.open.end());
    seeds.insert(all.held_out.begin(), all.held_out.end());
  }
  EXPECT_THAT(seeds, SizeIs(4 * kFamilies.size()));
}

TEST(Trace, BurstsAreOfTwentyPodsWithinOneScrape) {
  const Trace trace = MakeTrace(Family::kBursts, 1501, Scale());
  std::vector<double> arrivals;
  for (const PodTrace& pod : trace.pods) {
    if (pod.node < 0) arrivals.push_back(pod.arrives);
  }
  ASSERT_EQ(arrivals.size() % 20, 0U);
  for (size_t i = 0; i < arrivals.size(); i += 20) {
    EXPECT_LT(arrivals[i + 19] - arrivals[i], kScrape);
  }
}

TEST(Trace, UseOfAClassIsUnlikeItsRequests) {
  const Trace trace = MakeTrace(Family::kUnlike, 1601, Scale());
  double least = 1;
  double most = 1;
  for (const AppTrace& app : trace.apps) {
    least = std::min(least, app.cpu_ratio);
    most = std::max(most, app.cpu_ratio);
  }
  EXPECT_NEAR(least, 0.1, 0.01);
  EXPECT_NEAR(most, 2, 0.1);
}

TEST(Trace, HalfOfTheNodesAreNew) {
  const Trace trace = MakeTrace(Family::kNewNodes, 1701, Scale());
  size_t late = 0;
  double before = 0;
  for (const NodeTrace& node : trace.nodes) {
    late += node.begins > trace.warm_up ? 1 : 0;
    EXPECT_GE(node.begins, before);
    before = node.begins;
  }
  EXPECT_EQ(late, trace.nodes.size() / 2);
}

TEST(Trace, ScrapesAreMissed) {
  const Trace trace = MakeTrace(Family::kMissedScrapes, 1801, Scale());
  const Truth truth(&trace);
  Exporter exporter(&trace, &truth);
  for (double time = 0; time < trace.length; time += 5) exporter.Advance(time, 5);
  const double share = static_cast<double>(exporter.idle(0).size()) * kScrape / trace.length;
  EXPECT_GT(share, 0.5);
  EXPECT_LT(share, 0.8);
}

}  // namespace
}  // namespace outrigger::load_bench
