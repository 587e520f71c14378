#include "pods/pod_history.h"

#include <string>
#include <utility>
#include <vector>

#include "common/time_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::reward {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Kind = Outcome::Kind;

ContainerState Running(Seconds since, const std::string& name = "c") {
  ContainerState state;
  state.name = name;
  state.running_since = since;
  return state;
}

ContainerEnd EndOf(int32_t code, Seconds started, Seconds finished,
                   const std::string& reason = "Error") {
  return {code, reason, started, finished};
}

class RewardPodHistory : public ::testing::Test {
 protected:
  RewardPodHistory() { pod_.phase = "Running"; }

  // The kinds of what a look has brought.
  std::vector<Kind> Look(std::vector<ContainerState> containers, bool is_first = false) {
    pod_.container_states = std::move(containers);
    std::vector<Outcome> outcomes;
    const reward::Look look = {
        .now = now_, .mttf = 600, .is_first = is_first, .paid_until = paid_until_};
    const PodNow pod_now = {.uid = "uid",
                            .phase = pod_.phase,
                            .status_reason = pod_.status_reason,
                            .being_deleted = pod_.being_deleted,
                            .start_time = pod_.start_time,
                            .containers = pod_.container_states};
    history_.OnPod(pod_now, look, &counted_, &outcomes);
    last_ = outcomes;
    std::vector<Kind> kinds;
    for (const Outcome& outcome : outcomes) kinds.push_back(outcome.kind);
    return kinds;
  }
  // Another process: it knows what is stored.
  void Restart() {
    history_ = PodHistory();
    counted_.SetHorizon(now_ - CountedEnds::kKept);
    paid_until_ = now_;
  }
  ContainerState Ended(const ContainerEnd& end, int64_t restarts = 0) {
    ContainerState state;
    state.name = "c";
    state.restarts = restarts;
    state.end = end;
    return state;
  }
  ContainerState Waiting(const std::string& reason, int64_t restarts = 0) {
    ContainerState state;
    state.name = "c";
    state.restarts = restarts;
    state.waiting_reason = reason;
    return state;
  }
  ContainerState Restarted(const ContainerEnd& end, int64_t restarts) {
    ContainerState state = Running(end.finished + 1);
    state.restarts = restarts;
    state.last_end = end;
    return state;
  }

  Seconds now_ = kStart;
  Seconds paid_until_ = CountedEnds::kNever;
  Pod pod_;
  PodHistory history_;
  CountedEnds counted_;
  std::vector<Outcome> last_;
};

TEST_F(RewardPodHistory, AnExitCodeIsAFailureOnce) {
  EXPECT_THAT(Look({Running(kStart)}), IsEmpty());
  now_ += 5;
  const ContainerEnd end = EndOf(1, kStart, kStart + 5);
  EXPECT_THAT(Look({Ended(end)}), ElementsAre(Kind::kExit));
  EXPECT_EQ(last_[0].ran, 5);
  EXPECT_THAT(Look({Ended(end)}), IsEmpty());
  EXPECT_THAT(Look({Restarted(end, 1)}), IsEmpty()) << "the same run, now as the last one";
}

TEST_F(RewardPodHistory, AnExitWithCode0IsASuccess) {
  EXPECT_THAT(Look({Ended(EndOf(0, kStart, kStart + 5, "Completed"))}),
              ElementsAre(Kind::kSuccess));
}

TEST_F(RewardPodHistory, OutOfMemoryIsAFailureWhateverTheCode) {
  EXPECT_THAT(Look({Ended(EndOf(0, kStart, kStart + 5, "OOMKilled"))}), ElementsAre(Kind::kOom));
}

TEST_F(RewardPodHistory, CrashLoopBackOffCountsThroughItsRestarts) {
  Look({Running(kStart)});
  for (int64_t i = 1; i <= 4; ++i) {
    now_ += 40;
    ContainerState state = Waiting("CrashLoopBackOff", i);
    state.last_end = EndOf(1, now_ - 6, now_ - 1);
    EXPECT_THAT(Look({state}), ElementsAre(Kind::kExit)) << "restart " << i;
    EXPECT_THAT(Look({state}), IsEmpty());
  }
}

