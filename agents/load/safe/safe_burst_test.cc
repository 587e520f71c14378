// Safe in a cluster whose pods come and go.
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "agent_under_test.h"
#include "burst_testing.h"
#include "gmock/gmock.h"
#include "safe.h"

namespace outrigger::safe {
namespace {

using testing::AgentUnderTest;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakePod;
using ::testing::Not;
using testing::OwnedRequest;
using ::testing::SizeIs;

class SafeAgentBurst : public ::testing::Test {
 protected:
  SafeAgentBurst() { Measure("a", 0); }

  AgentUnderTest Agent(AgentUnderTest::Texts settings = {}) {
    return AgentUnderTest(MakeFactory(), settings, &day_.cluster(), day_.clock());
  }
  /// As `annotate usage` does, with what is free in millicores.
  void Measure(std::string_view node, int64_t end, int64_t free = 9000) {
    day_.cluster().Put(Measured(node)
                           .Annotation("mean-free-cpu", std::to_string(free))
                           .Annotation(kMeasuredAnnotation, MeasuredText(end, 100)));
  }
  /// How many of 20 pods that ask for 500 millicores the filter lets onto node a, one each second.
  int PlaceAStorm(const AgentUnderTest& agent) {
    int placed = 0;
    for (int i = 0; i < 20; ++i) {
      day_.Set(1 + i);
      if (!agent.Fits(OwnedRequest(Ask(), {day_.Seen("a")}))[0]) continue;
      day_.Bind(fmt::format("p{}", i), "a", day_.now());
      ++placed;
    }
    return placed;
  }
  static Pod Ask() { return MakePod("asks").Requests({{"cpu", "500m"}}); }

