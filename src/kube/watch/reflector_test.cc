#include "kube/watch/reflector.h"

#include "reflect_testing.h"

namespace outrigger::kube {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(Reflector, StreamsTheStateAndGoesOnWatching) {
  Scene scene(0.5);
  scene.api.Answer({Added("a", 3, "x") + Added("b", 2, "y") + InitialEnd(5), Modified("a", 6, "z"),
                    Deleted("b", 7), Added("c", 8, "w"), Bookmark(9)});
  scene.Run();
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/a", "z"), Pair("d/c", "w")));
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watch 9"));
  const SeenRequest first = scene.api.seen()[0];
  EXPECT_EQ(first.path, "/api/v1/pods");
  EXPECT_THAT(first.query,
              UnorderedElementsAre(Pair("watch", "1"), Pair("sendInitialEvents", "true"),
                                   Pair("resourceVersionMatch", "NotOlderThan"),
                                   Pair("allowWatchBookmarks", "true"), Pair("resourceVersion", ""),
                                   Pair("timeoutSeconds", "450")));
  const SeenRequest second = scene.api.seen()[1];
  EXPECT_THAT(second.query,
              UnorderedElementsAre(Pair("watch", "1"), Pair("allowWatchBookmarks", "true"),
                                   Pair("resourceVersion", "9"), Pair("timeoutSeconds", "450")));
  EXPECT_EQ(second.silence, seconds(75));
  EXPECT_TRUE(scene.state.synced);
  EXPECT_EQ(scene.state.objects, 2U);
  EXPECT_EQ(scene.state.relists, 1U);
  EXPECT_EQ(scene.state.resource_version, "9");
  EXPECT_THAT(scene.time.waits(), IsEmpty());
}

TEST(Reflector, IsNotSyncedBeforeTheStateIsComplete) {
  Scene scene;
  ReflectorState midway;
  Reflector* reflector = nullptr;
  scene.api.Add([&](const ApiRequest&, ByteSink sink) {
    sink(Added("a", 3, "x"));
    midway = reflector->State();
    sink(InitialEnd(5));
    return absl::OkStatus();
  });
  Reflector under_test(&scene.api, kPods, &scene.sink, scene.options);
  reflector = &under_test;
  under_test.Start();
  ASSERT_TRUE(scene.api.AwaitIdle());
  EXPECT_FALSE(midway.synced);
  EXPECT_EQ(midway.as_of, std::nullopt);
  EXPECT_EQ(midway.resource_version, "");
  EXPECT_TRUE(under_test.State().synced);
  EXPECT_EQ(under_test.State().as_of, scene.time.now());
}

TEST(Reflector, DeletionsBeforeTheEndOfTheStateCount) {
  Scene scene;
  scene.api.Answer({Added("a", 3, "x"), Added("b", 3, "x"), Deleted("a", 4), InitialEnd(5)});
  scene.Run();
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/b", "x")));
}

struct Refusal {
  const char* name;
  absl::Status status;
};
class WithoutStreamedLists : public ::testing::TestWithParam<Refusal> {};

TEST_P(WithoutStreamedLists, FallsBackToPages) {
  Scene scene;
  scene.api.Fail(GetParam().status)
      .Answer({List(5, {Json("a", 3, "x")}, "next")})
      .Answer({List(6, {Json("b", 4, "y")})})
      .Answer({Modified("a", 7, "z")});
  scene.Run();
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "list '0' limit 500",
                                            "list continue next limit 500", "watch 5", "watch 7"));
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/a", "z"), Pair("d/b", "y")));
  EXPECT_TRUE(scene.state.synced);
  EXPECT_EQ(scene.state.last_error, "");
  EXPECT_FALSE(scene.api.seen()[2].query.contains("resourceVersion"));
}

const Refusal kRefusals[] = {
    {"Invalid", Refused(422, "Invalid", "sendInitialEvents: Forbidden")},
    {"BadRequest", Refused(400, "BadRequest", "?")},
    {"Forbidden", Refused(403, "Forbidden", "cannot watch")},
    {"Internal", Refused(500, "InternalError", "?")},
    {"EndsTooSoon", absl::OkStatus()},
};
INSTANTIATE_TEST_SUITE_P(Kube, WithoutStreamedLists, ::testing::ValuesIn(kRefusals),
                         [](const auto& row) { return row.param.name; });

TEST(Reflector, ListsWhereABookmarkTellsThatTheServerStreamsNoLists) {
  Scene scene;
  scene.api.Answer({Added("a", 3, "x"), Bookmark(4)}).Answer({List(5, {Json("b", 3, "x")})});
  scene.Run();
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "list '0' limit 500", "watch 5"));
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/b", "x")));
}

