// What a reflector does when a watch ends.
#include "reflect_testing.h"

namespace outrigger::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

using Calling = std::vector<std::string>;

constexpr char kProbe[] = "list '' limit 1";

// A reflector with one object, at version 5.
struct Synced : Scene {
  Synced() { api.Answer({Added("a", 3, "x") + InitialEnd(5)}); }
  void Probe(int64_t version) { api.Answer({List(version, {Json("a", 3, "probe")}, "more")}); }
};

TEST(ReflectorWatch, GoesOnFromTheLastEventWhereTheServerEndsIt) {
  Synced scene;
  scene.api.Answer({Added("b", 6, "y")}).Answer({Bookmark(60)}).Answer({Added("c", 61, "z")});
  scene.Run();
  EXPECT_THAT(Calls(scene.api),
              ElementsAre("watchlist", "watch 5", "watch 6", "watch 60", "watch 61"));
  EXPECT_THAT(scene.time.waits(), IsEmpty());
  EXPECT_EQ(scene.state.relists, 1U);
}

TEST(ReflectorWatch, GoesOnWithoutAListBehindALostConnection) {
  Synced scene;
  scene.api.Answer({Added("b", 6, "y")}, Lost());
  scene.Probe(6);
  scene.Run();
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watch 5", kProbe, "watch 6"));
  EXPECT_THAT(scene.time.waits(), IsEmpty());
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/a", "x"), Pair("d/b", "y")));
  EXPECT_EQ(scene.state.relists, 1U);
  EXPECT_EQ(scene.state.last_error, "");
}

TEST(ReflectorWatch, WaitsBetweenConnectionsThatBringNothing) {
  Synced scene;
  for (int i = 0; i < 2; ++i) {
    scene.api.Fail(Lost());
    scene.Probe(6);
  }
  scene.Run();
  EXPECT_THAT(Calls(scene.api),
              ElementsAre("watchlist", "watch 5", kProbe, "watch 5", kProbe, "watch 5"));
  EXPECT_THAT(scene.time.waits(), ElementsAre(800, 1600));
}

TEST(ReflectorWatch, ListsAnewWhereTheVersionsJumpedBack) {
  Synced scene;
  scene.api.Answer({Added("b", 16, "y")}, Lost());
  scene.Probe(9);
  scene.api.Answer({Added("a", 4, "old") + InitialEnd(9)});
  scene.Run();
  EXPECT_THAT(Calls(scene.api),
              ElementsAre("watchlist", "watch 5", kProbe, "watchlist", "watch 9"));
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/a", "old")));
}

TEST(ReflectorWatch, ListsTheLatestWhereVersionsJumpedBackAndListsAreNotStreamed) {
  Synced scene;
  scene.api.Answer({Added("b", 16, "y")}, Lost());
  scene.Probe(9);
  scene.api.Fail(Refused(400, "BadRequest", "?")).Answer({List(9, {Json("a", 4, "old")})});
  scene.Run();
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watch 5", kProbe, "watchlist",
                                            "list '' limit 500", "watch 9"));
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/a", "old")));
}

TEST(ReflectorWatch, ListsAnewBehindALongOutage) {
  Synced scene;
  scene.api.Fail(Lost());
  for (int i = 0; i < 6; ++i) scene.api.Fail(absl::UnavailableError("connection refused"));
  scene.Probe(100);
  scene.api.Answer({Added("b", 90, "y") + InitialEnd(100)});
  scene.Run();
  EXPECT_EQ(Calls(scene.api), (Calling{"watchlist", "watch 5", kProbe, kProbe, kProbe, kProbe,
                                       kProbe, kProbe, kProbe, "watchlist", "watch 100"}));
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/b", "y")));
}

// Of a kind in which nothing changes there may be no bookmarks, too: only a list says how it is.
TEST(ReflectorWatch, SilenceEndsInAList) {
  Synced scene;
  scene.api.Answer({Added("b", 6, "y")});
  scene.Silence();
  scene.api.Answer({Added("b", 6, "y") + InitialEnd(7)});
  scene.Run();
  EXPECT_THAT(Calls(scene.api),
              ElementsAre("watchlist", "watch 5", "watch 6", "watchlist", "watch 7"));
  EXPECT_THAT(scene.time.waits(), IsEmpty());
  EXPECT_EQ(scene.state.relists, 2U);
  EXPECT_EQ(scene.state.as_of, scene.time.now());
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/b", "y")));
}