  Day day_;
};

// 10 cpu of which 1 is used: 18 pods that use 425 of 500 millicores stay below 90 percent.
TEST_F(SafeAgentBurst, IsRejectedBeforeItOverloadsTheNode) {
  EXPECT_EQ(PlaceAStorm(Agent()), 18);
}

TEST_F(SafeAgentBurst, CountsByTheFactorOfTheEstimate) {
  EXPECT_EQ(PlaceAStorm(Agent({{"estimate-factor", "2"}})), 9) << "850 millicores each";
}

TEST_F(SafeAgentBurst, IsNotSeenWithoutAnEstimate) {
  EXPECT_EQ(PlaceAStorm(Agent({{"estimate", "none"}})), 20);
}

TEST_F(SafeAgentBurst, IsCountedOnceWhenItIsMeasured) {
  const AgentUnderTest agent = Agent();
  PlaceAStorm(agent);
  EXPECT_FALSE(agent.Fits(OwnedRequest(Ask(), {day_.Seen("a")}))[0]);
  // All of the window is after the burst: 1000 + 15 * 500 millicores are used, as measured.
  day_.Set(200);
  Measure("a", 200, 1500);
  const auto why = agent.Score(OwnedRequest(Ask(), {day_.Seen("a")}))[0].why.text();
  EXPECT_THAT(why, AllOf(HasSubstr("use 90.0 %"), Not(HasSubstr("came or went"))));
  // They end: the mean still holds them, and new ones fit.
  for (int i = 0; i < 20; ++i) day_.cluster().RemovePod(fmt::format("p{}", i));
  EXPECT_TRUE(agent.Fits(OwnedRequest(Ask(), {day_.Seen("a")}))[0]);
}

TEST_F(SafeAgentBurst, CountsForScoresToo) {
  Measure("b", 0);
  const AgentUnderTest agent = Agent();
  day_.Set(1);
  day_.Bind("p", "a", 1, "4");
  for (const char* scorer : {"", "overload", "balance"}) {
    const auto scores = agent.Score(OwnedRequest(Ask(), {day_.Seen("a"), day_.Seen("b")}), scorer);
    EXPECT_LE(scores[0].value, scores[1].value) << scorer;
  }
  const auto balance = agent.Score(OwnedRequest(Ask(), {day_.Seen("a")}), "balance");
  EXPECT_NEAR(balance[0].value, 1 - (0.49 + 0.01) / 2, 1e-12);
}

TEST_F(SafeAgentBurst, IsExplained) {
  const AgentUnderTest agent = Agent();
  day_.Set(30);
  day_.Bind("p", "a", 25, "4");
  EXPECT_EQ(agent.Score(OwnedRequest(Ask(), {day_.Seen("a")}))[0].why.text(),
            "cpu: use 49.0 % +- 1.0 % with +3400m for pods that came or went, alpha 1.22e+03, beta "
            "1.27e+03, risk 0, balance 0.75; memory: no statistics; measured 30 s ago over 100 s");
}

TEST_F(SafeAgentBurst, IsNotSeenInAViewThatIsTooOld) {
  const AgentUnderTest agent = Agent();
  const Node node = day_.Seen("a");
  day_.Set(1);
  day_.Bind("p", "a", 1, "9");
  EXPECT_FALSE(agent.Fits(OwnedRequest(Ask(), {day_.Seen("a")}))[0]);
  day_.cluster().SetUsable(absl::UnavailableError("pods: no word for 90 s"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(agent.Fits(OwnedRequest(Ask(), {node}))[0]);
  EXPECT_THAT(agent.warnings(), SizeIs(1));
  day_.cluster().SetUsable(absl::OkStatus());
  EXPECT_FALSE(agent.Fits(OwnedRequest(Ask(), {node}))[0]);
}

TEST_F(SafeAgentBurst, NeedsACluster) {
  const AgentUnderTest agent(MakeFactory(), {}, nullptr, day_.clock());
  day_.Bind("p", "a", 1, "9");
  EXPECT_TRUE(agent.Fits(OwnedRequest(Ask(), {day_.Seen("a")}))[0]);
}

TEST_F(SafeAgentBurst, AMeasurementThatCannotBeReadIsReported) {
  const AgentUnderTest agent = Agent();
  day_.cluster().Put(Measured("a").Annotation(kMeasuredAnnotation, "soon"));
  OwnedRequest request(Ask(), {day_.Seen("a")});
  for (int i = 0; i < 3; ++i) agent.Fits(request);
  EXPECT_THAT(request.diagnostics().entries,
              ElementsAre(testing::RecordingDiagnostics::Entry{
                  "a", std::string(kMeasuredAnnotation), "soon", std::string(kMeasuredForm)}));
}

TEST_F(SafeAgentBurst, StatisticsOlderThanTheLimitAreNone) {
  Measure("a", 0, 100);  // nothing is free
  const AgentUnderTest agent = Agent({{"max-age", "60"}, {"estimate", "none"}});
  const auto fits = [&]() -> bool { return agent.Fits(OwnedRequest(Ask(), {day_.Seen("a")}))[0]; };
  const auto score = [&] { return agent.Scores(OwnedRequest(Ask(), {day_.Seen("a")}))[0]; };
  EXPECT_FALSE(fits());
  EXPECT_EQ(score(), 2);
  day_.Set(59);
  EXPECT_FALSE(fits());
  day_.Set(60);
  EXPECT_TRUE(fits());
  EXPECT_EQ(score(), 5);
  EXPECT_THAT(agent.Score(OwnedRequest(Ask(), {day_.Seen("a")}))[0].why.text(),
              HasSubstr("cpu: no statistics; memory: no statistics; measured 60 s ago over 100 s, "
                        "too old"));
  day_.Set(30);  // the clock is put back
  EXPECT_FALSE(fits());
  day_.Set(60);
  EXPECT_TRUE(fits());
  Measure("a", 50, 100);
  EXPECT_FALSE(fits());
  day_.Set(109);
  EXPECT_FALSE(fits());
  day_.Set(110);
  EXPECT_TRUE(fits());
}

TEST_F(SafeAgentBurst, StatisticsOlderThanThreeOfTheirWindowsAreNone) {
  day_.cluster().Put(Measured("a")
                         .Annotation("mean-free-cpu", "100")
                         .Annotation(kMeasuredAnnotation, MeasuredText(0, 200)));
  day_.cluster().Put(Measured("short")
                         .Annotation("mean-free-cpu", "100")
                         .Annotation(kMeasuredAnnotation, MeasuredText(0, 10)));
  day_.cluster().Put(Measured("silent").Annotation("mean-free-cpu", "100"));
  const AgentUnderTest agent = Agent();
  const auto fits = [&] {
    return agent.Fits(
        OwnedRequest(Ask(), {day_.Seen("a"), day_.Seen("short"), day_.Seen("silent")}));
  };
  day_.Set(299);
  EXPECT_THAT(fits(), ElementsAre(false, false, false));
  day_.Set(300);
  EXPECT_THAT(fits(), ElementsAre(false, true, false)) << "at least five minutes";
  day_.Set(600);
  EXPECT_THAT(fits(), ElementsAre(true, true, false)) << "one does not say how old it is";
}

TEST_F(SafeAgentBurst, OfWholeNodesTheAgeIsThatOfTheAnnotation) {
  const AgentUnderTest agent(MakeFactory(), {{"max-age", "60"}}, nullptr, day_.clock());
  const Node full = testing::MakeNode("n").Allocatable("cpu", "1").Annotation("mean-free-cpu", "0");
  Node old = full;
  old.annotations.Set(kMeasuredAnnotation, MeasuredText(-100, 10));
  EXPECT_THAT(agent.Fits(OwnedRequest(Ask(), {full, old})), ElementsAre(false, true));
}

TEST_F(SafeAgentBurst, WithoutTheAnnotationTheAgeIsThatOfTheLastChange) {
  const auto put = [this](const char* free) {
    day_.cluster().Put(Measured("a").Annotation("mean-free-cpu", free));
  };
  put("10");
  const AgentUnderTest agent = Agent({{"max-age", "60"}});
  const auto fits = [&]() -> bool { return agent.Fits(OwnedRequest(Ask(), {day_.Seen("a")}))[0]; };
  EXPECT_FALSE(fits());
  day_.Set(50);
  put("20");
  day_.Set(100);
  EXPECT_FALSE(fits());
  day_.Set(110);
  EXPECT_TRUE(fits());
}

// The same agent answers the same about a node without a revision, of which nothing is remembered
// from call to call.
TEST_F(SafeAgentBurst, WhatIsRememberedIsNeverSeen) {
  std::mt19937 random(7);
  const auto pick = [&random](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  for (const std::string& name : names) Measure(name, 0, 3000);
  const AgentUnderTest agent = Agent({{"max-age", "150"}});
  std::set<std::string> seen;
  for (int step = 0; step < 2000; ++step) {
    day_.Set(day_.now() + pick(4));
    const std::string& node = names[static_cast<size_t>(pick(4))];
    const std::string pod = fmt::format("p{}", pick(12));
    switch (pick(6)) {
      case 0:
      case 1:
        day_.cluster().RemovePod(pod);
        day_.Bind(pod, node, day_.now() - pick(20), pick(2) == 0 ? "300m" : "900m");
        break;
      case 2:
        day_.cluster().RemovePod(pod);
        break;
      case 3:
        if (pick(3) == 0) Measure(node, day_.now() - pick(10), 1500 + pick(2000));
        break;
      default:
        break;
    }
    std::vector<Node> nodes;
    for (const std::string& name : names) nodes.push_back(day_.Seen(name));
    const OwnedRequest known(Ask(), nodes);
    for (Node& one : nodes) one.revision = 0;
    const OwnedRequest fresh(Ask(), nodes);
    const auto verdicts = agent.Filter(known);
    const auto expected = agent.Filter(fresh);
    const auto scores = agent.Score(known);
    const auto right = agent.Score(fresh);
    for (size_t i = 0; i < nodes.size(); ++i) {
      ASSERT_EQ(verdicts[i].reason(), expected[i].reason()) << step << " " << names[i];
      ASSERT_EQ(scores[i].value, right[i].value) << step << " " << names[i];
      seen.insert(verdicts[i].reason());
    }
  }
  EXPECT_GT(seen.size(), 20U) << "too little happens";
}

TEST_F(SafeAgentBurst, WarnsOnceWhileNoNodeIsMeasured) {
  day_.cluster().Put(testing::MakeNode("a").Allocatable("cpu", "10"));
  day_.cluster().Put(testing::MakeNode("b").Allocatable("cpu", "10"));
  const AgentUnderTest agent = Agent();
  const auto ask = [&](int64_t now) {
    day_.Set(now);
    agent.Fits(OwnedRequest(Ask(), {day_.Seen("a")}));
  };
  for (const int64_t now : {0, 1, 20}) ask(now);
  EXPECT_THAT(agent.warnings(),
              ElementsAre(HasSubstr("none of 2 nodes has been measured: is `outrigger annotate "
                                    "usage` running?")));
  Measure("b", 30);
  ask(31);
  ask(200);
  EXPECT_THAT(agent.warnings(), SizeIs(1)) << "one is measured, though the call is not about it";
  ask(400);
  EXPECT_THAT(agent.warnings(), SizeIs(2)) << "its measurement has become too old";
}

TEST_F(SafeAgentBurst, WritesAnEventOfItsPodWhileNoNodeIsMeasured) {
  day_.cluster().Put(testing::MakeNode("a").Allocatable("cpu", "10"));
  day_.cluster().Put(MakePod(AgentUnderTest::kOwnPod).Namespace("outrigger"));
  day_.cluster().Put(MakePod("another"));
  const AgentUnderTest agent = Agent();
  agent.Fits(OwnedRequest(Ask(), {day_.Seen("a")}));
  const auto events = day_.cluster().events();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_TRUE(events[0].warning);
  EXPECT_EQ(events[0].kind, "Pod");
  EXPECT_EQ(events[0].namespace_, "outrigger");
  EXPECT_EQ(events[0].name, AgentUnderTest::kOwnPod);
  EXPECT_EQ(events[0].uid, "uid-own-pod");
  EXPECT_EQ(events[0].reason, "NothingMeasured");
  EXPECT_THAT(events[0].note, HasSubstr("is `outrigger annotate usage` running?"));
}

TEST_F(SafeAgentBurst, ManyPodsOnOneNodeAreSummedUp) {
  for (int i = 0; i < 5000; ++i) day_.Bind(fmt::format("p{}", i), "a", -20, "1m");
  const AgentUnderTest agent = Agent();
  EXPECT_THAT(agent.Score(OwnedRequest(Ask(), {day_.Seen("a")}))[0].why.text(),
              HasSubstr("with +3400m for"));
}

}  // namespace
}  // namespace outrigger::safe
