#include "event_testing.h"

#include <gtest/gtest.h>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include "kube/write/event_recorder.h"

namespace outrigger::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST_F(EventRecorderTest, WritesAnEventOfTheNewApi) {
  const auto recorder = Recorder();
  recorder->Record(Waiting());
  recorder->Flush();
  ASSERT_THAT(server_.Paths(), SizeIs(1));
  EXPECT_THAT(server_.Paths()[0],
              StartsWith("/apis/events.k8s.io/v1/namespaces/shop/events/web-1."));
  const auto event = server_.At(server_.Paths()[0]);
  EXPECT_EQ(event["type"], "Warning");
  EXPECT_EQ(event["reason"], "GangWaiting");
  EXPECT_EQ(event["action"], "Scheduling");
  EXPECT_EQ(event["note"], "2 of 3 members are there");
  EXPECT_EQ(event["reportingController"], "outrigger.dev/gang");
  EXPECT_EQ(event["reportingInstance"], "gang-0");
  EXPECT_EQ(event["regarding"]["name"], "web-1");
  EXPECT_EQ(event["regarding"]["uid"], "u-web-1");
  EXPECT_FALSE(event.contains("series"));
}

TEST_F(EventRecorderTest, AnEventThatTheServerForgotIsMadeAnew) {
  const auto recorder = Recorder();
  recorder->Record(Waiting());
  recorder->Flush();
  server_.Remove(server_.Paths()[0]);
  recorder->Record(Waiting());
  recorder->Flush();
  ASSERT_THAT(server_.Paths(), SizeIs(1));
  EXPECT_FALSE(server_.At(server_.Paths()[0]).contains("series"));
}

TEST_F(EventRecorderTest, ARefusalIsCountedAndTheNextEventIsTried) {
  bool refuse = true;
  server_.before = [&refuse](const ApiRequest&) {
    return refuse ? absl::PermissionDeniedError("no events") : absl::OkStatus();
  };
  std::vector<std::string> told;
  const auto recorder =
      Recorder({.warn = [&told](const std::string& problem) { told.push_back(problem); }});
  recorder->Record(Waiting());
  recorder->Flush();
  EXPECT_THAT(told, ElementsAre("events are not written: no events"));
  refuse = false;
  recorder->Record(Waiting());
  recorder->Flush();
  EXPECT_EQ(recorder->stats().dropped, 1U);
  EXPECT_EQ(recorder->stats().written, 1U);
  EXPECT_THAT(server_.Paths(), SizeIs(1));
}

TEST_F(EventRecorderTest, OfARowOfRefusalsTheFirstIsTold) {
  bool refuse = true;
  server_.before = [&refuse](const ApiRequest& request) {
    return refuse && request.method == "PATCH" ? absl::PermissionDeniedError("no patches")
                                               : absl::OkStatus();
  };
  int told = 0;
  const auto recorder = Recorder({.warn = [&told](const std::string&) { ++told; }});
  for (const char* pod : {"a", "a", "b", "b", "c", "c"}) recorder->Record(Waiting(pod));
  recorder->Flush();
  EXPECT_EQ(told, 1) << "new events that are written in between do not count";
  refuse = false;
  recorder->Record(Waiting("a"));
  recorder->Flush();
  refuse = true;
  recorder->Record(Waiting("a"));
  recorder->Flush();
  EXPECT_EQ(told, 2);
}

TEST_F(EventRecorderTest, WhatCouldNotBeCountedIsCountedByTheNext) {
  bool refuse = true;
  server_.before = [&refuse](const ApiRequest& request) {
    return refuse && request.method == "PATCH" ? absl::PermissionDeniedError("no patches")
                                               : absl::OkStatus();
  };
  const auto recorder = Recorder();
  recorder->Record(Waiting());
  recorder->Record(Waiting());
  recorder->Flush();
  EXPECT_EQ(recorder->stats().dropped, 1U);
  refuse = false;
  recorder->Record(Waiting());
  recorder->Flush();
  ASSERT_THAT(server_.Paths(), SizeIs(1));
  EXPECT_EQ(server_.At(server_.Paths()[0])["series"]["count"], 3);
}

