// Which events are one series, and how many there may be of one object.
#include <map>

#include "event_testing.h"

namespace outrigger::kube {
namespace {

using std::chrono::seconds;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST_F(EventRecorderTest, EqualEventsBecomeASeries) {
  const auto recorder = Recorder();
  for (int i = 0; i < 3; ++i) recorder->Record(Waiting());
  recorder->Flush();
  ASSERT_THAT(server_.Paths(), SizeIs(1));
  EXPECT_EQ(server_.At(server_.Paths()[0])["series"]["count"], 3);
  EXPECT_EQ(recorder->stats().written, 3U);
}

TEST_F(EventRecorderTest, ASeriesEndsWhenNothingComesForItsTime) {
  const auto recorder = Recorder();
  recorder->Record(Waiting());
  recorder->Flush();
  time_.Pass(seconds(360));
  recorder->Record(Waiting());
  recorder->Flush();
  EXPECT_THAT(server_.Paths(), SizeIs(2));
}

TEST_F(EventRecorderTest, DifferentEventsStayApart) {
  const auto recorder = Recorder();
  Event other = Waiting();
  other.reason = "GangReady";
  Event normal = Waiting();
  normal.warning = false;
  recorder->Record(Waiting());
  recorder->Record(other);
  recorder->Record(normal);
  recorder->Record(Waiting("web-2"));
  recorder->Flush();
  EXPECT_THAT(server_.Paths(), SizeIs(4));
}

TEST_F(EventRecorderTest, AnotherNoteIsAnotherEventAlsoWithinTheTimeOfASeries) {
  const auto recorder = Recorder();
  Event later = Waiting();
  later.note = "3 members need cpu 8 each, 2 fit";
  for (const Event& event : {Waiting(), Waiting(), later, later, later}) {
    recorder->Record(event);
    recorder->Flush();
    time_.Pass(seconds(300));
  }
  std::map<std::string, int> counts;
  for (const std::string& path : server_.Paths()) {
    const auto event = server_.At(path);
    counts[event["note"]] = event["series"]["count"];
  }
  EXPECT_THAT(counts, UnorderedElementsAre(Pair(Waiting().note, 2), Pair(later.note, 3)));
}

TEST_F(EventRecorderTest, ANoteThatComesBackInTimeGoesOnWithItsSeries) {
  const auto recorder = Recorder();
  Event other = Waiting();
  other.note = "1 of 3 members are there";
  for (const Event& event : {Waiting(), other, Waiting()}) recorder->Record(event);
  recorder->Flush();
  EXPECT_THAT(server_.Paths(), SizeIs(2));
}

TEST_F(EventRecorderTest, OneObjectCannotFloodTheServer) {
  const auto recorder = Recorder({.burst = 3});
  for (int i = 0; i < 10; ++i) {
    Event event = Waiting();
    event.reason = "Reason" + std::to_string(i);
    recorder->Record(event);
  }
  recorder->Record(Waiting("web-2"));
  recorder->Flush();
  EXPECT_THAT(server_.Paths(), SizeIs(4));
  EXPECT_EQ(recorder->stats().dropped, 7U);
  time_.Pass(seconds(300));  // one more
  recorder->Record(Waiting());
  recorder->Record(Waiting());
  recorder->Flush();
  EXPECT_EQ(recorder->stats().written, 5U);
}

TEST_F(EventRecorderTest, NotesThatChangeAllTheTimeMakeNoMoreObjectsThanOtherEvents) {
  const auto recorder = Recorder({.burst = 3});
  for (int i = 0; i < 10; ++i) {
    Event event = Waiting();
    event.note.append(": ").append(std::to_string(i)).append(" of 16 members exist");
    recorder->Record(event);
  }
  recorder->Flush();
  EXPECT_THAT(server_.Paths(), SizeIs(3));
  EXPECT_EQ(recorder->stats().dropped, 7U);
}

}  // namespace
}  // namespace outrigger::kube