TEST(Reflector, ListsWhereTheStreamedStateIsCut) {
  Scene scene;
  scene.api.Answer({Added("a", 3, "x")}, Lost()).Answer({List(5, {Json("b", 3, "x")})});
  scene.Run();
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "list '0' limit 500", "watch 5"));
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/b", "x")));
}

TEST(Reflector, ListsWhereTheStreamedStateDoesNotEnd) {
  Scene scene;
  scene.api
      .Add([&scene](const ApiRequest&, ByteSink sink) {
        for (int i = 0; sink(Added(fmt::format("a{}", i), 3, "x")); ++i) {
          scene.time.Advance(seconds(70));
        }
        return absl::CancelledError("stopped by the sink");
      })
      .Answer({List(5, {Json("b", 3, "x")})});
  scene.Run();
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "list '0' limit 500", "watch 5"));
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/b", "x")));
}

TEST(Reflector, ListsInOnePieceWherePagesExpire) {
  Scene scene;
  scene.api.Fail(Refused(400, "BadRequest", "?"))
      .Answer({List(5, {Json("a", 3, "x")}, "next")})
      .Fail(Refused(410, "Expired", "too old"))
      .Answer({List(8, {Json("b", 3, "y")})});
  scene.Run();
  EXPECT_THAT(Calls(scene.api),
              ElementsAre("watchlist", "list '0' limit 500", "list continue next limit 500",
                          "list '0' limit -", "watch 8"));
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/b", "y")));
}

TEST(Reflector, ABrokenPageIsNoState) {
  Scene scene;
  const std::string page = List(5, {Json("a", 3, "x"), Json("b", 3, "x")});
  scene.api.Fail(Refused(400, "BadRequest", "?"))
      .Answer({page.substr(0, page.size() - 1)})
      .Fail(Refused(400, "BadRequest", "?"))
      .Answer({List(6, {Json("a", 3, "x")})});
  scene.Run();
  EXPECT_THAT(scene.time.waits(), ElementsAre(800));
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/a", "x")));
  EXPECT_EQ(scene.state.relists, 1U);
  EXPECT_EQ(scene.state.failures, 1U);
}

TEST(Reflector, AListThatTricklesIsGivenUp) {
  Scene scene;
  scene.api.Fail(Refused(400, "BadRequest", "?")).Add([&scene](const ApiRequest&, ByteSink sink) {
    while (sink(" ")) scene.time.Advance(seconds(70));
    return absl::CancelledError("stopped by the sink");
  });
  scene.Run();
  EXPECT_THAT(scene.line, HasSubstr("pods: no answer"));
  EXPECT_THAT(scene.line, HasSubstr("no object of the list within 75 s"));
}

TEST(Reflector, WaitsLongerAndLongerWhileThereIsNoServer) {
  Scene scene;
  for (int i = 0; i < 8; ++i) scene.api.Fail(absl::UnavailableError("connection refused"));
  scene.Run();
  EXPECT_THAT(scene.time.waits(), ElementsAre(800, 1600, 3200, 6400, 12800, 25600, 30000, 30000));
  EXPECT_EQ(scene.line, "pods: no answer for 110 s: connection refused");
  EXPECT_FALSE(scene.state.ready());
  EXPECT_EQ(scene.state.failures, 8U);
}

TEST(Reflector, WaitsLongerByChance) {
  Scene scene(0.5);
  for (int i = 0; i < 7; ++i) scene.api.Fail(absl::UnavailableError("connection refused"));
  scene.Run();
  EXPECT_THAT(scene.time.waits(), ElementsAre(1200, 2400, 4800, 9600, 19200, 38400, 45000));
}

TEST(Reflector, WaitsShortlyAgainAfterAQuietWhile) {
  Scene scene;
  const auto fail_after = [&scene](std::chrono::milliseconds time) {
    scene.api.Add([&scene, time](const ApiRequest&, ByteSink) {
      scene.time.Advance(time);
      return absl::UnavailableError("connection refused");
    });
  };
  fail_after(seconds(0));
  fail_after(seconds(120) - std::chrono::milliseconds(800));
  fail_after(seconds(120) - std::chrono::milliseconds(1600) + std::chrono::milliseconds(1));
  fail_after(seconds(1));
  scene.Run();
  EXPECT_THAT(scene.time.waits(), ElementsAre(800, 1600, 800, 1600));
}

TEST(Reflector, HonoursRetryAfter) {
  Scene scene;
  scene.api.Fail(Refused(429, "TooManyRequests", "later", "7"))
      .Answer({InitialEnd(5)})
      .Fail(Refused(429, "TooManyRequests", "later", "9"));
  scene.Run();
  EXPECT_THAT(scene.time.waits(), ElementsAre(7000, 9000));
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watchlist", "watch 5", "watch 5"));
}