TEST(ReflectorWatch, SilenceOfAStreamedListEndsInAListToo) {
  Scene scene;
  scene.api.Add([&scene](const ApiRequest& request, ByteSink sink) {
    sink(Added("a", 3, "x") + InitialEnd(5));
    scene.time.Advance(request.silence);
    return absl::DeadlineExceededError("no byte within the time allowed");
  });
  scene.api.Answer({Added("a", 3, "x") + InitialEnd(7)});
  scene.Run();
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watchlist", "watch 7"));
  EXPECT_EQ(scene.state.as_of, scene.time.now());
}

TEST(ReflectorWatch, SilenceIsNoFailure) {
  Synced scene;
  scene.Silence();
  scene.Run();
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watch 5", "watchlist"));
  EXPECT_EQ(scene.state.last_error, "");
  EXPECT_EQ(scene.state.failures, 0U);
  EXPECT_EQ(scene.state.as_of, scene.time.now() - seconds(75)) << "but it grows old";
}

// As proxies cut off what is idle for them, always before the first bookmark.
TEST(ReflectorWatch, SilenceCountsFromWhatIsKnownOn) {
  Synced scene;
  for (int i = 0; i < 2; ++i) {
    scene.api.Add([&scene](const ApiRequest&, ByteSink) {
      scene.time.Advance(seconds(35));
      return Lost();
    });
    scene.Probe(5);
  }
  scene.Silence();
  scene.api.Answer({Added("a", 3, "x") + InitialEnd(9)});
  scene.Run();
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watch 5", kProbe, "watch 5", kProbe,
                                            "watch 5", "watchlist", "watch 9"));
  std::vector<int64_t> allowed;
  for (const SeenRequest& seen : scene.api.seen()) {
    if (!seen.is_watch_list() && seen.is_watch()) allowed.push_back(seen.silence.count() / 1000);
  }
  EXPECT_EQ(allowed.size(), 4U);
  EXPECT_EQ(allowed[0], 75);
  EXPECT_LE(allowed[1], 40);
  EXPECT_EQ(allowed[2], 5) << "at least";
  EXPECT_EQ(allowed[3], 75);
}

TEST(ReflectorWatch, BytesThatTrickleAreSilence) {
  Synced scene;
  scene.api.Add([&scene](const ApiRequest&, ByteSink sink) {
    while (sink("{")) scene.time.Advance(seconds(10));
    return absl::CancelledError("stopped by the sink");
  });
  scene.api.Answer({InitialEnd(6)});
  scene.Run();
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watch 5", "watchlist", "watch 6"));
  EXPECT_EQ(scene.time.waits().size(), 0U);
}

TEST(ReflectorWatch, BookmarksAreNoSilence) {
  Synced scene;
  scene.api.Add([&scene](const ApiRequest&, ByteSink sink) {
    for (int i = 0; i < 10; ++i) {
      scene.time.Advance(seconds(60));
      if (!sink(Bookmark(10 + i))) return absl::CancelledError("stopped by the sink");
    }
    return absl::OkStatus();
  });
  scene.Run();
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watch 5", "watch 19"));
  EXPECT_EQ(scene.state.as_of, scene.time.now());
}

TEST(ReflectorWatch, AServerThatEndsItAtOnceIsNotAskedWithoutEnd) {
  Synced scene;
  scene.api.Answer({}).Answer({}).Answer({InitialEnd(9)});
  scene.Run();
  EXPECT_THAT(Calls(scene.api),
              ElementsAre("watchlist", "watch 5", "watch 5", "watchlist", "watch 9"));
  EXPECT_THAT(scene.time.waits(), ElementsAre(800, 1600));
}

