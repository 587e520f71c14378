// Bytes that no server sends: every one gets a status, and none is read outside of its end. The
// sanitizers of the asan preset see the latter.
#include <algorithm>
#include <ctime>
#include <functional>
#include <limits>
#include <string>

#include "codec/protobuf/envelope.h"
#include "codec/protobuf/object_readers.h"
#include "protobuf_testing.h"

namespace outrigger::protobuf {
namespace {

struct Reader {
  const char* name;
  std::string valid;
  std::function<absl::Status(std::string_view)> read;
};

absl::Status NodeStatus(std::string_view bytes) {
  Node node;
  const json::Path at("Node");
  return ReadNode(bytes, at, Needs::All(), &node);
}

absl::Status PodStatus(std::string_view bytes) {
  Pod pod;
  const json::Path at("Pod");
  return ReadPod(bytes, at, Needs::All(), &pod);
}

const std::vector<Reader>& Readers() {
  static const auto& readers = *new std::vector<Reader>{
      {"Node", ObjectNamed("nodes", "whole"), NodeStatus},
      {"Pod", ObjectNamed("pods", "containers"), PodStatus},
      {"PodWithStatus", ObjectNamed("pods", "status of resources"), PodStatus},
      {"PodWithAffinity", ObjectNamed("pods", "pod affinity"), PodStatus},
      {"Envelope", PairsOf("statuses").back().protobuf,
       [](std::string_view bytes) {
         Envelope envelope;
         return OpenEnvelope(bytes, &envelope);
       }},
      {"Metadata", ObjectNamed("nodes", "whole"),
       [](std::string_view bytes) {
         Metadata metadata;
         return ReadMetadata(bytes, true, &metadata);
       }},
      {"WatchFrame", PairsOf("events").front().protobuf,
       [](std::string_view bytes) {
         WatchFrame frame;
         return ReadWatchFrame(bytes, &frame);
       }},
      {"ListMeta", Message().Text(2, "1").Text(3, "next").Number(4, 1U << 20U).bytes,
       [](std::string_view bytes) {
         ListMeta meta;
         return ReadListMeta(bytes, &meta);
       }},
      {"Status", ObjectNamed("statuses", "too many requests"),
       [](std::string_view bytes) {
         ApiStatus status;
         return ReadStatus(bytes, &status);
       }},
  };
  return readers;
}

class BrokenProtobuf : public ::testing::TestWithParam<size_t> {
 protected:
  const Reader& reader() const { return Readers()[GetParam()]; }
};

// OK, or a refusal that says what is broken, or what no reader of either form takes.
void ExpectJudged(const absl::Status& status) {
  if (status.ok()) return;
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  const std::string message(status.message());
  EXPECT_TRUE(message.find(": broken protobuf: ") != std::string::npos ||
              message.find(".operator: ") != std::string::npos)
      << message;
}

TEST_P(BrokenProtobuf, CutOffAnywhereIsJudged) {
  const std::string& valid = reader().valid;
  ASSERT_THAT(reader().read(valid), IsOk());
  size_t refused = 0;
  for (size_t size = 0; size < valid.size(); ++size) {
    const absl::Status status = reader().read(ExactBytes(valid.substr(0, size)));
    ExpectJudged(status);
    refused += status.ok() ? 0 : 1;
  }
  EXPECT_GT(refused, valid.size() / 2);
}

TEST_P(BrokenProtobuf, WithAnyBitFlippedIsJudged) {
  const std::string& valid = reader().valid;
  size_t refused = 0;
  for (size_t at = 0; at < valid.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string flipped = valid;
      flipped[at] = static_cast<char>(static_cast<unsigned char>(flipped[at]) ^ (1U << bit));
      const absl::Status status = reader().read(ExactBytes(flipped));
      ExpectJudged(status);
      refused += status.ok() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 0U);
}

TEST_P(BrokenProtobuf, WithAnythingBehindIsJudged) {
  for (int byte = 0; byte < 256; ++byte) {
    ExpectJudged(reader().read(ExactBytes(reader().valid + static_cast<char>(byte))));
  }
}

INSTANTIATE_TEST_SUITE_P(Readers, BrokenProtobuf, ::testing::Range(size_t{0}, Readers().size()),
                         [](const auto& row) { return Readers()[row.param].name; });

struct Refused {
  const char* name;
  Message node;
  const char* text;
};

class RefusedNodes : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedNodes, SayWhere) {
  const ExactBytes bytes(GetParam().node.bytes);
  EXPECT_THAT(NodeStatus(bytes), IsInvalid(std::string(GetParam().text)));
}

Message Meta(const Message& message) {
  return Message().Nested(1, message);
}
Message Spec(const Message& message) {
  return Message().Nested(2, message);
}

const Refused kRefused[] = {
    {"MessageAsNumber", Message().Number(1, 5), "Node.metadata: broken protobuf: expected a text"},
    {"TextAsNumber", Meta(Message().Number(1, 5)), "Node.metadata.name: broken protobuf: expected"},
    {"TextAsFixed", Meta(Message().Fixed32(1)), "Node.metadata.name: broken protobuf: expected"},
    {"BoolAsText", Spec(Message().Text(4, "1")), "Node.spec.unschedulable: broken protobuf: expec"},
    {"BoolAsFixed", Spec(Message().Fixed64(4)), "Node.spec.unschedulable: broken protobuf: expect"},
    {"MapAsNumber", Meta(Message().Number(11, 1)), "Node.metadata.labels: broken protobuf: expect"},
    {"KeyAsNumber", Meta(Message().Nested(11, Message().Number(1, 1))),
     "Node.metadata.labels.key: broken protobuf: expected"},
    {"ElementAsNumber", Spec(Message().Number(5, 1)),
     "Node.spec.taints: broken protobuf: expected"},
    {"InAnElement", Spec(Message().Nested(5, Message()).Nested(5, Message().Number(1, 1))),
     "Node.spec.taints[1].key: broken protobuf: expected a text"},
    {"QuantityAsNumber",
     Message().Nested(3, Message().Nested(1, Message().Text(1, "cpu").Number(2, 1))),
     "Node.status.capacity.value: broken protobuf: expected"},
    {"KeyNotUtf8", Meta(Message().Entry(11, "\xed\xa0\x80", "")),
     "labels.key: broken protobuf: no"},
    {"FieldZero", Message().Bytes(std::string_view("\x02\x00", 2)), "no field has such a number"},
    {"FieldTooLarge", Message().Bytes("\x82\x80\x80\x80\x10\x01"), "no field has such a number"},
    {"GroupBegins", Message().Bytes("\x0b"), "a wire type that is not known, or a group"},
    {"GroupEnds", Message().Bytes("\x0c"), "a wire type that is not known, or a group"},
    {"WireType6", Message().Bytes("\x0e"), "a wire type that is not known, or a group"},
    {"WireType7", Message().Bytes("\x0f"), "a wire type that is not known, or a group"},
    {"TagCutOff", Message().Bytes("\x8a"), "a number is cut off"},
    {"NumberCutOff", Spec(Message().Bytes("\x20")), "Node.spec: broken protobuf: a number is cut"},
    {"NumberTooLong", Message().Bytes("\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
     "a number of more than 10 bytes"},
    {"LengthCutOff", Message().Bytes("\x0a"), "a number is cut off"},
    {"LengthBeyondTheEnd", Message().Bytes("\x0a\x02\x08"), "a field is longer than its message"},
    {"LengthOf32Bits", Message().Bytes("\x0a\xff\xff\xff\xff\x0f"), "a field is longer than its"},
    // 2^32 + 2: two, for who keeps 32 bits.
    {"LengthOf33Bits", Message().Bytes("\x0a\x82\x80\x80\x80\x10\x20\x01"), "a field is longer"},
    {"LengthOf64Bits", Message().Bytes("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
     "a field is longer than its message"},
    {"FixedCutOff", Message().Bytes("\x25\x01\x02\x03"), "a field is longer than its message"},
    {"BeyondTheMessageAround",
     Message().Bytes("\x12\x02\x0a\x05\x1a\x05"
                     "12345"),
     "Node.spec: broken protobuf: a field is longer than its message"},
};
INSTANTIATE_TEST_SUITE_P(Rows, RefusedNodes, ::testing::ValuesIn(kRefused),
                         [](const auto& row) { return row.param.name; });

TEST(BrokenProtobufNodes, AreNotRefusedForWhatNobodyNeeds) {
  const std::string bytes =
      Message()
          .Nested(1, Message().Text(1, "n1").Text(11, "\xff").Text(17, "\xff"))
          .Text(2, "\xff")
          .Text(3, "\xff")
          .bytes;
  Node node;
  const json::Path at("Node");
  EXPECT_THAT(ReadNode(bytes, at, Needs(), &node), IsOk());
  EXPECT_EQ(node.name, "n1");
  EXPECT_FALSE(ReadNode(bytes, at, Needs().NodeLabels(), &node).ok());
  EXPECT_FALSE(ReadNode(bytes, at, Needs().NodeTaints(), &node).ok());
  EXPECT_FALSE(ReadNode(bytes, at, Needs().NodeCapacity(), &node).ok());
}

TEST(BrokenProtobufNodes, NestedDeeplyAreReadNoDeeperThanTheirFields) {
  std::string nested;
  for (int i = 0; i < 5000; ++i) nested = Message().Text(1, nested).bytes;
  ExpectJudged(NodeStatus(nested));
  ExpectJudged(PodStatus(nested));
}

// Processor time of reading a node whose labels come in so many parts, the least of three tries.
double SecondsFor(int parts) {
  Message node;
  for (int i = 0; i < parts; ++i) {
    node.Nested(1, Message().Entry(11, std::to_string(1'000'000 - i), ""));
  }
  double least = std::numeric_limits<double>::max();
  for (int tries = 0; tries < 3; ++tries) {
    const std::clock_t before = std::clock();
    EXPECT_THAT(NodeStatus(node.bytes), IsOk());
    least = std::min(least, static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
  }
  return least;
}

// Ordering the map for every part would cost a hundred times as much for ten times as many.
TEST(BrokenProtobufNodes, InManyPartsAreReadInTime) {
  EXPECT_LT(SecondsFor(60'000), 40 * SecondsFor(6'000));
}

}  // namespace
}  // namespace outrigger::protobuf