TEST_F(EventRecorderTest, AnEventWhoseAnswerWasLostIsLookedFor) {
  const absl::Status answers[] = {absl::UnavailableError("cut"),
                                  absl::DeadlineExceededError("no answer in time"),
                                  ErrorOfAnswer(504, "the request timed out", "")};
  for (size_t i = 0; i < std::size(answers); ++i) {
    bool lose = true;
    server_.before = [&](const ApiRequest& request) -> absl::Status {
      if (!std::exchange(lose, false)) return absl::OkStatus();
      auto object = nlohmann::json::parse(request.body);
      server_.Put(request.path + "/" + object["metadata"]["name"].get<std::string>(), object);
      return answers[i];
    };
    const auto recorder = Recorder();
    recorder->Record(Waiting("web-" + std::to_string(i)));
    recorder->Record(Waiting("web-" + std::to_string(i)));
    recorder->Flush();
    ASSERT_THAT(server_.Paths(), SizeIs(i + 1)) << answers[i];
    EXPECT_EQ(server_.At(server_.Paths()[i])["series"]["count"], 2) << answers[i];
  }
}

TEST_F(EventRecorderTest, RecordingNeverWaitsForTheServer) {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool open = false;
  server_.before = [&](const ApiRequest&) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return open; });
    return absl::OkStatus();
  };
  const auto recorder = Recorder({.queue = 2});
  for (int i = 0; i < 10; ++i) recorder->Record(Waiting("web-" + std::to_string(i)));
  EXPECT_GE(recorder->stats().dropped, 7U) << "one under way, two wait";
  {
    const std::lock_guard<std::mutex> lock(mutex);
    open = true;
    changed.notify_all();
  }
  recorder->Flush();
  EXPECT_EQ(recorder->stats().dropped + recorder->stats().written, 10U);
}

TEST_F(EventRecorderTest, LongNotesAreCutBetweenCharacters) {
  const auto recorder = Recorder();
  Event event = Waiting();
  event.note = std::string(1020, 'x');
  for (int i = 0; i < 10; ++i) event.note += "\xC3\xBC";
  recorder->Record(event);
  recorder->Flush();
  const std::string note = server_.At(server_.Paths()[0])["note"];
  EXPECT_LE(note.size(), 1024U);
  EXPECT_EQ(note, std::string(1020, 'x') + "...");
}

TEST_F(EventRecorderTest, ObjectsWithoutNamespaceHaveTheirEventsInDefault) {
  const auto recorder = Recorder();
  recorder->Record({.regarding = {.kind = "Node", .namespace_ = "", .name = "n1", .uid = "u"},
                    .warning = false,
                    .reason = "R",
                    .action = "A",
                    .note = "n"});
  recorder->Flush();
  EXPECT_THAT(server_.Paths()[0], StartsWith("/apis/events.k8s.io/v1/namespaces/default/events/"));
}

TEST_F(EventRecorderTest, WhatWaitsAtTheEndIsWritten) {
  {
    const auto recorder = Recorder();
    for (int i = 0; i < 20; ++i) recorder->Record(Waiting("web-" + std::to_string(i)));
  }
  EXPECT_THAT(server_.Paths(), SizeIs(20));
}

TEST_F(EventRecorderTest, NothingIsWrittenWhereNothingWasRecorded) {
  Recorder()->Flush();
  EXPECT_THAT(server_.calls(), IsEmpty());
}

}  // namespace

namespace {

struct NameRow {
  const char* name;
  std::string object;
  std::string kind;
  std::string expected;
};
class EventNames : public ::testing::TestWithParam<NameRow> {};
TEST_P(EventNames, AreThoseOfSubdomains) {
  const NameRow& row = GetParam();
  EXPECT_EQ(EventName({.kind = row.kind, .namespace_ = "", .name = row.object, .uid = ""}, 0xab),
            row.expected);
}
INSTANTIATE_TEST_SUITE_P(
    Of, EventNames,
    ::testing::Values(NameRow{"Plain", "web-1.x", "Pod", "web-1.x.ab"},
                      NameRow{"Long", std::string(253, 'p'), "Pod", std::string(236, 'p') + ".ab"},
                      NameRow{"CutAtAPoint", std::string(235, 'p') + "." + std::string(17, 'q'),
                              "Pod", std::string(235, 'p') + ".ab"},
                      NameRow{"Colon", "system:node", "ClusterRole", "clusterrole.ab"},
                      NameRow{"Capital", "Web", "Thing", "thing.ab"},
                      NameRow{"EmptyLabel", "a..b", "Thing", "thing.ab"},
                      NameRow{"LabelBeginsWithHyphen", "a.-b", "Thing", "thing.ab"},
                      NameRow{"LabelEndsWithHyphen", "a-.b", "Thing", "thing.ab"},
                      NameRow{"BeginsWithHyphen", "-a", "Thing", "thing.ab"},
                      NameRow{"NoName", "", "Thing", "thing.ab"},
                      NameRow{"NothingUsable", "", "", "event.ab"}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace

// Which events are one series, and how many there may be of one object.

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
