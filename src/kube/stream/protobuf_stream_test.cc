// Bodies of watches and lists in protobuf: the same as in JSON, whatever pieces they come in.

#include "gmock/gmock.h"
#include "kube/stream/encoded_body.h"
#include "kube/watch/reflect_testing.h"
#include "protobuf_testing.h"

namespace outrigger::kube {
namespace {

using std::string_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kNames[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};

// Events in short: "ADDED d/a 5", with "json" behind it if that is what it came as.
class Watching {
 public:
  absl::Status Feed(std::string_view bytes) {
    return body_.Feed(bytes, [this](const WatchEvent& event) {
      const auto type = static_cast<size_t>(event.type);
      if (event.type == WatchEventType::kError) {
        events.push_back("ERROR " + std::string(ErrorOfEvent(event.error).message()));
      } else {
        events.push_back(fmt::format("{} {}/{} {}{}{}", kNames[type], event.head.namespace_,
                                     event.head.name, event.head.resource_version,
                                     event.head.initial_events_end ? " END" : "",
                                     event.protobuf.data() == nullptr ? " json" : ""));
      }
      return absl::OkStatus();
    });
  }
  std::vector<std::string> events;

 private:
  WatchBody body_;
};

struct Row {
  const char* name;
  std::string bytes;
  std::vector<std::string> events;
};
class ProtobufEvents : public ::testing::TestWithParam<Row> {};

const Row kRows[] = {
    {"Nothing", "", {}},
    {"Added", FrameOf("ADDED", "a", 5, "x"), {"ADDED d/a 5"}},
    {"Modified", FrameOf("MODIFIED", "a", 6, "y"), {"MODIFIED d/a 6"}},
    {"Deleted", FrameOf("DELETED", "a", 7, ""), {"DELETED d/a 7"}},
    {"Bookmark", FrameOf("BOOKMARK", Enveloped(Bytes(1, Bytes(6, "8")))), {"BOOKMARK / 8"}},
    {"EndOfState", EndFrame(9), {"BOOKMARK / 9 END"}},
    {"Error",
     FrameOf("ERROR", ProtobufStatus(410, "Expired", "too old")),
     {"ERROR the API server answered 410 Expired: too old"}},
    {"Two",
     FrameOf("ADDED", "a", 5, "x") + FrameOf("DELETED", "a", 6, "x"),
     {"ADDED d/a 5", "DELETED d/a 6"}},
    {"Large", FrameOf("ADDED", "a", 5, std::string(70'000, 'x')), {"ADDED d/a 5"}},
    {"JsonAllTheSame", Added("a", 5, "x"), {"ADDED d/a 5 json"}},
};

TEST_P(ProtobufEvents, AreReadAtOnce) {
  Watching watching;
  EXPECT_EQ(watching.Feed(GetParam().bytes), absl::OkStatus());
  EXPECT_EQ(watching.events, GetParam().events);
}

TEST_P(ProtobufEvents, AreReadInPieces) {
  for (const size_t step : std::initializer_list<size_t>{1, 2, 3, 5, 16, 1000}) {
    Watching watching;
    const std::string& bytes = GetParam().bytes;
    for (size_t i = 0; i < bytes.size(); i += step) {
      ASSERT_EQ(watching.Feed(std::string_view(bytes).substr(i, step)), absl::OkStatus());
    }
    EXPECT_EQ(watching.events, GetParam().events) << "in steps of " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, ProtobufEvents, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

struct BadRow {
  const char* name;
  std::string bytes;
  const char* text;
};
class BadProtobufEvents : public ::testing::TestWithParam<BadRow> {};

const BadRow kBadRows[] = {
    {"NoEvent", Frame("what?"), "broken protobuf"},
    {"Empty", Frame(""), "type"},
    {"UnknownType", FrameOf("WHAT", "a", 5, ""),
     "event.type: expected ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, found \"WHAT\""},
    {"NoObject", Frame(Bytes(1, "ADDED")), "protobuf"},
    {"NoEnvelope", FrameOf("ADDED", Message("a", 5, "")), "protobuf"},
    {"NoName", FrameOf("ADDED", Enveloped(Bytes(1, Bytes(6, "5")))),
     "event.object.metadata.name: expected a name"},
    {"NoVersion", FrameOf("ADDED", Enveloped(Bytes(1, Bytes(1, "a")))),
     "event.object.metadata.resourceVersion"},
};

TEST_P(BadProtobufEvents, EndTheStream) {
  Watching watching;
  const absl::Status status = watching.Feed(GetParam().bytes);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().text));
  EXPECT_THAT(watching.events, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Of, BadProtobufEvents, ::testing::ValuesIn(kBadRows),
                         [](const auto& row) { return row.param.name; });

TEST(FrameSplitter, RefusesAFrameAboveItsLimitBeforeItHasCome) {
  FrameSplitter frames(10);
  const auto fail = [](std::string_view) { return absl::OkStatus(); };
  EXPECT_EQ(frames.Feed("\0\0\0\x0a"s, fail), absl::OkStatus());
  FrameSplitter others(10);
  EXPECT_TRUE(absl::IsResourceExhausted(others.Feed("\0\0\0\x0b"s, fail)));
}

TEST(FrameSplitter, GivesBackTheMemoryOfALargeFrame) {
  FrameSplitter frames(size_t{4} << 20U);
  const std::string frame = Frame(std::string(1 << 20, 'x'));
  size_t seen = 0;
  for (const std::string_view piece :
       {std::string_view(frame).substr(0, 1000), std::string_view(frame).substr(1000)}) {
    ASSERT_EQ(frames.Feed(piece,
                          [&](std::string_view whole) {
                            seen = whole.size();
                            return absl::OkStatus();
                          }),
              absl::OkStatus());
  }
  EXPECT_EQ(seen, size_t{1} << 20U);
  EXPECT_LE(frames.capacity(), FrameSplitter::kKeptBytes);
}

struct ReadList {
  absl::Status status;
  ListPage page;
  std::vector<std::string> items;
};

ReadList ReadInSteps(const std::string& bytes, size_t step) {
  ReadList read;
  ListBody body;
  for (size_t i = 0; i < bytes.size() && read.status.ok(); i += step) {
    read.status = body.Feed(std::string_view(bytes).substr(i, step), [&](const ListItem& item) {
      read.items.push_back(item.head.name + " " + item.head.resource_version);
      return absl::OkStatus();
    });
  }
  if (!read.status.ok()) return read;
  absl::StatusOr<ListPage> page = body.Finish();
  read.status = page.status();
  if (page.ok()) read.page = *std::move(page);
  return read;
}

const std::string kTwoItems =
    ProtobufList(5, {Message("a", 3, "x"), Message("b", 4, std::string(300, 'y'))}, "next");

TEST(ProtobufList, IsReadInPiecesOfAnySize) {
  for (const size_t step : std::initializer_list<size_t>{1, 2, 7, 100, 10'000}) {
    const ReadList read = ReadInSteps(kTwoItems, step);
    ASSERT_EQ(read.status, absl::OkStatus()) << "in steps of " << step;
    EXPECT_THAT(read.items, ElementsAre("a 3", "b 4"));
    EXPECT_EQ(read.page.resource_version, "5");
    EXPECT_EQ(read.page.continue_token, "next");
    EXPECT_EQ(read.page.items, 2U);
  }
}

TEST(ProtobufList, MayBeEmpty) {
  const ReadList read = ReadInSteps(ProtobufList(5, {}), 1000);
  EXPECT_EQ(read.status, absl::OkStatus());
  EXPECT_EQ(read.page.items, 0U);
}

TEST(ProtobufList, StepsOverFieldsThatItDoesNotKnow) {
  const std::string list = Number(9, 1U << 30U) + Bytes(7, "x") + Varint(8U << 3U | 1U) +
                           std::string(8, 'f') + Varint(8U << 3U | 5U) + std::string(4, 'f') +
                           Bytes(1, Bytes(2, "5")) + Bytes(2, Message("a", 3, "x"));
  const ReadList read = ReadInSteps(Enveloped(list), 1);
  EXPECT_EQ(read.status, absl::OkStatus()) << read.status;
  EXPECT_THAT(read.items, ElementsAre("a 3"));
}

TEST(ProtobufList, IsRefusedWhereverItIsCut) {
  for (size_t end = 0; end + 4 < kTwoItems.size(); ++end) {  // then what is around it is whole
    const ReadList read = ReadInSteps(kTwoItems.substr(0, end), 1000);
    EXPECT_TRUE(absl::IsInvalidArgument(read.status)) << end << ": " << read.status;
  }
}

TEST(ProtobufList, IsRefusedIfItIsNotOne) {
  using Case = std::pair<std::string, std::string>;
  for (const auto& [bytes, text] : {
           Case{"kubernetes", "it is none"},
           Case{Enveloped(Bytes(2, Message("a", 3, "x"))), "resourceVersion"},
           Case{ProtobufList(5, {Message("", 3, "x")}), "items[0].metadata.name"},
           Case{ProtobufList(5, {"what?"}), "items[0]"},
           Case{Enveloped(Number(2, 7)), "field 2 has no length"},
           Case{Enveloped("\x02"), "a field's number is off"},
           Case{Enveloped("\x4b"), "wire type 3"},
           Case{Enveloped(Varint(1U << 3U | 2U) + Varint(1000) + "x"), "ends after the list"},
           Case{Enveloped(std::string(11, '\xff')), "more than 64 bits"},
           Case{Enveloped(Bytes(1, Bytes(2, "5"))) + Bytes(2, "x"), "two lists"},
       }) {
    for (const size_t step : std::initializer_list<size_t>{1, 1000}) {
      const ReadList read = ReadInSteps(bytes, step);
      EXPECT_TRUE(absl::IsInvalidArgument(read.status)) << text;
      EXPECT_THAT(std::string(read.status.message()), HasSubstr(text));
    }
  }
}

TEST(ProtobufList, IsRefusedIfAnObjectIsLargerThanAnyServerTakes) {
  const uint64_t length = ProtobufListSplitter::kMaxField + 1;
  const std::string item = Varint(2U << 3U | 2U) + Varint(length);
  std::string envelope = "k8s\0"s + Varint(2U << 3U | 2U) + Varint(length + item.size());
  const ReadList read = ReadInSteps(envelope + item + "x", 1000);
  EXPECT_TRUE(absl::IsResourceExhausted(read.status)) << read.status;
}

TEST(ErrorOfAnswer, ReadsAStatusInProtobuf) {
  const absl::Status status = ErrorOfAnswer(410, ProtobufStatus(410, "Expired", "too old"), "");
  EXPECT_TRUE(absl::IsOutOfRange(status));
  EXPECT_EQ(status.message(), "the API server answered 410 Expired: too old");
  EXPECT_EQ(ApiErrorOf(status)->reason, "Expired");
}

TEST(ErrorOfAnswer, DoesNotBelieveProtobufThatIsNoStatus) {
  for (const std::string& body :
       {Enveloped(Message("a", 3, "x")), "k8s\0what?"s, ProtobufStatus(410, "\xff\xfe", "\xc3")}) {
    EXPECT_EQ(ErrorOfAnswer(500, body, "").message(), "the API server answered 500");
  }
}

}  // namespace
}  // namespace outrigger::kube
