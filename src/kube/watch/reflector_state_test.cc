#include "kube/watch/reflector_state.h"

#include "gtest/gtest.h"
#include "kube/errors.h"

namespace outrigger::kube {
namespace {

using std::chrono::seconds;

const ReflectorState::TimePoint kStart{std::chrono::hours(5)};

TEST(ReflectorStateLine, SaysThatNothingHasComeYet) {
  const ReflectorStatus board("pods");
  EXPECT_EQ(Describe(board.Get(), kStart), "pods: not listed yet");
  EXPECT_FALSE(board.Get().ready());
}

TEST(ReflectorStateLine, SaysSinceWhenNoAnswerCame) {
  ReflectorStatus board("pods");
  board.Synced("5", kStart);
  board.Failed(absl::UnavailableError("connection lost"), kStart + seconds(3));
  board.Failed(absl::UnavailableError("connection refused"), kStart + seconds(9));
  EXPECT_EQ(Describe(board.Get(), kStart + seconds(15)),
            "pods: no answer for 12 s: connection refused");
  EXPECT_TRUE(board.Get().ready());
  EXPECT_EQ(board.Get().as_of, kStart);
  EXPECT_EQ(board.Get().failures, 2U);
}

TEST(ReflectorStateLine, TellsARefusalFromNoAnswer) {
  ReflectorStatus board("pods");
  board.Failed(ErrorOfAnswer(403, R"({"kind":"Status","message":"pods is\nforbidden"})", ""),
               kStart);
  const std::string line = Describe(board.Get(), kStart + seconds(2));
  EXPECT_EQ(line.substr(0, 22), "pods: failing for 2 s:");
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(ReflectorStateLine, SaysHowOldTheViewIs) {
  ReflectorStatus board("pods");
  board.Synced("5", kStart);
  board.Count(7, 0);
  EXPECT_EQ(Describe(board.Get(), kStart + seconds(4)), "pods: 7 objects, as of 4 s ago");
  board.Count(7, 2);
  EXPECT_EQ(Describe(board.Get(), kStart + seconds(4)),
            "pods: 7 objects, as of 4 s ago, 2 of them unreadable");
}

TEST(ReflectorStateLine, SaysThatTheKindIsMissing) {
  ReflectorStatus board("podgroups");
  board.NotInstalled(kStart);
  EXPECT_EQ(Describe(board.Get(), kStart), "podgroups: not installed");
  EXPECT_TRUE(board.Get().ready());
  EXPECT_FALSE(board.Get().synced);
}

TEST(ReflectorStatus, AnAnswerEndsFailing) {
  ReflectorStatus board("pods");
  board.Failed(absl::UnavailableError("x"), kStart);
  EXPECT_EQ(board.failing_since(), kStart);
  board.Event("7", kStart + seconds(1));
  const ReflectorState state = board.Get();
  EXPECT_EQ(state.failing_since, std::nullopt);
  EXPECT_FALSE(state.unreachable);
  EXPECT_EQ(state.last_error, "");
  EXPECT_EQ(state.resource_version, "7");
  EXPECT_EQ(state.as_of, kStart + seconds(1));
}

TEST(ReflectorStatus, EventsOfAnIncompleteStateDoNotMakeItYounger) {
  ReflectorStatus board("pods");
  board.Synced("5", kStart);
  board.Event("", kStart + seconds(1));
  EXPECT_EQ(board.Get().as_of, kStart);
  EXPECT_EQ(board.Get().resource_version, "5");
}

}  // namespace
}  // namespace outrigger::kube
