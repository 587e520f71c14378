#include "kube/stream/watch_stream.h"

#include "kube/watch/reflect_testing.h"

namespace outrigger::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kNames[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};

// Events in short: "ADDED d/a 5", "ADDED d/a 5 = value" where the object has one.
class Watching {
 public:
  explicit Watching(size_t max_event = WatchStream::kMaxEvent) : stream(max_event) {}

  absl::Status Feed(std::string_view bytes) {
    return stream.Feed(bytes, [this](const WatchEvent& event) { return Take(event); });
  }

  WatchStream stream;
  std::vector<std::string> events;

 private:
  absl::Status Take(const WatchEvent& event) {
    const auto type = static_cast<size_t>(event.type);
    if (event.type == WatchEventType::kError) {
      events.push_back(fmt::format("ERROR {}", event.error));
      return absl::OkStatus();
    }
    std::string value;
    json::Object object = event.object;
    absl::Status status = json::ReadObject(
        object, json::Path(""),
        json::Field{"spec", [&](json::Value spec, const json::Path& at) {
                      return json::ReadObject(spec, at, json::Field{"value", &value});
                    }});
    events.push_back(fmt::format("{} {}/{} {}{}{}", kNames[type], event.head.namespace_,
                                 event.head.name, event.head.resource_version,
                                 value.empty() ? "" : " = " + value,
                                 event.head.initial_events_end ? " END" : ""));
    return status;
  }
};

struct Row {
  const char* name;
  std::string bytes;
  std::vector<std::string> events;
};
class Events : public ::testing::TestWithParam<Row> {};

const Row kRows[] = {
    {"Nothing", "", {}},
    {"Added", Added("a", 5, "x"), {"ADDED d/a 5 = x"}},
    {"Modified", Modified("a", 6, "y"), {"MODIFIED d/a 6 = y"}},
    {"Deleted", Deleted("a", 7), {"DELETED d/a 7"}},
    {"Bookmark", Bookmark(8), {"BOOKMARK / 8"}},
    {"EndOfState", InitialEnd(9), {"BOOKMARK / 9 END"}},
    {"OtherAnnotation",
     R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9","annotations":)"
     R"({"k8s.io/initial-events-end":"false","x":"true"}}}})"
     "\n",
     {"BOOKMARK / 9"}},
    {"Error",
     EventOf("ERROR", R"({"kind":"Status","code":410})"),
     {R"(ERROR {"kind":"Status","code":410})"}},
    {"ErrorThatIsNoObject", EventOf("ERROR", "7"), {"ERROR 7"}},
    {"TypeBehindObject",
     R"({"object":{"spec":{"value":"v"},"metadata":{"name":"a","resourceVersion":"5"}},)"
     R"("type":"ADDED"})"
     "\n",
     {"ADDED /a 5 = v"}},
    {"EndOfStateWithTypeBehind",
     R"({"object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"},)"
     R"("resourceVersion":"5"}},"type":"BOOKMARK"})"
     "\n",
     {"BOOKMARK / 5 END"}},
    {"ErrorWithTypeBehind",
     R"({"object":{"code":410},"type":"ERROR"})"
     "\n",
     {R"(ERROR {"code":410})"}},
    {"EscapesInNames",
     R"({"type":"ADDED","object":{"metadata":{"name":"\u0061b","resourceVersion":"\u0035"}}})"
     "\n",
     {"ADDED /ab 5"}},
    {"UnknownFields",
     R"({"x":[{"type":"ERROR"}],"type":"ADDED","y":null,"object":)" + Json("a", 5, "x") + "}\n",
     {"ADDED d/a 5 = x"}},
    {"Two", Added("a", 5, "x") + Deleted("a", 6), {"ADDED d/a 5 = x", "DELETED d/a 6"}},
    {"BlankLines", "\n \r\n" + Added("a", 5, "x") + "\n\n", {"ADDED d/a 5 = x"}},
    {"CarriageReturns",
     R"({"type":"ADDED","object":)" + Json("a", 5, "x") + "}\r\n",
     {"ADDED d/a 5 = x"}},
};

TEST_P(Events, AreDecoded) {
  Watching watching;
  EXPECT_TRUE(watching.Feed(GetParam().bytes).ok());
  EXPECT_EQ(watching.events, GetParam().events);
  EXPECT_EQ(watching.stream.pending(), 0U);
}

TEST_P(Events, AreTheSameWhereverTheyAreSplit) {
  const std::string_view bytes = GetParam().bytes;
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    Watching watching;
    EXPECT_TRUE(watching.Feed(bytes.substr(0, cut)).ok());
    EXPECT_TRUE(watching.Feed(bytes.substr(cut)).ok());
    EXPECT_EQ(watching.events, GetParam().events) << cut;
  }
  Watching watching;
  for (const char& c : bytes) EXPECT_TRUE(watching.Feed({&c, 1}).ok());
  EXPECT_EQ(watching.events, GetParam().events);
}