TEST_F(RewardPodHistory, RestartsBetweenTwoLooksCountAll) {
  Look({Running(kStart)});
  now_ += 100;
  EXPECT_THAT(Look({Restarted(EndOf(1, now_ - 6, now_ - 1), 3)}), SizeIs(3));
}

TEST_F(RewardPodHistory, AHostileCountOfRestartsIsBounded) {
  Look({Running(kStart)});
  EXPECT_THAT(Look({Restarted(EndOf(1, kStart, kStart + 1), int64_t{1} << 40)}), SizeIs(16));
}

TEST_F(RewardPodHistory, RestartsThatBeginAt0AgainCountFromThere) {
  Look({Restarted(EndOf(1, kStart - 9, kStart - 5), 7)});
  now_ += 100;
  EXPECT_THAT(Look({Running(now_)}), IsEmpty());
  now_ += CountedEnds::kKept + 1;
  counted_.SetHorizon(now_ - CountedEnds::kKept);
  EXPECT_THAT(Look({Restarted(EndOf(1, now_ - 6, now_ - 1), 1)}),
              ElementsAre(Kind::kExit, Kind::kRunning));
}

TEST_F(RewardPodHistory, AStartThatFailsCountsOnceWithItsRun) {
  EXPECT_THAT(Look({Waiting("ContainerCreating")}), IsEmpty());
  EXPECT_THAT(Look({Waiting("ErrImagePull")}), ElementsAre(Kind::kNoStart));
  EXPECT_EQ(last_[0].ran, 0);
  EXPECT_THAT(Look({Waiting("ImagePullBackOff")}), IsEmpty());
  ContainerState restarted = Restarted(EndOf(128, 0, 0, "StartError"), 1);
  restarted.running_since = now_;
  EXPECT_THAT(Look({restarted}), IsEmpty()) << "the run that could not start, shown as an end";
}

TEST_F(RewardPodHistory, AStartThatFailsIsKnownForAsLongAsThePod) {
  Look({Waiting("RunContainerError")});
  now_ += 5000;
  counted_.SetHorizon(now_ - CountedEnds::kKept);
  ContainerState restarted = Restarted(EndOf(128, now_, now_, "StartError"), 1);
  restarted.running_since = now_;
  EXPECT_THAT(Look({restarted}), IsEmpty());
}

TEST_F(RewardPodHistory, WhatRunsWellAfterAFailedStartIsASuccess) {
  Look({Waiting("ImagePullBackOff")});
  Look({Running(kStart)});
  EXPECT_THAT(Look({Ended(EndOf(0, kStart, kStart + 5))}), ElementsAre(Kind::kSuccess));
}

TEST_F(RewardPodHistory, AnEvictionByTheNodeIsOneFailureOfThePod) {
  pod_.start_time = kStart;
  Look({Running(kStart), Running(kStart, "d")});
  now_ += 300;
  pod_.phase = "Failed";
  pod_.status_reason = "Evicted";
  ContainerState other = Ended(EndOf(137, kStart, kStart + 300));
  other.name = "d";
  EXPECT_THAT(Look({Ended(EndOf(137, kStart, kStart + 300)), other}), ElementsAre(Kind::kEvicted));
  EXPECT_EQ(last_[0].ran, 300);
  EXPECT_THAT(Look({Ended(EndOf(137, kStart, kStart + 300)), other}), IsEmpty());
}

TEST_F(RewardPodHistory, APodThatTheNodeDoesNotAdmitIsAStartThatFails) {
  pod_.phase = "Failed";
  pod_.status_reason = "UnexpectedAdmissionError";
  EXPECT_THAT(Look({}), ElementsAre(Kind::kNoStart));
  EXPECT_THAT(Look({}), IsEmpty());
}

