// Connections that are cut at any byte, and many failures in a row.
#include <malloc.h>

#include "reflect_testing.h"

namespace outrigger::kube {
namespace {

// Answers as one server with a fixed history does; the call number `cut_call` is cut at `cut_at`.
class CutServer final : public Api {
 public:
  CutServer(size_t cut_call, size_t cut_at, bool streams_lists)
      : cut_call_(cut_call), cut_at_(cut_at), streams_lists_(streams_lists) {}

  absl::StatusOr<ApiResponse> Call(const ApiRequest&) override {
    return absl::UnimplementedError("not for reflectors");
  }
  absl::Status Stream(const ApiRequest& request, ByteSink sink) override {
    SeenRequest seen{request.path, {}, {}};
    for (const auto& [key, value] : request.query) seen.query[key] = value;
    const bool is_cut = calls_++ == cut_call_;
    if (seen.is_watch_list() && !streams_lists_) return Refused(422, "Invalid", "?");
    const std::string body = Body(seen);
    if (!sink(is_cut ? body.substr(0, cut_at_) : body)) return absl::CancelledError("sink");
    if (is_cut) {
      has_cut = true;
      return Lost();
    }
    if (!seen.is_watch()) return absl::OkStatus();
    return script.Stream(request, sink);  // holds it back
  }

  ScriptedApi script;
  bool has_cut = false;

 private:
  static std::string Body(const SeenRequest& seen) {
    if (seen.Query("limit") == "1") return List(9, {Json("a", 3, "x")}, "more");
    if (seen.Query("continue") == "p2") return List(5, {Json("b", 4, "y")});
    if (!seen.is_watch()) return List(5, {Json("a", 3, "x")}, "p2");
    std::string body;
    if (seen.is_watch_list()) body = Added("a", 3, "x") + Added("b", 4, "y") + InitialEnd(5);
    const std::string from = seen.is_watch_list() ? "5" : seen.Query("resourceVersion");
    if (from < "6") body += Modified("a", 6, "z");
    if (from < "7") body += Deleted("b", 7);
    if (from < "8") body += Added("c", 8, "w");
    if (from < "9") body += Bookmark(9);
    return body;
  }

  const size_t cut_call_;
  const size_t cut_at_;
  const bool streams_lists_;
  size_t calls_ = 0;
};

const Objects kEnd{{"d/a", "z"}, {"d/c", "w"}};

// Cuts the call at every byte of it.
void CutEverywhere(size_t call, bool streams_lists) {
  bool has_cut = true;
  for (size_t at = 0; at < 900 && has_cut; ++at) {
    CutServer server(call, at, streams_lists);
    VirtualTime time;
    MapSink sink;
    Reflector reflector(&server, kPods, &sink, {.timing = time.timing()});
    reflector.Start();
    ASSERT_TRUE(server.script.AwaitIdle()) << at << reflector.Describe();
    const ReflectorState state = reflector.State();
    reflector.Stop();
    EXPECT_EQ(sink.objects, kEnd) << "call " << call << " cut at " << at;
    EXPECT_TRUE(state.synced);
    EXPECT_EQ(state.resource_version, "9");
    has_cut = server.has_cut;
  }
}

TEST(ReflectorCuts, AStreamedListMayBeCutAtAnyByte) {
  CutEverywhere(0, true);
}
TEST(ReflectorCuts, APageMayBeCutAtAnyByte) {
  CutEverywhere(1, false);
}
TEST(ReflectorCuts, AContinuedPageMayBeCutAtAnyByte) {
  CutEverywhere(2, false);
}
TEST(ReflectorCuts, AWatchMayBeCutAtAnyByte) {
  CutEverywhere(3, false);
}

// All kinds of failures in turn, with a list now and then.
class FailingServer final : public Api {
 public:
  explicit FailingServer(VirtualTime* time) : time_(time) {}
  absl::StatusOr<ApiResponse> Call(const ApiRequest&) override {
    return absl::UnimplementedError("not for reflectors");
  }
  absl::Status Stream(const ApiRequest& request, ByteSink sink) override {
    ++calls;
    if (calls == 2'000) at_2000 = mallinfo2().uordblks;
    if (calls >= 12'000) {
      if (calls == 12'000) at_end = mallinfo2().uordblks;
      return script.Stream(request, sink);
    }
    switch (calls % 11) {
      case 0:
        sink(Added(fmt::format("p{}", calls % 50), 3, std::string(calls % 997, 'v')) +
             InitialEnd(static_cast<int64_t>(calls)));
        return Lost();
      case 1:
        return Refused(500, "InternalError", "?");
      case 2:
        return Refused(410, "Expired", "?");
      case 3:
        sink(std::string(100'000, '{'));
        return Lost();
      case 4:
        sink("{}\n");
        return absl::OkStatus();
      case 5:
        time_->Advance(request.silence);
        return absl::DeadlineExceededError("silence");
      case 6:
        return Refused(429, "TooManyRequests", "?", "1");
      case 7:
        return Refused(404, "NotFound", "?");
      case 8:
        sink(List(4, {Json("q", 3, "x")}));
        return absl::OkStatus();
      case 9:
        sink(R"({"items":[{"metadata":{"name":"a)");
        return Lost();
      default:
        return absl::UnavailableError("connection refused");
    }
  }
  VirtualTime* const time_;
  ScriptedApi script;
  size_t calls = 0;
  size_t at_2000 = 0;
  size_t at_end = 0;
};

TEST(ReflectorFailures, MemoryDoesNotGrowOverThousandsOfThem) {
  VirtualTime time;
  Timing timing = time.timing();
  // Waits are not noted: that would be what grows.
  timing.sleep = [&time](Clock::Duration length, const std::stop_token& stop) {
    time.Advance(std::chrono::duration_cast<std::chrono::milliseconds>(length));
    return !stop.stop_requested();
  };
  FailingServer server(&time);
  MapSink sink;
  Reflector reflector(&server, kPods, &sink, {.may_be_missing = true, .timing = timing});
  reflector.Start();
  ASSERT_TRUE(server.script.AwaitIdle());
  const ReflectorState state = reflector.State();
  reflector.Stop();
  EXPECT_GT(state.failures, 1000U);
  EXPECT_GT(state.relists, 100U);
  EXPECT_LT(server.at_end, server.at_2000 + 300'000);
}

}  // namespace
}  // namespace outrigger::kube