INSTANTIATE_TEST_SUITE_P(Kube, Events, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

struct Refusal {
  const char* name;
  std::string line;
  const char* text;
};
class RefusedEvents : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusedEvents, SayWhy) {
  Watching watching;
  const absl::Status status = watching.Feed(GetParam().line + "\n");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().text));
  EXPECT_THAT(watching.events, IsEmpty());
}

const Refusal kRefusals[] = {
    {"NotJson", "hello", "body: expected a JSON object"},
    {"Array", "[]", "body: expected a JSON object"},
    {"Cut", R"({"type":"ADDED","object":{"metadata":{)", "broken JSON"},
    {"TwoInALine", R"({"type":"ERROR","object":{}}{"type":"ERROR","object":{}})", "broken JSON"},
    {"NotUtf8", "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"\xff\"}}}", "not UTF-8"},
    {"NoType", R"({"object":{"metadata":{"name":"a","resourceVersion":"5"}}})",
     "event.type: expected ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, found nothing"},
    {"OtherType", R"({"type":"MOVED","object":{"metadata":{"name":"a","resourceVersion":"5"}}})",
     "event.type: expected ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, found \"MOVED\""},
    {"TypeIsNumber", R"({"type":1,"object":{}})", "event.type: expected a string, found a number"},
    {"TwoTypes", R"({"type":"ERROR","type":"ERROR","object":{}})", "event.type: given twice"},
    {"NoObject", R"({"type":"ADDED"})", "event.object: expected an object, found nothing"},
    {"NullObject", R"({"type":"ADDED","object":null})", "event.object: expected an object"},
    {"ObjectIsArray", R"({"type":"ADDED","object":[]})",
     "event.object: expected an object, found an array"},
    {"NoVersion", R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})",
     "event.object.metadata.resourceVersion: expected a version, found nothing"},
    {"BookmarkWithoutVersion", R"({"type":"BOOKMARK","object":{"metadata":{}}})",
     "event.object.metadata.resourceVersion: expected a version"},
    {"VersionIsNumber", R"({"type":"ADDED","object":{"metadata":{"resourceVersion":5}}})",
     "event.object.metadata.resourceVersion: expected a string, found a number"},
    {"NoName", R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"5"}}})",
     "event.object.metadata.name: expected a name, found nothing"},
};
INSTANTIATE_TEST_SUITE_P(Kube, RefusedEvents, ::testing::ValuesIn(kRefusals),
                         [](const auto& row) { return row.param.name; });

TEST(WatchStream, WhatCameBeforeAnErrorStands) {
  Watching watching;
  EXPECT_FALSE(watching.Feed(Added("a", 5, "x") + "{\n" + Added("b", 6, "x")).ok());
  EXPECT_THAT(watching.events, ElementsAre("ADDED d/a 5 = x"));
}

TEST(WatchStream, AnEventThatHasNotEndedIsNone) {
  Watching watching;
  std::string bytes = Added("a", 5, "x");
  bytes.pop_back();
  EXPECT_TRUE(watching.Feed(bytes).ok());
  EXPECT_THAT(watching.events, IsEmpty());
  EXPECT_EQ(watching.stream.pending(), bytes.size());
}

TEST(WatchStream, TakesEventsUpToTheLimit) {
  const std::string line = Added("a", 5, "x");
  Watching exact(line.size() - 1);
  EXPECT_TRUE(exact.Feed(line).ok());
  EXPECT_TRUE(exact.Feed(line).ok());
  Watching small(line.size() - 2);
  const absl::Status status = small.Feed(line);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(fmt::format("more than {} bytes", line.size() - 2)));
}

TEST(WatchStream, RefusesALineWithoutEndBeforeItHasTakenIt) {
  Watching watching(1000);
  const std::string piece(300, 'x');
  EXPECT_TRUE(watching.Feed(piece).ok());
  EXPECT_TRUE(watching.Feed(piece).ok());
  EXPECT_TRUE(watching.Feed(piece).ok());
  EXPECT_EQ(watching.Feed(piece).code(), absl::StatusCode::kResourceExhausted);
}

TEST(WatchStream, GivesTheMemoryOfAHugeEventBack) {
  Watching watching;
  ASSERT_TRUE(watching.Feed(Added("a", 5, std::string(size_t{12} << 20U, 'x'))).ok());
  ASSERT_EQ(watching.events.size(), 1U);
  EXPECT_LE(watching.stream.capacity(), 3 * LineSplitter::kKeptBytes);
  ASSERT_TRUE(watching.Feed(Added("a", 6, "y")).ok());
  EXPECT_EQ(watching.events.back(), "ADDED d/a 6 = y");
}

TEST(WatchStream, MemoryDoesNotGrowOverManyEvents) {
  Watching watching;
  const std::string line = Added("a", 5, std::string(5000, 'x'));
  size_t after_first = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(watching.Feed(line).ok());
    if (i == 0) after_first = watching.stream.capacity();
  }
  EXPECT_EQ(watching.stream.capacity(), after_first);
}

}  // namespace
}  // namespace outrigger::kube