TEST_F(RewardPodHistory, WhatALimitOfThePodEndsCountsForNothing) {
  Look({Running(kStart)});
  pod_.phase = "Failed";
  for (const char* reason : {"DeadlineExceeded", "Terminated", "NodeShutdown", "OutOfcpu"}) {
    pod_.status_reason = reason;
    EXPECT_THAT(Look({Ended(EndOf(137, kStart, kStart + 1))}), IsEmpty()) << reason;
  }
}

TEST_F(RewardPodHistory, WhatAPersonDeletesCountsForNothing) {
  Look({Running(kStart)});
  pod_.being_deleted = true;
  EXPECT_THAT(Look({Ended(EndOf(143, kStart, kStart + 1))}), IsEmpty());
}

TEST_F(RewardPodHistory, InitContainersCountAsFarAsTheyFail) {
  ContainerState init = Ended(EndOf(0, kStart, kStart + 1));
  init.init = true;
  EXPECT_THAT(Look({init, Running(kStart)}), IsEmpty());
  init.name = "other";
  init.end->exit_code = 3;
  EXPECT_THAT(Look({init, Running(kStart)}), ElementsAre(Kind::kExit));
}

TEST_F(RewardPodHistory, ContainersThatTheStatusNoLongerNamesAreForgotten) {
  for (int i = 0; i < 1000; ++i) {
    Look({Running(kStart, "c" + std::to_string(i))});
    EXPECT_EQ(history_.containers(), 1U);
  }
}

TEST_F(RewardPodHistory, AContainerThatComesBackIsNotCountedAgain) {
  const ContainerEnd end = EndOf(1, kStart - 6, kStart - 1);
  EXPECT_THAT(Look({Restarted(end, 3)}), SizeIs(3));
  EXPECT_THAT(Look({}), IsEmpty());
  now_ += CountedEnds::kKept + 1;
  counted_.SetHorizon(now_ - CountedEnds::kKept);
  EXPECT_THAT(Look({Restarted(end, 3)}), ElementsAre(Kind::kRunning));
  EXPECT_THAT(Look({Restarted(EndOf(1, now_ - 6, now_), 4)}), ElementsAre(Kind::kExit));
}

TEST_F(RewardPodHistory, EachTimeOfRunningIsASuccessOnce) {
  Look({Running(kStart)});
  now_ += 599;
  EXPECT_THAT(Look({Running(kStart)}), IsEmpty());
  now_ += 1;
  EXPECT_THAT(Look({Running(kStart)}), ElementsAre(Kind::kRunning));
  EXPECT_EQ(last_[0].periods, 1);
  EXPECT_THAT(Look({Running(kStart)}), IsEmpty());
  now_ += 1800;
  EXPECT_THAT(Look({Running(kStart)}), ElementsAre(Kind::kRunning));
  EXPECT_EQ(last_[0].periods, 3);
  EXPECT_EQ(last_[0].at, kStart + 2400);
}

TEST_F(RewardPodHistory, APodRunsWellWhileAllItsContainersRun) {
  now_ += 300;
  Look({Running(kStart), Running(kStart + 300, "d")});
  now_ += 400;
  EXPECT_THAT(Look({Running(kStart), Running(kStart + 300, "d")}), IsEmpty());
  now_ += 200;
  EXPECT_THAT(Look({Running(kStart), Running(kStart + 300, "d")}), ElementsAre(Kind::kRunning))
      << "one success for the pod, not one for each container";
  now_ += 900;
  ContainerState waiting = Waiting("CrashLoopBackOff");
  waiting.name = "d";
  EXPECT_THAT(Look({Running(kStart), waiting}), ElementsAre(Kind::kRunning)) << "what was left";
  now_ += 9000;
  EXPECT_THAT(Look({Running(kStart), waiting}), IsEmpty());
}