struct Expiry {
  const char* name;
  bool as_event;
  absl::Status status;
};
class Expiries : public ::testing::TestWithParam<Expiry> {};

TEST_P(Expiries, EndInAList) {
  Synced scene;
  if (GetParam().as_event) {
    scene.api.Answer({EventOf("ERROR", StatusJson(410, "Expired", "too old resource version"))});
  } else {
    scene.api.Fail(Refused(410, "Gone", "too old resource version"));
  }
  scene.api.Answer({Added("b", 16, "y") + InitialEnd(20)});
  scene.Run();
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watch 5", "watchlist", "watch 20"));
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/b", "y")));
  EXPECT_EQ(scene.state.relists, 2U);
  EXPECT_THAT(scene.time.waits(), IsEmpty()) << "the server is there, only the version is not";
}

const Expiry kExpiries[] = {{"AsEvent", true, {}}, {"AsAnswer", false, {}}};
INSTANTIATE_TEST_SUITE_P(Kube, Expiries, ::testing::ValuesIn(kExpiries),
                         [](const auto& row) { return row.param.name; });

TEST(ReflectorWatch, AListBehindAnExpiryIsNotOlderThanWhatWasSeen) {
  Synced scene;
  const absl::Status unsupported = Refused(422, "Invalid", "?");
  scene.api.Fail(Refused(410, "Expired", "too old"))
      .Fail(unsupported)
      .Answer({List(30, {Json("b", 16, "y")})})
      .Fail(Refused(410, "Expired", "too old"))
      .Fail(unsupported)
      .Fail(TooLarge())
      .Answer({List(20, {Json("c", 16, "z")})});
  scene.Run();
  EXPECT_THAT(Calls(scene.api),
              ElementsAre("watchlist", "watch 5", "watchlist", "list '5' limit -", "watch 30",
                          "watchlist", "list '30' limit -", "list '' limit 500", "watch 20"));
  EXPECT_THAT(scene.time.waits(), ElementsAre(800)) << "a list that was of no use is not hurried";
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/c", "z")));
}

TEST(ReflectorWatch, ATooLargeVersionEndsInAListOfTheLatest) {
  Synced scene;
  scene.api.Fail(TooLarge())
      .Fail(Refused(422, "Invalid", "?"))
      .Answer({List(4, {Json("b", 2, "y")})});
  scene.Run();
  EXPECT_THAT(Calls(scene.api),
              ElementsAre("watchlist", "watch 5", "watchlist", "list '' limit 500", "watch 4"));
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/b", "y")));
}

TEST(ReflectorWatch, ServerErrorsAreTriedOnceMoreBeforeAList) {
  Synced scene;
  scene.api.Fail(Refused(500, "InternalError", "etcdserver: leader changed"))
      .Answer({EventOf("ERROR", StatusJson(500, "InternalError", "again"))})
      .Answer({InitialEnd(9)});
  scene.Run();
  EXPECT_THAT(Calls(scene.api),
              ElementsAre("watchlist", "watch 5", "watch 5", "watchlist", "watch 9"));
  EXPECT_THAT(scene.time.waits(), ElementsAre(800, 1600));
}

TEST(ReflectorWatch, ARefusalOfCredentialsKeepsTheStateAndIsToldOf) {
  Synced scene;
  for (int i = 0; i < 3; ++i) scene.api.Fail(Refused(401, "Unauthorized", "token expired"));
  scene.Run();
  EXPECT_THAT(Calls(scene.api),
              ElementsAre("watchlist", "watch 5", "watch 5", "watch 5", "watch 5"));
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/a", "x")));
  EXPECT_THAT(scene.line, HasSubstr("pods: failing for 5 s: "));
  EXPECT_THAT(scene.line, HasSubstr("token expired"));
}

TEST(ReflectorWatch, DamagedBytesEndItAndItGoesOnBeforeThem) {
  Synced scene;
  scene.api.Answer({Added("b", 6, "y") + "{\"type\":\"ADD\x01\n" + Added("c", 7, "y")})
      .Answer({Added("c", 7, "z")});
  scene.Run();
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watch 5", "watch 6", "watch 7"));
  EXPECT_THAT(scene.sink.objects,
              UnorderedElementsAre(Pair("d/a", "x"), Pair("d/b", "y"), Pair("d/c", "z")));
  EXPECT_THAT(scene.time.waits(), ElementsAre(800));
}

