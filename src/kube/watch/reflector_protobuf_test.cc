// Which encoding a reflector asks for, and that it reads both.

#include "kube/stream/protobuf_testing.h"
#include "kube/watch/reflector.h"
#include "protozero/pbf_reader.hpp"
#include "reflect_testing.h"

namespace outrigger::kube {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr const char* kJsonOnly = "application/json";

// Keeps objects of both encodings.
class BothSink final : public ObjectSink {
 public:
  absl::Status Upsert(const ObjectHead& head, json::Object object, const json::Path& at) override {
    return json_.Upsert(head, object, at);
  }
  absl::Status UpsertProtobuf(const ObjectHead& head, std::string_view object,
                              const json::Path& at) override {
    protozero::pbf_reader fields(object.data(), object.size());
    while (fields.next()) {
      if (fields.tag() != 2) {
        fields.skip();
        continue;
      }
      const protozero::data_view value = fields.get_view();
      json_.objects[head.namespace_ + "/" + head.name] = std::string(value.data(), value.size());
    }
    const std::string& value = json_.objects[head.namespace_ + "/" + head.name];
    if (value == "odd") at.Key("spec").Malformed(value, "something else");
    return value == "bad" ? absl::InvalidArgumentError("broken protobuf") : absl::OkStatus();
  }
  bool ReadsProtobuf() const override { return true; }
  void Remove(const ObjectHead& gone) override { json_.Remove(gone); }
  const Objects& objects() const { return json_.objects; }

 private:
  MapSink json_;
};

// A Scene whose sink reads both.
struct ProtobufScene : Scene {
  void Run() {
    Reflector reflector(&api, kPods, &both, options);
    reflector.Start();
    EXPECT_TRUE(api.AwaitIdle());
    state = reflector.State();
    reflector.Stop();
  }
  std::vector<std::string> Accepts() const {
    std::vector<std::string> accepts;
    for (const SeenRequest& seen : api.seen()) accepts.push_back(seen.accept);
    return accepts;
  }
  BothSink both;
};

TEST(ReflectorEncoding, IsProtobufWhereTheSinkReadsIt) {
  ProtobufScene scene;
  scene.api.Answer({FrameOf("ADDED", "a", 3, "x") + FrameOf("ADDED", "b", 2, "y") + EndFrame(5),
                    FrameOf("MODIFIED", "a", 6, "z"), FrameOf("DELETED", "b", 7, "")});
  scene.Run();
  EXPECT_THAT(scene.both.objects(), UnorderedElementsAre(Pair("d/a", "z")));
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watch 7"));
  EXPECT_THAT(scene.Accepts(), Each(std::string(kAcceptProtobuf)));
}

TEST(ReflectorEncoding, IsJsonWhereTheSinkReadsNothingElse) {
  Scene scene;
  scene.api.Answer({Added("a", 3, "x") + InitialEnd(5)});
  scene.Run();
  EXPECT_EQ(scene.api.seen()[0].accept, kJsonOnly);
}

TEST(ReflectorEncoding, IsJsonWhereThatWasChosen) {
  ProtobufScene scene;
  scene.options.protobuf = false;
  scene.api.Answer({Added("a", 3, "x") + InitialEnd(5)});
  scene.Run();
  EXPECT_THAT(scene.Accepts(), Each(kJsonOnly));
}

TEST(ReflectorEncoding, IsTheServersToChoose) {
  ProtobufScene scene;
  scene.api.Answer({Added("a", 3, "x") + InitialEnd(5), Modified("a", 6, "z")});
  scene.Run();
  EXPECT_THAT(scene.both.objects(), UnorderedElementsAre(Pair("d/a", "z")));
}

TEST(ReflectorEncoding, HoldsForListsToo) {
  ProtobufScene scene;
  scene.api.Fail(Refused(400, "BadRequest", "no such parameter"))
      .Answer({ProtobufList(5, {Message("a", 3, "x")}, "more")})
      .Answer({ProtobufList(5, {Message("b", 4, "y")})});
  scene.Run();
  EXPECT_THAT(scene.both.objects(), UnorderedElementsAre(Pair("d/a", "x"), Pair("d/b", "y")));
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "list '0' limit 500",
                                            "list continue more limit 500", "watch 5"));
  EXPECT_THAT(scene.Accepts(), Each(std::string(kAcceptProtobuf)));
}