// Main since t0, a helper since t0 + 3, which ends well after two hours.
TEST_F(RewardPodHistory, RunningIsNotPaidAgainWhereAContainerEndsWell) {
  for (const Seconds started : {kStart + 3, Seconds{0}}) {  // the date of the end may be missing
    history_ = PodHistory();
    counted_ = CountedEnds();
    now_ = kStart + 5;
    Look({Running(kStart), Running(kStart + 3, "helper")});
    now_ = kStart + 7200;
    EXPECT_THAT(Look({Running(kStart), Running(kStart + 3, "helper")}),
                ElementsAre(Kind::kRunning));
    EXPECT_EQ(last_[0].periods, 11);
    ContainerState helper = Ended(EndOf(0, started, now_, "Completed"));
    helper.name = "helper";
    now_ += 5;
    EXPECT_THAT(Look({Running(kStart), helper}), ElementsAre(Kind::kSuccess, Kind::kRunning));
    EXPECT_EQ(last_[1].periods, 1) << "of 7205 s: the twelfth";
    now_ = kStart + 7799;
    EXPECT_THAT(Look({Running(kStart), helper}), IsEmpty()) << started;
    now_ = kStart + 7803;
    EXPECT_THAT(Look({Running(kStart), helper}), ElementsAre(Kind::kRunning)) << started;
  }
}

TEST_F(RewardPodHistory, RunningBesideAContainerThatFailsIsNotPaidOnceThatEndsWell) {
  for (const bool has_date : {true, false}) {
    history_ = PodHistory();
    counted_ = CountedEnds();
    now_ = kStart + 3600;
    EXPECT_THAT(Look({Running(kStart), Running(kStart, "d")}), ElementsAre(Kind::kRunning));
    ContainerState d = Waiting("CrashLoopBackOff");
    d.name = "d";
    Look({Running(kStart), d});
    now_ += 3600;
    d = Ended(EndOf(0, has_date ? now_ - 2 : 0, now_, "Completed"));
    d.name = "d";
    Look({Running(kStart), d});
    EXPECT_THAT(last_, ElementsAre(Field(&Outcome::kind, Kind::kSuccess))) << "not all again";
    now_ += 590;
    EXPECT_THAT(Look({Running(kStart), d}), IsEmpty()) << has_date;
    now_ += 10;
    EXPECT_THAT(Look({Running(kStart), d}), ElementsAre(Kind::kRunning)) << has_date;
  }
}

TEST_F(RewardPodHistory, ManyContainersAreLookedAtInTime) {
  std::vector<ContainerState> containers;
  for (int i = 0; i < 1000; ++i) containers.push_back(Running(kStart, "c" + std::to_string(i)));
  Look(containers);
  for (ContainerState& state : containers) {
    state.running_since = 0;
    state.end = EndOf(1, kStart, kStart + 1);
  }
  EXPECT_THAT(Look(containers), SizeIs(1000));
  EXPECT_THAT(Look(containers), IsEmpty());
}

TEST_F(RewardPodHistory, TheFirstProcessCountsTheHistoryByItsDates) {
  pod_.start_time = kStart - 4000;
  const ContainerEnd end = EndOf(1, kStart - 1000, kStart);
  EXPECT_THAT(Look({Restarted(end, 4)}, /*is_first=*/true), SizeIs(4));
  EXPECT_EQ(last_[0].at, kStart - 3000);
  EXPECT_EQ(last_[3].at, kStart);
}

TEST_F(RewardPodHistory, TheNextProcessCountsNothingTwice) {
  const ContainerEnd end = EndOf(1, kStart - 10, kStart - 5);
  Look({Restarted(end, 1)});
  now_ += 700;
  EXPECT_THAT(Look({Restarted(end, 1)}), ElementsAre(Kind::kRunning));
  Restart();
  EXPECT_THAT(Look({Restarted(end, 1)}, /*is_first=*/true), IsEmpty());
  now_ += 600;
  EXPECT_THAT(Look({Restarted(end, 1)}), ElementsAre(Kind::kRunning));
  EXPECT_EQ(last_[0].periods, 1);
}