TEST(ReflectorWatch, DamageWithinAnObjectIsNotTakenForTheObject) {
  Synced scene;
  const std::string damaged =
      R"({"type":"MODIFIED","object":{"metadata":{"name":"a","namespace":"d",)"
      R"("resourceVersion":"6"},"spec":{"value":"y" "q":1}}})"
      "\n";
  scene.api.Answer({damaged}).Answer({Modified("a", 6, "y")});
  scene.Run();
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watch 5", "watch 5", "watch 6"));
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/a", "y")));
  EXPECT_THAT(scene.problems, IsEmpty());
}

TEST(ReflectorWatch, DamageThatStaysEndsInAList) {
  Synced scene;
  scene.api.Answer({"{\n"}).Answer({"{\n"}).Answer({InitialEnd(9)});
  scene.Run();
  EXPECT_THAT(Calls(scene.api),
              ElementsAre("watchlist", "watch 5", "watch 5", "watchlist", "watch 9"));
}

TEST(ReflectorMissing, AKindThatIsMissingIsNoError) {
  Scene scene;
  scene.options.may_be_missing = true;
  scene.api.Fail(ErrorOfAnswer(404, "404 page not found", ""))
      .Fail(ErrorOfAnswer(404, "404 page not found", ""));
  scene.Run();
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watchlist", "watchlist"));
  EXPECT_THAT(scene.time.waits(), ElementsAre(30'000, 30'000));
  EXPECT_EQ(scene.line, "pods: not installed");
  EXPECT_TRUE(scene.state.ready());
  EXPECT_EQ(scene.state.failures, 0U);
}

TEST(ReflectorMissing, IsFollowedWhenItAppears) {
  Scene scene;
  scene.options.may_be_missing = true;
  scene.options.missing_retry = seconds(5);
  scene.api.Fail(Refused(404, "NotFound", "?")).Answer({Added("a", 3, "x") + InitialEnd(5)});
  scene.Run();
  EXPECT_THAT(scene.time.waits(), ElementsAre(5000));
  EXPECT_TRUE(scene.state.synced);
  EXPECT_FALSE(scene.state.not_installed);
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/a", "x")));
}

TEST(ReflectorMissing, IsEmptiedWhenItVanishes) {
  Synced scene;
  scene.options.may_be_missing = true;
  scene.api.Fail(Refused(404, "NotFound", "?")).Answer({Added("b", 3, "x") + InitialEnd(4)});
  Objects in_between{{"not", "looked"}};
  scene.api.Answer({}, Refused(404, "NotFound", "?")).Add([&](const ApiRequest&, ByteSink) {
    in_between = scene.sink.objects;
    return Refused(404, "NotFound", "?");
  });
  scene.Run();
  EXPECT_THAT(in_between, IsEmpty());
  EXPECT_FALSE(scene.state.synced);
  EXPECT_TRUE(scene.state.not_installed);
  EXPECT_EQ(scene.state.objects, 0U);
}

TEST(ReflectorMissing, AKindThatCannotBeMissingKeepsItsState) {
  Synced scene;
  scene.api.Fail(Refused(404, "NotFound", "the server could not find it"));
  scene.Run();
  EXPECT_THAT(scene.sink.objects, UnorderedElementsAre(Pair("d/a", "x")));
  EXPECT_FALSE(scene.state.not_installed);
  EXPECT_THAT(scene.line, HasSubstr("the server could not find it"));
}

TEST(ReflectorMissing, IsNotTakenFromAListThatIsFound) {
  Scene scene;
  scene.options.may_be_missing = true;
  scene.api.Fail(Refused(400, "BadRequest", "?")).Fail(Refused(404, "NotFound", "?"));
  scene.Run();
  EXPECT_TRUE(scene.state.not_installed);
}

}  // namespace
}  // namespace outrigger::kube