TEST(ReflectorEncoding, FallsBackToJsonBehindBrokenProtobuf) {
  for (const std::string& broken :
       {Frame("what?"), FrameOf("ADDED", Message("a", 3, "x")), FrameOf("ADDED", "a", 3, "bad")}) {
    ProtobufScene scene;
    scene.api.Answer({broken}).Answer({List(5, {Json("a", 3, "x")})});
    scene.Run();
    EXPECT_THAT(scene.both.objects(), UnorderedElementsAre(Pair("d/a", "x")));
    EXPECT_THAT(scene.Accepts(), ElementsAre(std::string(kAcceptProtobuf), kJsonOnly, kJsonOnly));
  }
}

TEST(ReflectorEncoding, TriesProtobufAgainTenMinutesLaterAndThenAfterTwenty) {
  ProtobufScene scene;
  const auto json_for = [&scene](std::chrono::minutes time, std::string event) {
    scene.api.Add([&scene, time, event = std::move(event)](const ApiRequest&, ByteSink sink) {
      sink(event);
      scene.time.Advance(time);
      return absl::OkStatus();
    });
  };
  const std::string broken = Frame("what?");
  scene.api.Answer({FrameOf("ADDED", "a", 3, "x") + EndFrame(5)}).Answer({broken});
  json_for(std::chrono::minutes(9), Modified("a", 6, "y"));
  json_for(std::chrono::minutes(1), Modified("a", 7, "y"));
  scene.api.Answer({FrameOf("MODIFIED", "a", 8, "z")}).Answer({broken});
  json_for(std::chrono::minutes(19), Modified("a", 9, "y"));
  json_for(std::chrono::minutes(1), Modified("a", 10, "y"));
  scene.Run();
  std::vector<std::string> forms;
  for (const std::string& accept : scene.Accepts()) {
    forms.push_back(accept == kJsonOnly ? "json" : "protobuf");
  }
  EXPECT_THAT(forms, ElementsAre("protobuf", "protobuf", "json", "json", "protobuf", "protobuf",
                                 "json", "json", "protobuf"));
}

TEST(ReflectorEncoding, FallsBackToJsonWhereTheServersVersionIsBrokenProtobuf) {
  ProtobufScene scene;
  scene.api.Answer({FrameOf("ADDED", "a", 3, "x") + EndFrame(5)})
      .Fail(Lost())
      .Answer({"k8s, but not as we know it"})  // asked for the present version
      .Answer({List(5, {})})
      .Answer({Modified("a", 6, "y")});
  scene.Run();
  EXPECT_THAT(scene.both.objects(), UnorderedElementsAre(Pair("d/a", "y")));
  EXPECT_THAT(scene.Accepts(),
              ElementsAre(std::string(kAcceptProtobuf), std::string(kAcceptProtobuf),
                          std::string(kAcceptProtobuf), kJsonOnly, kJsonOnly, kJsonOnly));
}

TEST(ReflectorEncoding, StaysProtobufWhenConnectionsBreak) {
  ProtobufScene scene;
  scene.api.Answer({FrameOf("ADDED", "a", 3, "x") + EndFrame(5)})
      .Answer({FrameOf("MODIFIED", "a", 6, "y").substr(0, 20)}, Lost())
      .Answer({ProtobufList(5, {})})  // whether it is still the same server
      .Answer({FrameOf("MODIFIED", "a", 6, "y")});
  scene.Run();
  EXPECT_THAT(scene.both.objects(), UnorderedElementsAre(Pair("d/a", "y")));
  EXPECT_THAT(scene.Accepts(), Each(std::string(kAcceptProtobuf)));
}

TEST(ReflectorEncoding, ReportsMalformedValuesOfProtobuf) {
  ProtobufScene scene;
  scene.api.Answer({FrameOf("ADDED", "a", 3, "odd") + EndFrame(5)});
  scene.Run();
  EXPECT_THAT(scene.problems, ElementsAre("d/a: spec"));
  EXPECT_EQ(scene.state.unreadable, 0U);
}

TEST(ReflectorEncoding, UnderstandsErrorsInProtobuf) {
  ProtobufScene scene;
  scene.api.Answer({FrameOf("ADDED", "a", 3, "x") + EndFrame(5)})
      .Answer({FrameOf("ERROR", ProtobufStatus(410, "Expired", "too old"))})
      .Answer({FrameOf("ADDED", "b", 8, "y") + EndFrame(9)});
  scene.Run();
  EXPECT_THAT(scene.both.objects(), UnorderedElementsAre(Pair("d/b", "y")));
  EXPECT_THAT(Calls(scene.api), ElementsAre("watchlist", "watch 5", "watchlist", "watch 9"));
}

}  // namespace
}  // namespace outrigger::kube