// The watch cache of a new kind answers so for its first moments, and a list already.
TEST(Reflector, FailsNoMoreOnceAWatchIsOpenThoughNothingHappens) {
  Scene scene;
  scene.api.Answer({InitialEnd(5)})
      .Fail(Refused(429, "TooManyRequests", "storage is (re)initializing", "1"))
      .AddQuiet();
  scene.Run();
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watch 5", "watch 5"));
  EXPECT_EQ(scene.line, "pods: 0 objects, as of 1 s ago");
  EXPECT_TRUE(scene.state.ready());
  EXPECT_EQ(scene.state.failures, 1U);
}

TEST(Reflector, FailsStillWhileTheHeadOfTheNextWatchHasNotCome) {
  Scene scene;
  scene.api.Answer({InitialEnd(5)}).Fail(Refused(429, "TooManyRequests", "later", "1"));
  scene.Run();
  EXPECT_THAT(scene.line, HasSubstr("pods: failing for 1 s: "));
}

TEST(Reflector, WaitsAtLeastItsOwnTimeWhateverRetryAfterSays) {
  Scene scene;
  scene.api.Fail(Refused(429, "TooManyRequests", "later", "0"));
  scene.Run();
  EXPECT_THAT(scene.time.waits(), ElementsAre(800));
}

TEST(Reflector, KeepsTheLastStateOfAnObjectThatCannotBeRead) {
  Scene scene;
  const std::string unreadable = EventOf(
      "MODIFIED",
      R"({"metadata":{"name":"a","namespace":"d","resourceVersion":"6"},"spec":{"value":7}})");
  scene.api.Answer({Added("a", 3, "x") + InitialEnd(5) + unreadable + Added("b", 7, "y")});
  scene.Run();
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/a", "x"), Pair("d/b", "y")));
  EXPECT_THAT(scene.problems,
              ElementsAre("d/a: Pod.spec.value: expected a string, found a number"));
  EXPECT_EQ(scene.state.unreadable, 1U);
  EXPECT_THAT(scene.line, HasSubstr("2 objects"));
  EXPECT_THAT(scene.line, HasSubstr("1 of them unreadable"));
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watch 7"));
}

TEST(Reflector, ReportsMalformedValues) {
  Scene scene;
  scene.api.Answer({EventOf("ADDED", R"({"metadata":{"name":"a","namespace":"d",)"
                                     R"("resourceVersion":"3"},"spec":{"value":"x",)"
                                     R"("amounts":{"cpu":"many"}}})") +
                    InitialEnd(5)});
  scene.Run();
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/a", "x")));
  EXPECT_THAT(scene.problems, ElementsAre("d/a: spec.amounts.cpu"));
}

TEST(Reflector, StopsWhileACallIsHeldBack) {
  Scene scene;
  scene.Run();  // stops at the end
  EXPECT_EQ(scene.state.failures, 0U);
}

TEST(Reflector, StopsWithoutHavingBeenStarted) {
  Scene scene;
  Reflector reflector(&scene.api, kPods, &scene.sink, scene.options);
  reflector.Stop();
  reflector.Stop();
  EXPECT_THAT(scene.api.seen(), IsEmpty());
}

TEST(Reflector, StopsWhileItWaits) {
  Scene scene;
  scene.options.timing = {};
  scene.options.first_retry = std::chrono::hours(1);
  scene.options.longest_retry = std::chrono::hours(1);
  scene.api.Fail(absl::UnavailableError("connection refused"));
  Reflector reflector(&scene.api, kPods, &scene.sink, scene.options);
  reflector.Start();
  const auto start = std::chrono::steady_clock::now();
  while (reflector.State().failures == 0) std::this_thread::yield();
  reflector.Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(1));
}

TEST(Reflector, StateMayBeAskedForAtAnyTime) {
  Scene scene;
  std::string body = InitialEnd(5);
  for (int i = 6; i < 500; ++i) body += Modified(fmt::format("p{}", i % 7), i, "x");
  scene.api.Answer({body});
  Reflector reflector(&scene.api, kPods, &scene.sink, scene.options);
  reflector.Start();
  std::jthread asking([&reflector](const std::stop_token& stop) {
    while (!stop.stop_requested()) EXPECT_LE(reflector.State().objects, 7U);
  });
  EXPECT_TRUE(scene.api.AwaitIdle());
  EXPECT_EQ(reflector.State().objects, 7U);
}

}  // namespace
}  // namespace outrigger::kube