TEST_F(RewardPodHistory, TheNextProcessCountsWhatEndedMeanwhile) {
  Look({Restarted(EndOf(1, kStart - 10, kStart - 5), 1)});
  Restart();
  now_ += 3000;
  EXPECT_THAT(Look({Restarted(EndOf(1, now_ - 10, now_ - 5), 9)}, /*is_first=*/true),
              ElementsAre(Kind::kExit))
      << "the last end, and none that may have been counted";
}

TEST_F(RewardPodHistory, AnEndThatWasJustCountedIsNotCountedByTheNextProcess) {
  now_ += 5;
  EXPECT_THAT(Look({Ended(EndOf(1, kStart, kStart + 5))}), ElementsAre(Kind::kExit));
  Restart();
  EXPECT_THAT(Look({Ended(EndOf(1, kStart, kStart + 5))}, true), IsEmpty());
  Restart();
  EXPECT_THAT(Look({Restarted(EndOf(1, kStart, kStart + 5), 1)}, true), IsEmpty());
}

TEST_F(RewardPodHistory, AnEndWithoutADateIsNotCountedAgain) {
  pod_.start_time = kStart;
  now_ += 30;
  EXPECT_THAT(Look({Waiting("ImagePullBackOff")}), ElementsAre(Kind::kNoStart));
  Restart();
  EXPECT_THAT(Look({Waiting("ImagePullBackOff")}, true), IsEmpty());
  now_ += 5000;
  Restart();
  EXPECT_THAT(Look({Waiting("ImagePullBackOff")}, true), IsEmpty());
}

TEST_F(RewardPodHistory, AnEndInTheFutureOfANodeIsNow) {
  EXPECT_THAT(Look({Ended(EndOf(1, now_, now_ + 7200))}), ElementsAre(Kind::kExit));
  EXPECT_EQ(last_[0].at, now_);
  now_ += 3000;
  Restart();
  EXPECT_THAT(Look({Ended(EndOf(1, kStart, kStart + 7200))}, true), IsEmpty());
}

TEST_F(RewardPodHistory, AnEndBeforeItsStartHasRunForNoTime) {
  EXPECT_THAT(Look({Ended(EndOf(1, kStart, kStart - 50))}), ElementsAre(Kind::kExit));
  EXPECT_EQ(last_[0].ran, 0);
}

TEST_F(RewardPodHistory, AClockThatIsSetPaysForNothing) {
  Look({Running(kStart)});
  now_ += 86'400;
  history_.SkipUntil({.now = now_, .mttf = 600});
  EXPECT_THAT(Look({Running(kStart)}), IsEmpty());
  now_ += 600;
  EXPECT_THAT(Look({Running(kStart)}), ElementsAre(Kind::kRunning));
}

TEST(RewardCountedEnds, AreBoundedAndForgetTheOldestFirst) {
  CountedEnds counted;
  for (uint64_t i = 0; i < CountedEnds::kMost + 1; ++i) {
    counted.Add(i, static_cast<Seconds>(i));
  }
  EXPECT_LE(counted.size(), CountedEnds::kMost);
  EXPECT_GT(counted.horizon(), 0);
  EXPECT_TRUE(counted.Contains(CountedEnds::kMost));
  EXPECT_FALSE(counted.Contains(0));
}

TEST(RewardCountedEnds, NumbersAreTheSameInEveryProcess) {
  const CountedEnds::End end{.uid = "uid", .container = "c", .run = 3};
  EXPECT_EQ(CountedEnds::KeyOf(end), 8037874866803174067U) << "as stored states have it";
  CountedEnds::End other = end;
  other.is_init = true;
  EXPECT_NE(CountedEnds::KeyOf(other), CountedEnds::KeyOf(end));
  other = end;
  other.is_success = true;
  EXPECT_NE(CountedEnds::KeyOf(other), CountedEnds::KeyOf(end));
  other = {.uid = "uidc", .container = "", .run = 3};
  EXPECT_NE(CountedEnds::KeyOf(other), CountedEnds::KeyOf(end));
}

}  // namespace
}  // namespace outrigger::reward
